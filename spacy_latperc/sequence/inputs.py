"""Sentences of estimators as batches of a learner."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..features.values import LARGEST_VALUE, DenseColumn, ValueLists, place_keys
from ..kernels.chains import text_hash
from ..kernels.text import NamedFeatures
from ..learners.base import Batch
from ..learners.blocks import Plan

# The template that reads features which are given token by token.
TEMPLATE = "_.features[0]"
_PLACE = 2  # of the column; the first two are the word and the sentence start
# Columns of tokens that a Doc has room for, with the argument of Doc.
_OF_DOCS = {"word": "words", "tag": "tags", "lemma": "lemmas"}


Names = dict[int, str]  # of features, by hash


@dataclass(frozen=True, eq=False)
class FeatureLists:
    """The features of a sentence, read once by `read_features`.

    Attributes:
        begin: The first feature of each token, and the end.
        keys: The hashes of the features.
        values: Their values.
        names: The names of all features that were read together, by hash.
    """

    begin: NDArray[np.int64]
    keys: NDArray[np.uint64]
    values: NDArray[np.float32]
    names: Names

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.begin) - 1


def read_features(X: Sequence) -> list[FeatureLists]:
    """Read features once, for any number of fits and predictions.

    Args:
        X: Sentences; a token is a dict of features or a list of strings.

    Returns:
        A list to use in place of X, for example in GridSearchCV.
    """
    names: Names = {}
    begin, keys, values = _read(X, names)
    found, token = [], 0
    for n in map(len, X):
        at = begin[token : token + n + 1]
        own = slice(at[0], at[-1])
        found.append(FeatureLists(at - at[0], keys[own], values[own], names))
        token += n
    return found


def _read(X: Sequence, names: Names | None) -> tuple[NDArray, NDArray, NDArray]:
    source = NamedFeatures(keep_names=names is not None)
    found = source.read(list(X))
    if names is not None:
        names.update(zip(source.hashes.tolist(), source.names, strict=True))
    return found


def number_width(X: Sequence, names: Names) -> int | None:
    """Return how many numbers a token has; None for features with names.

    Args:
        X: The sentences; the first token decides.
        names: Takes the names of the numbers, which are their places.
    """
    token: Any = None
    for sentence in X:
        if len(sentence) and not isinstance(sentence, FeatureLists):
            token = sentence[0]
            break
    if not isinstance(token, (list, tuple, np.ndarray)) or not len(token):
        return None
    if not isinstance(token[0], (int, float, np.number, np.bool_)):
        return None
    names.update(zip(place_keys(len(token)), map(str, range(len(token))), strict=True))
    return len(token)


def batch_of_features(X: Sequence, names: Names | None = None) -> Batch:
    """Make a batch of sentences whose tokens have named features."""
    if len(X) and all(isinstance(sentence, FeatureLists) for sentence in X):
        ends = np.cumsum([0, *(sentence.begin[-1] for sentence in X)])
        begin = [x.begin[1:] + e for x, e in zip(X, ends[:-1], strict=True)]
        starts = np.concatenate([np.zeros(1, np.int64), *begin])
        keys = np.concatenate([sentence.keys for sentence in X])
        values = np.concatenate([sentence.values for sentence in X])
        if names is not None:
            for known in {
                id(sentence.names): sentence.names for sentence in X
            }.values():
                names.update(known)
    else:
        starts, keys, values = _read(X, names)
    lists = np.arange(1, len(starts), dtype=np.int32)[:, None]
    return _batch(X, ValueLists([_PLACE], lists, starts, keys, values))


def batch_of_numbers(X: Sequence, width: int) -> Batch:
    """Make a batch of sentences whose tokens are rows of so many numbers."""
    rows = [np.zeros((0, width), np.float32)]
    for s, sentence in enumerate(X):
        try:
            found = np.asarray(sentence, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if len(sentence) and found.shape != (len(sentence), width):
            raise ValueError(Errors.LP882.format(sentence=s, wanted=width))
        for token, at in np.argwhere(~(np.abs(found) <= LARGEST_VALUE)).tolist():
            place, value = f"X[{s}][{token}]", found[token, at]
            raise ValueError(Errors.LP750.format(name=at, found=value, place=place))
        rows.append(found.astype(np.float32).reshape(-1, width))
    column = DenseColumn.of(np.concatenate(rows))
    lists = ValueLists.join(len(column.numbers), {}, {_PLACE: column})
    assert lists is not None
    return _batch(X, lists)


def _batch(X: Sequence, lists: ValueLists) -> Batch:
    docs = np.cumsum([0, *map(len, X)], dtype=np.int64)
    columns = np.zeros((docs[-1], _PLACE + 1), np.uint64)
    return Batch(columns, docs, _no_words, lists=lists)


def _no_words(orth: int) -> str:
    raise KeyError(orth)


def batch_of_tokens(X: Sequence, names: Sequence[str], plan: Plan) -> Batch:
    """Make a batch of sentences whose tokens are words, or tuples of columns."""
    from spacy.lang.lex_attrs import LEX_ATTRS
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    from ..pipeline.doc_reader import DocReader

    columns: list[list[tuple[str, ...]]] = []
    for s, sentence in enumerate(X):
        rows = [(token,) if isinstance(token, str) else token for token in sentence]
        for i, row in enumerate(rows):
            if len(row) != len(names) or not all(isinstance(x, str) for x in row):
                what = {"sentence": s, "token": i, "found": row}
                wanted = ", ".join(names)
                raise ValueError(Errors.LP883.format(**what, wanted=wanted))
        columns.append(list(zip(*rows, strict=True)) or [()] * len(names))
    vocab = Vocab(lex_attr_getters=LEX_ATTRS)
    known = [(_OF_DOCS[name], c) for c, name in enumerate(names) if name in _OF_DOCS]
    docs = [Doc(vocab, **{x: list(own[c]) for x, c in known}) for own in columns]
    own = {f"_.{name}": c for c, name in enumerate(names)}
    reader = DocReader(["SENT_START" if x in own else x for x in plan.columns])
    batch = reader.read(docs)
    for place, name in enumerate(plan.columns):
        if name in own:
            texts = [text for each in columns for text in each[own[name]]]
            batch.values[:, place] = [text_hash(text) for text in texts]
    return batch
