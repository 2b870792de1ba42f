"""latperc_errors: labels of tokens, spans, probabilities, calibration."""

import numpy as np
import pytest
import spacy
from builders.text import lines, text
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_latperc.data.docbin_corpus import docbin_corpus
from spacy_latperc.judge.error_injection.corrupt import Corrupter, CorruptSettings
from spacy_latperc.judge.error_injection.error_files import to_doc, write_corrupted
from spacy_latperc.judge.error_scorer import error_score, token_scores
from spacy_latperc.judge.evidence.lexicon import Lexicon
from spacy_latperc.pipeline.calibrator import calibrate

SHARES = {"small": 0.4, "missing": 0.3, "order": 0.3}


@pytest.fixture(scope="module")
def made():
    """Sentences of which some have errors."""
    settings = CorruptSettings(shares=SHARES, clean=0.4, most=1)
    corrupter = Corrupter(Lexicon(text(), small_words=6), settings)
    return list(corrupter.all_of(text()))


def examples_of(nlp, made):
    return [
        Example(Doc(nlp.vocab, words=sentence.words), to_doc(sentence, nlp.vocab))
        for sentence in made
    ]


def make(counts, **settings):
    nlp = spacy.blank("en")
    source = {"@misc": "spacy_latperc.NgramEvidence.v1", "path": str(counts)}
    features = {"@misc": "spacy_latperc.ErrorFeatures.v1", "sources": {"text": source}}
    nlp.add_pipe("latperc_errors", config={"model": {"features": features}, **settings})
    return nlp


def trained(counts, made, passes=6, **settings):
    nlp = make(counts, **settings)
    examples = examples_of(nlp, made)
    nlp.initialize(lambda: examples)
    for _ in range(passes):
        nlp.update(examples)
    return nlp


@pytest.fixture(scope="module")
def nlp(counts, made):
    return trained(counts, made[:200])


def test_finds_errors_in_other_sentences(nlp, made):
    scores = nlp.evaluate(examples_of(nlp, made[200:]))
    assert scores["errors_auc"] > 0.85
    assert scores["errors_f05"] > 0.6


def test_writes_spans_and_probabilities(nlp, made):
    pipe = nlp.get_pipe("latperc_errors")
    for sentence in made[200:230]:
        doc = pipe(Doc(nlp.vocab, words=sentence.words))
        group = doc.spans["errors"]
        tokens, scores = group.attrs["tokens"], group.attrs["scores"]
        assert len(tokens) == len(doc)
        assert [span.start for span in group] == np.flatnonzero(tokens >= 0.5).tolist()
        assert scores.tolist() == [tokens[span.start] for span in group]
        assert {span.label_ for span in group} <= {"wrong", "missing"}
        assert all(len(span) == 1 for span in group)


def test_sentences_of_a_doc_are_judged_one_by_one(nlp):
    pipe = nlp.get_pipe("latperc_errors")
    rows = [line.split() for line in lines()[:3]]
    doc = Doc(nlp.vocab, words=[word for row in rows for word in row])
    starts = np.cumsum([0, *map(len, rows[:-1])]).tolist()
    for at in starts:
        doc[at].is_sent_start = True
    pipe(doc)
    alone = [pipe(Doc(nlp.vocab, words=row)).spans["errors"].attrs for row in rows]
    found = doc.spans["errors"].attrs
    assert found["starts"].tolist() == starts
    for name in ("tokens", "features"):
        wanted = np.concatenate([attrs[name] for attrs in alone])
        assert found[name] == pytest.approx(wanted, abs=1e-5)


def test_threshold_says_what_is_written(nlp, made):
    pipe = nlp.get_pipe("latperc_errors")
    docs = [Doc(nlp.vocab, words=x.words) for x in made[200:240]]
    found = []
    for threshold in (0.0, 0.3, 0.9):
        pipe.threshold = threshold
        found.append(sum(len(doc.spans["errors"]) for doc in map(pipe, docs)))
    pipe.threshold = 0.5
    assert found[0] == sum(map(len, docs))
    assert found[0] > found[1] > found[2]


def test_calibration_fits_probabilities_of_errors(counts, made):
    nlp = trained(counts, made[:150], passes=12)
    pipe = nlp.get_pipe("latperc_errors")
    held_out = examples_of(nlp, made[150:])
    report = calibrate(nlp, "latperc_errors", held_out)
    assert report.answers == sum(len(x.reference) for x in held_out)
    assert report.right == sum(len(x.reference.spans["errors"]) for x in held_out)
    assert report.after.log_loss < report.before.log_loss
    docs = [pipe(example.predicted) for example in held_out]
    mean = np.concatenate([doc.spans["errors"].attrs["tokens"] for doc in docs]).mean()
    assert mean == pytest.approx(report.right / report.answers, abs=0.02)
    again = spacy.util.load_model_from_config(nlp.config, auto_fill=True)
    again.from_bytes(nlp.to_bytes())
    assert again.get_pipe("latperc_errors").calibration == pipe.calibration


def test_docs_without_the_key_teach_nothing(counts, made):
    nlp = trained(counts, made[:50], passes=1)
    doc = Doc(nlp.vocab, words=lines()[0].split())
    assert nlp.update([Example(doc, doc.copy())])["latperc_errors"] == 0
    assert nlp.get_pipe("latperc_errors").labels == ("missing", "ok", "wrong")
    assert set(error_score([Example(doc, doc.copy())]).values()) == {None}
    with pytest.raises(ValueError, match="LP497"):
        make(counts).get_pipe("latperc_errors").initialize(
            lambda: [Example(doc, doc.copy())], labels=["wrong"]
        )


def test_other_tokens_are_aligned():
    nlp = spacy.blank("en")
    layer = nlp.add_pipe("latperc_errors").layer
    words = ["the", "dogs", "sleeps", "."]
    reference = Doc(nlp.vocab, words=words, spaces=[True, False, False, False])
    reference.spans["errors"] = [Span(reference, 2, 3, "form")]
    words, spaces = ["the", "dogssleeps", "."], [True, False, False]
    other = Doc(nlp.vocab, words=words, spaces=spaces)
    example = Example(other, reference)
    assert layer.aligned([example], [False]) == [["ok", "wrong", "ok"]]
    reference.spans["errors"] = [Span(reference, 3, 4, "missing")]
    assert layer.labels(reference) == ["ok", "ok", "ok", "missing"]
    assert layer.labels(other) is None


@pytest.mark.parametrize("settings", [{"threshold": 2}, {"threshold": -1}], ids=str)
def test_settings_that_cannot_be_are_refused(settings):
    with pytest.raises(ValueError, match="LP"):
        spacy.blank("en").add_pipe("latperc_errors", config=settings)


def test_learns_from_files_by_a_config(counts, made, tmp_path):
    write_corrupted(made, tmp_path / "errors.spacy")
    nlp = make(counts)
    pipe = nlp.get_pipe("latperc_errors")
    examples = list(docbin_corpus(tmp_path / "errors.spacy")(nlp))
    nlp.initialize(lambda: examples)
    assert pipe.labels == ("missing", "ok", "wrong")
    same = examples_of(nlp, made[:1])[0].predicted
    read, again = (pipe.reader.read([doc]) for doc in (examples[0].predicted, same))
    assert np.array_equal(read.values, again.values)


def test_scores_of_tokens():
    real = np.array([True, True, False, False, True])
    found = np.array([True, False, True, False, True])
    assert token_scores(real, found) == pytest.approx((2 / 3,) * 3)
    nothing = np.zeros(3, dtype=bool)
    assert token_scores(nothing, nothing) == (0, 0, 0)
