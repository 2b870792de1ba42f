"""Copying annotation from the reference Doc to the predicted one.

What is copied is given and not predicted: a tagger's output that a chunker reads, say.
"""

from collections.abc import Sequence

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


def check_copied_inputs(inputs: Sequence[str]) -> None:
    """Refuse names of annotation that cannot be copied."""
    for name in inputs:
        if name not in ATTRIBUTES_OF_INPUT and not _spans_key(name):
            known = ", ".join([*ATTRIBUTES_OF_INPUT, f"{SPANS_PREFIX}<key>"])
            raise ValueError(Errors.LP118.format(name=name, known=known))


def is_annotated(doc: Doc, name: str) -> bool:
    """Whether the Doc has the annotation that an input is copied from."""
    if key := _spans_key(name):
        return key in doc.spans
    return doc.has_annotation(ATTRIBUTES_OF_INPUT[name][0])


def copy_inputs(example: Example, inputs: Sequence[str]) -> None:
    """Copy the named annotation, by alignment where the tokens differ."""
    predicted, reference = example.predicted, example.reference
    same_tokens = len(predicted) == len(reference) and np.array_equal(
        predicted.to_array("ORTH"), reference.to_array("ORTH")
    )
    for name in inputs:
        if not is_annotated(reference, name):
            continue
        if key := _spans_key(name):
            _copy_spans(example, key, same_tokens=same_tokens)
        elif same_tokens:
            attributes = ATTRIBUTES_OF_INPUT[name]
            values = reference.to_array(attributes)
            predicted.from_array(attributes, values.astype(np.uint64))
        elif name == "ent":
            predicted.set_ents(example.get_aligned_spans_y2x(reference.ents))
        else:
            attribute = ATTRIBUTES_OF_INPUT[name][0]
            aligned = example.get_aligned(attribute)
            unsigned = [int(value or 0) % 2**64 for value in aligned]
            predicted.from_array([attribute], np.array(unsigned, dtype=np.uint64))


def _spans_key(name: str) -> str:
    return name.removeprefix(SPANS_PREFIX) if name.startswith(SPANS_PREFIX) else ""


def _copy_spans(example: Example, key: str, *, same_tokens: bool) -> None:
    predicted, reference = example.predicted, example.reference
    spans = reference.spans[key]
    if same_tokens:
        predicted.spans[key] = [
            Span(predicted, span.start, span.end, span.label) for span in spans
        ]
    else:
        predicted.spans[key] = example.get_aligned_spans_y2x(spans, allow_overlap=True)
