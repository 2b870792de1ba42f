"""The judge: features of latperc_errors joined to scores of sentences."""

import json

import numpy as np
import pytest
import spacy
import srsly
from builders.text import text
from spacy.tokens import Doc, SpanGroup
from spacy.training import Example

from spacy_latperc.judge.error_injection.corrupt import Corrupter, CorruptSettings
from spacy_latperc.judge.error_injection.error_files import to_doc
from spacy_latperc.judge.evidence.context_model import ContextModel
from spacy_latperc.judge.evidence.lexicon import Lexicon
from spacy_latperc.judge.filter.filter_scores import (
    LineScorer,
    ScoringSettings,
    load_scorer,
)
from spacy_latperc.judge.floor import Floor, WordModel
from spacy_latperc.judge.sentence_features import COLUMNS
from spacy_latperc.judge.sentence_scorer import Joined

NO_FLOOR = Floor((1e9, 1e9, 1e9), WordModel({"a": 1}, {"a": 1}))


def make(**sources):
    """A pipeline with a detector that has counts or contexts, and a judge."""
    nlp = spacy.blank("en")
    blocks = {
        name: {"@misc": f"spacy_latperc.{name}Evidence.v1", "path": str(path)}
        for name, path in sources.items()
    }
    features = {"@misc": "spacy_latperc.ErrorFeatures.v1", "sources": blocks}
    nlp.add_pipe("latperc_errors", config={"model": {"features": features}})
    nlp.add_pipe("latperc_judge", "judge")
    return nlp


def examples_of(nlp):
    """Sentences with errors, each before the one it was made from."""
    settings = CorruptSettings(shares={"order": 0.6, "extra": 0.4})
    corrupter = Corrupter(Lexicon(text(), small_words=6), settings)
    return [
        Example(Doc(nlp.vocab, words=made.words), to_doc(made, nlp.vocab))
        for sentence in list(corrupter.all_of(text()))[:200]
        for made in (sentence, sentence._replace(words=sentence.original, marks=[]))
    ]


def features_of(nlp, docs):
    return nlp.get_pipe("latperc_errors").predict(docs).features.astype(np.float64)


def trained(**sources):
    nlp = make(**sources)
    examples = examples_of(nlp)
    nlp.initialize(lambda: examples)
    for start in range(0, len(examples), 50):
        nlp.update(examples[start : start + 50])
    table = features_of(nlp, [example.predicted for example in examples])
    bad, good = table[::2], table[1::2]
    nlp.get_pipe("judge").fit(Joined.fit(good, bad, good - bad), NO_FLOOR)
    return nlp, examples


@pytest.fixture(scope="module")
def once(counts):
    return trained(Ngram=counts)


@pytest.fixture
def judged(once):
    """A trained pipeline and its examples; what a test sets is undone."""
    judge = once[0].get_pipe("judge")
    before = judge.to_bytes()
    yield once
    judge.from_bytes(before)


@pytest.fixture(scope="module")
def contexts(tmp_path_factory):
    path = tmp_path_factory.mktemp("contexts") / "text.contexts"
    ContextModel.learn(text(), Lexicon(text()), passes=4).to_disk(path)
    return path


@pytest.mark.parametrize("kind", ["Ngram", "Context"])
def test_joined_features_tell_sentences_apart(kind, counts, contexts):
    nlp, examples = trained(**{kind: counts if kind == "Ngram" else contexts})
    docs = nlp.pipe([x.predicted.copy() for x in examples])
    right = [
        (doc.cats["GRAMMATICAL"] >= 0.5) == bool(x.reference.cats["GRAMMATICAL"])
        for doc, x in zip(docs, examples, strict=True)
    ]
    assert np.mean(right) > 0.8
    assert len(list(nlp.pipe([Doc(nlp.vocab), Doc(nlp.vocab)]))) == 2
    # Where there is no source, its columns say nothing.
    table = features_of(nlp, [x.predicted for x in examples[:9]])
    ngrams, others = table[:, :5].any(), table[:, 5:9].any()
    assert (bool(ngrams), bool(others)) == (kind == "Ngram", kind == "Context")


def test_a_judge_comes_back_from_disk(judged, tmp_path):
    nlp, examples = judged
    nlp.to_disk(tmp_path / "model")
    again = spacy.load(tmp_path / "model")
    for example in examples[:5]:
        words = [token.text for token in example.predicted]
        one, other = (p(Doc(p.vocab, words=words)) for p in (nlp, again))
        assert one.cats == other.cats
        assert one._.preference == other._.preference


def test_reasons_are_the_worst_words(judged):
    nlp, examples = judged
    nlp.get_pipe("judge").threshold = 1.0  # all are bad
    settings = ScoringSettings("judge", tokenised=True, reasons=True)
    bad = " ".join(token.text for token in examples[0].predicted)
    (verdict,) = LineScorer(settings, nlp)([bad])
    doc = nlp(Doc(nlp.vocab, words=bad.split()))
    wrong = tuple(span.text for span in doc.spans["errors"])
    assert verdict.score < 1 and verdict.reasons == wrong


