"""The chunk representations: which letter a token gets, by the gaps beside it.

A representation is one entry in the table below. All that is done with it (encoding,
validity, the decoder's tables, repair) follows from the entry.

Chunks of *different* types that are adjacent are told apart by their types, as the
CoNLL scoring script reads them. So IOB1 and IOE1 mark a border only between chunks of
the same type: IOB1 writes I-NP I-VP, but I-NP B-NP.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import Errors
from .gaps import ANY, OUTSIDE, SPLIT, Gap, gap_between, split_label
from .spans import Span, ordered_spans, read_spans


@dataclass(frozen=True, eq=False)
class Scheme:
    """A chunk representation.

    name: The canonical name.
    letters: For each letter the gaps that it may have on its left and on its right.
        Each pair of gaps belongs to exactly one letter.
    """

    name: str
    letters: Mapping[str, tuple[Gap, Gap]]

    def letter(self, left: Gap, right: Gap) -> str:
        """The letter of a token inside a chunk."""
        return next(
            letter
            for letter, (lefts, rights) in self.letters.items()
            if left & lefts and right & rights
        )

    def labels(self, types: Sequence[str]) -> list[str]:
        """All labels: O, then those of each type in turn.

        A type that is appended appends its labels, so that ids stay as they were.
        """
        for position, type_ in enumerate(types):
            if not type_ or type_ in types[:position]:
                raise ValueError(Errors.LP206.format(type=type_, types=list(types)))
        return [OUTSIDE, *(f"{letter}-{t}" for t in types for letter in self.letters)]

    def encode(self, spans: Iterable[Span], n: int) -> list[str]:
        """The labels of a sentence of n tokens with these chunks.

        spans: (start, end, type), end exclusive, in any order.
        """
        labels = [OUTSIDE] * n
        chunks = ordered_spans(spans, n)
        for i, (start, end, type_) in enumerate(chunks):
            left = right = Gap.APART
            if i > 0 and chunks[i - 1][1:] == (start, type_):
                left = Gap.TOUCHING
            if i + 1 < len(chunks) and chunks[i + 1][::2] == (end, type_):
                right = Gap.TOUCHING
            gaps = [left, *[Gap.JOINED] * (end - start - 1), right]
            for token in range(start, end):
                letter = self.letter(gaps[token - start], gaps[token - start + 1])
                labels[token] = f"{letter}-{type_}"
        return labels

    def decode(self, labels: Sequence[str]) -> list[Span]:
        """The chunks of a sentence; labels that are invalid here are refused."""
        position = self.first_invalid(labels)
        if position is not None:
            raise ValueError(
                Errors.LP203.format(
                    label=labels[position],
                    position=position,
                    before=labels[position - 1] if position else "(start)",
                    after=[*labels, "(end)"][position + 1],
                    scheme=self.name,
                )
            )
        return read_spans(labels)

    def first_invalid(self, labels: Sequence[str]) -> int | None:
        """The position of the first label that may not stand where it stands."""
        padded = [OUTSIDE, *labels, OUTSIDE]
        gaps = [gap_between(*pair) for pair in zip(padded, padded[1:], strict=False)]
        for position, label in enumerate(labels):
            if label == OUTSIDE:
                continue
            lefts, rights = self.letters.get(split_label(label)[0], (0, 0))
            if not (gaps[position] & lefts and gaps[position + 1] & rights):
                return position
        return None


_TABLE = (
    Scheme(
        "IOB1",
        {"B": (Gap.TOUCHING, ANY), "I": (Gap.JOINED | Gap.APART, ANY)},
    ),
    Scheme(
        "IOB2",
        {"B": (SPLIT, ANY), "I": (Gap.JOINED, ANY)},
    ),
    Scheme(
        "IOE1",
        {"I": (ANY, Gap.JOINED | Gap.APART), "E": (ANY, Gap.TOUCHING)},
    ),
    Scheme(
        "IOE2",
        {"I": (ANY, Gap.JOINED), "E": (ANY, SPLIT)},
    ),
    Scheme(
        "O+C",
        {
            "B": (SPLIT, Gap.JOINED),
            "I": (Gap.JOINED, Gap.JOINED),
            "E": (Gap.JOINED, SPLIT),
            "S": (SPLIT, SPLIT),
        },
    ),
    Scheme(
        "BILOU",
        {
            "B": (SPLIT, Gap.JOINED),
            "I": (Gap.JOINED, Gap.JOINED),
            "L": (Gap.JOINED, SPLIT),
            "U": (SPLIT, SPLIT),
        },
    ),
)

SCHEMES: Mapping[str, Scheme] = {scheme.name: scheme for scheme in _TABLE}

_ALIASES = {
    "BIO": "IOB2",
    "IOBES": "O+C",
    "BIOES": "O+C",
    "BILUO": "BILOU",
}


def get_scheme(name: str) -> Scheme:
    """The representation of that name (or alias), whatever its case."""
    key = name.upper()
    try:
        return SCHEMES[_ALIASES.get(key, key)]
    except KeyError:
        known = ", ".join([*SCHEMES, *_ALIASES])
        raise ValueError(Errors.LP201.format(name=name, known=known)) from None
