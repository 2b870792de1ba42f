"""Detection of representations, and repair of invalid labels."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .boundaries import Boundary
from .decode import Ids, LabelReader, Offsets, read_spans
from .representations import SCHEMES, Scheme, get_scheme


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
