"""The judge: features of latperc_errors joined to scores of sentences."""

import json

import numpy as np
import pytest
import spacy
import srsly
from builders.text import text
from spacy.tokens import Doc, SpanGroup
from spacy.training import Example

from spacy_latperc.io.docbin import MADE_FROM
from spacy_latperc.judge.error_injection.corrupt import Corrupter, CorruptSettings
from spacy_latperc.judge.error_injection.error_files import to_doc
from spacy_latperc.judge.evidence.context_model import ContextModel, ContextSettings
from spacy_latperc.judge.evidence.lexicon import Lexicon
from spacy_latperc.judge.filter.filter_scores import LineScorer, ScoringSettings
from spacy_latperc.judge.sentence_features import names_of
from spacy_latperc.pipeline.calibrator import calibrate


@pytest.fixture(scope="module")
def contexts(tmp_path_factory):
    path = tmp_path_factory.mktemp("contexts") / "text.contexts"
    settings = ContextSettings(size=16, passes=4)
    ContextModel.learn(text(), Lexicon(text()), settings, 0).to_disk(path)
    return path


def make(counts, evidence, contexts=None, **settings):
    """A pipeline with a detector that has counts or contexts, and a judge."""
    nlp = spacy.blank("en")
    name = "ContextEvidence" if contexts else "NgramEvidence"
    path = contexts or counts
    features = {
        "@misc": "spacy_latperc.ErrorFeatures.v1",
        "sources": {"text": {"@misc": f"spacy_latperc.{name}.v1", "path": str(path)}},
    }
    nlp.add_pipe("latperc_errors", config={"model": {"features": features}})
    nlp.add_pipe("latperc_judge", "judge", config={"evidence": evidence, **settings})
    return nlp


def examples_of(nlp):
    settings = CorruptSettings(shares={"order": 0.6, "extra": 0.4})
    corrupter = Corrupter(Lexicon(text(), small_words=6), settings)
    found = []
    for sentence in list(corrupter.all_of(text()))[:200]:
        for made in (sentence, sentence._replace(words=sentence.original[0], marks=[])):
            predicted = Doc(nlp.vocab, words=made.words)
            predicted.user_data[MADE_FROM] = made.original
            found.append(Example(predicted, to_doc(made, nlp.vocab)))
    return found


def trained(counts, evidence, contexts=None):
    nlp = make(counts, evidence, contexts)
    examples = examples_of(nlp)
    nlp.initialize(lambda: examples)
    for start in range(0, len(examples), 50):
        nlp.update(examples[start : start + 50])
    calibrate(nlp, "judge", examples)
    return nlp, examples


@pytest.fixture(scope="module")
def once(counts):
    return trained(counts, ["ngram", "length"])


@pytest.fixture
def judged(once):
    """A trained pipeline and its examples; what a test sets is undone."""
    judge = once[0].get_pipe("judge")
    before = judge.to_bytes()
    yield once
    judge.from_bytes(before)


def share_right(nlp, examples):
    docs = nlp.pipe([x.predicted.copy() for x in examples])
    found = [doc.cats["GRAMMATICAL"] >= 0.5 for doc in docs]
    return np.mean(
        [
            y == x.reference.cats["GRAMMATICAL"]
            for x, y in zip(examples, found, strict=True)
        ]
    )


@pytest.mark.parametrize(
    "evidence",
    [["ngram"], ["length", "ngram"], ["errors", "length"], ["contexts", "length"]],
)
def test_joined_features_tell_sentences_apart(counts, contexts, evidence):
    found = contexts if "contexts" in evidence else None
    nlp, examples = trained(counts, evidence, found)
    assert share_right(nlp, examples) > 0.8
    assert len(list(nlp.pipe([Doc(nlp.vocab), Doc(nlp.vocab)]))) == 2


def test_evidence_comes_back_from_disk(counts, judged, tmp_path):
    nlp, examples = judged
    nlp.get_pipe("judge").threshold = 1.0  # all are bad
    settings = ScoringSettings("judge", tokenised=True, reasons=True)
    bad = " ".join(token.text for token in examples[0].predicted)
    (verdict,) = LineScorer(settings, nlp)([bad])
    assert verdict.score < 1 and verdict.reasons == ()  # nothing tells words apart
    nlp.to_disk(tmp_path / "model")
    again = spacy.load(tmp_path / "model")
    for example in examples[:5]:
        words = [token.text for token in example.predicted]
        one, other = (p(Doc(p.vocab, words=words)) for p in (nlp, again))
        assert one.cats == other.cats
    cfg = nlp.get_pipe("judge").to_bytes()
    with pytest.raises(ValueError, match="LP783"):
        make(counts, ["ngram"]).get_pipe("judge").from_bytes(cfg)


def test_versions_of_a_sentence_are_compared(judged):
    nlp, examples = judged
    detector, pipe = nlp.get_pipe("latperc_errors"), nlp.get_pipe("judge")
    right = []
    for bad, good in zip(examples[::2], examples[1::2], strict=True):
        docs = [detector(x.predicted.copy()) for x in (bad, good)]
        best = pipe.prefer(docs)
        first, second = (nlp(doc)._.preference for doc in docs)
        assert best == (second > first)
        assert docs[0][:]._.preference == first
        right.append(best)
    assert np.mean(right) > 0.9
    with pytest.raises(ValueError, match="LP787"):
        pipe.prefer([])


def test_judges_without_weights_for_versions_compare_by_their_score(counts, judged):
    nlp, examples = judged
    pipe = nlp.get_pipe("judge")
    cfg = pipe.cfg["joined"]
    pipe.cfg["joined"] = {x: cfg[x] for x in ("columns", "weights", "bias")}
    again = make(counts, ["ngram", "length"])
    again.initialize(lambda: examples)
    again.get_pipe("judge").from_bytes(pipe.to_bytes())
    for example in examples[:5]:
        one, other = nlp(example.predicted.copy()), again(example.predicted.copy())
        assert one.cats == other.cats
        assert other._.preference == other._.grammaticality_margin


