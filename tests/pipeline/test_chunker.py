"""The chunker: spans under a key, in every representation."""

import pytest
import spacy
from builders import pipelines as small
from spacy.tokens import Span
from spacy.training import Example

from spacy_latperc.schemes import SCHEMES

_, CHUNKER, NER = small.FACTORIES


@pytest.mark.parametrize("factory", [CHUNKER, NER])
@pytest.mark.parametrize("scheme", [*SCHEMES, "IOBES", "bio"])
def test_spans_are_learned_in_every_representation(factory, scheme):
    nlp = small.make_trained(factory, scheme=scheme, passes=30)
    for text, sentence in zip(small.TEXTS, small.SENTENCES, strict=True):
        doc = nlp(text)
        if factory == NER:
            assert small.triples(doc.ents) == sentence.ents
        else:
            assert small.triples(doc.spans["chunks"]) == sentence.chunks


def test_chunker_reads_writes_scores_and_saves_its_key(tmp_path):
    nlp = small.make_trained(CHUNKER, spans_key="np", passes=30)
    scores = nlp.evaluate(small.make_examples(nlp, spans_key="np"))
    for name in ("p", "r", "f", "per_type"):
        assert scores[f"chunks_{name}"] == scores[f"spans_np_{name}"]
    assert scores["chunks_f"] == 1.0
    nlp.to_disk(tmp_path)
    for each in (nlp, spacy.load(tmp_path)):
        doc = each(small.TEXTS[0])
        assert list(doc.spans) == ["np"]
        assert small.triples(doc.spans["np"]) == small.SENTENCES[0].chunks


@pytest.mark.parametrize(
    "spans, message",
    [
        ([(0, 2, "NP"), (1, 3, "NP")], "LP036.*tokens 0 to"),
        ([(0, 1, "NP"), (0, 1, "NP")], "LP036.*tokens 0 to"),
        ([(0, 4, "NP"), (1, 2, "NP"), (3, 4, "NP")], "LP036.*0 to 3 and 1 to 1"),
        ([(1, 1, "NP")], "LP044.*token 1"),
    ],
)
def test_chunker_refuses_gold_that_is_no_chunking(spans, message):
    nlp = small.make_trained(CHUNKER)
    example = small.example_of(nlp, list("abcd"), chunks=spans)
    with pytest.raises(ValueError, match=f"'{CHUNKER}'.*'a b c d'") as caught:
        nlp.update([example])
    assert caught.match(message)


@pytest.mark.parametrize("extended", [True, False])
def test_chunker_a_changed_group_is_read_again(extended):
    nlp = with_np()
    example = small.example_of(nlp, ["a", "b", "c"], chunks=[(0, 1, "NP")])
    assert small.gold_labels(nlp, example) == ["S-NP", "O", "O"]
    added = Span(example.y, 1, 3, label="NP")
    if extended:
        example.y.spans["chunks"].append(added)
    else:
        example.y.spans["chunks"] = [added]
    first = "S-NP" if extended else "O"
    assert small.gold_labels(nlp, example) == [first, "B-NP", "E-NP"]


def with_np(**settings):
    return small.with_labels(CHUNKER, "NP", **settings)


@pytest.mark.parametrize(
    "chunks, missing, expected",
    [
        # In any order; missing tokens are not learned as outside.
        ([(2, 3), (0, 2)], [], ["B-NP", "E-NP", "S-NP", "O"]),
        ([(0, 1)], [(2, 3), (3, 4)], ["S-NP", "O", None, None]),
    ],
)
def test_chunker_gold(chunks, missing, expected):
    nlp = with_np()
    spans = [(*chunk, "NP") for chunk in chunks]
    example = partial(nlp, list("abcd"), spans, missing)
    assert small.gold_labels(nlp, example) == expected


@pytest.mark.parametrize("scheme", SCHEMES)
def test_chunker_tells_neighbours_of_one_type_apart(scheme):
    nlp = small.make_pipeline(CHUNKER, scheme=scheme)
    spans = [(0, 2, "NP"), (2, 3, "NP"), (3, 4, "VP"), (4, 5, "NP"), (5, 6, "NP")]
    words = "give the man a big book".split()
    small.train(nlp, [small.example_of(nlp, words, chunks=spans)], 30)
    doc = nlp(small.make_doc(nlp, words))
    assert small.triples(doc.spans["chunks"]) == spans


