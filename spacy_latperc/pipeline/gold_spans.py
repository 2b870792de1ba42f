"""Gold spans: on the predicted tokens of examples, and as labels of a chain.

Spans are rows of an array: first token, token after the last one, hash of the label.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors, Warnings
from ..kernels.text import span_rows
from ..learners.base import Batch
from ..learners.chain import UNKNOWN
from ..schemes import border_masks, no_chunk_mask
from ..schemes.decode import Chunks
from .doc_reader import describe
from .prediction import Ids, Mask, Masks

if TYPE_CHECKING:
    from .span_coder import SpanCoder

Rows = NDArray[np.uint64]
ANY_TYPE = -1


class GoldSpans(NamedTuple):
    """The gold spans of some Docs, in tokens counted over all of them.

    Attributes:
        spans: The gold spans, in order.
        missing: The tokens without annotation.
        incorrect: Spans that are known not to be gold.
    """

    spans: Rows
    missing: Mask
    incorrect: Rows


def read_spans(doc: Doc, key: str | None) -> list[tuple[int, int, int]] | None:
    """Read the spans under a key of `doc.spans`; None if there is no such key."""
    if key is None or key not in doc.spans:
        return None
    return [(span.start, span.end, span.label) for span in doc.spans[key]]


def read_rows(
    docs: Sequence[Doc], offsets: NDArray[np.int64], key: str | None
) -> tuple[Rows, Mask]:
    """Read the spans of many Docs under a key of `doc.spans`.

    Returns:
        The spans in order, in tokens counted over all Docs, and which Docs have the
        key.
    """
    groups = [None if key is None else doc.spans.data.get(key) for doc in docs]
    rows = span_rows(groups, offsets)
    if (rows[1:, 0] <= rows[:-1, 0]).any():
        rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    return rows, np.array([group is not None for group in groups], dtype=bool)


def covered(starts: ArrayLike, ends: ArrayLike, n: int) -> Mask:
    """Return which of n tokens are inside some span."""
    edges = np.zeros(n + 1, dtype=np.int64)
    np.add.at(edges, np.asarray(starts, dtype=np.int64), 1)
    np.add.at(edges, np.asarray(ends, dtype=np.int64), -1)
    return np.cumsum(edges)[:-1] > 0


def align_gold(
    layer: Any, examples: Sequence[Example], same: Sequence[bool]
) -> tuple[GoldSpans, list[int]]:
    """Put the gold spans of examples on the predicted tokens.

    Returns:
        The spans that begin and end with predicted tokens, and for each of the others
        the number of its example. The tokens of the latter are missing.
    """
    found = layer.gold([example.reference for example in examples])
    if all(same):
        return found, []
    parts, lost = [], []
    first = after = 0
    for number, (example, equal) in enumerate(zip(examples, same, strict=True)):
        last = first + len(example.reference)
        part = GoldSpans(
            _within(found.spans, first, last),
            found.missing[first:last],
            _within(found.incorrect, first, last),
        )
        if not equal:
            part, n_lost = _aligned(example, part)
            lost.extend([number] * n_lost)
        shift = np.array([after, after, 0], dtype=np.uint64)
        parts.append((part.spans + shift, part.missing, part.incorrect + shift))
        first, after = last, after + len(example.predicted)
    joined = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    return GoldSpans(*joined), lost


def _within(rows: Rows, first: int, last: int) -> Rows:
    """Return the spans of one Doc, in its own tokens."""
    own = rows[(rows[:, 0] >= first) & (rows[:, 0] < last)]
    return own - np.array([first, first, 0], dtype=np.uint64)


def _aligned(example: Example, gold: GoldSpans) -> tuple[GoldSpans, int]:
    """Put the gold spans of one example on the predicted tokens."""
    if gold.missing.all():
        missing = np.ones(len(example.predicted), dtype=bool)
    else:
        missing = np.zeros(len(example.predicted), dtype=bool)
        forward = example.alignment.y2x
        for token in np.flatnonzero(gold.missing).tolist():
            missing[forward[token]] = True
    spans, lost = align_spans(example, gold.spans)
    missing[lost] = True
    incorrect, _ = align_spans(example, gold.incorrect)
    n_lost = len(gold.spans) - len(spans)
    return GoldSpans(spans, missing, incorrect), n_lost


def align_spans(example: Example, spans: Rows) -> tuple[Rows, list[int]]:
    """Put spans of the reference on the tokens of the prediction.

    Returns:
        The spans that begin and end with predicted tokens, and the predicted tokens
        under the others.
    """
    forward = example.alignment.y2x
    backward = example.alignment.x2y
    aligned: list[tuple[int, int, int]] = []
    lost: list[int] = []
    for start, end, label in spans.tolist():
        tokens = forward[start:end].ravel().tolist()
        if tokens:
            first, last = min(tokens), max(tokens) + 1
            back = backward[first:last].ravel().tolist()
            if back and min(back) == start and max(back) + 1 == end:
                aligned.append((first, last, label))
                continue
        lost.extend(tokens)
    return np.array(aligned, dtype=np.uint64).reshape(-1, 3), lost


def gold_ids(
    coder: "SpanCoder", examples: Sequence[Example], same: Sequence[bool], batch: Batch
) -> Ids:
    """Return the labels of the gold spans of examples, where tokens are annotated, and
    codes of label sets where the annotation says only what cannot be."""
    (spans, missing, incorrect), misaligned = align_gold(coder.layer, examples, same)
    types, is_known = coder.type_ids(spans[:, 2])
    starts, ends = spans[:, 0].astype(np.int32), spans[:, 1].astype(np.int32)
    docs = [example.reference for example in examples]
    _check(coder, docs, batch.docs, spans, is_known)
    bounds = batch.bounds
    first, last = (bounds.searchsorted(x, side="right") for x in (starts, ends - 1))
    crossing = first != last
    if crossing.any():
        missing = missing | covered(starts[crossing], ends[crossing], len(missing))
        at = batch.docs.searchsorted(starts[crossing], side="right") - 1
        misaligned.extend(at.tolist())
        starts, ends, types = (x[~crossing] for x in (starts, ends, types))
    if misaligned:
        coder.warn(
            "misaligned",
            Warnings.LP912.format(
                name=coder.name,
                n=len(misaligned),
                doc=describe(docs[min(misaligned)]),
            ),
        )
    chunks = (starts, ends, types)
    gold = coder.inventory.encode_ids(*chunks, len(batch.values), offsets=bounds)
    masks = coder.gold_masks(examples, same, batch)
    if not (missing.any() or len(incorrect) or masks):
        return gold
    gold[missing] = UNKNOWN
    rows = border_masks(coder.inventory, chunks, missing, bounds)
    kinds, is_known = coder.type_ids(incorrect[:, 2])
    kinds[incorrect[:, 2] == 0] = ANY_TYPE
    wanted = is_known | (kinds == ANY_TYPE)
    for start, end, kind in zip(
        incorrect[wanted, 0].tolist(),
        incorrect[wanted, 1].tolist(),
        kinds[wanted].tolist(),
        strict=True,
    ):
        allowed = _incorrect_mask(coder, (start, end, kind), gold, chunks, batch, docs)
        reason = "what is incorrect there leaves"
        coder.narrow_gold(gold, rows, allowed, batch, docs, reason)
    coder.narrow_gold(gold, rows, masks, batch, docs, "its label set allows")
    coder.set_gold(gold, rows)
    return gold


def _incorrect_mask(
    coder: "SpanCoder",
    span: tuple[int, int, int],
    gold: Ids,
    chunks: Chunks,
    batch: Batch,
    docs: Sequence[Doc],
) -> Masks:
    """Return the labels that keep a span from being a chunk, at the token that decides
    it; none where the annotation already says as much."""
    start, end, type_id = span
    at = np.searchsorted(chunks[0], start)
    if at < len(chunks[0]) and (chunks[0][at], chunks[1][at]) == (start, end):
        if type_id in (ANY_TYPE, chunks[2][at]):
            label = coder.labels[chunks[2][at]]
            first = f"its annotation has {label} from there, {end - start} token(s)"
            second = "the same is among the incorrect spans"
            coder.refuse_token(start, batch.docs, docs, first, second)
    sentence, last = batch.bounds.searchsorted((start, end - 1), side="right")
    if sentence != last or (gold[start:end] != UNKNOWN).any():
        return {}
    found = no_chunk_mask(
        coder.inventory, None if type_id == ANY_TYPE else type_id, end - start
    )
    return {} if found is None else {start + found[0]: ~found[1]}


def _check(
    coder: "SpanCoder",
    docs: Sequence[Doc],
    offsets: NDArray[np.int64],
    spans: Rows,
    is_known: Mask,
) -> None:
    """Refuse unknown labels and overlaps, with an error that names the Doc."""
    starts, ends = spans[:, 0], spans[:, 1]
    wrong = ~is_known
    wrong[1:] |= starts[1:] < ends[:-1]
    if not wrong.any():
        return
    s = int(wrong.argmax())
    number = int(offsets.searchsorted(starts[s], side="right")) - 1
    doc = docs[number]
    place = {"name": coder.name, "doc": describe(doc)}
    shift = int(offsets[number])
    start, end = int(starts[s]) - shift, int(ends[s]) - shift
    if not is_known[s]:
        label = doc.vocab.strings[int(spans[s, 2])]
        known = ", ".join(coder.labels)
        raise ValueError(Errors.LP035.format(label=label, known=known, **place))
    before = spans[s - 1, :2].astype(np.int64) - shift
    raise ValueError(
        Errors.LP036.format(
            first=f"{before[0]} to {before[1] - 1}",
            second=f"{start} to {end - 1}",
            **place,
        )
    )
