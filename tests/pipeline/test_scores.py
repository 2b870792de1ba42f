"""Scores, thresholds and n best of the components, against lists of all analyses."""

import math

import numpy as np
import pytest
import spacy
from builders import pipelines as small
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.util import load_config_from_str

from spacy_latperc.calibration import Calibration
from spacy_latperc.learners.chain import ChainLearner
from spacy_latperc.pipeline.chain_pipe import ChainPipe
from spacy_latperc.schemes import SCHEMES

TAGGER, CHUNKER, NER = small.FACTORIES
SPANS = (CHUNKER, NER)
ALL = 100_000
SHORT = ["Acme Corp met", "Rome Paris", "London"]
LONG = " ".join(small.TEXTS)


@pytest.fixture(scope="module", params=small.FACTORIES)
def trained(request) -> Language:
    """Little trained, so that it is not too sure."""
    return small.make_trained(request.param, passes=2)


def with_settings(nlp: Language, **settings) -> Language:
    """The same weights under other settings."""
    (name,) = nlp.pipe_names
    changes = {f"components.{name}.{key}": value for key, value in settings.items()}
    config = load_config_from_str(nlp.config.to_str(), overrides=changes)
    return spacy.blank("xx").from_config(config).from_bytes(nlp.to_bytes())


@pytest.mark.parametrize("settings", [{"n_best": 3}, {"members": small.MEMBERS}])
def test_scores_of_a_batch_that_is_read_once(monkeypatch, settings):
    """Whatever is asked about it."""
    nlp = small.make_trained("latperc_chunker", scores="marginal", passes=1, **settings)
    reads, read = [], ChainLearner.read

    def counted(learner, *columns, **options):
        reads.append(learner)
        return read(learner, *columns, **options)

    monkeypatch.setattr(ChainLearner, "read", counted)
    list(nlp.pipe(small.TEXTS))
    assert len(reads) == 1


def pipe_of(nlp: Language) -> ChainPipe:
    return nlp.get_pipe(nlp.pipe_names[0])


def answers(nlp: Language, doc: Doc) -> list:
    """Read the predictions of the component: spans, or a tag for each token."""
    name = nlp.pipe_names[0]
    if name == TAGGER:
        return [(token.i, token.tag_) for token in doc]
    return small.triples(doc.ents if name == NER else doc.spans["chunks"])


def scores(nlp: Language, doc: Doc) -> list[float]:
    name = nlp.pipe_names[0]
    if name == TAGGER:
        return [token._.tag_score for token in doc]
    if name == NER:
        return [ent._.ent_score for ent in doc.ents]
    return doc.spans["chunks"].attrs["scores"].tolist()


def parts(listed: list) -> set:
    """The answers in an analysis."""
    return {x if isinstance(x, tuple) else (i, x) for i, x in enumerate(listed)}


# Settings -----------------------------------------------------------------------------


@pytest.mark.parametrize("factory", small.FACTORIES)
def test_scores_wrong_settings_are_refused(factory):
    for settings, code in (
        ({"n_best": 0}, "LP086"),
        ({"scores": "probability"}, "LP085"),
        ({"threshold": -0.1, "scores": "marginal"}, "LP015"),
        ({"threshold": 1.5, "scores": "marginal"}, "LP015"),
        ({"threshold": 0.5}, "LP079"),
    ):
        with pytest.raises(ValueError, match=code):
            spacy.blank("xx").add_pipe(factory, config=small.make_config(**settings))
    nlp = small.make_trained(factory, passes=1)
    for settings, code in (({"k": 0}, "LP086"), ({"share": "some"}, "LP085")):
        with pytest.raises(ValueError, match=code):
            pipe_of(nlp).n_best(nlp.make_doc("Rome"), **settings)


def test_scores_cost_nothing_when_nobody_asks(trained, monkeypatch):
    for name in ("marginals", "span_probabilities", "n_best"):
        monkeypatch.setattr(type(pipe_of(trained).learner), name, None)
    doc = trained(small.TEXTS[0])
    assert not any("scores" in group.attrs for group in doc.spans.values())
    assert "latperc_n_best" not in doc.user_data


# What they are ------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*SHORT, "Rome . Paris"])
@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_scores_marginal_is_the_sum_over_all_analyses(trained, text, temperature):
    nlp = with_settings(trained, scores="marginal")
    pipe_of(nlp).calibration = Calibration(temperature)
    every = pipe_of(nlp).n_best(nlp.make_doc(text), ALL)
    doc = nlp(text)
    for answer, score in zip(answers(nlp, doc), scores(nlp, doc), strict=True):
        total = sum(a.probability for a in every if answer in parts(a.annotation))
        assert score == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_scores_of_chunks_are_an_array_in_every_scheme(scheme):
    nlp = small.make_trained(CHUNKER, passes=2, scheme=scheme, scores="marginal")
    doc = nlp(LONG)
    found = doc.spans["chunks"].attrs["scores"]
    assert found.shape == (len(doc.spans["chunks"]),) != (0,)
    assert found.dtype == np.float32 and found.min() >= 0


