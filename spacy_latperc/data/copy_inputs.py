"""Copying annotation from the reference Doc to the predicted one.

Copied annotation is an input rather than predicted, such as tags for a chunker. It may
be copied to another place: "ent=spans:first" turns the spans that a first pass has left
under a key into entities.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..errors import Errors

ATTRIBUTES_OF_INPUT = {
    "tag": ["TAG"],
    "pos": ["POS"],
    "lemma": ["LEMMA"],
    "morph": ["MORPH"],
    "ent": ["ENT_IOB", "ENT_TYPE"],
    "sent_starts": ["SENT_START"],
}
SPANS_PREFIX = "spans:"


class _Input(NamedTuple):
    """The target and the source of copied annotation."""

    target: str
    source: str


def check_copied_inputs(inputs: Sequence[str]) -> None:
    """Refuse names of annotation that cannot be copied."""
    for name in inputs:
        target, source = _parsed(name)
        known = all(x in ATTRIBUTES_OF_INPUT or _spans_key(x) for x in (target, source))
        if not known or not (target == source or _of_spans(target, source)):
            names = [*ATTRIBUTES_OF_INPUT, f"{SPANS_PREFIX}<key>"]
            names += [f"ent={SPANS_PREFIX}<key>"]
            raise ValueError(Errors.LP118.format(name=name, known=", ".join(names)))


def is_annotated(doc: Doc, name: str) -> bool:
    """True if the Doc has the annotation that an input is copied from."""
    source = _parsed(name).source
    if key := _spans_key(source):
        return key in doc.spans
    return doc.has_annotation(ATTRIBUTES_OF_INPUT[source][0])


def copy_inputs(example: Example, inputs: Sequence[str]) -> None:
    """Copy the named annotation, by alignment where the tokens differ."""
    if not inputs:
        return
    predicted, reference = example.predicted, example.reference
    same_tokens = len(predicted) == len(reference) and np.array_equal(
        predicted.to_array("ORTH"), reference.to_array("ORTH")
    )
    for name in inputs:
        if not is_annotated(reference, name):
            continue
        target, source = _parsed(name)
        if _spans_key(target) or target != source:
            _copy_spans(example, target, source, same_tokens=same_tokens)
        elif same_tokens:
            attributes = ATTRIBUTES_OF_INPUT[target]
            values = reference.to_array(attributes)
            predicted.from_array(attributes, values.astype(np.uint64))
        elif target == "ent":
            predicted.set_ents(example.get_aligned_spans_y2x(reference.ents))
        else:
            attribute = ATTRIBUTES_OF_INPUT[target][0]
            aligned = example.get_aligned(attribute)
            unsigned = [int(value or 0) % 2**64 for value in aligned]
            predicted.from_array([attribute], np.array(unsigned, dtype=np.uint64))


def _parsed(name: str) -> _Input:
    target, equals, source = name.partition("=")
    return _Input(target, source if equals else target)


def _of_spans(*names: str) -> bool:
    return all(name == "ent" or _spans_key(name) for name in names)


def _spans_key(name: str) -> str:
    return name.removeprefix(SPANS_PREFIX) if name.startswith(SPANS_PREFIX) else ""


def _copy_spans(
    example: Example, target: str, source: str, *, same_tokens: bool
) -> None:
    predicted, reference = example.predicted, example.reference
    key = _spans_key(source)
    spans = list(reference.spans[key]) if key else list(reference.ents)
    if same_tokens:
        copied = [Span(predicted, span.start, span.end, span.label) for span in spans]
    else:
        overlap = target != "ent"
        copied = example.get_aligned_spans_y2x(spans, allow_overlap=overlap)
    if target == "ent":
        predicted.set_ents(copied)
    else:
        predicted.spans[_spans_key(target)] = copied
