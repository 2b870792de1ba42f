"""Tests of the tagger, the chunker and the entity recogniser alike."""

import pytest
import srsly
from builders import pipelines as small
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

ODD_WORDS = ([], ["word"], [" "], ["\n", "  "], ["a", " ", "b"])
# With a margin: the average may break a tie otherwise than the weights do.
LEARNERS = (
    {"@misc": "spacy_latperc.Perceptron.v1", "margin": 1.0},
    {"@misc": "spacy_latperc.PassiveAggressive.v1", "C": 0.1},
)
# What a component writes, and labels that it is not given in training.
GOLD = {
    "latperc_tagger": {"tags": ["ZZ", "NN"]},
    "latperc_chunker": {"chunks": [(0, 1, "ZZ"), (1, 2, "NP")]},
    "latperc_ner": {"ents": [(0, 1, "ZZ"), (1, 2, "ORG")]},
}

pytestmark = pytest.mark.parametrize("factory", small.FACTORIES)


def is_gold(factory: str, doc: Doc, number: int) -> bool:
    sentence = small.SENTENCES[number]
    if factory == "latperc_tagger":
        return [token.tag_ for token in doc] == sentence.tags
    if factory == "latperc_chunker":
        return small.triples(doc.spans["chunks"]) == sentence.chunks
    return small.triples(doc.ents) == sentence.ents


# Learning and predicting --------------------------------------------------------------


@pytest.mark.parametrize("latent", (1, 2))
@pytest.mark.parametrize("order", (0, 1, 2))
@pytest.mark.parametrize("learner", LEARNERS, ids=("perceptron", "pa"))
def test_base_overfits_a_handful_of_sentences(factory, learner, order, latent):
    nlp = small.make_trained(
        factory, learner=learner, order=order, latent=latent, passes=40
    )
    for number, text in enumerate(small.TEXTS):
        assert is_gold(factory, nlp(text), number)


def test_base_overfits_with_the_default_settings(factory):
    nlp = small.make_pipeline()
    nlp.add_pipe(factory)

    def inputs() -> list[Doc]:
        """The default templates of the chunker read tags."""
        given = factory == "latperc_chunker"
        tagged = [(s.words, s.tags if given else None) for s in small.SENTENCES]
        return [small.make_doc(nlp, words, tags=tags) for words, tags in tagged]

    golds = [small.gold_doc(nlp, sentence) for sentence in small.SENTENCES]
    small.train(nlp, [Example(x, y) for x, y in zip(inputs(), golds, strict=True)], 20)
    for number, doc in enumerate(nlp.pipe(inputs())):
        assert is_gold(factory, doc, number)


def test_base_sentences_are_searched_apart(factory):
    nlp = small.make_trained(factory)
    words = [word for sentence in small.SENTENCES for word in sentence.words]
    starts = [
        i == 0 for sentence in small.SENTENCES for i in range(len(sentence.words))
    ]
    whole = nlp(small.make_doc(nlp, words, sent_starts=starts))
    parts = [nlp(small.make_doc(nlp, sentence.words)) for sentence in small.SENTENCES]
    assert small.annotation(whole) == small.annotation(Doc.from_docs(parts))


@pytest.mark.parametrize("boundaries", (True, False))
def test_base_learns_beside_odd_docs(factory, boundaries):
    nlp = small.make_pipeline(factory)
    examples = small.make_examples(nlp)
    for words in ODD_WORDS:
        n = len(words)
        starts = [True] * n if boundaries else None
        gold = small.make_doc(nlp, words, tags=["NN"] * n, chunks=[], ents=[])
        examples.insert(
            0, Example(small.make_doc(nlp, words, sent_starts=starts), gold)
        )
    small.train(nlp, examples)
    assert is_gold(factory, nlp(small.TEXTS[0]), 0)


# Labels -------------------------------------------------------------------------------


def test_base_collects_sorted_labels_and_starts_from_given_ones(factory):
    nlp = small.make_trained(factory)
    labels = nlp.get_pipe(factory).labels
    assert list(labels) == sorted(labels) == list(nlp.pipe_labels[factory])
    tags = {tag for sentence in small.SENTENCES for tag in sentence.tags}
    every = (tags, {"NP", "VP", "PP"}, {"PERSON", "ORG", "GPE"})
    assert set(labels) == every[small.FACTORIES.index(factory)]
    data = nlp.get_pipe(factory).label_data
    other = small.make_pipeline(factory)
    examples = small.make_examples(other)
    other.get_pipe(factory).initialize(lambda: examples, labels=data)
    for _ in range(12):
        other.update(examples)
    assert other.get_pipe(factory).label_data == data
    assert other.get_pipe(factory).to_bytes() == nlp.get_pipe(factory).to_bytes()


def test_base_labels_come_from_the_config(factory, tmp_path):
    """They need no annotation."""
    path = tmp_path / "labels.json"
    srsly.write_json(path, ["C", "A", "B"])
    nlp = small.make_pipeline(factory)
    nlp.config["initialize"]["components"] = {
        factory: {"labels": {"@readers": "spacy.read_labels.v1", "path": str(path)}}
    }
    nlp.initialize(lambda: [small.example_of(nlp, ["no", "annotation"])])
    assert nlp.get_pipe(factory).labels == ("C", "A", "B")


