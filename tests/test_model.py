"""A chain as a thinc Model: built by a config, copied, saved."""

import copy
import pickle

import numpy as np
import pytest
import spacy
from builders import pipelines as small
from spacy import registry
from thinc.api import Config, Model, Optimizer

from spacy_latperc.io.model_file import pack
from spacy_latperc.learners.base import Batch
from spacy_latperc.model import get_generation, get_learner
from spacy_latperc.pipeline.doc_reader import DocReader

TEMPLATES = ("w[0]", "edge:suf3[0]", "tri:bias")
LEARNER = {"average": "mavg", "restart_every": 3, "learn_rate": 0.5}
MODEL = {
    "@architectures": "spacy_latperc.ChainModel.v1",
    **{"latent": 2, "order": 2, "seed": 7},
    "features": small.templates(*TEMPLATES),
    "search": {"@misc": "spacy_latperc.Viterbi.v1"},
    "learner": {"@misc": "spacy_latperc.Perceptron.v1", **LEARNER},
}


def trained_model() -> tuple[Model, Batch]:
    """A model and something to predict from."""
    nlp = small.make_trained("latperc_tagger")
    component = nlp.get_pipe("latperc_tagger")
    docs = [small.make_doc(nlp, sentence.words) for sentence in small.SENTENCES]
    return component.model, DocReader(component.learner.plan.columns).read(docs)


# Configs ------------------------------------------------------------------------------


def test_model_warns_of_states_that_divide_the_counts():
    full = {**MODEL["features"], "latent_form": "full"}
    with pytest.warns(UserWarning, match="LP921"):
        registry.resolve({"model": {**MODEL, "features": full}})
    for changed in (
        {"latent": 1},
        {"features": {**full, "latent_form": "tied"}},
        {"learner": {**MODEL["learner"], "margin": 1.0}},
        {"learner": {**MODEL["learner"], "states": "expected"}},
        {"learner": {"@misc": "spacy_latperc.PassiveAggressive.v1"}},
    ):
        registry.resolve({"model": {**MODEL, "features": full, **changed}})


def test_model_is_built_as_configured():
    made = get_learner(registry.resolve({"model": MODEL})["model"])
    assert (made.latent, made.order, made.seed) == (2, 2, 7)
    found = [str(template) for template in made.features.templates]
    assert found == ["word[0]", *TEMPLATES[1:]]
    assert (made.settings.restart_every, made.settings.learn_rate) == (3, 0.5)


@pytest.mark.parametrize("factory", small.FACTORIES)
def test_model_config_round_trip(factory):
    nlp = small.make_pipeline()
    nlp.add_pipe(factory)
    other = spacy.util.load_model_from_config(Config().from_str(nlp.config.to_str()))
    assert other.config.to_str() == nlp.config.interpolate().to_str()
    settings = {"latent": 2, "seed": 5, "features": small.templates("w[0]")}
    nlp = small.make_trained(factory, **settings)
    config = Config().from_str(nlp.config.to_str())
    other = spacy.util.load_model_from_config(config).from_bytes(nlp.to_bytes())
    found, expected = (small.annotations(x.pipe(small.TEXTS)) for x in (other, nlp))
    assert found == expected


def test_model_takes_any_optimizer_and_needs_none():
    optimizer = registry.resolve(
        {"o": {"@optimizers": "spacy_latperc.NoOptimizer.v1"}}
    )["o"]
    assert isinstance(optimizer, Optimizer)
    model, _ = trained_model()
    before = model.to_bytes()
    model.finish_update(optimizer)
    assert not optimizer.averages
    assert model.to_bytes() == before


# Predicting, copying, saving ----------------------------------------------------------


@pytest.mark.parametrize(
    "duplicate",
    (
        Model.copy,
        copy.deepcopy,
        lambda model: pickle.loads(pickle.dumps(model)),
        lambda model: build_like(model).from_bytes(model.to_bytes()),
    ),
    ids=("copy", "deepcopy", "pickle", "bytes"),
)
def test_model_copies_predict_the_same(duplicate):
    model, batch = trained_model()
    other = duplicate(model)
    assert get_learner(other) is not get_learner(model)
    assert other.to_bytes() == model.to_bytes()
    assert other.predict(batch).tolist() == model.predict(batch).tolist()


def build_like(model: Model) -> Model:
    return small.make_pipeline("latperc_tagger").get_pipe("latperc_tagger").model


@pytest.mark.parametrize("data", (b"", b"nothing of ours", b"\x80", b"\xc1", None))
def test_model_foreign_bytes_are_refused(data):
    model, _ = trained_model()
    if data is None:
        data = spacy.blank("xx").add_pipe("textcat").model.to_bytes()
    with pytest.raises(ValueError, match=rf"LP027.*\({len(data)} bytes\)"):
        model.from_bytes(data)


def test_model_devices_change_nothing_and_loading_makes_a_new_generation():
    model, batch = trained_model()
    labels = model.predict(batch)
    assert (labels.dtype, labels.shape) == (np.int32, (len(batch.values),))
    model.to_cpu()
    with model.use_params({}):
        assert model.predict(batch).tolist() == labels.tolist()
    model, _ = trained_model()
    before = get_generation(model)
    assert get_generation(model) is before
    model.from_bytes(model.to_bytes())
    assert get_generation(model) is not before


def test_model_of_another_kind_is_refused():
    nlp = spacy.blank("en")
    block = {"@misc": "spacy_latperc.Beam.v1", "width": 4}
    with pytest.raises(ValueError, match=r"\[LP592\].* not SearchSettings"):
        nlp.add_pipe("latperc_tagger", config={"model": block})


def test_model_that_fits_no_memory_says_how_large_it_is(monkeypatch):
    def fail(*arguments):
        raise MemoryError

    monkeypatch.setattr("spacy_latperc.io.model_file._packed", fail)
    with pytest.raises(MemoryError, match=r"\[LP591\].* 8 MB"):
        pack({}, {"w": np.zeros(2_000_000, dtype=np.float32)})
