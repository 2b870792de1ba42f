"""Features of held-out sentences, which their weights are fitted to."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..grammaticality.held_out import check_both_classes
from ..io.docbin import MADE_FROM


def made_pairs(docs: Sequence[Doc], good: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return pairs of indices, [pairs, 2]: a good Doc and a bad one made from it.

    Args:
        docs: The Docs. Those of `spacy latperc judge corrupt` name their source.
        good: A mask of the good Docs.
    """
    known: dict[tuple[str, ...], int] = {}
    for number, doc in enumerate(docs):
        if good[number]:
            known.setdefault(tuple(token.text for token in doc), number)
    pairs = []
    for number, doc in enumerate(docs):
        sources = doc.user_data.get(MADE_FROM)
        if not good[number] and sources and tuple(sources[0]) in known:
            pairs.append((known[tuple(sources[0])], number))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def held_out_features(
    pipe: Any, batches: Iterable[Sequence[Example]]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]]:
    """Return the features of the Docs with categories, a mask of the good ones, and
    the pairs of `made_pairs`.

    Args:
        pipe: The judge.
        batches: Examples whose predicted Docs are annotated by the components before
            it.
    """
    tables: list[NDArray[np.float64]] = []
    truths: list[bool] = []
    docs: list[Doc] = []
    for batch in batches:
        some = [x for x in batch if any(not token.is_space for token in x.predicted)]
        real = pipe.classes([example.reference for example in some])
        known = [some[i].predicted for i in np.flatnonzero(real).tolist()]
        tables.append(pipe.features(known))
        truths += (real[real != 0] > 0).tolist()
        docs += known
    good = np.array(truths, dtype=bool)
    check_both_classes(pipe.name, good)
    return np.concatenate(tables), good, made_pairs(docs, good)
