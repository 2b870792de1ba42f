"""The same scores for all sides: exact chunks, read as the CoNLL scoring script does;
tags."""

from collections.abc import Sequence

from spacy_latperc.schemes import Span, read_spans


def chunk_f1(gold: Sequence[Sequence[str]], found: Sequence[Sequence[Span]]) -> float:
    """F1 in per cent of the chunks of each sentence against its gold labels."""
    right = wanted = given = 0
    for labels, spans in zip(gold, found, strict=True):
        chunks = set(read_spans(labels))
        right += len(chunks.intersection(spans))
        wanted += len(chunks)
        given += len(spans)
    return 200 * right / (wanted + given) if right else 0.0


def tag_accuracy(
    gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]]
) -> float:
    """The share of the tags that are right, in per cent."""
    right = [
        wanted == given
        for sentence, answer in zip(gold, found, strict=True)
        for wanted, given in zip(sentence, answer, strict=True)
    ]
    return 100 * sum(right) / len(right)
