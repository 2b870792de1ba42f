"""Components fitted to held-out examples: what counts, and what comes of it."""

import json

import numpy as np
import pytest
import spacy
from builders import pipelines as small
from spacy.language import Language
from spacy.tokens import Span
from spacy.training import Example

from spacy_latperc.calibration import Calibration
from spacy_latperc.pipeline.calibrate_callback import make_calibrate
from spacy_latperc.pipeline.calibrator import (
    HeldOut,
    calibrate,
    choose_calibrated,
    fit_calibration,
    measure,
)

TAGGER, CHUNKER, NER = small.FACTORIES
TAGS = "ABC"

pytestmark = pytest.mark.filterwarnings("ignore:.*LP915")


def noisy(nlp: Language, n: int, seed: int, *, noise: float = 0.3) -> list[Example]:
    """Sentences whose tags follow from the words, but for some."""
    rng = np.random.default_rng(seed)
    examples = []
    for _ in range(n):
        ids = rng.integers(0, 30, size=6)
        drawn = rng.integers(0, 3, size=6)
        tags = np.where(rng.random(6) < noise, drawn, ids % 3)
        words = [f"{'xyz'[i % 3]}{i}" for i in ids]
        tags = [TAGS[t] for t in tags]
        ents = [(i, i + 1, tag) for i, tag in enumerate(tags) if tag != "A"]
        examples.append(small.example_of(nlp, words, tags=tags, ents=ents, chunks=ents))
    return examples


@pytest.fixture(scope="module", params=small.FACTORIES)
def unsure(request) -> Language:
    """Trained on labels that the words do not always give away."""
    nlp = small.make_pipeline(request.param)
    return small.train(nlp, noisy(nlp, 150, seed=0), passes=4)


def test_calibrator_makes_probabilities_better(unsure):
    name = unsure.pipe_names[0]
    calibration = fit_calibration(HeldOut(unsure, name, noisy(unsure, 200, seed=1)))
    report = measure(HeldOut(unsure, name, noisy(unsure, 200, seed=2)), calibration)
    assert report.after.ece < min(report.before.ece, 0.07)
    assert report.after.log_loss < report.before.log_loss


def test_calibrator_finds_one_where_the_model_drew_the_data(unsure):
    """Annotation drawn from the model at temperature 1: fitting finds 1 again."""
    name = unsure.pipe_names[0]
    pipe = unsure.get_pipe(name)
    pipe.calibration = Calibration()
    rng = np.random.default_rng(0)
    examples = []
    for example in noisy(unsure, 150, seed=3):
        words = [token.text for token in example.predicted[:3]]
        every = pipe.n_best(small.make_doc(unsure, words), 1000)
        drawn = rng.choice(len(every), p=[a.probability for a in every])
        found = every[drawn].annotation
        gold = {"tags": found} if name == TAGGER else {"ents": found, "chunks": found}
        examples.append(small.example_of(unsure, words, **gold))
    held_out = HeldOut(unsure, name, examples)
    found = fit_calibration(held_out)
    assert found.temperature == pytest.approx(1, rel=0.25)
    assert measure(held_out, Calibration()).after.ece < 0.1


def test_calibrator_fits_answers_that_are_right_as_often_as_the_model_says(unsure):
    name = unsure.pipe_names[0]
    held_out = HeldOut(unsure, name, noisy(unsure, 800, seed=3))
    rng = np.random.default_rng(0)
    p = held_out.probabilities(1.0)
    held_out.correct = rng.random(len(p)) < p
    assert measure(held_out, fit_calibration(held_out)).after.ece < 0.03


def test_calibrator_undoes_a_temperature(unsure, monkeypatch):
    name = unsure.pipe_names[0]
    held_out = HeldOut(unsure, name, noisy(unsure, 200, seed=4))
    once = fit_calibration(held_out).temperature
    straight = held_out.sequence_loss
    monkeypatch.setattr(held_out, "sequence_loss", lambda t: straight(2 * t))
    assert fit_calibration(held_out).temperature == pytest.approx(once / 2, rel=5e-3)