def test_scores_leave_the_annotation_alone(trained):
    nlp = with_settings(trained, scores="marginal", n_best=2)
    for text in [*small.TEXTS, LONG]:
        expected, found = small.annotation(trained(text)), small.annotation(nlp(text))
        for key in [key for key in found["spans"] if key.startswith("latperc_")]:
            del found["spans"][key]
        assert found == expected


def test_scores_do_not_depend_on_the_batch_and_survive_docbin(trained):
    nlp = with_settings(trained, scores="marginal")
    texts = ["", *small.TEXTS, "", LONG]
    alone = [scores(nlp, nlp(text)) for text in texts]
    docs = list(nlp.pipe(texts))
    assert [scores(nlp, doc) for doc in docs] == alone
    copies = DocBin(docs=docs).get_docs(nlp.vocab)
    assert [scores(nlp, doc) for doc in copies] == alone


@pytest.mark.parametrize("factory", small.FACTORIES)
def test_scores_of_dropped_answers_are_none(factory):
    nlp = small.make_trained(factory, passes=1, scores="marginal", threshold=1.0)
    doc = nlp(small.TEXTS[0])
    found = {
        TAGGER: {(token.tag_, token._.tag_score) for token in doc},
        CHUNKER: set(small.triples(doc.spans.get("chunks", []))),
        NER: {token.ent_iob_ for token in doc},
    }
    assert found[factory] == {TAGGER: {("", None)}, CHUNKER: set(), NER: {"O"}}[factory]


def test_scores_are_those_of_a_sentence_and_of_the_last_annotation(trained):
    nlp = with_settings(trained, scores="marginal")
    first, second = (small.SENTENCES[i].words for i in (0, 3))
    starts = [i in (0, len(first)) for i in range(len(first) + len(second))]
    both = nlp(small.make_doc(nlp, first + second, sent_starts=starts))
    apart = [scores(nlp, nlp(small.make_doc(nlp, words))) for words in (first, second)]
    assert scores(nlp, both) == pytest.approx(apart[0] + apart[1], abs=1e-6)
    scored = with_settings(trained, scores="marginal")
    doc = trained(scored(small.TEXTS[0]))
    if trained.pipe_names == [CHUNKER]:
        assert "scores" not in doc.spans["chunks"].attrs
    else:
        assert set(scores(scored, doc)) == {None}


@pytest.mark.parametrize("factory", small.FACTORIES)
@pytest.mark.parametrize("settings", [{"latent": 2}, {"order": 2}, {"order": 0}])
def test_scores_with_latent_states_and_other_orders(factory, settings):
    nlp = small.make_trained(factory, scores="marginal", n_best=3, **settings)
    doc = nlp(LONG)
    assert all(0 < score <= 1 for score in scores(nlp, doc))
    assert len(doc._.latperc_n_best[factory]) == 3


# Where they are -----------------------------------------------------------------------


def test_scores_come_back_from_other_processes(trained):
    nlp = with_settings(trained, scores="marginal", n_best=2)
    alone = [nlp(text) for text in small.TEXTS]
    found = list(nlp.pipe(small.TEXTS, n_process=2, batch_size=2))
    assert [scores(nlp, doc) for doc in found] == [scores(nlp, doc) for doc in alone]
    for one, other in zip(found, alone, strict=True):
        assert one._.latperc_n_best == other._.latperc_n_best


def test_scores_of_parts_of_speech_and_of_tags_that_were_there_before():
    nlp = small.make_trained(TAGGER, attribute="pos", scores="marginal")
    token = nlp(small.TEXTS[0])[0]
    assert token._.pos_score > 0 and token._.tag_score is None
    nlp = small.make_trained(TAGGER, scores="marginal")
    words = small.SENTENCES[0].words
    doc = nlp(small.make_doc(nlp, words, tags=["XYZ", *[""] * (len(words) - 1)]))
    assert doc[0]._.tag_score is None and doc[1]._.tag_score > 0