def test_base_unknown_labels_are_named_and_change_no_weights(factory):
    nlp = small.make_trained(factory, passes=1)
    before = nlp.get_pipe(factory).model.to_bytes()
    strange = small.example_of(nlp, ["Zork", "hm"], **GOLD[factory])
    with pytest.raises(ValueError, match=f"LP035.*'{factory}'.*'ZZ' of 'Zork hm"):
        nlp.update([*small.make_examples(nlp), strange])
    assert nlp.get_pipe(factory).model.to_bytes() == before


REFUSED = {
    "E143": lambda pipe, examples: pipe.update(examples),
    "E978": lambda pipe, examples: pipe.update([examples[0].reference]),
    "E930": lambda pipe, examples: pipe.initialize(examples),
    "LP034": lambda pipe, examples: pipe.get_loss(examples, None),
    "LP590.*labels must": lambda pipe, _: pipe.initialize(list, labels="PER"),
    "LP032": lambda pipe, examples: pipe.initialize(
        lambda: [Example(examples[0].predicted, examples[0].predicted)]
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_base_refuses(factory, message):
    nlp = small.make_pipeline(factory)
    with pytest.raises((TypeError, ValueError, NotImplementedError), match=message):
        REFUSED[message](nlp.get_pipe(factory), small.make_examples(nlp))


def test_base_add_label_before_training(factory):
    nlp = small.make_pipeline(factory)
    component = nlp.get_pipe(factory)
    assert component.add_label("EXTRA") == 1
    assert component.add_label("EXTRA") == 0
    small.train(nlp, small.make_examples(nlp))
    assert component.labels[0] == "EXTRA"
    assert is_gold(factory, nlp(small.TEXTS[0]), 0)


def test_base_add_label_after_training_keeps_predictions_and_is_learned(factory):
    nlp = small.make_trained(factory)
    texts = [*small.TEXTS, "the king of Rome walks to Acme Corp"]
    before = small.annotations(nlp.pipe(texts))
    assert nlp.get_pipe(factory).add_label("ZZ") == 1
    assert small.annotations(nlp.pipe(texts)) == before
    examples = small.make_examples(nlp)
    examples.append(small.example_of(nlp, ["Zork", "hm"], **GOLD[factory]))
    for _ in range(20):
        nlp.update(examples)
    assert "ZZ" in str(small.annotation(nlp("Zork hm")))
    assert is_gold(factory, nlp(small.TEXTS[0]), 0)


# The arguments that spaCy passes ------------------------------------------------------


def test_base_losses_have_the_key_of_the_component(factory):
    nlp = small.make_trained(factory, passes=0)
    component = nlp.get_pipe(factory)
    losses = {"other": 1.0}
    assert component.update([], losses=losses) is losses
    assert losses == {"other": 1.0, factory: 0.0}
    component.update(small.make_examples(nlp), losses=losses)
    first = losses[factory]
    assert first > 0
    component.update(small.make_examples(nlp), losses=losses)
    assert losses[factory] > first


def test_base_drop_and_optimizer_change_nothing(factory):
    plain = small.make_trained(factory)
    nlp = small.make_pipeline(factory)
    examples = small.make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(12):
        nlp.update(examples, sgd=optimizer, drop=0.5)
    assert nlp.get_pipe(factory).model.to_bytes() == (
        plain.get_pipe(factory).model.to_bytes()
    )


def test_base_evaluates_with_its_own_scorer_or_none(factory):
    nlp = small.make_trained(factory)
    scores = nlp.evaluate(small.make_examples(nlp))
    for key, weight in nlp.get_factory_meta(factory).default_score_weights.items():
        assert not weight or scores[key] == 1.0
    nlp = small.make_trained(factory, passes=1, scorer=None)
    assert nlp.get_pipe(factory).score(small.make_examples(nlp)) == {}


def test_nobody_writes_between_the_reading_of_docs_and_the_writing(
    factory, monkeypatch
):
    # What is blank when a batch is read may be taken for blank when it is written.
    nlp = small.make_trained(factory, passes=1)
    pipe, calls = nlp.get_pipe(factory), []

    @Language.component("tests_between")
    def between(doc: Doc) -> Doc:
        calls.append("other")
        return doc

    def watched(question):
        asked = getattr(pipe, question)
        return lambda *given: calls.append(question) or asked(*given)

    for question in ("predict", "set_annotations"):
        monkeypatch.setattr(pipe, question, watched(question))
    nlp.add_pipe("tests_between", name="before", before=factory)
    nlp.add_pipe("tests_between", name="after", after=factory)
    examples = small.make_examples(nlp)
    list(nlp.pipe(small.TEXTS, batch_size=2))
    nlp(small.TEXTS[0])
    nlp.evaluate(examples, batch_size=2)
    nlp.update(examples, annotates=[factory])
    first = [at for at, call in enumerate(calls) if call == "predict"]
    assert len(first) > 3
    assert [calls[at + 1] for at in first] == ["set_annotations"] * len(first)
