"""The recall constant: what it does to answers, how it is fitted, where it is kept."""

import numpy as np
import pytest
import spacy
from builders import pipelines as small
from builders.sample import few_sentences
from hypothesis import given, settings
from hypothesis import strategies as st
from project_files import ROOT
from spacy.cli.train import train
from spacy.training import Example
from spacy.util import load_config

from spacy_latperc.autofit import systems
from spacy_latperc.compact import compact
from spacy_latperc.data.configured import configured_examples
from spacy_latperc.label_sets import ALLOWED
from spacy_latperc.pipeline.calibrate_callback import make_calibrate
from spacy_latperc.pipeline.calibrator import calibrate, fit_recall
from spacy_latperc.pipeline.recall import KEY, shrunk_best
from spacy_latperc.training.fit import fit, fit_and_save

TAGGER, CHUNKER, NER = small.FACTORIES
NONE, MANY = 1e6, -1e6

pytestmark = pytest.mark.filterwarnings("ignore:.*LP915")


def rare(nlp, n, seed):
    """Sentences in which few words are entities, and those not for sure."""
    rng = np.random.default_rng(seed)
    examples = []
    for _ in range(n):
        ids = rng.integers(0, 30, size=8)
        words = [f"{'xyz'[i % 3]}{i}" for i in ids]
        ents = [
            (i, i + 1, "E")
            for i, word in enumerate(ids)
            if word % 3 == 0 and rng.random() < 0.4
        ]
        examples.append(small.example_of(nlp, words, ents=ents))
    return examples


@pytest.fixture(scope="module")
def shy():
    """Nobody may change it: a recogniser that finds too few."""
    nlp = small.make_pipeline(NER)
    return small.train(nlp, rare(nlp, 100, seed=0), passes=3)


@pytest.fixture
def own(shy):
    return small.make_pipeline(NER).from_bytes(shy.to_bytes())


def f_score(nlp, examples):
    fresh = [Example(x.predicted.copy(), x.reference) for x in examples]
    return nlp.evaluate(fresh)["ents_f"]


def set_constant(nlp, value, name=NER):
    nlp.get_pipe(name).cfg[KEY] = value


@pytest.mark.parametrize("scheme", ["O+C", "IOB1", "IOB2", "IOE2"])
@pytest.mark.parametrize("model", [{}, {"order": 2}, {"latent": 2}, {"order": 0}])
def test_recall_constant_of_any_size_keeps_labels_valid(model, scheme):
    nlp = small.make_trained(NER, passes=3, scheme=scheme, n_threads=2, **model)
    for constant, inside in ((NONE, False), (MANY, True)):
        set_constant(nlp, constant)
        docs = [small.make_doc(nlp, sentence.words) for sentence in small.SENTENCES]
        for doc in nlp.pipe(docs):
            assert {bool(token.ent_type_) for token in doc} == {inside}


def test_recall_constant_0_changes_nothing(own):
    docs = [x.predicted for x in rare(own, 20, seed=1)]
    component = own.get_pipe(NER)
    component.scores, component.n_best_size = "marginal", 3
    before = component.predict(docs)
    model = own.get_pipe(NER).learner.to_bytes()
    set_constant(own, 0.0)
    after = component.predict(docs)
    assert (before.labels == after.labels).all()
    assert (before.scores == after.scores).all()
    assert before.analyses == after.analyses
    assert component.learner.to_bytes() == model


