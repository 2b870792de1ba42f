"""The column reader: what is on the reference Docs and what on the predicted ones."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.attrs import ORTH, POS, SENT_START, TAG

from spacy_latperc.data import corpus, formats
from spacy_latperc.data.corpus import column_corpus, conllu_corpus

CONTENT = """\
Ann NNP PROPN B-NP B-PER
sees VBZ VERB B-VP O
New NNP PROPN B-NP B-LOC
York NNP PROPN I-NP I-LOC

She PRP PRON B-NP O
sleeps VBZ VERB B-VP O

-DOCSTART- - - - -
Bye UH INTJ O O
"""
COLUMNS = ["word", "tag", "pos", "chunk", "ent"]


def chunks(doc, key="chunks"):
    return [(span.text, span.label_) for span in doc.spans[key]]


def test_corpus_reference_carries_all_columns(path, nlp):
    reader = column_corpus(path, COLUMNS)
    first, second, third = (eg.reference for eg in reader(nlp))
    assert first is not next(iter(reader(nlp))).reference
    assert [t.text for t in first] == ["Ann", "sees", "New", "York"]
    assert [t.tag_ for t in first] == ["NNP", "VBZ", "NNP", "NNP"]
    assert [t.pos_ for t in first] == ["PROPN", "VERB", "PROPN", "PROPN"]
    assert chunks(first) == [("Ann", "NP"), ("sees", "VP"), ("New York", "NP")]
    assert [(x.text, x.label_) for x in first.ents] == [
        ("Ann", "PER"),
        ("New York", "LOC"),
    ]
    assert chunks(second) == [("She", "NP"), ("sleeps", "VP")]
    assert third.has_annotation("ENT_IOB")
    assert (third.ents, chunks(third)) == ((), [])


def test_corpus_columns_may_be_one_string_and_chunks_go_where_they_are_wanted(
    path, nlp
):
    reader = column_corpus(path, "word, tag,-,chunk", inputs=["tag"])
    first = next(iter(reader(nlp)))
    found = [("Ann", "NP"), ("sees", "VP"), ("New York", "NP")]
    assert chunks(first.reference) == found
    assert [t.tag_ for t in first.predicted] == ["NNP", "VBZ", "NNP", "NNP"]
    reader = column_corpus(path, COLUMNS, chunk_key="sc", keep_types=["NP", "LOC"])
    first = next(iter(reader(nlp))).reference
    assert chunks(first, "sc") == [("Ann", "NP"), ("New York", "NP")]
    assert [x.text for x in first.ents] == ["New York"]


@pytest.mark.parametrize("inputs", [[], ["tag"], ["tag", "chunk"], ["ent"], ["pos"]])
def test_corpus_predicted_carries_the_inputs(path, nlp, inputs):
    for example in column_corpus(path, COLUMNS, inputs=inputs)(nlp):
        doc = example.predicted
        assert doc is not example.reference
        assert len(doc) == 1 or not doc.has_annotation("SENT_START")
        assert [t.text for t in doc] == [t.text for t in example.reference]
        assert doc.has_annotation("TAG") == ("tag" in inputs)
        assert doc.has_annotation("POS") == ("pos" in inputs)
        assert doc.has_annotation("ENT_IOB") == ("ent" in inputs)
        assert [*doc.spans] == (["chunks"] if "chunk" in inputs else [])
        for copy, gold in zip(doc, example.reference, strict=True):
            assert copy.tag_ == (gold.tag_ if "tag" in inputs else "")
            assert copy.ent_type_ == (gold.ent_type_ if "ent" in inputs else "")
        if "chunk" in inputs:
            assert chunks(doc) == chunks(example.reference)


def test_corpus_of_documents_sets_sentence_starts_on_both_sides(path, nlp):
    examples = list(column_corpus(path, COLUMNS, docs="document")(nlp))
    assert [len(eg.reference) for eg in examples] == [6, 1]
    for doc in (examples[0].reference, examples[0].predicted):
        assert [t.is_sent_start for t in doc] == [True, *[False] * 3, True, False]
    assert chunks(examples[0].reference)[-1] == ("sleeps", "VP")


def test_corpus_of_documents_in_pieces(path, nlp):
    read = partial(column_corpus, path, COLUMNS, docs="document")
    whole = [example.reference for example in read()(nlp)]
    pieces = [example.reference for example in read(max_sentences=1)(nlp)]
    assert [len(doc) for doc in pieces] == [4, 2, 1]
    assert [t.text for doc in pieces for t in doc] == [t.text for d in whole for t in d]
    assert sum(map(chunks, pieces), []) == sum(map(chunks, whole), [])
    assert all(doc[0].is_sent_start for doc in pieces)
    unlimited = [example.reference for example in read(max_sentences=2)(nlp)]
    assert [len(doc) for doc in unlimited] == [len(doc) for doc in whole]
    with pytest.raises(ValueError, match="LP772.*max_sentences = 5"):
        column_corpus(path, COLUMNS, max_sentences=5)
    with pytest.raises(ValueError, match="max_sentences"):
        read(max_sentences=-1)


def test_corpus_of_many_sentences_crosses_blocks(tmp_path, nlp):
    path = tmp_path / "long.txt"
    path.write_text("".join(f"a T B-X\nb{i} T I-X\n\n" for i in range(600)))
    examples = list(column_corpus(path, ["word", "tag", "chunk"], inputs=["tag"])(nlp))
    assert len(examples) == 600
    for i, example in enumerate(examples):
        assert chunks(example.reference) == [(f"a b{i}", "X")]
        assert example.predicted[1].tag_ == "T"


@pytest.mark.parametrize(
    "settings, words",
    [
        ({}, "abcdefg"),
        ({"part": "all", "limit": 0}, "abcdefg"),
        ({"limit": 2}, "ab"),
        ({"limit": 9}, "abcdefg"),
        ({"part": "held_out"}, "cf"),
        ({"part": "rest"}, "abdeg"),
        ({"part": "held_out", "limit": 1}, "c"),
        ({"part": "rest", "limit": 3}, "abd"),
    ],
)
def test_corpus_holds_out_every_nth_doc(tmp_path, nlp, monkeypatch, settings, words):
    monkeypatch.setattr(corpus, "EVERY", 3)
    path = tmp_path / "a.txt"
    path.write_text("\n\n".join("abcdefg"))
    reader = column_corpus(path, ["word"], **settings)
    assert [eg.reference[0].text for eg in reader(nlp)] == list(words)


def test_corpus_reads_a_folder_in_order_and_keeps_the_spacing(tmp_path, nlp):
    for name in ("b.txt", "a.txt", ".hidden.txt"):
        (tmp_path / name).write_text(f"{name}\n")
    reader = column_corpus(tmp_path, ["word"])
    assert [eg.reference.text.strip() for eg in reader(nlp)] == ["a.txt", "b.txt"]
    path = tmp_path / "a.txt"
    path.write_text("I _\ndo SpaceAfter=No\nn't _\n. _\n")
    example = next(iter(column_corpus(path, ["word", "space"])(nlp)))
    assert example.reference.text == example.predicted.text == "I don't . "
    assert not example.reference.has_unknown_spaces


def test_corpus_parses_a_file_once_unless_it_has_changed(path, nlp, monkeypatch):
    parsed = []
    read = formats.read_columns
    monkeypatch.setattr(
        formats, "read_columns", lambda *a, **k: parsed.append(a) or read(*a, **k)
    )
    reader = column_corpus(path, COLUMNS)
    for _ in range(2):
        list(reader(nlp))
    assert len(parsed) == 1
    path.write_text("Other NN NOUN O O\n")
    assert len(list(column_corpus(path, COLUMNS)(nlp))) == 1


@pytest.mark.parametrize("empty", ["_", "\t"])
def test_corpus_empty_tags_are_no_annotation(tmp_path, nlp, empty):
    path = tmp_path / "a.txt"
    path.write_text(f"a\t{empty.strip()}\nb\tNN\n")
    reader = column_corpus(path, ["word", "tag"], separator="\t")
    assert [t.tag_ for t in next(iter(reader(nlp))).reference] == ["", "NN"]


def test_corpus_warns_of_an_empty_input_and_a_type_that_does_not_occur(path, nlp):
    with pytest.warns(UserWarning, match=r"LP902.*'np'.*train\.txt.*'NP'"):
        list(column_corpus(path, COLUMNS, keep_types=["np", "VP"])(nlp))
    path.write_text("a _\nb _\n")
    with pytest.warns(UserWarning, match=r"LP901.*'tag'.*train\.txt"):
        list(column_corpus(path, ["word", "tag"], inputs=["tag"])(nlp))


@pytest.mark.parametrize(
    "settings, pattern",
    [
        ({"inputs": ["chunks"]}, "LP118.*'chunks'.*tag, pos, lemma, morph, chunk, ent"),
        ({"inputs": ["lemma"]}, "LP117.*'lemma'.*'word', 'tag'"),
        ({"docs": "file"}, "LP085.*sentence, document.*'file'"),
        ({"part": "dev"}, "LP085.*held_out, rest.*'dev'"),
    ],
)
def test_corpus_settings_are_checked_at_once(path, nlp, settings, pattern):
    with pytest.raises(ValueError, match=pattern):
        column_corpus(path, COLUMNS, **settings)
    with pytest.raises(ValueError, match="LP114.*--paths.train"):
        list(column_corpus(None, ["word"])(nlp))
    with pytest.raises(FileNotFoundError, match=r"LP115.*'\.conllu'"):
        list(conllu_corpus(path.parent)(nlp))


def test_corpus_invalid_labels_are_placed_or_repaired_on_demand(path, tmp_path, nlp):
    with pytest.raises(ValueError, match=r"LP11\d.*train\.txt, line 1"):
        list(column_corpus(path, COLUMNS, chunk_scheme="IOE2")(nlp))
    reader = column_corpus(path, COLUMNS, chunk_scheme="IOE2", repair=True)
    assert len(chunks(next(iter(reader(nlp))).reference)) == 3
    path = tmp_path / "a.txt"
    path.write_text("a DET\n\nb NN\n")
    with pytest.raises(ValueError, match=r"LP116.*a\.txt, line 3: 'NN'.*'tag'"):
        list(column_corpus(path, ["word", "pos"])(nlp))


# A sample for initialisation ------------------------------------------------------

TAGS, TYPES = ("NN", "VB", "JJ", "RB"), ("NP", "VP", "PP")
sentences = st.lists(
    st.tuples(st.sampled_from(TAGS), st.sampled_from(["O", *TYPES])),
    min_size=1,
    max_size=4,
)


def annotation(examples):
    """All labels of the references, by kind."""
    references = [example.reference for example in examples]
    return {
        "tag": {token.tag_ for doc in references for token in doc},
        "chunk": {x.label_ for doc in references for x in doc.spans["chunks"]},
        "ent": {x.label_ for doc in references for x in doc.ents},
    }


@settings(max_examples=60, deadline=None)
@given(
    files=st.lists(
        st.lists(st.tuples(sentences, st.booleans()), min_size=1, max_size=6),
        min_size=1,
        max_size=2,
    ),
    docs=st.sampled_from(["sentence", "document"]),
    chosen=st.sampled_from(
        [{}, {"limit": 2}, {"part": "held_out"}, {"part": "rest", "limit": 3}]
    ),
)
def test_corpus_sample_has_all_labels(nlp, files, docs, chosen):
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "EVERY", 2)
        for number, found in enumerate(files):
            lines = []
            for tokens, starts_document in found:
                if starts_document:
                    lines += ["-DOCSTART- - - -", ""]
                for tag, type_ in tokens:
                    label = type_ if type_ == "O" else f"B-{type_}"
                    lines.append(f"w {tag} {label} {label}")
                lines.append("")
            path = Path(folder) / f"{number}.txt"
            path.write_text("\n".join([*lines, ""]))
        columns = ["word", "tag", "chunk", "ent"]
        reader = column_corpus(Path(folder), columns, docs=docs, **chosen)
        everything = list(reader(nlp))
        sample = reader(nlp).sample()
    assert annotation(sample.examples) == annotation(everything)
    assert len(sample.examples) <= len(everything)
    starts = [token.is_sent_start for x in everything for token in x.predicted]
    counted = sum(starts) if docs == "document" else len(everything)
    assert sample.sentences == counted


@pytest.mark.parametrize(
    "factory", ["latperc_tagger", "latperc_chunker", "latperc_ner"]
)
def test_corpus_sample_initialises_as_all_examples_do(path, factory):
    reader = column_corpus(path, COLUMNS)
    found = []
    for wrapped in (reader, lambda nlp: iter(list(reader(nlp)))):
        nlp = spacy.blank("xx")
        component = nlp.add_pipe(factory)
        nlp.initialize(partial(wrapped, nlp))
        found.append((component.labels, component.learner.epoch_size))
        found.append(component.model.to_bytes())
    assert found[:2] == found[2:]
    assert found[0][1] == 3
    assert column_corpus(path, COLUMNS, partial=True)(nlp).sample() is None


# One Doc for both sides ---------------------------------------------------------------

TREES = """\
1 Ann NNP 2 nsubj
2 sleeps VBZ 0 root

"""


def both_sides(reader, nlp, read):
    examples = reader(nlp)
    examples.share_docs(read)
    (first, *_) = examples
    return first


def test_corpus_shares_docs_where_nobody_can_tell(path, nlp):
    reader = column_corpus(path, COLUMNS, inputs=["tag"])
    for read, shared in (([ORTH, TAG], True), ([ORTH, POS], False), ([], True)):
        example = both_sides(reader, nlp, read)
        assert (example.predicted is example.reference) is shared
        assert chunks(example.reference) == [
            ("Ann", "NP"),
            ("sees", "VP"),
            ("New York", "NP"),
        ]


def test_corpus_does_not_show_the_bounds_of_trees(tmp_path, nlp):
    path = tmp_path / "trees.txt"
    path.write_text(TREES)
    reader = column_corpus(path, ["id", "word", "tag", "head", "dep"])
    assert both_sides(reader, nlp, [ORTH]).predicted[0].tag_
    example = both_sides(reader, nlp, [ORTH, SENT_START])
    assert example.predicted is not example.reference
    assert not example.predicted[0].tag_
