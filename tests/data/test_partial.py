"""Column files that leave labels open."""

import numpy as np
import pytest
import spacy
import typer
from builders.chunkings import TYPES, all_chunkings, encode, valid_sequences
from builders.pipelines import make_pipeline, triples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_latperc.cli.convert import convert_cli
from spacy_latperc.data.conversion import convert
from spacy_latperc.data.corpus import column_corpus, docbin_corpus
from spacy_latperc.label_sets import ALLOWED
from spacy_latperc.schemes import SCHEMES

COLUMNS = ["word", "tag", "chunk", "ent"]
CONTENT = """\
Ann NNP B-NP B-PER
sees ? B-VP O
New NN|NNP B-NP|I-NP ?
York NNP I-NP B-LOC|I-LOC

She PRP ? O
sleeps VBZ|NNS|VB B-VP O
"""


def sets_of(doc, layer):
    sets = doc.user_data.get((ALLOWED, layer), {})
    return {token: list(labels) for token, labels in sets.items()}


def check(first, second):
    """The two sentences of the file."""
    assert [token.tag_ for token in first] == ["NNP", "", "", "NNP"]
    assert sets_of(first, "tag") == {2: ["NN", "NNP"]}
    assert sets_of(second, "tag") == {1: ["VBZ", "NNS", "VB"]}
    assert triples(first.spans["chunks"]) == [(0, 1, "NP"), (1, 2, "VP")]
    assert triples(first.spans["missing_chunks"]) == [(2, 3, ""), (3, 4, "")]
    assert sets_of(first, "chunks") == {2: ["B-NP", "I-NP"], 3: ["I-NP"]}
    assert triples(second.spans["chunks"]) == [(1, 2, "VP")]
    assert triples(second.spans["missing_chunks"]) == [(0, 1, "")]
    assert triples(first.ents) == [(0, 1, "PER")]
    assert [token.ent_iob for token in first] == [3, 2, 0, 0]
    assert [token.ent_iob for token in second] == [2, 2]
    assert sets_of(first, "ents") == {3: ["B-LOC", "I-LOC"]}


def test_partial_columns_say_what_is_certain_and_what_is_open(path, nlp):
    check(*(eg.reference for eg in column_corpus(path, COLUMNS, partial=True)(nlp)))


def test_partial_columns_go_through_docbin(path, tmp_path, nlp):
    convert(path, tmp_path / "a.spacy", columns=COLUMNS, partial=True)
    check(*(eg.reference for eg in docbin_corpus(tmp_path / "a.spacy")(nlp)))


def test_partial_columns_on_the_command_line(path, tmp_path, nlp):
    app = typer.Typer()
    app.command()(convert_cli)
    arguments = [path, tmp_path / "a.spacy", "-c", ",".join(COLUMNS), "--partial"]
    assert CliRunner().invoke(app, [str(x) for x in arguments]).exit_code == 0
    check(*DocBin().from_disk(tmp_path / "a.spacy").get_docs(nlp.vocab))


def test_partial_columns_of_documents_count_from_the_document(path, nlp):
    corpus = column_corpus(path, COLUMNS, partial=True, docs="document")
    (doc,) = (example.reference for example in corpus(nlp))
    assert sets_of(doc, "tag") == {2: ["NN", "NNP"], 5: ["VBZ", "NNS", "VB"]}
    assert [span.start for span in doc.spans["missing_chunks"]] == [2, 3, 4]


def test_partial_columns_may_have_another_key(path, nlp):
    first, _ = column_corpus(path, COLUMNS, partial=True, chunk_key="np")(nlp)
    assert set(first.reference.spans) == {"np", "missing_chunks"}
    assert sets_of(first.reference, "np") == {2: ["B-NP", "I-NP"], 3: ["I-NP"]}


def test_partial_types_that_are_not_kept_are_outside(path, nlp):
    corpus = column_corpus(path, COLUMNS, partial=True, keep_types=["PER", "VP"])
    first, second = (example.reference for example in corpus(nlp))
    assert triples(first.spans["chunks"]) == [(1, 2, "VP")]
    assert "missing_chunks" not in first.spans
    assert [token.ent_iob for token in first] == [3, 2, 0, 2]
    assert triples(second.spans["missing_chunks"]) == [(0, 1, "")]


def test_partial_signs_are_labels_without_the_option(tmp_path, nlp):
    path = tmp_path / "a.txt"
    path.write_text("a ?\nb A|B\n")
    (example,) = column_corpus(path, ["word", "tag"])(nlp)
    assert [token.tag_ for token in example.reference] == ["?", "A|B"]
    assert example.reference.user_data == {}


def test_partial_columns_leave_the_predicted_docs_alone(path, nlp):
    corpus = column_corpus(path, COLUMNS, partial=True, inputs=["tag", "chunk"])
    for example in corpus(nlp):
        assert example.predicted.user_data == {}
        assert list(example.predicted.spans) == ["chunks"]
        tags = [token.tag_ for token in example.predicted]
        assert tags == [token.tag_ for token in example.reference]


