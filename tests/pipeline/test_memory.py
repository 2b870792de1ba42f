"""Components inside the training loop of the host."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import srsly
from builders.pipelines import (
    SENTENCES,
    make_doc,
    make_examples,
    make_trained,
    templates,
    triples,
)
from builders.registered_learners import LEARNERS, PREFIX
from spacy.language import DEFAULT_CONFIG, Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as run_loop
from spacy.util import registry
from thinc.api import Config

from spacy_latperc.learners import learner_settings
from spacy_latperc.schemes import get_scheme
from spacy_latperc.training.fit import fit

Block = dict[str, Any]
WORDS = templates("w[-1]", "w[0]", "w[1]", "suf2[0]", "shape[0]")
TAGS = templates("t[-1]", "t[0]", "t[1]", "t[0]|t[1]", "t[-1]|t[0]")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sentences as a column file."""
    iob2 = get_scheme("IOB2")
    lines = []
    for sentence in SENTENCES:
        n = len(sentence.words)
        spans = (iob2.encode(x, n) for x in (sentence.chunks, sentence.ents))
        rows = zip(sentence.words, sentence.tags, *spans, strict=True)
        lines += [" ".join(row) for row in rows] + [""]
    path = tmp_path_factory.mktemp("corpus") / "train.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def component(factory: str, features: Block, **settings: Any) -> Block:
    learner = {"@misc": "spacy_latperc.PassiveAggressive.v1", "C": 0.1}
    model = {"@architectures": "spacy_latperc.ChainModel.v1", "learner": learner}
    model["search"] = {"@misc": "spacy_latperc.Viterbi.v1"}
    return {"factory": factory, "model": {**model, "features": features}, **settings}


def reader(path: Path, inputs: list[str] | None = None) -> Block:
    block = {"@readers": "spacy_latperc.ColumnCorpus.v1", "path": str(path)}
    columns = ["word", "tag", "chunk", "ent"]
    return {**block, "columns": columns, "inputs": inputs or []}


def make_config(
    corpus: Path,
    components: dict[str, Block],
    *,
    inputs: list[str] | None = None,
    **training: Any,
) -> Config:
    config = DEFAULT_CONFIG.copy()
    config["nlp"].update(lang="xx", pipeline=list(components))
    config["components"] = components
    config["corpora"] = dict.fromkeys(("train", "dev"), reader(corpus, inputs))
    config["training"] |= {
        "batcher": {"@batchers": "spacy.batch_by_sequence.v1", "size": 2},
        "optimizer": {"@optimizers": "spacy_latperc.NoOptimizer.v1"},
        "max_epochs": 20,
        "eval_frequency": 4,
        **training,
    }
    return config


def run(config: Config, output: Path | None = None) -> Language:
    nlp = init_nlp(config)
    nlp, _ = run_loop(nlp, output)
    return nlp


def predict(nlp: Language) -> list[Doc]:
    return [nlp(make_doc(nlp, sentence.words)) for sentence in SENTENCES]


def found_tags(docs: list[Doc]) -> list[list[str]]:
    return [[token.tag_ for token in doc] for doc in docs]


def found_chunks(docs: list[Doc]) -> list:
    return [triples(doc.spans["chunks"]) for doc in docs]


GOLD_TAGS = [sentence.tags for sentence in SENTENCES]
GOLD_CHUNKS = [sentence.chunks for sentence in SENTENCES]
GOLD_ENTS = [sentence.ents for sentence in SENTENCES]


def three_components() -> dict[str, Block]:
    """Each is fed by those before it."""
    fed = templates("w[0]", "t[0]", "chunk[0]", "w[-1]|w[0]", "w[1]")
    return {
        "tagger": component("latperc_tagger", WORDS),
        "chunker": component("latperc_chunker", TAGS),
        "ner": component("latperc_ner", fed),
    }


FED = {"annotating_components": ["tagger", "chunker"]}


def test_training_components_feed_each_other_and_give_the_same_bytes_again(corpus):
    """The tags and chunks that later components read change from pass to pass."""
    first, second = (
        run(make_config(corpus, three_components(), **FED)) for _ in range(2)
    )
    docs = predict(first)
    assert found_tags(docs) == GOLD_TAGS
    assert found_chunks(docs) == GOLD_CHUNKS
    assert [triples(doc.ents) for doc in docs] == GOLD_ENTS
    for name in first.pipe_names:
        model, again = (nlp.get_pipe(name).model for nlp in (first, second))
        assert model.to_bytes() == again.to_bytes()


def test_training_without_annotating_components_warns(corpus):
    config = make_config(corpus, three_components(), max_epochs=1)
    with pytest.warns(UserWarning, match="LP911") as found:
        run(config)
    names = [str(warning.message).split("'")[1] for warning in found]
    assert sorted(names) == ["chunker", "ner"]


def test_training_input_columns_feed_components(corpus):
    components = {"chunker": component("latperc_chunker", TAGS)}
    nlp = run(make_config(corpus, components, inputs=["tag"]))
    docs = [nlp(make_doc(nlp, s.words, tags=s.tags)) for s in SENTENCES]
    assert found_chunks(docs) == GOLD_CHUNKS


