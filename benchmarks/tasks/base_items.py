"""The features of our base chunker as the strings that CRFsuite reads."""

from collections.abc import Sequence


def base_items(words: Sequence[str], tags: Sequence[str]) -> list[list[str]]:
    """The nineteen base templates of each token.

    Written out, since nothing in Python is faster, and the peer deserves it.
    """
    w = ["<-2>", "<-1>", *words, "<+1>", "<+2>"]
    t = ["<-2>", "<-1>", *tags, "<+1>", "<+2>"]
    shifted = [column[i:] for column in (w, t) for i in range(5)]
    return [
        [
            f"word[-2]={a}",
            f"word[-1]={b}",
            f"word[0]={c}",
            f"word[1]={d}",
            f"word[2]={e}",
            f"word[-1]|word[0]={b}|{c}",
            f"word[0]|word[1]={c}|{d}",
            f"tag[-2]={p}",
            f"tag[-1]={q}",
            f"tag[0]={r}",
            f"tag[1]={s}",
            f"tag[2]={u}",
            f"tag[-2]|tag[-1]={p}|{q}",
            f"tag[-1]|tag[0]={q}|{r}",
            f"tag[0]|tag[1]={r}|{s}",
            f"tag[1]|tag[2]={s}|{u}",
            f"tag[-2]|tag[-1]|tag[0]={p}|{q}|{r}",
            f"tag[-1]|tag[0]|tag[1]={q}|{r}|{s}",
            f"tag[0]|tag[1]|tag[2]={r}|{s}|{u}",
        ]
        for a, b, c, d, e, p, q, r, s, u in zip(*shifted, strict=False)
    ]
