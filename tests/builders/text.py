"""A few hundred made-up sentences, the same ones each time."""

from functools import cache

from spacy_latperc.kernels.text import Vocabulary
from spacy_latperc.text.sentences import Sentences

NOUNS = "dog cat bird man child house tree friend".split()
VERBS = "sees finds likes follows calls hears".split()
ADJECTIVES = "old small red happy".split()


@cache
def lines() -> tuple[str, ...]:
    """Sentences of 6 to 10 words with a capital, a final mark, at times brackets."""
    found = []
    for i in range(400):
        subject = ["The", NOUNS[i % 8]]
        if i % 3 == 0:
            subject.insert(1, ADJECTIVES[i // 3 % 4])
        if i % 7 == 0:
            subject += ["(", NOUNS[i // 7 % 8], ")"]
        verb = VERBS[i // 8 % 6]
        determiner = "the" if i % 2 else "a"
        found.append([*subject, verb, determiner, NOUNS[i // 5 % 8], "."])
    return tuple(dict.fromkeys(" ".join(words) for words in found))


def read_lines(*sentences: str) -> Sentences:
    vocabulary = Vocabulary()
    ids, bounds, _ = vocabulary.read("\n".join(sentences).encode("utf8"))
    return Sentences(vocabulary, ids, bounds)


def text() -> Sentences:
    return read_lines(*lines())