def test_features_that_nobody_wrote_are_named(counts):
    nlp = make(counts, ["errors", "contexts"])
    examples = examples_of(nlp)[:20]
    nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match="LP782.*'contexts'.*ContextEvidence"):
        nlp("The dog sees the tree .")
    alone = spacy.blank("en")
    alone.add_pipe("latperc_judge")
    with pytest.raises(ValueError, match="LP782.*latperc_errors before it"):
        alone("The dog sees the tree .")


BAD_EVIDENCE = [None, "x", {"errors": None}, {"errors": [["a"] * 4]}]
BAD_STARTS = [None, "x", [], [1], [0, 0], [0, 3], [[0]], [0.5]]


def test_evidence_and_starts_that_others_left_on_docs_are_checked(counts):
    judge = make(counts, ["errors"]).get_pipe("judge")
    doc = Doc(spacy.blank("en").vocab, words=["The", "dog", "sees"])
    bad = [{"starts": x} for x in BAD_STARTS]
    for evidence in (*BAD_EVIDENCE, {"errors": [[np.nan] * 4]}):
        if isinstance(evidence, dict):
            evidence = {kind: np.array(table) for kind, table in evidence.items()}
        bad.append({"evidence": evidence, "starts": [0]})
    for attrs in bad:
        if isinstance(attrs["starts"], list):
            attrs["starts"] = np.array(attrs["starts"])
        doc.spans["errors"] = SpanGroup(doc, attrs=attrs)
        with pytest.raises(ValueError, match="LP782"):
            judge(doc)


def test_damaged_or_foreign_bytes_are_refused_and_change_nothing():
    pipe = spacy.blank("en").add_pipe("latperc_judge")
    before = pipe.to_bytes()
    swapped = {"labels": ["UNGRAMMATICAL", "GRAMMATICAL"]}
    for cfg, code in (
        *(("{", "LP563"), ("[]", "LP563"), ("{}", "LP521")),
        ('{"labels": "GRAMMATICAL"}', "LP521"),
        (json.dumps(swapped), "LP526"),
        *(
            (json.dumps({"labels": pipe.labels, x: {}}), "LP521")
            for x in ("joined", "x")
        ),
    ):
        with pytest.raises(ValueError, match=code):
            pipe.from_bytes(srsly.msgpack_dumps({"cfg": cfg}))
        assert pipe.to_bytes() == before
    for data in (b"", before[: len(before) // 2], b"\xff" + before):
        with pytest.raises(ValueError, match="LP523"):
            pipe.from_bytes(data)
        assert pipe.to_bytes() == before


def test_empty_docs_among_others_are_judged(counts):
    nlp = make(counts, ["errors", "length"])
    examples = examples_of(nlp)[:20]
    nlp.initialize(lambda: examples)
    texts = ["", "  ", "The dog sees the tree .", ""]
    docs = list(nlp.pipe(texts))
    scores = [doc.cats["GRAMMATICAL"] for doc in docs]
    assert scores[0] == scores[1] == scores[3] == 0
    assert scores[2] == nlp(texts[2]).cats["GRAMMATICAL"] > 0
    assert list(nlp.pipe([])) == []


def test_evidence_that_cannot_be_is_refused():
    unknown = "LP085.*evidence must.*not 'words'"
    codes = (([], "LP780"), (["ngram", "ngram"], "LP780"), (["words"], unknown))
    for evidence, message in codes:
        with pytest.raises(ValueError, match=message):
            spacy.blank("en").add_pipe("latperc_judge", config={"evidence": evidence})


def test_bad_share_changes_probabilities_but_not_decisions(judged, tmp_path):
    nlp, examples = judged
    judge = nlp.get_pipe("judge")
    detector = nlp.get_pipe("latperc_errors")
    docs = [detector(x.predicted.copy()) for x in examples[:40]]
    judge.threshold = 0.4
    margins = judge.predict(docs).found.scores
    before, passed = judge.probabilities(margins), judge.accepted(margins)
    judge.bad_share = 0.2
    after = judge.probabilities(margins)
    # Bayes' rule: the odds of a good sentence are four times as high.
    odds = 4 * before / (1 - before)
    assert after == pytest.approx(odds / (1 + odds))
    assert (judge.accepted(margins) == passed).all()
    nlp.to_disk(tmp_path / "judge")
    again = spacy.load(tmp_path / "judge").get_pipe("judge")
    assert (again.bad_share, again.threshold) == (0.2, judge.threshold)
    config = {"components.judge.bad_share": 0.1}
    other = spacy.load(tmp_path / "judge", config=config).get_pipe("judge")
    assert other.bad_share == 0.1
    assert (other.accepted(margins) == passed).all()
    for wrong in (0, 1, "x"):
        with pytest.raises((TypeError, ValueError), match="bad_share"):
            judge.bad_share = wrong


def test_sentences_below_the_floor_are_flagged(judged):
    judge = judged[0].get_pipe("judge")
    judge.cfg["floor"] = -3.0
    names = names_of(["ngram", "length"])
    table = np.zeros((3, len(names)))
    table[:, names.index("log probability, mean")] = [-4.0, -4.0, -2.0]
    table[:, names.index("words")] = [8, 7, 8]
    scores = judge.scores(table)
    assert scores[0] < -10 < min(scores[1:])
    assert scores[1:].tolist() == judge.joined(table)[1:].tolist()
    judge.cfg["floor"] = "low"
    with pytest.raises(ValueError, match="floor must be"):
        judge.from_bytes(judge.to_bytes())
