"""Chains on top of an encoder."""

import numpy as np
import pytest
import spacy
from builders.pipelines import SENTENCES, make_examples, templates
from builders.sample import few_sentences
from project_files import ROOT
from spacy.tokens import Doc
from spacy.util import load_config, load_model_from_config, registry
from thinc.api import SGD, Adam, Config, Model

from spacy_latperc.training.fit import fit, fit_and_save

WORDS = sorted({word for sentence in SENTENCES for word in sentence.words})
TEXT = " ".join(SENTENCES[1].words)
PERCEPTRON = {"@misc": "spacy_latperc.Perceptron.v1", "average": "none"}
CONFIG = """
[nlp]
lang = "xx"
pipeline = ["tok2vec", "ner", "tagger"]

[components]

[components.tok2vec]
factory = "tok2vec"

[components.tok2vec.model]
@architectures = "spacy.HashEmbedCNN.v2"
width = 16
depth = 1
embed_size = 200
window_size = 1
maxout_pieces = 2
subword_features = false
pretrained_vectors = null

[components.ner]
factory = "latperc_ner"
scores = "marginal"

[components.ner.model]
@architectures = "spacy_latperc.EncoderScores.v1"

[components.ner.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = 16

[components.tagger]
factory = "tagger"

[components.tagger.model]
@architectures = "spacy.Tagger.v2"

[components.tagger.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = 16
"""


@registry.architectures("latperc_tests.Vectors.v1")
def word_vectors(kind: str) -> Model:
    """A layer without weights: one-hot vectors of words, zeros or what is no number."""

    def forward(model, docs, is_train):
        found = [np.zeros((len(doc), len(WORDS)), dtype=np.float32) for doc in docs]
        for doc, vectors in zip(docs, found, strict=True):
            for token in doc if kind == "one-hot" else ():
                vectors[token.i, WORDS.index(token.text)] = 1.0
            if kind == "nan" and doc.text.startswith(TEXT):
                vectors[:] = np.nan
        return found, lambda gradient: docs

    return Model("vectors", forward, dims={"nO": len(WORDS)})


def encoder(kind, **settings):
    block = {"@architectures": "latperc_tests.Vectors.v1", "kind": kind}
    return {
        "@architectures": "spacy_latperc.EncoderScores.v1",
        "tok2vec": block,
        **settings,
    }


def pipeline(model):
    nlp = spacy.blank("xx")
    nlp.add_pipe("latperc_ner", "ner", config={"model": model})
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    return nlp, nlp.get_pipe("ner"), examples


def train(nlp, examples, epochs, optimizer):
    for _ in range(epochs):
        for example in examples:
            nlp.update([example], sgd=optimizer)


def gold_ents(examples):
    return [[(x.text, x.label_) for x in each.reference.ents] for each in examples]


def ents(nlp, examples):
    docs = (Doc(nlp.vocab, words=[x.text for x in e.reference]) for e in examples)
    return [[(x.text, x.label_) for x in doc.ents] for doc in nlp.pipe(docs)]


@pytest.mark.parametrize("order", [1, 2])
def test_one_hot_vectors_learn_as_words_do(order):
    """The layer has the weights of words, and its bias those of labels, with plain
    steps of 1."""
    edges = ["edge:bias"] if order == 1 else ["edge:bias", "tri:bias"]
    sparse = {
        "features": templates("w[0]", "bias", *edges),
        "learner": PERCEPTRON,
        "order": order,
    }
    nlp, ner, examples = pipeline(sparse)
    other, dense, same = pipeline(encoder("one-hot", learner=PERCEPTRON, order=order))
    sgd = SGD(1.0, L2=0.0, grad_clip=0.0, use_averages=False)
    docs = [example.predicted for example in examples]
    for _ in range(6):
        train(nlp, examples, 1, None)
        train(other, same, 1, sgd)
        found, wanted = (
            pipe.learner.max_marginals(pipe.read_docs(docs)[1]) for pipe in (dense, ner)
        )
        np.testing.assert_allclose(found, wanted, atol=1e-4)
    assert ents(other, same) == gold_ents(examples)


