"""Scorers. They need no alignment where both sides have the same tokens, and report
under keys that do not depend on settings (spaCy drops the weight of a missing key)."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, IDS
from spacy.scorer import PRFScore
from spacy.tokens import Doc
from spacy.training import Example

from .components.docs import (
    Spans,
    align_spans,
    entity_spans,
    group_spans,
    same_tokens,
)

Scores = dict[str, Any]


def tagger_score(
    examples: Iterable[Example], *, attribute: str = "tag", **kwargs: Any
) -> Scores:
    """Accuracy over tokens with a gold tag: `tagger_acc`, and `tag_acc` or `pos_acc`."""
    right = total = 0
    for example in examples:
        predicted = example.predicted.to_array(IDS[attribute.upper()])
        if same_tokens(example):
            gold = example.reference.to_array(IDS[attribute.upper()])
        else:
            aligned = example.get_aligned(attribute.upper())
            gold = np.array([value or 0 for value in aligned], dtype=np.uint64)
        known = gold != 0
        total += int(known.sum())
        right += int((predicted == gold)[known].sum())
    accuracy = right / total if total else None
    return {"tagger_acc": accuracy, f"{attribute}_acc": accuracy}


def chunk_score(
    examples: Iterable[Example], *, spans_key: str = "chunks", **kwargs: Any
) -> Scores:
    """Exact-match precision, recall and F of doc.spans[spans_key]: `chunks_f` and so on,
    and the same under spaCy's own key, `spans_<key>_f`."""

    def spans_of(doc: Doc) -> Spans | None:
        group = doc.spans.get(spans_key)
        return None if group is None else group_spans(group)

    scores = _span_scores(examples, spans_of, "chunks")
    for name in ("p", "r", "f", "per_type"):
        scores[f"spans_{spans_key}_{name}"] = scores[f"chunks_{name}"]
    return scores


def ner_score(examples: Iterable[Example], **kwargs: Any) -> Scores:
    """Exact-match precision, recall and F of doc.ents; Docs without entity annotation
    are left out, as spaCy's scorer does."""

    def entities_of(doc: Doc) -> Spans | None:
        columns = doc.to_array([ENT_IOB, ENT_TYPE])
        if len(doc) and not columns[:, 0].any():
            return None
        return entity_spans(columns)

    return _span_scores(examples, entities_of, "ents")


def _span_scores(
    examples: Iterable[Example], spans_of: Callable[[Doc], Spans | None], name: str
) -> Scores:
    overall = PRFScore()
    per_type: dict[int, PRFScore] = {}
    strings = None
    for example in examples:
        gold_spans = spans_of(example.reference)
        if gold_spans is None:
            continue
        strings = example.reference.vocab.strings
        lost = 0
        if not same_tokens(example):
            n_gold = len(gold_spans[0])
            gold_spans, _ = align_spans(example, gold_spans)
            lost = n_gold - len(gold_spans[0])
        gold = set(zip(*gold_spans, strict=True))
        found = set(zip(*(spans_of(example.predicted) or ([], [], [])), strict=True))
        overall.score_set(found, gold)
        overall.fn += lost
        for label in {span[2] for span in gold | found}:
            score = per_type.setdefault(label, PRFScore())
            score.score_set(
                {span for span in found if span[2] == label},
                {span for span in gold if span[2] == label},
            )
    if strings is None:
        return {f"{name}_{key}": None for key in ("p", "r", "f", "per_type")}
    return {
        f"{name}_p": overall.precision,
        f"{name}_r": overall.recall,
        f"{name}_f": overall.fscore,
        f"{name}_per_type": {
            strings[label]: score.to_dict()
            for label, score in sorted(
                per_type.items(), key=lambda item: strings[item[0]]
            )
        },
    }


def make_tagger_scorer() -> Callable:
    return tagger_score


def make_chunk_scorer() -> Callable:
    return chunk_score


def make_ner_scorer() -> Callable:
    return ner_score