@pytest.mark.parametrize("factory", small.FACTORIES)
def test_calibrator_counts_what_is_right(factory):
    nlp = small.make_trained(factory, passes=30)
    report = calibrate(nlp, factory, small.make_examples(nlp))
    answers = {TAGGER: "tags", CHUNKER: "chunks", NER: "ents"}[factory]
    n = sum(len(getattr(sentence, answers)) for sentence in small.SENTENCES)
    assert (report.answers, report.right, report.gold) == (n, n, n)


COUNTED = [
    # All that is not annotated is left out.
    ({"ents": [(0, 2, "GPE")], "default": "missing"}, (1, 0, 1)),
    # A label that is not known.
    ({"ents": [(0, 2, "PERSON"), (7, 8, "UNHEARD")], "default": "outside"}, (2, 1, 2)),
]


@pytest.mark.parametrize("settings", [{}, {"scores": "marginal", "threshold": 1.0}])
@pytest.mark.parametrize("gold, counts", COUNTED)
def test_calibrator_counts_what_is_annotated(settings, gold, counts):
    """Whatever the threshold is."""
    nlp = small.make_trained(NER, passes=30, **settings)
    example = small.example_of(nlp, small.SENTENCES[0].words)
    doc = example.reference
    ents = [Span(doc, *ent) for ent in gold["ents"]]
    doc.set_ents(ents, default=gold["default"])
    report = calibrate(nlp, NER, [example])
    assert (report.answers, report.right, report.gold) == counts


def test_calibrator_aligns_other_tokens():
    nlp = small.make_trained(NER, passes=30)
    words = ["Yesterday", "Acme Corp", "hired", "Alan", "Turing"]
    reference = small.make_doc(nlp, words, ents=[(1, 2, "ORG"), (3, 5, "PERSON")])
    example = Example(small.make_doc(nlp, small.SENTENCES[1].words), reference)
    report = calibrate(nlp, NER, [example])
    assert (report.answers, report.right, report.gold) == (2, 2, 2)


def test_calibrator_lets_earlier_components_annotate():
    nlp = small.make_pipeline(TAGGER)
    templates = {"@misc": "spacy_latperc.Templates.v1", "templates": ["t[0]"]}
    nlp.add_pipe(CHUNKER, config=small.make_config(features=templates))
    tagged = [
        Example(x.reference.copy(), x.reference) for x in small.make_examples(nlp)
    ]
    nlp.initialize(lambda: tagged)
    for _ in range(20):
        nlp.update(tagged)
    # Without tags the chunker would warn, and be wrong.
    report = calibrate(nlp, CHUNKER, small.make_examples(nlp))
    assert report.right > 10


def test_calibrator_warns_of_few_answers_and_refuses_none():
    nlp = small.make_trained(NER, passes=30)
    with pytest.warns(UserWarning, match="LP915.*7 answers, of which 7"):
        fit_calibration(HeldOut(nlp, NER, small.make_examples(nlp)))
    for words, ents in ((["nothing", "here"], []), (small.SENTENCES[0].words, None)):
        with pytest.raises(ValueError, match="LP080"):
            HeldOut(nlp, NER, [small.example_of(nlp, words, ents=ents)])


def test_calibrator_chooses_the_only_component_or_asks_which():
    nlp = small.make_pipeline(NER)
    nlp.add_pipe("sentencizer")
    assert choose_calibrated(nlp, None) == NER
    several = small.make_pipeline(*small.FACTORIES)
    assert choose_calibrated(several, NER) == NER
    for other, name, message in (
        (nlp, "sentencizer", "LP081.*'sentencizer'"),
        (several, None, "LP081.*latperc_tagger, latperc_chunker"),
        (spacy.blank("xx"), None, "LP081.*none"),
    ):
        with pytest.raises(ValueError, match=message):
            choose_calibrated(other, name)


def test_calibrator_callback_calibrates_and_the_report_is_json(unsure):
    examples = noisy(unsure, 20, seed=6)
    name = unsure.pipe_names[0]
    report = calibrate(unsure, name, examples)
    assert not any(x.predicted.has_annotation("TAG") for x in examples)
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert data["bins"] == 15
    assert data["calibration"]["temperature"] == report.calibration.temperature
    assert data["before"]["ece"] == report.before.ece
    callback = make_calibrate(lambda nlp: noisy(nlp, 50, seed=7))
    pipe = unsure.get_pipe(name)
    pipe.calibration = Calibration()
    assert callback(unsure).pipe_names == [name]
    assert pipe.calibration != Calibration()