def test_scores_of_kept_entities():
    nlp = small.make_trained(NER, scores="marginal", keep_ents=True, threshold=0.5)
    doc = small.make_doc(nlp, small.SENTENCES[1].words)
    doc.ents = [Span(doc, 0, 2, label="UNHEARD"), Span(doc, 3, 4, label="GPE")]
    doc = nlp(doc)
    assert small.triples(doc.ents)[:2] == [(0, 2, "UNHEARD"), (3, 4, "GPE")]
    assert doc.ents[0]._.ent_score is None
    assert doc.ents[1]._.ent_score == pytest.approx(1)


# Thresholds ---------------------------------------------------------------------------


def test_scores_threshold_drops_what_is_below_it(trained):
    free = with_settings(trained, scores="marginal")
    for threshold in (0.01, 0.5, 1.0):
        nlp = with_settings(trained, scores="marginal", threshold=threshold)
        for text in [small.TEXTS[0], LONG]:
            doc = free(text)
            pairs = zip(answers(free, doc), scores(free, doc), strict=True)
            wanted = [(a, s) for a, s in pairs if s >= threshold]
            cut = nlp(text)
            pairs = zip(answers(nlp, cut), scores(nlp, cut), strict=True)
            assert [(a, s) for a, s in pairs if s is not None] == wanted


# n best -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*small.TEXTS, LONG, ""])
def test_scores_n_best_begin_with_the_prediction(trained, text):
    found = pipe_of(trained).n_best(trained.make_doc(text), 10)
    assert parts(found[0].annotation) == set(answers(trained, trained(text)))
    assert len({str(analysis.annotation) for analysis in found}) == (10 if text else 1)
    nlp = with_settings(trained, n_best=4)
    shown = nlp(text)._.latperc_n_best[nlp.pipe_names[0]]
    assert shown == pipe_of(nlp).n_best(nlp.make_doc(text), 4)


def test_scores_calibration_is_saved_and_changes_scores_alone(trained, tmp_path):
    plain, nlp = (with_settings(trained, scores="marginal") for _ in range(2))
    pipe_of(nlp).calibration = Calibration(0.25, 1.5, 0.5, -0.5)
    nlp.to_disk(tmp_path)
    other = spacy.load(tmp_path)
    assert pipe_of(other).calibration == Calibration(0.25, 1.5, 0.5, -0.5)
    assert scores(other, other(LONG)) == scores(nlp, nlp(LONG))
    assert scores(nlp, nlp(LONG)) != scores(plain, plain(LONG))
    found, expected = (small.annotations(x.pipe(small.TEXTS)) for x in (nlp, plain))
    assert found == expected
    nlp.initialize(lambda: small.make_examples(nlp))
    assert pipe_of(nlp).calibration == Calibration()


def test_scores_n_best_are_ordered_and_share_one(trained):
    pipe = pipe_of(trained)
    assert pipe.n_best(trained.make_doc(""), 3) == [([], 1.0, 0.0)]
    found = pipe.n_best(trained.make_doc(LONG), 7)
    assert [a.score for a in found] == sorted((a.score for a in found), reverse=True)
    assert sum(a.probability for a in found) == pytest.approx(1)
    (first, score), (second, other) = ((a.probability, a.score) for a in found[:2])
    assert math.log(first / second) == pytest.approx(score - other)
    words = "Rome Paris Acme".split()
    together = small.make_doc(trained, words, sent_starts=[True, False, True])
    for doc in (together, *map(trained.make_doc, SHORT)):
        every = pipe.n_best(doc, ALL)
        some = pipe.n_best(doc, 5, share="all")
        assert [a.score for a in some] == pytest.approx([a.score for a in every[:5]])
        shares = [a.probability for a in every[:5]]
        assert [a.probability for a in some] == pytest.approx(shares, abs=1e-5)
        assert sum(shares) < 1 or len(every) <= 5


# The probability of a given annotation ------------------------------------------------


def test_scores_log_probability_of_the_prediction_and_of_nothing_known(trained):
    pipe = pipe_of(trained)
    for text in [*small.TEXTS, LONG]:
        best = pipe.n_best(trained.make_doc(text), 1, share="all")[0]
        found = pipe.log_probability(trained(text))
        assert math.exp(found) == pytest.approx(best.probability, abs=1e-5)
    assert pipe.log_probability(trained.make_doc("")) == 0
    bare = trained.make_doc(small.TEXTS[0])
    assert pipe.log_probability(bare) == pytest.approx(0, abs=1e-5)


def test_scores_log_probability_of_gold_grows_with_learning(trained):
    longer = small.make_trained(trained.pipe_names[0], passes=20)

    def total(nlp):
        examples = small.make_examples(nlp)
        return sum(pipe_of(nlp).log_probability(x.reference) for x in examples)

    assert total(trained) < total(longer) < 0


# Calibration --------------------------------------------------------------------------
