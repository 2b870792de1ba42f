"""The sole reader of Docs: columns of attributes in, annotations of the gold out."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ENT_IOB, ENT_TYPE, IDS, ORTH
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors
from ..kernels.features import text_hash
from ..model import Batch

IOB_INSIDE, IOB_OUTSIDE, IOB_BEGIN = 1, 2, 3  # values of ENT_IOB; 0 is "missing"


# Types whose values are told apart by their text.
_PLAIN = (str, bool, int, np.bool_, np.integer)


class DocReader:
    """Reads the columns that a set of templates needs."""

    def __init__(self, columns: Sequence[str]):
        self.columns = list(columns)
        self._native = [IDS[name] for name in columns if name in IDS]
        self._others = [c for c, name in enumerate(columns) if name not in IDS]
        self._native_at = [c for c, name in enumerate(columns) if name in IDS]

    def read(self, docs: Sequence[Doc]) -> Batch:
        """The columns of a batch of Docs, one after the other."""
        native = self._native
        arrays = [doc.to_array(native) for doc in docs]
        offsets = np.zeros(len(arrays) + 1, dtype=np.int64)
        np.cumsum([array.shape[0] for array in arrays], out=offsets[1:])
        if not arrays:
            return Batch(
                np.zeros((0, len(self.columns)), dtype=np.uint64), offsets, _no_strings
            )
        values = np.concatenate(arrays)
        if self._others:
            values = self._add_others(docs, values, offsets)
        return Batch(values, offsets, docs[0].vocab.strings.__getitem__)

    def _add_others(
        self,
        docs: Sequence[Doc],
        native: NDArray[np.uint64],
        offsets: NDArray[np.int64],
    ) -> NDArray[np.uint64]:
        values = np.zeros((len(native), len(self.columns)), dtype=np.uint64)
        values[:, self._native_at] = native
        for c in self._others:
            name = self.columns[c]
            for doc, start, end in zip(docs, offsets[:-1], offsets[1:], strict=True):
                if name == "ent":
                    values[start:end, c] = _entity_column(doc)
                elif name.startswith("spans:"):
                    values[start:end, c] = _span_column(doc, name[6:])
                elif name == "CLUSTER":
                    values[start:end, c] = _cluster_column(doc)
                else:
                    values[start:end, c] = _extension_column(doc, name[2:])
        return values


def _no_strings(orth: int) -> str:
    raise KeyError(orth)


def _entity_column(doc: Doc) -> NDArray[np.uint64]:
    """Entity type, told apart at the first token of an entity; 0 outside."""
    columns = doc.to_array([ENT_TYPE, ENT_IOB])
    return _begins(columns[:, 0], columns[:, 1] == IOB_BEGIN)


def _span_column(doc: Doc, key: str) -> NDArray[np.uint64]:
    types = np.zeros(len(doc), dtype=np.uint64)
    first = np.zeros(len(doc), dtype=bool)
    for span in doc.spans[key] if key in doc.spans else ():
        types[span.start : span.end] = span.label
        first[span.start] = True
    return _begins(types, first)


def _begins(types: NDArray[np.uint64], first: NDArray[np.bool_]) -> NDArray[np.uint64]:
    # Common labels have small neighbouring numbers: one must not become the next.
    return (types << np.uint64(1)) | (first & (types > 0))


def _cluster_column(doc: Doc) -> list[int]:
    """Clusters are no attribute of tokens but a table of the vocabulary."""
    clusters = doc.vocab.lookups.get_table("lexeme_cluster", {})
    return [clusters.get(orth, 0) for orth in doc.to_array(ORTH).tolist()]


def _extension_column(doc: Doc, name: str) -> list[int]:
    """Hashes of the values of an extension attribute, as text: of strings, and of bools
    and whole numbers, which have one way to be written. None counts as empty."""
    if len(doc) and not doc[0].has_extension(name):
        raise ValueError(Errors.LP030.format(name=name))
    values = [token._.get(name) for token in doc]
    for token, value in enumerate(values):
        if value is not None and not isinstance(value, _PLAIN):
            raise ValueError(
                Errors.LP540.format(
                    name=name, type=type(value).__name__, token=token, doc=describe(doc)
                )
            )
    return [0 if value is None else text_hash(str(value)) for value in values]


def same_tokens(example: Example) -> bool:
    """Whether the two sides of an example have the same words, so that no alignment is
    needed."""
    predicted, reference = example.predicted, example.reference
    return len(predicted) == len(reference) and np.array_equal(
        predicted.to_array(ORTH), reference.to_array(ORTH)
    )


def describe(doc: Doc) -> str:
    """A few words of a Doc, to name it in a message."""
    text = doc.text.replace("\n", " ").strip()
    return repr(text if len(text) <= 60 else text[:57] + "...")


# Starts, ends, label hashes.
Spans = tuple[Sequence[int], Sequence[int], Sequence[int]]


def entity_spans(columns: NDArray[np.uint64]) -> Spans:
    """Entities in an [n, 2] array of ENT_IOB and ENT_TYPE."""
    iob, types = columns[:, 0], columns[:, 1]
    inside = ((iob == IOB_BEGIN) | (iob == IOB_INSIDE)) & (types > 0)
    before = np.concatenate([[False], inside[:-1]])
    after_break = np.concatenate([[True], types[1:] != types[:-1]])
    begin = inside & ((iob == IOB_BEGIN) | ~before | after_break)
    starts = np.flatnonzero(begin)
    following = np.concatenate([begin[1:] | ~inside[1:], [True]])
    ends = np.flatnonzero(inside & following) + 1
    return starts.tolist(), ends.tolist(), types[starts].tolist()


def group_spans(spans: Iterable) -> Spans:
    """Starts, ends and label hashes of Span objects, in order."""
    found = sorted((span.start, span.end, span.label) for span in spans)
    starts, ends, labels = zip(*found, strict=True) if found else ((), (), ())
    return starts, ends, labels


def align_spans(example: Example, spans: Spans) -> tuple[Spans, list[int]]:
    """Spans of the reference on the tokens of the prediction.

    RETURNS: the spans that fall on token boundaries, and the predicted tokens under
        those that do not (there may be none).
    """
    forward = example.alignment.y2x
    backward = example.alignment.x2y
    aligned: tuple[list[int], list[int], list[int]] = ([], [], [])
    lost: list[int] = []
    for start, end, label in zip(*spans, strict=True):
        tokens = forward[start:end].ravel().tolist()
        if tokens:
            first, last = min(tokens), max(tokens) + 1
            back = backward[first:last].ravel().tolist()
            if back and min(back) == start and max(back) + 1 == end:
                aligned[0].append(first)
                aligned[1].append(last)
                aligned[2].append(label)
                continue
        lost.extend(tokens)
    return aligned, lost