# Learning -----------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["IOB2", "IOE2", "O+C", "BILOU"])
@pytest.mark.parametrize("factory", ["latperc_chunker", "latperc_ner"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(data=st.data())
def test_partial_columns_allow_what_they_say(tmp_path, factory, scheme, data):
    """The labels that a component learns within are those of all chunkings that agree
    with the column, and of no others."""
    n = 3
    source = data.draw(
        st.sampled_from([scheme, "O+C"] if scheme == "BILOU" else [scheme])
    )
    model_scheme = data.draw(st.sampled_from([scheme, "O+C"]))
    chunkings = {tuple(SCHEMES[source].encode(x, n)): x for x in all_chunkings(n)}
    gold = data.draw(st.sampled_from(sorted(chunkings)))
    labels = SCHEMES[source].labels(TYPES)
    allowed = []
    for label in gold:
        more = st.lists(st.sampled_from(labels), max_size=3).map(lambda x: {*x})
        kinds = st.one_of(st.just(set()), st.just(set(labels)), more)
        allowed.append({label} | data.draw(kinds))
    path = tmp_path / "a.txt"
    texts = [
        "?" if len(choice) == len(labels) else "|".join(sorted(choice))
        for choice in allowed
    ]
    path.write_text("".join(f"w {text}\n" for text in texts))
    column = "chunk" if factory == "latperc_chunker" else "ent"
    nlp = make_pipeline(factory, scheme=model_scheme)
    component = nlp.get_pipe(factory)
    for type_ in TYPES:
        component.add_label(type_)
    names = {"chunk_scheme": source, "ent_scheme": source}
    (example,) = column_corpus(path, ["word", column], partial=True, **names)(nlp)
    ((_, codes),) = component.prepare([example])
    inventory, table = component.inventory, component.learner._set_table()
    mask = np.ones((n, len(inventory)), dtype=bool)
    for token, code in enumerate(codes.tolist()):
        if code >= 0:
            mask[token] = np.arange(len(inventory)) == code
        elif code < -1:
            mask[token] = table[-2 - code] > 0
    agreeing = {
        encode(inventory, spans, n)
        for sequence, spans in chunkings.items()
        if all(x in choice for x, choice in zip(sequence, allowed, strict=True))
    }
    assert valid_sequences(inventory, n, mask) == agreeing


# Bad input ----------------------------------------------------------------------------


def read(tmp_path, labels, column="chunk", **options):
    path = tmp_path / "a.txt"
    path.write_text("".join(f"w {label}\n" for label in labels.split()))
    options.setdefault("partial", True)
    return list(column_corpus(path, ["word", column], **options)(spacy.blank("xx")))


@pytest.mark.parametrize(
    "column, label", [("tag", "A|"), ("chunk", "|O"), ("ent", "|")]
)
def test_partial_empty_alternatives_name_the_line(tmp_path, column, label):
    with pytest.raises(ValueError, match=rf"LP125.*line 2.*'{column}'"):
        read(tmp_path, f"O {label}", column)


@pytest.mark.parametrize("label", ["O|X", "E-NP", "B-NP|S-NP", "B-"])
def test_partial_labels_of_other_schemes_name_the_line(tmp_path, label):
    with pytest.raises(ValueError, match="LP126.*line 3.*'chunk'.*IOB2.*letters B, I"):
        read(tmp_path, f"O ? {label}")


@pytest.mark.parametrize(
    "labels, line", [("O I-NP ?", 2), ("I-NP|I-VP O", 1), ("B-NP O|B-NP I-VP", 3)]
)
def test_partial_labels_that_cannot_stand_there_name_the_line(tmp_path, labels, line):
    with pytest.raises(ValueError, match=f"LP128.*line {line}: .*IOB2.*1 such"):
        read(tmp_path, labels)


def test_partial_labels_cannot_end_a_sentence_inside_a_chunk(tmp_path):
    with pytest.raises(ValueError, match="LP128.*line 2: 'I-NP'.*IOE2"):
        read(tmp_path, "? I-NP", chunk_scheme="IOE2")


def test_partial_columns_need_a_named_scheme(tmp_path):
    with pytest.raises(ValueError, match="LP127.*'chunk'"):
        read(tmp_path, "O ?", chunk_scheme="auto")


def test_partial_columns_are_not_repaired(tmp_path):
    with pytest.raises(ValueError, match="LP129"):
        read(tmp_path, "O ?", repair=True)


def test_partial_parts_of_speech_are_universal(tmp_path):
    with pytest.raises(ValueError, match="LP116.*line 2: 'NN'"):
        read(tmp_path, "VERB NOUN|NN", "pos")


def test_partial_columns_may_be_all_open(tmp_path):
    (example,) = read(tmp_path, "? ? ?")
    assert triples(example.reference.spans["chunks"]) == []
    assert len(example.reference.spans["missing_chunks"]) == 3
