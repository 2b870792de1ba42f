"""Gold spans as labels of a chain: partial annotation, and tokens that differ."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors, Warnings
from ..learners.base import Batch
from ..learners.chain import UNKNOWN
from ..schemes import border_masks, no_chunk_mask
from ..schemes.decode import Chunks
from .docs import Spans, align_spans, describe
from .parts import Context, Ids, Masks

if TYPE_CHECKING:
    from .spans import SpanCoder

ANY_TYPE = -1


def gold_ids(
    coder: "SpanCoder", examples: Sequence[Example], same: Sequence[bool], batch: Batch
) -> Ids:
    """The labels that the gold spans of examples have, where tokens are annotated;
    codes of sets where the annotation says only what cannot be."""
    types = {value: i for i, value in enumerate(coder.hashes().tolist())}
    starts: list[int] = []
    ends: list[int] = []
    kinds: list[int] = []
    missing: list[int] = []
    incorrect: list[tuple[int, int, int]] = []
    misaligned: list[int] = []  # for each span that does not fit, its example
    at = batch.docs.tolist()
    for number, example in enumerate(examples):
        spans, unknown, wrong = coder.layer.annotation(example.reference)
        if not same[number]:
            unknown = align_tokens(example, unknown)
            n_spans = len(spans[0])
            spans, lost = align_spans(example, spans)
            missing.extend(at[number] + token for token in lost)
            misaligned.extend([number] * (n_spans - len(spans[0])))
            wrong, _ = align_spans(example, wrong)
        _check(coder.context, example.reference, spans, types)
        offset = at[number]
        for start, end, label in zip(*wrong, strict=True):
            if label in types or not label:
                type_id = types.get(label, ANY_TYPE)
                incorrect.append((start + offset, end + offset, type_id))
        starts.extend([start + offset for start in spans[0]])
        ends.extend([end + offset for end in spans[1]])
        kinds.extend([types[label] for label in spans[2]])
        missing.extend([token + offset for token in unknown])
    bounds = batch.bounds
    first = np.asarray(starts, dtype=np.int64)
    last = np.asarray(ends, dtype=np.int64)
    kind = np.asarray(kinds, dtype=np.int32)
    crossing = np.searchsorted(bounds, first, side="right") != np.searchsorted(
        bounds, last - 1, side="right"
    )
    for s in np.flatnonzero(crossing).tolist():
        missing.extend(range(starts[s], ends[s]))
        misaligned.append(int(np.searchsorted(batch.docs, starts[s], side="right")) - 1)
    if misaligned:
        coder.context.warn(
            "misaligned",
            Warnings.LP912.format(
                name=coder.context.name,
                n=len(misaligned),
                doc=describe(examples[min(misaligned)].reference),
            ),
        )
    chunks = (first[~crossing], last[~crossing], kind[~crossing])
    gold = coder.inventory.encode_ids(*chunks, len(batch.values), offsets=bounds)
    masks = coder.constraints.gold_masks(examples, same, batch)
    if not (missing or incorrect or masks):
        return gold
    docs = [example.reference for example in examples]
    unknown_tokens = np.zeros(len(gold), dtype=bool)
    unknown_tokens[missing] = True
    gold[unknown_tokens] = UNKNOWN
    rows = border_masks(coder.inventory, chunks, unknown_tokens, bounds)
    for span in incorrect:
        allowed = _incorrect_mask(coder, span, gold, chunks, bounds, batch, docs)
        reason = "what is incorrect there leaves"
        coder.constraints.narrow_gold(gold, rows, allowed, batch, docs, reason)
    coder.constraints.narrow_gold(
        gold, rows, masks, batch, docs, "its label set allows"
    )
    coder.constraints.set_gold(gold, rows)
    return gold


def _incorrect_mask(
    coder: "SpanCoder",
    span: tuple[int, int, int],
    gold: NDArray[np.int32],
    chunks: Chunks,
    bounds: NDArray[np.int64],
    batch: Batch,
    docs: Sequence[Doc],
) -> Masks:
    """Labels that keep a span from being a chunk, at the token that says so. Where
    the annotation already says as much there is nothing to add."""
    start, end, type_id = span
    at = np.searchsorted(chunks[0], start)
    if at < len(chunks[0]) and (chunks[0][at], chunks[1][at]) == (start, end):
        if type_id in (ANY_TYPE, chunks[2][at]):
            label = coder.context.labels[chunks[2][at]]
            first = f"its annotation has {label} from there, {end - start} token(s)"
            second = "the same is among the incorrect spans"
            coder.constraints.refuse_token(start, batch.docs, docs, first, second)
    within = np.searchsorted(bounds, start, side="right") == np.searchsorted(
        bounds, end - 1, side="right"
    )
    if not within or (gold[start:end] != UNKNOWN).any():
        return {}
    found = no_chunk_mask(
        coder.inventory, None if type_id == ANY_TYPE else type_id, end - start
    )
    return {} if found is None else {start + found[0]: ~found[1]}


def _check(context: Context, doc: Doc, spans: Spans, types: dict[int, int]) -> None:
    """Known labels, no empty spans, no overlaps: or an error that names the Doc."""
    for start, end, label in zip(*spans, strict=True):
        if start >= end:
            raise ValueError(
                Errors.LP044.format(
                    name=context.name, start=start, end=end, doc=describe(doc)
                )
            )
        if label not in types:
            raise ValueError(
                Errors.LP035.format(
                    name=context.name,
                    label=doc.vocab.strings[label],
                    doc=describe(doc),
                    known=", ".join(context.labels),
                )
            )
    for s in range(1, len(spans[0])):
        if spans[0][s] < spans[1][s - 1]:
            raise ValueError(
                Errors.LP036.format(
                    name=context.name,
                    doc=describe(doc),
                    first=f"{spans[0][s - 1]} to {spans[1][s - 1] - 1}",
                    second=f"{spans[0][s]} to {spans[1][s] - 1}",
                )
            )


def align_tokens(example: Example, tokens: Sequence[int]) -> list[int]:
    """Tokens of the reference on the tokens of the prediction."""
    if len(tokens) == len(example.reference):
        return list(range(len(example.predicted)))
    forward = example.alignment.y2x
    return [at for token in tokens for at in forward[token].tolist()]
