"""How good trees are: the measures of the CoNLL 2018 shared task.

They count every word, punctuation too, and look at relations without their subtypes
(`nmod:poss` is `nmod`). spaCy's own figures of the same names leave punctuation out and
compare subtypes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, IS_SPACE, MORPH, POS, SENT_START
from spacy.scorer import PRFScore
from spacy.strings import StringStore
from spacy.tokens import Doc
from spacy.training import Example

from ..pipeline.docs import same_tokens

Scores = dict[str, Any]
Ids = NDArray[np.int64]

# What belongs to another word and is not counted by CLAS and MLAS, beside punctuation.
FUNCTIONAL = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
PUNCTUATION = frozenset({"punct", "p"})
# The features of a word that MLAS compares; languages have others of their own.
UNIVERSAL_FEATURES = frozenset(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite "
    "Degree VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite".split()
)
_ABSENT = -1


def parser_score(examples: Iterable[Example], **kwargs: Any) -> Scores:
    """Scores of heads, relations and bounds of sentences.

    Docs without trees are left out, and words without a gold head. Where the tokens
    differ, a word can be right only if it is a token on both sides, and so is its head.

    Returns:
        `dep_uas`: right heads. `dep_las`: right heads and relations, and
        `dep_las_per_type` precision, recall and F by relation. `dep_clas`: the same of
        content words only. `dep_mlas`: of content words whose part of speech, features
        and function words are right too, where both sides have these. `sents_p`,
        `sents_r` and `sents_f`: sentences with the right bounds. All are F scores, and
        accuracies where the tokens are given; None where there is nothing to count.
    """
    found = _Counts()
    for example in examples:
        if example.reference.has_annotation("SENT_START"):
            _count_sentences(example, found.sentences)
        if example.reference.has_annotation("DEP"):
            _count_arcs(example, found)
    return found.scores()


def make_parser_scorer() -> Callable:
    """What scores a parser."""
    return parser_score


@dataclass
class _Counts:
    uas: PRFScore = field(default_factory=PRFScore)
    las: PRFScore = field(default_factory=PRFScore)
    clas: PRFScore = field(default_factory=PRFScore)
    mlas: PRFScore = field(default_factory=PRFScore)
    sentences: PRFScore = field(default_factory=PRFScore)
    per_type: dict[str, PRFScore] = field(default_factory=dict)

    def scores(self) -> Scores:
        found: Scores = {
            f"dep_{name}": getattr(self, name).fscore
            if len(getattr(self, name))
            else None
            for name in ("uas", "las", "clas", "mlas")
        }
        found["dep_las_per_type"] = {
            name: score.to_dict() for name, score in sorted(self.per_type.items())
        } or None
        known = len(self.sentences) > 0
        for letter, name in (("p", "precision"), ("r", "recall"), ("f", "fscore")):
            found[f"sents_{letter}"] = getattr(self.sentences, name) if known else None
        return found


@dataclass(frozen=True)
class _Tree:
    """One side of an example, by position; a root is its own head.

    Attributes:
        relations: Without subtypes; "" where there is none.
    """

    heads: Ids
    relations: list[str]
    words: NDArray[np.bool_]

    @classmethod
    def of(cls, doc: Doc) -> "_Tree":
        columns = doc.to_array([HEAD, DEP, IS_SPACE])
        heads = np.arange(len(doc)) + columns[:, 0].astype(np.int64)
        relations = _relations(columns[:, 1], doc.vocab.strings)
        return cls(heads, relations, columns[:, 2] == 0)

    def content(self) -> NDArray[np.bool_]:
        skipped = FUNCTIONAL | PUNCTUATION | {""}
        return np.array([x not in skipped for x in self.relations], dtype=bool)


def _relations(values: NDArray[np.uint64], strings: StringStore) -> list[str]:
    named = {
        value: strings[value].lower().partition(":")[0] if value else ""
        for value in np.unique(values).tolist()
    }
    return [named[value] for value in values.tolist()]


def _count_arcs(example: Example, counts: _Counts) -> None:
    gold, found = _Tree.of(example.reference), _Tree.of(example.predicted)
    partner = _partners(example)  # of the predicted tokens
    known = gold.words & np.array([x != "" for x in gold.relations], dtype=bool)
    judged = found.words.copy()
    judged[partner != _ABSENT] &= known[partner[partner != _ABSENT]]
    both = judged & (partner != _ABSENT)
    annotated = np.array([x != "" for x in found.relations], dtype=bool)

    # Positions of the reference, in the order of the predicted tokens.
    at = partner[both]
    right = np.zeros(len(judged), dtype=bool)
    right[both] = annotated[both] & (partner[found.heads[both]] == gold.heads[at])
    same = np.zeros(len(judged), dtype=bool)
    labels = np.array(gold.relations, dtype=object)[at]
    same[both] = labels == np.array(found.relations, dtype=object)[both]
    labelled = right & same
    _add(counts.uas, right, judged, known)
    _add(counts.las, labelled, judged, known)
    _count_types(counts.per_type, gold, found, labelled, judged, known)

    content, wanted = found.content() & judged, gold.content() & known
    _add(counts.clas, labelled & content, content, wanted)
    if all(
        doc.has_annotation(name)
        for doc in (example.predicted, example.reference)
        for name in ("POS", "MORPH")
    ):
        whole = _whole_words(example, gold, found, partner, labelled & content)
        _add(counts.mlas, whole, content, wanted)


def _add(
    score: PRFScore,
    right: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    known: NDArray[np.bool_],
) -> None:
    n_right = int(right.sum())
    score.tp += n_right
    score.fp += int(judged.sum()) - n_right
    score.fn += int(known.sum()) - n_right


def _count_types(
    per_type: dict[str, PRFScore],
    gold: _Tree,
    found: _Tree,
    labelled: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    known: NDArray[np.bool_],
) -> None:
    for i in np.flatnonzero(judged).tolist():
        if found.relations[i]:
            score = per_type.setdefault(found.relations[i], PRFScore())
            score.tp += int(labelled[i])
            score.fp += int(not labelled[i])
            score.fn -= int(labelled[i])
    for i in np.flatnonzero(known).tolist():
        per_type.setdefault(gold.relations[i], PRFScore()).fn += 1


def _whole_words(
    example: Example,
    gold: _Tree,
    found: _Tree,
    partner: Ids,
    labelled: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Of the words with the right head and relation those whose part of speech,
    features and function words are right."""
    of_gold = _forms(example.reference)
    of_found = _forms(example.predicted)
    helpers = _helpers(gold, of_gold, range(len(gold.relations)))
    own_helpers = _helpers(found, of_found, partner.tolist())
    whole = labelled.copy()
    for i in np.flatnonzero(labelled).tolist():
        j = int(partner[i])
        whole[i] = of_found[i] == of_gold[j] and own_helpers.get(i) == helpers.get(j)
    return whole


