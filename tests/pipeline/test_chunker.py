"""The chunker: spans under a key, in every representation."""

import pytest
import spacy
from builders import pipelines as small
from spacy.tokens import Span
from spacy.training import Example

from spacy_latperc.schemes import SCHEMES

CHUNKER = "latperc_chunker"


@pytest.mark.parametrize("scheme", [*SCHEMES, "IOBES", "bio"])
def test_chunker_learns_every_representation(scheme):
    nlp = small.make_trained(CHUNKER, scheme=scheme, passes=30)
    for text, sentence in zip(small.TEXTS, small.SENTENCES, strict=True):
        doc = nlp(text)
        assert small.triples(doc.spans["chunks"]) == sentence.chunks


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


def test_chunker_reads_and_writes_its_key():
    nlp = small.make_trained(CHUNKER, spans_key="np", passes=30)
    doc = nlp(small.TEXTS[0])
    assert list(doc.spans) == ["np"]
    assert small.triples(doc.spans["np"]) == small.SENTENCES[0].chunks


def test_chunker_other_keys_have_no_labels():
    nlp = small.make_pipeline(CHUNKER, spans_key="np")
    with pytest.raises(ValueError, match="LP032.*spans_key"):
        nlp.initialize(lambda: small.make_examples(nlp, spans_key="chunks"))


def test_chunker_scores_do_not_depend_on_the_key():
    nlp = small.make_trained(CHUNKER, spans_key="np", passes=30)
    examples = small.make_examples(nlp, spans_key="np")
    scores = nlp.evaluate(examples)
    for name in ("p", "r", "f", "per_type"):
        assert scores[f"chunks_{name}"] == scores[f"spans_np_{name}"]
    assert scores["chunks_f"] == 1.0


def test_chunker_keys_survive_saving(tmp_path):
    import spacy

    small.make_trained(CHUNKER, spans_key="np", passes=30).to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    doc = nlp(small.TEXTS[0])
    assert small.triples(doc.spans["np"]) == small.SENTENCES[0].chunks


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


def test_chunker_replaces_its_group_and_no_other():
    nlp = small.make_trained(CHUNKER, passes=30)
    doc = small.make_doc(nlp, small.SENTENCES[0].words, chunks=[(0, 8, "OLD")])
    doc.spans["mine"] = [Span(doc, 0, 1, label="MINE")]
    doc = nlp(doc)
    assert small.triples(doc.spans["chunks"]) == small.SENTENCES[0].chunks
    assert small.triples(doc.spans["mine"]) == [(0, 1, "MINE")]


# Gold ---------------------------------------------------------------------------------


@pytest.mark.parametrize("spans", ([(0, 2, "NP"), (1, 3, "NP")], [(0, 1, "NP")] * 2))
def test_chunker_overlapping_chunks_are_refused(spans):
    nlp = small.make_trained(CHUNKER)
    example = small.example_of(nlp, ["a", "b", "c"], chunks=spans)
    with pytest.raises(ValueError, match=f"LP036.*'{CHUNKER}'.*'a b c'.*tokens 0 to"):
        nlp.update([example])


def test_chunker_an_empty_chunk_is_refused():
    nlp = small.make_trained(CHUNKER)
    with pytest.raises(ValueError, match=f"LP044.*'{CHUNKER}'.*'a b c'.*token 1"):
        nlp.update([small.example_of(nlp, ["a", "b", "c"], chunks=[(1, 1, "NP")])])


def test_chunker_nested_chunks_are_refused():
    nlp = small.make_trained(CHUNKER)
    spans = [(0, 4, "NP"), (1, 2, "NP"), (3, 4, "NP")]
    with pytest.raises(ValueError, match="LP036.*tokens 0 to 3 and 1 to 1"):
        nlp.update([small.example_of(nlp, ["a", "b", "c", "d"], chunks=spans)])


def test_chunker_a_replaced_group_is_read_again():
    nlp = small.make_pipeline(CHUNKER)
    component = nlp.get_pipe(CHUNKER)
    component.add_label("NP")
    example = small.example_of(nlp, ["a", "b", "c"], chunks=[(0, 1, "NP")])
    ((_, before),) = component.prepare([example])
    example.y.spans["chunks"] = [Span(example.y, 1, 3, label="NP")]
    ((_, after),) = component.prepare([example])
    labels = component.learner.labels
    assert [labels[i] for i in before] == ["S-NP", "O", "O"]
    assert [labels[i] for i in after] == ["O", "B-NP", "E-NP"]


def test_chunker_an_extended_group_is_read_again():
    nlp = small.make_pipeline(CHUNKER)
    component = nlp.get_pipe(CHUNKER)
    component.add_label("NP")
    example = small.example_of(nlp, ["a", "b", "c"], chunks=[(0, 1, "NP")])
    component.prepare([example])
    example.y.spans["chunks"].append(Span(example.y, 2, 3, label="NP"))
    ((_, after),) = component.prepare([example])
    assert [component.learner.labels[i] for i in after] == ["S-NP", "O", "S-NP"]


def test_chunker_gold_in_any_order():
    nlp = small.make_pipeline(CHUNKER)
    component = nlp.get_pipe(CHUNKER)
    component.add_label("NP")
    example = small.example_of(
        nlp, ["a", "b", "c"], chunks=[(2, 3, "NP"), (0, 2, "NP")]
    )
    ((_, labels),) = component.prepare([example])
    assert [component.learner.labels[i] for i in labels] == ["B-NP", "E-NP", "S-NP"]


def test_chunker_chunks_without_a_label_are_refused():
    nlp = small.make_pipeline(CHUNKER)
    example = small.example_of(nlp, ["a", "b"], chunks=[(0, 1, "")])
    with pytest.raises(ValueError, match="LP031"):
        nlp.initialize(lambda: [example])


