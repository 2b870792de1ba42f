"""Which representation labels are in, and the repair of labels that are in none."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .gaps import Gap
from .reading import Ids, LabelReader, Offsets
from .representations import SCHEMES, Scheme, get_scheme
from .spans import read_spans

PREFERENCE = ("IOB2", "O+C", "IOE2", "IOB1", "IOE1", "BILOU")


def repair(labels: Sequence[str], scheme: Scheme | str) -> tuple[list[str], int]:
    """The labels of a sentence, rewritten in the representation that they should be in.

    They are read leniently (see gap_between), so any mix is understood.
    RETURNS: the labels, and how many were changed; none are when all are valid.
    """
    if isinstance(scheme, str):
        scheme = get_scheme(scheme)
    repaired = scheme.encode(read_spans(labels), len(labels))
    changed = sum(a != b for a, b in zip(labels, repaired, strict=True))
    return repaired, changed


def detect_scheme(sequences: Iterable[Sequence[str]]) -> str:
    """The name of the representation in which these label sequences are valid.

    Where several are possible, or none because of mistakes, it is the one in which
    repair changes the fewest labels, and the first of PREFERENCE among equals.
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
    """The same for label ids of concatenated sentences."""
    return min(
        PREFERENCE,
        key=lambda name: len(changed_by_repair(reader, ids, offsets, SCHEMES[name])),
    )


def changed_by_repair(
    reader: LabelReader, ids: Ids, offsets: Offsets, scheme: Scheme
) -> NDArray[np.int64]:
    """The positions of the labels that repair changes."""
    letter_at = np.zeros((Gap.APART + 1, Gap.APART + 1), dtype=np.uint32)
    for left in Gap:
        for right in Gap:
            letter_at[left, right] = ord(scheme.letter(left, right))
    letters = np.array([ord(letter) for letter in reader.letters], dtype=np.uint32)
    changed = letters[ids] != letter_at[reader.gaps(ids, offsets)]
    return np.flatnonzero(reader.inside[ids] & changed)