def _forms(doc: Doc) -> list[tuple[int, frozenset[str]]]:
    """The part of speech and the universal features of each word."""
    values = doc.to_array([POS, MORPH])
    known = {
        value: frozenset(
            feature
            for feature in doc.vocab.strings[value].split("|")
            if feature.partition("=")[0] in UNIVERSAL_FEATURES
        )
        if value
        else frozenset()
        for value in np.unique(values[:, 1]).tolist()
    }
    return [(pos, known[morph]) for pos, morph in values.tolist()]


def _helpers(
    tree: _Tree, forms: Sequence[tuple], names: Sequence[int]
) -> dict[int, set[tuple]]:
    """The function words below each word, by the names of their positions."""
    helpers: dict[int, set[tuple]] = {}
    for i, (head, relation) in enumerate(
        zip(tree.heads.tolist(), tree.relations, strict=True)
    ):
        if relation in FUNCTIONAL:
            # Two words without a partner are two.
            name = names[i] if names[i] != _ABSENT else _ABSENT - 1 - i
            helpers.setdefault(head, set()).add((name, relation, *forms[i]))
    return helpers


def _partners(example: Example) -> Ids:
    """For each predicted token the same one of the reference, or _ABSENT."""
    n = len(example.predicted)
    if same_tokens(example):
        return np.arange(n)
    forward, backward = example.alignment.x2y, example.alignment.y2x
    partner = np.full(n, _ABSENT, dtype=np.int64)
    single = np.flatnonzero(forward.lengths == 1)
    tokens = forward.data[forward.starts[single]]
    alone = backward.lengths[tokens] == 1
    partner[single[alone]] = tokens[alone]
    return partner


def _count_sentences(example: Example, score: PRFScore) -> None:
    gold = _sentences(example.reference)
    found = _sentences(example.predicted)
    if same_tokens(example):
        right = len(set(gold) & set(found))
    else:
        forward, backward = example.alignment.x2y, example.alignment.y2x
        wanted, right = set(gold), 0
        for start, end in found:
            tokens = forward[start:end].ravel()
            if len(tokens) and (span := (tokens.min(), tokens.max() + 1)) in wanted:
                back = backward[slice(*span)].ravel()
                right += start <= back.min() and back.max() < end
    score.tp += right
    score.fp += len(found) - right
    score.fn += len(gold) - right


def _sentences(doc: Doc) -> list[tuple[int, int]]:
    """Starts and ends, without white space around."""
    columns = doc.to_array([SENT_START, IS_SPACE])
    is_start = columns[:, 0].astype(np.int64) == 1
    if len(doc):
        is_start[0] = True
    words = np.flatnonzero(columns[:, 1] == 0)
    if not len(words):
        return []
    sentence = np.cumsum(is_start)[words]
    borders = np.flatnonzero(np.append(True, sentence[1:] != sentence[:-1]))
    firsts = words[borders].tolist()
    lasts = words[np.append(borders[1:], len(words)) - 1].tolist()
    return [(first, last + 1) for first, last in zip(firsts, lasts, strict=True)]
