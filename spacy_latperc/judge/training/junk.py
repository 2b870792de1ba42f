"""Junk made of sentences, as raw text from the web has it."""

from collections.abc import Callable, Sequence

from ...grammaticality.rng import fractions

_MOST = 400  # random numbers for a sentence

Words = Sequence[str]
Numbers = Sequence[float]


def _shuffled(words: Words, other: Words, given: Numbers) -> list[str]:
    order = sorted(range(len(words)), key=lambda n: (given[n % _MOST], n))
    return [words[n] for n in order]


def _repeated(words: Words, other: Words, given: Numbers) -> list[str]:
    length = 1 + int(given[0] * 3)
    at = int(given[1] * max(len(words) - length, 1))
    piece = list(words[at : at + length])
    return [*words[:at], *piece * (2 + int(given[2] * 3)), *words[at + length :]]


def _cut(words: Words, other: Words, given: Numbers) -> list[str]:
    return list(words[: max(1, int(len(words) * (0.3 + 0.5 * given[0])))])


def _halves(words: Words, other: Words, given: Numbers) -> list[str]:
    return [*words[: max(1, len(words) // 2)], *other[len(other) // 2 :]]


def _locally(words: Words, other: Words, given: Numbers) -> list[str]:
    """Windows of four words, shuffled."""
    keys = [(n // 4, given[n % _MOST]) for n in range(len(words))]
    return [words[n] for n in sorted(range(len(words)), key=keys.__getitem__)]


KINDS: dict[str, Callable[..., list[str]]] = {
    "shuffled": _shuffled,
    "shuffled nearby": _locally,
    "repeated": _repeated,
    "cut off": _cut,
    "two halves": _halves,
}


def make_junk(kind: str, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Junk of a kind, of each sentence.

    Args:
        kind: One of KINDS.
        rows: The words of sentences.
    """
    make = KINDS[kind]
    number = list(KINDS).index(kind)
    return [
        make(words, rows[n - 1], fractions(_MOST, 31, number, n).tolist())
        for n, words in enumerate(rows)
    ]