def test_scores_of_zero_change_nothing():
    """The chain has the bytes of one without encoder, if the layer never steps."""
    crf = {"@misc": "spacy_latperc.CRF.v1"}
    features = templates("w[0]", "edge:bias")
    plain = pipeline({"features": features, "learner": crf})
    below = pipeline(encoder("zero", features=features, learner=crf))
    for _, ner, examples in (plain, below):
        ner.update(examples)
    assert plain[1].learner.to_bytes() == below[1].learner.to_bytes()


@pytest.fixture(scope="module")
def trained():
    """A recogniser and spaCy's tagger over one tok2vec."""
    config = Config().from_str(CONFIG)
    nlp = load_model_from_config(config, auto_fill=True, validate=False)
    examples = make_examples(nlp)
    spacy.util.fix_random_seed(0)
    nlp.initialize(lambda: examples)
    optimizer, losses = Adam(0.02), {}
    for _ in range(25):
        nlp.update(examples, sgd=optimizer, drop=0.1, losses=losses)
    assert losses["ner"] > 0
    return nlp, examples


def test_a_shared_encoder_trains_two_components(trained, tmp_path):
    nlp, examples = trained
    scores = nlp.evaluate(examples)
    assert scores["ents_f"] == scores["tag_acc"] == 1.0
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    for text in (TEXT, "", "  ", "Unknown words here ."):
        first, second = nlp(text), loaded(text)
        assert first.to_json() == second.to_json()
        assert [x._.ent_score for x in first.ents] == [
            x._.ent_score for x in second.ents
        ]
    loaded.replace_listeners("tok2vec", "ner", ["model.tok2vec"])
    assert [x.text for x in loaded(TEXT).ents] == ["Acme Corp", "Alan Turing"]


def test_added_labels_keep_what_was_learned(trained):
    nlp, examples = trained
    ner, before = nlp.get_pipe("ner"), ents(nlp, examples)
    states = len(ner.learner.labels)
    ner.add_label("EVENT")
    assert len(ner.learner.labels) > states
    assert ents(nlp, examples) == before


def test_fit_trains_an_encoder(tmp_path):
    overrides = few_sentences(60, 20, epochs=1)
    config = load_config(ROOT / "configs" / "ner.cfg", overrides=overrides)
    config["components"]["ner"]["model"] = {
        "@architectures": "spacy_latperc.EncoderScores.v1",
        "tok2vec": {
            "@architectures": "spacy.HashEmbedCNN.v2",
            "width": 16,
            "depth": 1,
            "embed_size": 200,
            "window_size": 1,
            "maxout_pieces": 2,
            "subword_features": False,
            "pretrained_vectors": None,
        },
    }
    with pytest.raises(ValueError, match="LP645"):
        fit(config)
    config["training"]["optimizer"] = {"@optimizers": "Adam.v1", "learn_rate": 0.01}
    nlp = fit_and_save(config, tmp_path, quiet=True, evaluate=False)
    loaded = spacy.load(tmp_path / "model-last")
    assert loaded.get_pipe("ner").encoder is not None
    assert nlp(TEXT).to_json() == loaded(TEXT).to_json()


@pytest.mark.parametrize(
    ("learner", "code"), [("PassiveAggressive", "LP642"), ("CRFBatch", "LP643")]
)
def test_learners_without_a_gradient_are_refused(learner, code):
    with pytest.raises(ValueError, match=code):
        pipeline(encoder("zero", learner={"@misc": f"spacy_latperc.{learner}.v1"}))


def test_scores_that_are_no_numbers_name_their_doc():
    nlp, ner, examples = pipeline(encoder("nan"))
    with pytest.raises(ValueError, match="LP644.*Yesterday"):
        ents(nlp, examples)
    with pytest.raises(ValueError, match="LP644.*Yesterday"):
        nlp.update(examples, sgd=Adam(0.1))


def test_an_encoder_refuses_what_knows_no_docs():
    nlp, ner, examples = pipeline(encoder("one-hot"))
    nlp.resume_training()
    with pytest.raises(ValueError, match=r"LP646.*Rehearsal"):
        ner.rehearse(examples)