def test_chunker_chunks_end_with_their_sentence():
    nlp = small.make_trained(CHUNKER, passes=30)
    words = "Ada Lovelace".split()
    doc = nlp(small.make_doc(nlp, words))
    assert small.triples(doc.spans["chunks"]) == [(0, 2, "NP")]
    doc = nlp(small.make_doc(nlp, words, sent_starts=[True, True]))
    assert all(span.end - span.start == 1 for span in doc.spans["chunks"])


# The key ------------------------------------------------------------------------------


def test_chunker_refuses_gold_under_another_key_or_without_a_label():
    nlp = small.make_pipeline(CHUNKER, spans_key="np")
    with pytest.raises(ValueError, match="LP032.*spans_key"):
        nlp.initialize(lambda: small.make_examples(nlp, spans_key="chunks"))
    nlp = small.make_pipeline(CHUNKER)
    example = small.example_of(nlp, ["a", "b"], chunks=[(0, 1, "")])
    with pytest.raises(ValueError, match="LP031"):
        nlp.initialize(lambda: [example])


def test_chunker_two_keys_have_two_scores():
    nlp = small.make_pipeline(CHUNKER)
    nlp.add_pipe(CHUNKER, name="second", config=small.make_config(spans_key="np"))
    examples = small.make_examples(nlp)
    for example in examples:
        nouns = [s for s in example.y.spans["chunks"] if s.label_ == "NP"]
        example.y.spans["np"] = nouns
    scores = small.train(nlp, examples, 30).evaluate(examples)
    assert scores["spans_chunks_f"] == scores["spans_np_f"] == 1.0
    assert set(scores["spans_np_per_type"]) == {"NP"}
    assert set(scores["spans_chunks_per_type"]) == {"NP", "PP", "VP"}


def test_chunker_replaces_its_group():
    nlp = small.make_trained(CHUNKER, passes=30)
    doc = small.make_doc(nlp, small.SENTENCES[0].words, chunks=[(0, 8, "OLD")])
    doc.spans["mine"] = [Span(doc, 0, 1, label="MINE")]
    doc = nlp(doc)
    assert small.triples(doc.spans["chunks"]) == small.SENTENCES[0].chunks
    assert small.triples(doc.spans["mine"]) == [(0, 1, "MINE")]


# Gold ---------------------------------------------------------------------------------


# Missing chunks -----------------------------------------------------------------------


def partial(nlp, words, chunks, missing):
    example = small.example_of(nlp, words, chunks=chunks)
    holes = [Span(example.y, start, end) for start, end in missing]
    example.y.spans["missing_chunks"] = holes
    return example


def test_chunker_missing_tokens_follow_other_tokens_and_lie_outside_chunks():
    nlp = with_np()
    reference = small.make_doc(nlp, ["ab", "cd", "e"], spaces=[False] * 3, chunks=[])
    reference.spans["missing_chunks"] = [reference[1:2]]
    predicted = small.make_doc(nlp, ["ab", "c", "d", "e"], spaces=[False] * 4)
    assert small.gold_labels(nlp, Example(predicted, reference)) == [
        "O",
        None,
        None,
        "O",
    ]
    example = partial(nlp, list("abcd"), [(1, 3, "NP")], [(2, 4)])
    with pytest.raises(ValueError, match="LP071.*token 2 .*NP from token 1 to 2.*miss"):
        small.gold_labels(nlp, example)


@pytest.mark.parametrize("settings", [{}, {"members": small.MEMBERS}])
def test_chunker_partly_annotated_docs_teach_what_they_say(settings):
    nlp = small.make_pipeline(CHUNKER, **settings)
    examples = small.make_examples(nlp)
    for example, sentence in zip(examples, small.SENTENCES, strict=True):
        words = len(sentence.words)
        first, *rest = sentence.chunks
        example.y.spans["chunks"] = [Span(example.y, *first)]
        example.y.spans["missing_chunks"] = [example.y[first[1] : words]]
    nlp = small.train(nlp, [*examples, *small.make_examples(nlp)], 30)
    for text, sentence in zip(small.TEXTS, small.SENTENCES, strict=True):
        doc = nlp(text)
        assert small.triples(doc.spans["chunks"]) == sentence.chunks


@pytest.mark.parametrize("setting", ["spans_key", "incorrect_spans_key"])
def test_keys_of_spans_are_strings(setting):
    # What a block makes is not looked at by spaCy.
    block = {"@misc": "spacy_latperc.Beam.v1", "width": 2}
    factory = NER if setting == "incorrect_spans_key" else CHUNKER
    with pytest.raises(ValueError, match=f"LP590.*{setting} must"):
        spacy.blank("xx").add_pipe(factory, config={setting: block})