@settings(max_examples=8)
@given(constant=st.floats(-3, 3))
def test_recall_constant_is_a_score_of_outside_at_every_token(shy, constant):
    """The slow twin: given scores, of which that of "outside" is the constant."""
    own = small.make_pipeline(NER).from_bytes(shy.to_bytes())
    component = own.get_pipe(NER)
    docs = [x.predicted for x in rare(own, 5, seed=2)]
    _, plain = component.read_docs(docs)
    table = np.zeros((plain.n_tokens, len(component.learner.labels)), np.float32)
    table[:, 0] = constant
    given_scores = plain.starting_from(table)
    set_constant(own, constant)
    _, asked = component.read_docs(docs)
    learner = component.learner
    assert (learner.best(asked) == learner.best(given_scores)).all()
    for found, expected in zip(
        learner.n_best(asked, 3), learner.n_best(given_scores, 3), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(
        learner.marginals(asked)[0], learner.marginals(given_scores)[0], atol=1e-5
    )
    gold = learner.best(asked)
    found, expected = (learner.log_scores(x, gold) for x in (asked, given_scores))
    np.testing.assert_allclose(found, expected, atol=1e-4)
    (best,) = component.n_best(docs[0], 1, share="all")
    spans = [spacy.tokens.Span(docs[0], *span) for span in best.annotation]
    docs[0].set_ents(spans)
    component.keep_ents = False
    said = np.exp(component.log_probability(docs[0]))
    assert said == pytest.approx(best.probability, rel=1e-3)


def test_recall_constant_leaves_what_is_known(own):
    doc = small.make_doc(own, "x0 y1 z2 x3".split())
    doc.set_ents([spacy.tokens.Span(doc, 1, 2, "E")])
    own.get_pipe(NER).keep_ents = True
    doc.user_data[ALLOWED, "ents"] = {3: ["O", "I-E"]}
    set_constant(own, NONE)
    assert [(ent.start, ent.end) for ent in own.get_pipe(NER)(doc).ents] == [(1, 2)]


def test_recall_constant_raises_f(own):
    before = f_score(own, rare(own, 300, seed=3))
    found = fit_recall(own, NER, rare(own, 300, seed=4))
    assert own.get_pipe(NER).cfg[KEY] == found.constant < 0
    assert found.after[1] > found.before[1] and found.after[2] > found.before[2]
    assert f_score(own, rare(own, 300, seed=3)) > before + 0.02
    again = fit_recall(own, NER, rare(own, 300, seed=4))
    assert again == found  # whatever it was before


@pytest.mark.parametrize("wanted", [0.3, 0.5, 0.6])
def test_recall_constant_reaches_a_recall(own, wanted):
    found = fit_recall(own, NER, rare(own, 200, seed=5), recall=wanted)
    assert wanted <= found.after[1] < wanted + 0.2


def test_recall_constant_reaches_a_precision(own):
    low = fit_recall(own, NER, rare(own, 200, seed=5), recall=0.6).after[0]
    high = fit_recall(own, NER, rare(own, 200, seed=5), recall=0.1).after[0]
    wanted = (low + high) / 2
    found = fit_recall(own, NER, rare(own, 200, seed=5), precision=wanted)
    assert found.after[0] >= wanted
    with pytest.raises(ValueError, match="LP084"):
        fit_recall(own, NER, rare(own, 200, seed=5), recall=1.01)


def counts(*rows):
    return np.array(rows, dtype=float)


def test_a_constant_that_gains_nothing_is_0():
    plain = counts(*[(1, 2, 2)] * 10)
    assert shrunk_best([0.0, -1.0], [plain, plain]) == 0
    one_more = counts((2, 2, 2), *[(1, 2, 2)] * 9)
    assert abs(shrunk_best([0.0, -1.0], [plain, one_more])) < 0.2
    each_more = counts(*[(2, 2, 2)] * 10)
    assert shrunk_best([0.0, -1.0], [plain, each_more]) == pytest.approx(-1, abs=0.2)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_constants_are_shrunk_as_bootstraps_say(seed):
    """The constant nearly vanishes if most samples of the sentences gain nothing."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 4, size=60)
    tables = []
    for share in (0.5, 0.5):
        correct = rng.binomial(gold, share)
        tables.append(np.stack([correct, gold, gold], axis=1).astype(float))
    found = shrunk_best([0.0, -1.0], tables)

    def f(table):
        correct, predicted, right = table.sum(axis=0)
        return 2 * correct / (predicted + right)

    gains = []
    for _ in range(200):
        drawn = rng.integers(0, 60, size=60)
        gains.append(f(tables[1][drawn]) - f(tables[0][drawn]))
    if np.mean(np.array(gains) > 0) < 0.7:
        assert found == 0
    assert -1 <= found <= 0


# Kept with the component --------------------------------------------------------------


def test_recall_constant_survives(own, tmp_path):
    set_constant(own, -0.25)
    own.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    bytes_only = small.make_pipeline(NER).from_bytes(own.to_bytes())
    compact(own, rare(own, 5, seed=6))
    for nlp in (own, loaded, bytes_only):
        assert nlp.get_pipe(NER).coder.recall_constant == -0.25


@pytest.mark.parametrize("value", ["-1", None, True, 1e10])
def test_recall_constant_is_a_number(own, value):
    set_constant(own, value)
    with pytest.raises(ValueError, match="LP521.*recall_constant"):
        small.make_pipeline(NER).from_bytes(own.to_bytes())


def test_calibration_fits_it_again_where_there_is_one(own):
    calibrate(own, NER, rare(own, 200, seed=7))
    assert KEY not in own.get_pipe(NER).cfg
    set_constant(own, 0.0)
    report = calibrate(own, NER, rare(own, 200, seed=7))
    assert own.get_pipe(NER).cfg[KEY] < 0
    assert report.after.ece < report.before.ece


# When a pipeline is saved -------------------------------------------------------------


def ner_config(**more):
    few = few_sentences(60, 60, epochs=2)
    return load_config(ROOT / "configs" / "ner.cfg", overrides={**few, **more})


@pytest.mark.filterwarnings("ignore:.*LP935")
def test_training_fits_one_in_both_ways(tmp_path):
    config = ner_config()
    config.to_disk(tmp_path / "config.cfg")
    train(tmp_path / "config.cfg", tmp_path / "theirs")
    ours = fit_and_save(config, tmp_path / "ours", quiet=True)
    for name in ("model-best", "model-last"):
        files = [tmp_path / x / name / "ner" for x in ("ours", "theirs")]
        for file in ("cfg", "model"):
            one, other = ((folder / file).read_bytes() for folder in files)
            assert one == other
        assert KEY in spacy.load(tmp_path / "ours" / name).get_pipe("ner").cfg
    plain = {"@callbacks": "spacy_latperc.SaveWhole.v1"}
    config["training"]["before_to_disk"] = plain
    without = fit(config)
    assert without.get_pipe("ner").learner.to_bytes() == (
        ours.get_pipe("ner").learner.to_bytes()
    )


@pytest.mark.parametrize("corpus", ["", "corpora.dev"])
def test_comparison_scores_other_examples_as_saved(corpus, monkeypatch):
    found = []

    def examples(nlp, corpus):
        found.append(KEY in nlp.get_pipe("ner").cfg)
        return configured_examples(nlp)

    monkeypatch.setattr(systems, "read_examples", examples)
    systems.run(systems.Task(systems.System("a", ner_config().to_str()), corpus=corpus))
    assert found == [bool(corpus)]


def test_training_goes_on_without_the_constant_of_earlier_weights(own):
    callback = make_calibrate(lambda nlp: rare(nlp, 100, seed=8), None, False, True)
    component = own.get_pipe(NER)
    callback(own)
    assert component.cfg[KEY] < 0 and component.scores == "none"
    own.update(rare(own, 1, seed=9))
    assert KEY not in component.cfg
    loaded = small.make_pipeline(NER)
    callback(own)
    loaded.from_bytes(own.to_bytes())
    loaded.update(rare(loaded, 1, seed=9))
    assert KEY in loaded.get_pipe(NER).cfg


@pytest.mark.parametrize("dev", [None, "nowhere.txt"])
def test_without_development_data_there_is_none(tmp_path, dev):
    config = ner_config(**{"paths.dev": dev})
    with pytest.warns(UserWarning, match="LP916"):
        fit_and_save(config, tmp_path, evaluate=False, quiet=True)
    assert KEY not in spacy.load(tmp_path / "model-last").get_pipe("ner").cfg


def test_data_without_spans_is_named(own):
    nothing = [small.example_of(own, ["x1"], ents=[])]
    assert fit_recall(own, NER, nothing) is None
    callback = make_calibrate(lambda nlp: nothing, None, False, True)
    with pytest.warns(UserWarning, match="LP916"):
        callback(own)


def test_the_callback_asks_which_of_several():
    nlp = small.make_pipeline(*small.FACTORIES)
    callback = make_calibrate(lambda nlp: [], None, False, True)
    with pytest.raises(ValueError, match="LP476.*chunker, latperc_ner"):
        callback(nlp)
