"""No model annotates what it has seen, and a second pass learns from the answers."""

import gc
import weakref

import pytest
import spacy
from builders.sample import SAMPLE, sample_paths
from project_files import ROOT
from spacy.cli.train import train as spacy_train
from spacy.language import DEFAULT_CONFIG
from spacy.tokens import DocBin
from spacy.util import load_config, load_model_from_config
from thinc.api import Config

from spacy_latperc.api import jackknife
from spacy_latperc.data.corpus import column_corpus, conllu_corpus
from spacy_latperc.training import jackknife as module
from spacy_latperc.training.fit import fit, fit_and_save
from spacy_latperc.training.jackknife import jackknifed_corpus

CONFIG = ROOT / "configs" / "ner_two_pass.cfg"
SMALL = {
    "corpora.train.corpus.max_sentences": 8,
    "corpora.train.corpus.limit": 20,
    "corpora.dev.limit": 5,
    "training.max_epochs": 2,
    "training.eval_frequency": 1,
    "training.batcher.size": 8,
    **sample_paths(),
}
WITH_TAGS = {"columns": ["word", "tag", "chunk", "ent"]}


def untrained_pipeline(config):
    return load_model_from_config(DEFAULT_CONFIG.merge(config), auto_fill=True)


def config(**more):
    return load_config(CONFIG, overrides={**SMALL, **more}, interpolate=True)


def reader(**settings):
    given = {"columns": ["word", "-", "-", "ent"], "limit": 20, **settings}
    return column_corpus(
        SAMPLE / "train.txt", docs="document", max_sentences=8, **given
    )


def ents(doc):
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]


def weights(nlp, name):
    return nlp.get_pipe(name).learner.to_bytes()


@pytest.fixture(scope="module")
def nlp():
    return untrained_pipeline(config())


@pytest.fixture(scope="module")
def examples(nlp):
    return list(reader()(nlp))


@pytest.fixture(scope="module")
def answers(nlp, examples):
    return jackknife(nlp, "first", examples, folds=3, quiet=True)


