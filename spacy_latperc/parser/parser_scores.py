"""Scores of trees: spaCy's, counted as in the CoNLL 2018 shared task.

Every word counts, punctuation too, and relations are compared without their subtypes
(`nmod:poss` is `nmod`). By default spaCy leaves punctuation out and compares subtypes.
"""

from collections.abc import Iterable
from typing import Any

from spacy.scorer import Scorer
from spacy.tokens import Doc, Token
from spacy.training import Example


def parser_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score heads, relations and sentence boundaries.

    Words without a gold head are left out. If the tokens of the two sides differ, spaCy
    aligns them.

    Returns:
        `dep_uas`: correct heads. `dep_las`: correct heads and relations, and
        `dep_las_per_type` precision, recall and F by relation. `sents_p`, `sents_r` and
        `sents_f`: sentences with correct boundaries. None if there is nothing to count.
    """
    examples = list(examples)
    found = Scorer.score_spans(examples, "sents", has_annotation=_has_bounds)
    del found["sents_per_type"]
    found |= Scorer.score_deps(examples, "dep", getter=_relation, ignore_labels=())
    return found


def _has_bounds(doc: Doc) -> bool:
    return bool(doc.has_annotation("SENT_START"))


def _relation(token: Token, attribute: str) -> str:
    # White space has no relation.
    return "" if token.is_space else str(token.dep_).lower().partition(":")[0]