# Missing and kept chunks --------------------------------------------------------------


def partial(nlp, words, chunks, missing, key="missing_chunks"):
    example = small.example_of(nlp, words, chunks=chunks)
    example.y.spans[key] = [Span(example.y, start, end) for start, end in missing]
    return example


def known_labels(nlp, example):
    """The label of each token, None where several are possible."""
    component = nlp.get_pipe(CHUNKER)
    ((_, codes),) = component.prepare([example])
    names = component.learner.labels
    return [names[code] if code >= 0 else None for code in codes.tolist()]


def test_chunker_missing_tokens_are_not_learned_as_outside():
    nlp = small.make_pipeline(CHUNKER)
    nlp.get_pipe(CHUNKER).add_label("NP")
    example = partial(nlp, list("abcde"), [(0, 2, "NP")], [(3, 4), (4, 5)])
    assert known_labels(nlp, example) == ["B-NP", "E-NP", "O", None, None]


def test_chunker_missing_tokens_may_have_another_key():
    nlp = small.make_pipeline(CHUNKER, missing_spans_key="skip")
    nlp.get_pipe(CHUNKER).add_label("NP")
    example = partial(nlp, list("abc"), [(0, 1, "NP")], [(1, 2)], key="skip")
    assert known_labels(nlp, example) == ["S-NP", None, "O"]


def test_chunker_missing_tokens_may_be_ignored():
    nlp = small.make_pipeline(CHUNKER, missing_spans_key=None)
    nlp.get_pipe(CHUNKER).add_label("NP")
    example = partial(nlp, list("abc"), [(0, 1, "NP")], [(1, 2)])
    assert known_labels(nlp, example) == ["S-NP", "O", "O"]


def test_chunker_missing_tokens_follow_other_tokens():
    nlp = small.make_pipeline(CHUNKER)
    nlp.get_pipe(CHUNKER).add_label("NP")
    reference = small.make_doc(nlp, ["ab", "cd", "e"], spaces=[False] * 3, chunks=[])
    reference.spans["missing_chunks"] = [reference[1:2]]
    predicted = small.make_doc(nlp, ["ab", "c", "d", "e"], spaces=[False] * 4)
    assert known_labels(nlp, Example(predicted, reference)) == ["O", None, None, "O"]


def test_chunker_missing_tokens_inside_chunks_name_both():
    nlp = small.make_pipeline(CHUNKER)
    nlp.get_pipe(CHUNKER).add_label("NP")
    example = partial(nlp, list("abcd"), [(1, 3, "NP")], [(2, 4)])
    with pytest.raises(ValueError, match="LP071.*token 2 .*NP from token 1 to 2.*miss"):
        known_labels(nlp, example)


def test_chunker_partly_annotated_docs_teach_what_they_say():
    nlp = small.make_pipeline(CHUNKER)
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


@pytest.fixture(scope="module", params=SCHEMES)
def keeping(request):
    """A trained pipeline that keeps chunks, in each representation."""
    return small.make_trained(CHUNKER, scheme=request.param, keep_spans=True, passes=30)


@pytest.mark.parametrize(
    "kept",
    [
        [(0, 1, "NP")],
        [(1, 3, "UNHEARD")],  # a type that the model does not have
        [(3, 5, "NP"), (5, 6, "NP")],  # neighbours of one type
        [(2, 3, "VP"), (7, 8, "NP")],
        [(0, 9, "PP")],
    ],
    ids=str,
)
def test_chunker_kept_chunks_stay_as_they_are(keeping, kept):
    doc = keeping(small.make_doc(keeping, small.SENTENCES[0].words, chunks=kept))
    found = small.triples(doc.spans["chunks"])
    assert set(kept) <= set(found)
    assert sorted(found) == found
    for before, after in zip(found, found[1:], strict=False):
        assert before[1] <= after[0]


def test_chunker_finds_others_beside_kept_chunks(keeping):
    kept = [(3, 5, "NP")]
    doc = keeping(small.make_doc(keeping, small.SENTENCES[0].words, chunks=kept))
    assert {(0, 2, "NP"), (2, 3, "VP"), (7, 8, "NP")} <= set(
        small.triples(doc.spans["chunks"])
    )


def test_chunker_kept_chunks_keep_their_ids():
    nlp = small.make_trained(CHUNKER, keep_spans=True)
    doc = small.make_doc(nlp, small.SENTENCES[0].words)
    doc.spans["chunks"] = [Span(doc, 0, 2, label="NP", span_id="mine")]
    assert [span.id_ for span in nlp(doc).spans["chunks"] if span.start == 0] == [
        "mine"
    ]


def test_chunker_kept_chunks_that_overlap_name_both(keeping):
    words = small.SENTENCES[0].words
    doc = small.make_doc(keeping, words, chunks=[(0, 3, "NP"), (2, 4, "VP")])
    with pytest.raises(ValueError, match="LP071.*token 2 of.*0 to 2, but.* 2 to 3"):
        keeping(doc)


@pytest.mark.parametrize(
    "factory, setting",
    [
        ("latperc_chunker", "spans_key"),
        ("latperc_chunker", "missing_spans_key"),
        ("latperc_ner", "incorrect_spans_key"),
    ],
)
def test_keys_of_spans_are_strings(factory, setting):
    # What a block makes is not looked at by spaCy.
    block = {"@misc": "spacy_latperc.Beam.v1", "width": 2}
    with pytest.raises(ValueError, match=f"LP590.*{setting} must"):
        spacy.blank("xx").add_pipe(factory, config={setting: block})