def test_explanations_add_up_to_scores(judged):
    nlp, _ = judged
    judge = nlp.get_pipe("judge")
    doc = nlp("The company sells new houses . The the old sells company .")
    for explained in judge.explain(doc):
        *parts, (name, _, total) = explained.rows(3)
        assert name == "sum"
        assert sum(part for *_, part in parts) == pytest.approx(total, abs=1e-6)
        assert total == pytest.approx(explained.score)
        assert explained.probability == judge.probabilities(np.array([total]))[0]
    judge.fit(judge.joined, Floor((-9.0, 9.0, 9.0), NO_FLOOR.words))
    rows = judge.explain(doc)[0].rows()
    assert rows[-2][0] == "below the floor"
    assert rows[-1] == ("sum", "", -30.0)


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


def test_what_is_missing_is_named(judged):
    alone = spacy.blank("en")
    judge = alone.add_pipe("latperc_judge")
    with pytest.raises(ValueError, match="LP782.*latperc_errors before it"):
        alone("The dog sees the tree .")
    with pytest.raises(ValueError, match="LP780.*judge train"):
        judge(judged[0].get_pipe("latperc_errors")(judged[1][0].predicted.copy()))


BAD_TABLES = [None, "x", [["a"] * len(COLUMNS)], [[np.nan] * len(COLUMNS)], [[1.0]]]
BAD_STARTS = [None, "x", [], [1], [0, 0], [0, 3], [[0]], [0.5]]


def test_features_and_starts_that_others_left_on_docs_are_checked(judged):
    judge = judged[0].get_pipe("judge")
    doc = Doc(spacy.blank("en").vocab, words=["The", "dog", "sees"])
    bad = [{"starts": x} for x in BAD_STARTS]
    bad += [{"features": x, "starts": [0]} for x in BAD_TABLES]
    for attrs in bad:
        arrays = {
            k: np.array(x) if isinstance(x, list) else x for k, x in attrs.items()
        }
        doc.spans["errors"] = SpanGroup(doc, attrs=arrays)
        with pytest.raises(ValueError, match="LP782"):
            judge(doc)


def test_damaged_or_foreign_bytes_are_refused_and_change_nothing(judged):
    pipe = judged[0].get_pipe("judge")
    before = pipe.to_bytes()
    for cfg, code in (
        ("{", "LP563"),
        ("[]", "LP563"),
        (json.dumps({"joined": {}}), "LP521"),
        (json.dumps({"floor": {"lowest": 0}}), "LP521"),
        (json.dumps({"other": 1}), "LP521"),
    ):
        with pytest.raises(ValueError, match=code):
            pipe.from_bytes(srsly.msgpack_dumps({"cfg": cfg}))
        assert pipe.to_bytes() == before
    for data in (b"", before[: len(before) // 2], b"\xff" + before):
        with pytest.raises(ValueError, match="LP523"):
            pipe.from_bytes(data)
        assert pipe.to_bytes() == before


def test_empty_docs_among_others_are_judged(judged):
    nlp, _ = judged
    texts = ["", "  ", "The dog sees the tree .", ""]
    docs = list(nlp.pipe(texts))
    scores = [doc.cats["GRAMMATICAL"] for doc in docs]
    assert scores[0] == scores[1] == scores[3] == 0
    assert scores[2] == nlp(texts[2]).cats["GRAMMATICAL"] > 0
    assert list(nlp.pipe([])) == []


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
    for share, wanted in ((None, 0.2), (0.3, 0.3)):
        loaded = load_scorer(str(tmp_path / "judge"), share).get_pipe("judge")
        assert loaded.bad_share == wanted
        assert (loaded.accepted(margins) == passed).all()
    for wrong in (0, 1, "x"):
        with pytest.raises((TypeError, ValueError), match="bad_share"):
            judge.bad_share = wrong


def test_sentences_below_the_floor_are_flagged(judged):
    judge = judged[0].get_pipe("judge")
    judge.fit(judge.joined, Floor((1e9, 9.0, 3.0), NO_FLOOR.words))
    table = np.zeros((4, len(COLUMNS)))
    table[:, COLUMNS.index("log probability, mean")] = [-4.0, -4.0, -2.0, -2.0]
    table[:, COLUMNS.index("words")] = [8, 7, 8, 8]
    costs = np.stack([np.zeros(4), [0.0, 99.0, 9.0, 9.5]], axis=1)
    scores = judge.scores(table, costs)
    assert max(scores[[0, 3]]) < -10 < min(scores[1:3])
    assert scores[1:3].tolist() == judge.joined(table)[1:3].tolist()
