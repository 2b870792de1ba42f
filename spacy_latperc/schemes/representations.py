"""The chunk representations: the letter of a token by the boundaries around it.

A representation is one entry in the table below. Encoding, validation, the decoder's
tables and repair follow from the entry.

Chunks of *different* types that are adjacent are told apart by their types, as the
CoNLL scoring script reads them. So IOB1 and IOE1 mark a border only between chunks of
the same type: IOB1 writes I-NP I-VP, but I-NP B-NP.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from .decode import (
    ANY,
    OUTSIDE,
    SPLIT,
    Boundary,
    Ids,
    LabelReader,
    Offsets,
    Span,
    boundary_between,
    ordered_spans,
    read_spans,
    split_label,
)

# The scheme of chains within components, and that of labels on Docs and in files.
DEFAULT_SCHEME = "O+C"
DEFAULT_LABELS_SCHEME = "IOB2"


@dataclass(frozen=True, eq=False)
class Scheme:
    """A chunk representation.

    Attributes:
        name: The canonical name.
        letters: The boundaries that each letter allows on its left and on its right.
            Each pair of boundaries belongs to exactly one letter.
        preference: The rank in detection, among representations that fit equally well;
            the lowest wins.
        aliases: Other names.
    """

    name: str
    letters: Mapping[str, tuple[Boundary, Boundary]]
    preference: int
    aliases: tuple[str, ...] = ()

    @property
    def tells_extent(self) -> bool:
        """True if each label alone determines whether a chunk begins (or ends) there.
        In IOB1 and IOE1 that depends on the neighbours."""
        lefts, rights = zip(*self.letters.values(), strict=True)
        return {Boundary.JOINED, SPLIT} in (set(lefts), set(rights))

    def letter(self, left: Boundary, right: Boundary) -> str:
        """The letter of a token inside a chunk."""
        return next(
            letter
            for letter, (lefts, rights) in self.letters.items()
            if left & lefts and right & rights
        )

    def labels(self, types: Sequence[str]) -> list[str]:
        """All labels: O, then those of each type in turn.

        Appending a type appends its labels, so existing ids do not change.
        """
        for position, type_ in enumerate(types):
            if not type_ or type_ in types[:position]:
                raise ValueError(Errors.LP206.format(type=type_, types=list(types)))
        return [OUTSIDE, *(f"{letter}-{t}" for t in types for letter in self.letters)]

    def encode(self, spans: Iterable[Span], n: int) -> list[str]:
        """Encode the chunks of a sentence of n tokens as labels.

        Args:
            spans: The chunks (start, end, type), end exclusive, in any order.
            n: The number of tokens.
        """
        labels = [OUTSIDE] * n
        chunks = ordered_spans(spans, n)
        for i, (start, end, type_) in enumerate(chunks):
            left = right = Boundary.APART
            if i > 0 and chunks[i - 1][1:] == (start, type_):
                left = Boundary.TOUCHING
            if i + 1 < len(chunks) and chunks[i + 1][::2] == (end, type_):
                right = Boundary.TOUCHING
            between = [left, *[Boundary.JOINED] * (end - start - 1), right]
            for token, sides in enumerate(pairwise(between), start):
                labels[token] = f"{self.letter(*sides)}-{type_}"
        return labels

    def decode(self, labels: Sequence[str]) -> list[Span]:
        """Decode the labels of a sentence into chunks. Invalid labels are an error."""
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
        """The position of the first invalid label, or None."""
        padded = [OUTSIDE, *labels, OUTSIDE]
        boundaries = [boundary_between(*pair) for pair in pairwise(padded)]
        for position, label in enumerate(labels):
            if label == OUTSIDE:
                continue
            lefts, rights = self.letters.get(split_label(label)[0], (0, 0))
            if not (boundaries[position] & lefts and boundaries[position + 1] & rights):
                return position
        return None


# The boundaries of the first, inner, last and single token of a chunk.
_BOTH_ENDS = (
    (SPLIT, Boundary.JOINED),
    (Boundary.JOINED, Boundary.JOINED),
    (Boundary.JOINED, SPLIT),
    (SPLIT, SPLIT),
)
_TABLE = (
    Scheme(
        "IOB1",
        {"B": (Boundary.TOUCHING, ANY), "I": (Boundary.JOINED | Boundary.APART, ANY)},
        preference=4,
    ),
    Scheme(
        "IOB2",
        {"B": (SPLIT, ANY), "I": (Boundary.JOINED, ANY)},
        preference=1,
        aliases=("BIO",),
    ),
    Scheme(
        "IOE1",
        {"I": (ANY, Boundary.JOINED | Boundary.APART), "E": (ANY, Boundary.TOUCHING)},
        preference=5,
    ),
    Scheme(
        "IOE2",
        {"I": (ANY, Boundary.JOINED), "E": (ANY, SPLIT)},
        preference=3,
    ),
    Scheme(
        "O+C",
        dict(zip("BIES", _BOTH_ENDS, strict=True)),
        preference=2,
        aliases=("IOBES", "BIOES"),
    ),
    Scheme(
        "BILOU",
        dict(zip("BILU", _BOTH_ENDS, strict=True)),
        preference=6,
        aliases=("BILUO",),
    ),
)

SCHEMES: Mapping[str, Scheme] = {scheme.name: scheme for scheme in _TABLE}
_ALIASES = {alias: scheme.name for scheme in _TABLE for alias in scheme.aliases}


def get_scheme(name: str) -> Scheme:
    """The representation with this name or alias, ignoring case."""
    key = str(name).upper()
    try:
        return SCHEMES[_ALIASES.get(key, key)]
    except KeyError:
        known = ", ".join([*SCHEMES, *_ALIASES])
        raise ValueError(Errors.LP201.format(name=name, known=known)) from None


def repair(labels: Sequence[str], scheme: Scheme | str) -> tuple[list[str], int]:
    """Rewrite the labels of a sentence so that they are valid in a representation.

    They are read leniently (see boundary_between), so any mix is understood.

    Returns:
        The labels, and the number of changes (0 if all are valid).
    """
    if isinstance(scheme, str):
        scheme = get_scheme(scheme)
    repaired = scheme.encode(read_spans(labels), len(labels))
    changed = sum(a != b for a, b in zip(labels, repaired, strict=True))
    return repaired, changed


def detect_scheme(sequences: Iterable[Sequence[str]]) -> str:
    """The name of the representation in which these label sequences are valid.

    If several are possible, or none because of mistakes, it is the one in which repair
    changes the fewest labels, and the preferred one among equals.
    """
    ids: list[int] = []
    offsets = [0]
    index: dict[str, int] = {}
    for labels in sequences:
        ids.extend(index.setdefault(label, len(index)) for label in labels)
        offsets.append(len(ids))
    return detect_scheme_of_ids(
        LabelReader(list(index)),
        np.array(ids, dtype=np.int32),
        np.array(offsets, dtype=np.int64),
    )


def detect_scheme_of_ids(reader: LabelReader, ids: Ids, offsets: Offsets) -> str:
    """Detect the representation of label ids of concatenated sentences."""

    def cost(scheme: Scheme) -> tuple[int, int]:
        changed = changed_by_repair(reader, ids, offsets, scheme)
        return len(changed), scheme.preference

    return min(SCHEMES.values(), key=cost).name


def changed_by_repair(
    reader: LabelReader, ids: Ids, offsets: Offsets, scheme: Scheme
) -> NDArray[np.int64]:
    """The positions of the labels that repair changes."""
    letter_at = np.zeros((Boundary.APART + 1, Boundary.APART + 1), dtype=np.uint32)
    for left in Boundary:
        for right in Boundary:
            letter_at[left, right] = ord(scheme.letter(left, right))
    letters = np.array([ord(letter) for letter in reader.letters], dtype=np.uint32)
    changed = letters[ids] != letter_at[reader.boundaries(ids, offsets)]
    return np.flatnonzero(reader.inside[ids] & changed)