def test_training_saves_what_it_returns_with_the_scores_that_are_weighted(
    corpus, tmp_path
):
    components = {"chunker": component("latperc_chunker", WORDS, spans_key="chunks")}
    nlp = run(make_config(corpus, components), tmp_path)
    for name in ("model-best", "model-last"):
        loaded = spacy.load(tmp_path / name)
        assert found_chunks(predict(loaded)) == GOLD_CHUNKS
    ours, theirs = (x.get_pipe("chunker").model for x in (nlp, loaded))
    assert ours.to_bytes() == theirs.to_bytes()
    performance = srsly.read_json(tmp_path / "model-best" / "meta.json")["performance"]
    assert performance["chunks_f"] == 1.0
    assert performance["chunks_per_type"].keys() == {"NP", "PP", "VP"}


# Frozen and sourced -------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained_tagger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tagger")
    make_trained("latperc_tagger", passes=20).to_disk(path)
    return path


def with_sourced_tagger(trained_tagger: Path) -> dict[str, Block]:
    return {
        "tagger": {"source": str(trained_tagger), "component": "latperc_tagger"},
        "chunker": component("latperc_chunker", TAGS),
    }


def test_training_frozen_components_stay(corpus, trained_tagger):
    before = spacy.load(trained_tagger).get_pipe("latperc_tagger").model.to_bytes()
    frozen = {"frozen_components": ["tagger"], "annotating_components": ["tagger"]}
    nlp = run(make_config(corpus, with_sourced_tagger(trained_tagger), **frozen))
    assert nlp.get_pipe("tagger").model.to_bytes() == before
    docs = predict(nlp)
    assert found_tags(docs) == GOLD_TAGS
    assert found_chunks(docs) == GOLD_CHUNKS


def test_training_sourced_components_go_on_learning(corpus, trained_tagger):
    before = spacy.load(trained_tagger).get_pipe("latperc_tagger").learner.examples
    training = {"annotating_components": ["tagger"], "max_epochs": 2}
    nlp = run(make_config(corpus, with_sourced_tagger(trained_tagger), **training))
    learner = nlp.get_pipe("tagger").learner
    assert learner.examples == before + 2 * len(SENTENCES)
    assert found_tags(predict(nlp)) == GOLD_TAGS


@pytest.mark.parametrize(
    "learner",
    [each for each in LEARNERS if each.is_chain and not each.members],
    ids=str,
)
def test_training_without_the_loop_gives_the_same_bytes(corpus, learner):
    """`fit` and `spacy train`, whatever the learner is; and labels may be given."""
    features = component(
        "latperc_tagger", {"@misc": "spacy_latperc.PaperFeatures.v1", "name": "hmm"}
    )
    features["model"]["learner"] = {"@misc": PREFIX + learner.name, **learner.settings}
    config = make_config(corpus, {"tagger": features}, max_epochs=2)
    given = sorted({tag for sentence in SENTENCES for tag in sentence.tags})
    with_labels = config.copy()
    with_labels["initialize"]["components"] = {"tagger": {"labels": given}}
    first, second, third = (
        nlp.get_pipe("tagger").model.to_bytes()
        for nlp in (run(config), fit(config), fit(with_labels))
    )
    assert first == second == third


# Streams ------------------------------------------------------------------------------


@registry.readers("latperc_tests.Repeat.v1")
def repeat(path: Path, times: int):
    """The corpus over and over, read anew each time."""

    def read(nlp: Language):
        for _ in range(times):
            yield from registry.resolve({"reader": reader(path)})["reader"](nlp)

    return read


def test_training_streamed_corpora(corpus):
    """A stream is not shuffled, not kept and counted by epoch_size."""
    tagger = component("latperc_tagger", templates(*WORDS["templates"], min_count=2))
    tagger["model"]["learner"].update(average="mavg", epoch_size=4)
    config = make_config(corpus, {"tagger": tagger}, max_epochs=-1, max_steps=30)
    config["corpora"]["stream"] = {
        "@readers": "latperc_tests.Repeat.v1",
        "path": str(corpus),
        "times": 30,
    }
    config["training"]["train_corpus"] = "corpora.stream"
    nlp = run(config)
    learner = nlp.get_pipe("tagger").learner
    assert learner.epoch_size == 4
    assert found_tags(predict(nlp)) == GOLD_TAGS


def test_training_resumes_a_saved_pipeline():
    """There is no initialisation then: learning goes on from the weights."""
    nlp = make_trained("latperc_tagger", passes=2)
    seen = nlp.get_pipe("latperc_tagger").learner.examples
    loaded = spacy.blank("xx")
    loaded.add_pipe("latperc_tagger", source=nlp)
    optimizer = loaded.resume_training()
    for _ in range(20):
        loaded.update(make_examples(loaded), sgd=optimizer)
    learner = loaded.get_pipe("latperc_tagger").learner
    assert learner.examples == seen + 20 * len(SENTENCES)
    assert found_tags(predict(loaded)) == GOLD_TAGS


def test_training_stops_at_the_doc_whose_scores_are_not_finite(monkeypatch):
    monkeypatch.setattr(learner_settings, "LARGEST_RATE", np.inf)
    nlp = spacy.blank("en")
    learner = {"@misc": "spacy_latperc.Perceptron.v1", "learn_rate": 3e38}
    pipe = nlp.add_pipe("latperc_tagger", config={"model": {"learner": learner}})
    examples = [
        Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, tags=tags))
        for words, tags in [(["a", "b"], ["A", "B"]), (["b", "a"], ["A", "B"])]
    ]
    nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match=r"\[LP039\].*a b|\[LP039\].*b a"):
        for _ in range(20):
            nlp.update(examples)
    kept = pipe.learner.freeze()
    for b in range(len(kept.structure.blocks)):
        assert np.isfinite(kept.export(b)[3]).all()
    assert all(token.tag_ for token in nlp(Doc(nlp.vocab, words=["a", "b"])))
