"""Scorers that count what spaCy's own count.

They need no alignment where both sides have the same tokens, and also report under keys
that do not depend on settings (spaCy drops the weight of a missing key).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ENT_IOB, ENT_TYPE, IDS, IS_SPACE
from spacy.scorer import PRFScore
from spacy.tokens import Doc
from spacy.training import Example

from .pipeline.doc_reader import entity_spans, same_tokens
from .pipeline.gold_spans import read_spans

Scores = dict[str, Any]
Key = tuple[int, int, int]  # start, end, label hash of a span
_label = itemgetter(2)


def tagger_score(
    examples: Iterable[Example], *, attribute: str = "tag", **kwargs: Any
) -> Scores:
    """Accuracy over tokens with a gold tag: `tagger_acc`, and `tag_acc`, `pos_acc` or
    `morph_acc` (all features of a token are one tag).

    As in spaCy it is an F score: the same, unless tokens are split or merged, or white
    space has gold tags, which are never counted as found.
    """
    attr = IDS[attribute.upper()]
    total = PRFScore()
    for example in examples:
        gold = example.reference.to_array(attr)
        columns = example.predicted.to_array([attr, IS_SPACE])
        found = columns[:, 0]
        judged = columns[:, 1] == 0
        if same_tokens(example):
            judged &= gold != 0
            right = int((found == gold)[judged].sum())
            n_found = int(judged.sum())
        else:
            pairs = _aligned_tags(example, gold, found, judged)
            right = sum(int(gold[token]) == tag for token, tag in pairs)
            n_found = len(pairs)
        total.tp += right
        total.fp += n_found - right
        total.fn += int((gold != 0).sum()) - right
    accuracy = total.fscore if len(total) else None
    return {"tagger_acc": accuracy, f"{attribute}_acc": accuracy}


def _aligned_tags(
    example: Example,
    gold: NDArray[np.uint64],
    found: NDArray[np.uint64],
    judged: NDArray[np.bool_],
) -> set[tuple[int, int]]:
    """Predicted tags on the annotated tokens of the reference."""
    align = example.alignment.x2y
    single = np.flatnonzero(judged & (align.lengths == 1))
    tokens = align.data[align.starts[single]]
    known = gold[tokens] != 0
    return set(zip(tokens[known].tolist(), found[single[known]].tolist(), strict=True))


def chunk_score(
    examples: Iterable[Example], *, spans_key: str = "chunks", **kwargs: Any
) -> Scores:
    """Exact-match precision, recall and F of doc.spans[spans_key]: `chunks_f` and so
    on, and the same under spaCy's own key, `spans_<key>_f`."""
    tally = _Tally()
    for example in examples:
        gold = read_spans(example.reference, spans_key)
        if gold is None:
            continue
        found = set(read_spans(example.predicted, spans_key) or ())
        tally.name_labels(example.predicted, found)
        if found and not same_tokens(example):
            group = example.predicted.spans[spans_key]
            spans = example.get_aligned_spans_x2y(group, True)
            found = {(span.start, span.end, span.label) for span in spans}
        tally.add(example.reference, found, set(gold))
    scores = tally.scores("chunks")
    for name in ("p", "r", "f", "per_type"):
        scores[f"spans_{spans_key}_{name}"] = scores[f"chunks_{name}"]
    return scores


def ner_score(examples: Iterable[Example], **kwargs: Any) -> Scores:
    """Exact-match precision, recall and F of doc.ents. Docs without entity annotation
    and predictions on tokens without it are left out."""
    tally = _Tally()
    for example in examples:
        columns = example.reference.to_array([ENT_IOB, ENT_TYPE])
        annotated = columns[:, 0] != 0
        if not annotated.any():
            continue
        found = _entities(example.predicted.to_array([ENT_IOB, ENT_TYPE]))
        tally.name_labels(example.predicted, found)
        if not same_tokens(example):
            found = list(_on_gold_tokens(example, found))
        judged = [(s, e, label) for s, e, label in found if annotated[s:e].all()]
        tally.add(example.reference, judged, set(_entities(columns)))
    return tally.scores("ents")


def _entities(columns: NDArray[np.uint64]) -> list[Key]:
    return list(map(tuple, entity_spans(columns).tolist()))


def _on_gold_tokens(example: Example, found: Iterable[Key]) -> Iterator[Key]:
    align = example.alignment.x2y
    for start, end, label in found:
        tokens = align[start:end]
        if len(tokens):
            yield int(tokens[0]), int(tokens[-1]) + 1, label


class _Tally:
    """Spans found and missed, by type: the labels of each kind, in a row."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.right: list[int] = []
        self.wrong: list[int] = []
        self.missed: list[int] = []

    def name_labels(self, doc: Doc, spans: Iterable[Key]) -> None:
        """Know the labels of spans of a Doc by name."""
        for label in set(map(_label, spans)).difference(self.names):
            self.names[label] = doc.vocab.strings[label]

    def add(self, reference: Doc, found: Collection[Key], gold: set[Key]) -> None:
        self.name_labels(reference, gold)
        places = set(found)
        self.right.extend(map(_label, places & gold))
        self.wrong.extend(map(_label, places - gold))
        self.missed.extend(map(_label, gold - places))
        if len(places) < len(found):  # where tokens differ, two may come to one place
            twice = Counter(found) - Counter(places)
            self.wrong.extend(map(_label, twice.elements()))

    def scores(self, name: str) -> Scores:
        per_type = {label: PRFScore() for label in self.names}
        for label, n in Counter(self.right).items():
            per_type[label].tp = n
        for label, n in Counter(self.wrong).items():
            per_type[label].fp = n
        for label, n in Counter(self.missed).items():
            per_type[label].fn = n
        total = PRFScore()
        for score in per_type.values():
            total += score
        if not len(total):
            return {f"{name}_{key}": None for key in ("p", "r", "f", "per_type")}
        by_name = sorted((self.names[label], label) for label in per_type)
        return {
            f"{name}_p": total.precision,
            f"{name}_r": total.recall,
            f"{name}_f": total.fscore,
            f"{name}_per_type": {
                name: per_type[label].to_dict() for name, label in by_name
            },
        }


def own_score(examples: Iterable[Example], **settings: Any) -> Scores:
    """Score tags (if a component passes `attribute`), chunks (`spans_key`) or entities
    (neither)."""
    if "attribute" in settings:
        return tagger_score(examples, **settings)
    score = chunk_score if "spans_key" in settings else ner_score
    return score(examples, **settings)


def make_scorer() -> Callable[..., Scores]:
    """Registered as spacy_latperc.scorer.v1, for taggers, chunkers and recognisers."""
    return own_score