def test_each_fold_is_annotated_by_a_model_of_the_others(
    nlp, examples, answers, tmp_path
):
    """The twin trains on a file without the fold, and reads the fold with that."""
    n = len(examples)
    assert n == 20
    for first, end in [(0, n // 3), (n // 3, 2 * n // 3), (2 * n // 3, n)]:
        path = tmp_path / f"{first}.spacy"
        others = [x.reference for x in [*examples[:first], *examples[end:]]]
        DocBin(["ENT_IOB", "ENT_TYPE", "SENT_START"], docs=others).to_disk(path)
        alone = config()
        alone["nlp"]["pipeline"] = ["first"]
        del alone["components"]["ner"]
        alone["corpora"]["train"] = docbin(path, "sent_starts")
        twin = fit(alone)
        for example, answer in list(zip(examples, answers, strict=True))[first:end]:
            words = [token.text for token in example.predicted]
            starts = [bool(token.is_sent_start) for token in example.predicted]
            doc = spacy.tokens.Doc(twin.vocab, words=words, sent_starts=starts)
            assert ents(answer) == ents(twin(doc))
    assert any(ents(answer) for answer in answers)
    assert not any(example.predicted.ents for example in examples)


def docbin(path, *inputs):
    """The block of a corpus."""
    reader = {"@readers": "spacy_latperc.DocBinCorpus.v1", "path": str(path)}
    return {**reader, "inputs": [*inputs]}


def test_neither_pipeline_nor_the_global_generator_is_touched(nlp, examples):
    before = nlp.get_pipe("first").labels, nlp.config.to_str()
    jackknife(nlp, "first", examples[:4], folds=2, epochs=1, quiet=True)
    assert (nlp.get_pipe("first").labels, nlp.config.to_str()) == before


def test_other_components_and_other_layers():
    chunker = load_config(
        ROOT / "configs" / "pipeline.cfg",
        overrides={"paths.train": "", "paths.dev": "", "training.max_epochs": 1},
    )
    nlp = untrained_pipeline(chunker)
    examples = list(reader(**WITH_TAGS, inputs=["tag"])(nlp))
    for name in nlp.pipe_names:
        docs = jackknife(nlp, name, examples, folds=2, quiet=True)
        written = nlp.get_pipe(name).written
        if written == "tag":
            assert all(doc.has_annotation("TAG") for doc in docs)
        elif written == "ent":
            assert any(doc.ents for doc in docs)
        else:
            assert all(doc.spans[written.removeprefix("spans:")] for doc in docs)


TEMPLATES = {"@misc": "spacy_latperc.Templates.v1", "templates": ["t[0]", "w[0]"]}
CHAIN = {"@architectures": "spacy_latperc.ChainModel.v1", "features": TEMPLATES}
MORPH = {"factory": "latperc_tagger", "attribute": "morph", "model": CHAIN}
TAGS_AND_FEATURES = {
    "nlp": {"lang": "en", "pipeline": ["tagger", "morph"]},
    "components": {"tagger": {"factory": "latperc_tagger"}, "morph": MORPH},
    "training": {"max_epochs": 1},
}


def test_several_components_one_after_the_other():
    """The second one reads what the first one wrote; trees stay gold."""
    nlp = untrained_pipeline(Config(TAGS_AND_FEATURES))
    corpus = conllu_corpus(SAMPLE / "train.conllu", limit=40)
    examples = list(corpus(nlp))
    together = list(jackknifed_corpus(corpus, ["tagger", "morph"], folds=2)(nlp))
    nested = jackknifed_corpus(jackknifed_corpus(corpus, "tagger", 2), "morph", 2)
    for example, other, gold in zip(together, nested(nlp), examples, strict=True):
        predicted = example.predicted
        for name in ("TAG", "MORPH"):
            assert predicted.has_annotation(name)
            assert (predicted.to_array(name) == other.predicted.to_array(name)).all()
        assert not predicted.has_annotation("DEP")
        heads = [token.head.i for token in example.reference]
        assert heads == [token.head.i for token in gold.reference]


def test_errors(nlp, examples):
    with pytest.raises(ValueError, match="LP773.*'first', 'ner'"):
        jackknife(nlp, "nosuch", examples)
    with pytest.raises(ValueError, match="LP774.*2 documents.*3 folds"):
        jackknife(nlp, "first", examples[:2], folds=3)
    with pytest.raises(ValueError, match="folds"):
        jackknife(nlp, "first", examples, folds=1)
    endless = untrained_pipeline(config(**{"training.max_epochs": 0}))
    with pytest.raises(ValueError, match="LP775"):
        jackknife(endless, "first", examples)
    with pytest.raises(ValueError, match="LP776"):
        grammar = spacy.blank("en").add_pipe("latperc_grammaticality")
        grammar.written  # noqa: B018


def test_learners_of_folds_are_freed(nlp, examples, monkeypatch):
    made, train = [], module.train_alone

    def recorded(nlp, name, component, *args, **settings):
        train(nlp, name, component, *args, **settings)
        made.append(weakref.ref(component.learner))

    monkeypatch.setattr(module, "train_alone", recorded)
    gc.disable()
    try:
        jackknife(nlp, "first", examples, folds=2, quiet=True)
        assert [learner() for learner in made] == [None, None]
    finally:
        gc.enable()


# The reader ---------------------------------------------------------------------------


def test_models_are_trained_once_for_all_readings(nlp, monkeypatch):
    calls = []
    monkeypatch.setattr(
        module, "train_alone", lambda *args, **more: calls.append(args[1])
    )
    monkeypatch.setattr(module, "_blank", lambda nlp, *_: nlp.get_pipe("first"))
    monkeypatch.setattr(module, "_initialize", lambda *_: None)
    component = type(nlp.get_pipe("first"))
    monkeypatch.setattr(component, "predict", lambda self, docs: None)
    monkeypatch.setattr(component, "set_annotations", lambda self, docs, _: None)
    corpus = jackknifed_corpus(reader(), "first", folds=2)
    assert len(list(corpus(nlp))) == len(list(corpus(nlp))) == 20
    assert len(calls) == 2
    # `spacy train` makes a second reader of the same block.
    again = jackknifed_corpus(reader(), "first", folds=2)
    assert len(list(again(nlp))) == 20
    assert len(calls) == 2
    other = jackknifed_corpus(reader(keep_types=["PER"]), "first", folds=2)
    assert len(list(other(nlp))) == 20
    assert len(calls) == 4


def test_examples_have_answers_before_and_gold_behind(nlp, examples, answers):
    corpus = jackknifed_corpus(reader(), "first", folds=3)
    for example, gold, answer in zip(corpus(nlp), examples, answers, strict=True):
        assert ents(example.predicted) == ents(answer)
        assert ents(example.reference) == ents(gold.reference)
        sentences = [token.is_sent_start for token in example.predicted]
        assert sentences == [token.is_sent_start for token in example.reference]


def test_fit_is_spacy_train_and_loads_plainly(tmp_path):
    fit_and_save(config(), tmp_path / "ours", quiet=True)
    spacy_train(CONFIG, tmp_path / "theirs", overrides=SMALL)
    for name in ("first", "ner"):
        ours, theirs = (
            (tmp_path / side / "model-last" / name / "model").read_bytes()
            for side in ("ours", "theirs")
        )
        assert ours == theirs
    nlp = spacy.load(tmp_path / "ours" / "model-last")
    assert nlp.pipe_names == ["first", "ner"]
    assert weights(fit(config()), "ner") == weights(nlp, "ner")
    docs = [example.predicted for example in reader()(nlp)]
    assert any(doc.ents for doc in nlp.pipe(docs))
