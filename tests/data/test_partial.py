"""Column files that leave labels open."""

import numpy as np
import pytest
import spacy
from builders.chunkings import TYPES, all_chunkings, encode, valid_sequences
from builders.pipelines import make_pipeline, triples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.data.conversion import convert
from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.data.docbin_corpus import docbin_corpus
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


def test_partial_columns_say_what_is_certain_and_what_is_open(path, tmp_path, nlp):
    """Read directly, through a DocBin, and converted on the command line."""
    check(*(eg.reference for eg in column_corpus(path, COLUMNS, partial=True)(nlp)))
    convert(path, tmp_path / "a.spacy", columns=COLUMNS, partial=True)
    check(*(eg.reference for eg in docbin_corpus(tmp_path / "a.spacy")(nlp)))
    arguments = [path, tmp_path / "b.spacy", "-c", ",".join(COLUMNS), "--partial"]
    command = ["convert", *map(str, arguments)]
    assert CliRunner().invoke(latperc_cli, command).exit_code == 0
    check(*DocBin().from_disk(tmp_path / "b.spacy").get_docs(nlp.vocab))


def test_partial_columns_of_documents_or_under_another_key(path, nlp):
    corpus = column_corpus(path, COLUMNS, partial=True, docs="document")
    (doc,) = (example.reference for example in corpus(nlp))
    assert sets_of(doc, "tag") == {2: ["NN", "NNP"], 5: ["VBZ", "NNS", "VB"]}
    assert [span.start for span in doc.spans["missing_chunks"]] == [2, 3, 4]
    first, _ = column_corpus(path, COLUMNS, partial=True, chunk_key="np")(nlp)
    assert set(first.reference.spans) == {"np", "missing_chunks"}
    assert sets_of(first.reference, "np") == {2: ["B-NP", "I-NP"], 3: ["I-NP"]}


def test_partial_types_that_are_not_kept_are_outside_and_predicted_docs_bare(path, nlp):
    corpus = column_corpus(path, COLUMNS, partial=True, keep_types=["PER", "VP"])
    first, second = (example.reference for example in corpus(nlp))
    assert triples(first.spans["chunks"]) == [(1, 2, "VP")]
    assert "missing_chunks" not in first.spans
    assert [token.ent_iob for token in first] == [3, 2, 0, 2]
    assert triples(second.spans["missing_chunks"]) == [(0, 1, "")]
    corpus = column_corpus(path, COLUMNS, partial=True, inputs=["tag", "chunk"])
    for example in corpus(nlp):
        assert example.predicted.user_data == {}
        assert list(example.predicted.spans) == ["chunks"]
        tags = [token.tag_ for token in example.predicted]
        assert tags == [token.tag_ for token in example.reference]


def test_partial_signs_are_labels_without_the_option(tmp_path, nlp):
    path = tmp_path / "a.txt"
    path.write_text("a ?\nb A|B\n")
    (example,) = column_corpus(path, ["word", "tag"])(nlp)
    assert [token.tag_ for token in example.reference] == ["?", "A|B"]
    assert example.reference.user_data == {}


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


OTHER = "LP126.*line 3.*'chunk'.*IOB2.*letters B, I"
REFUSED = [
    ("LP125.*line 2.*'tag'", "O A|", {"column": "tag"}),
    ("LP125.*line 2.*'chunk'", "O |O", {}),
    ("LP125.*line 2.*'ent'", "O |", {"column": "ent"}),
    *((OTHER, f"O ? {x}", {}) for x in ("O|X", "E-NP", "B-NP|S-NP", "B-")),
    ("LP128.*line 2: .*IOB2.*1 such", "O I-NP ?", {}),
    ("LP128.*line 1: .*IOB2.*1 such", "I-NP|I-VP O", {}),
    ("LP128.*line 3: .*IOB2.*1 such", "B-NP O|B-NP I-VP", {}),
    # It cannot end a sentence inside a chunk.
    ("LP128.*line 2: 'I-NP'.*IOE2", "? I-NP", {"chunk_scheme": "IOE2"}),
    ("LP127.*'chunk'", "O ?", {"chunk_scheme": "auto"}),
    ("LP129", "O ?", {"repair": True}),
    ("LP116.*line 2: 'NN'", "VERB NOUN|NN", {"column": "pos"}),
]


@pytest.mark.parametrize(("message", "labels", "options"), REFUSED)
def test_partial_labels_that_cannot_be_name_the_line(
    tmp_path, message, labels, options
):
    with pytest.raises(ValueError, match=message):
        read(tmp_path, labels, **options)
    (example,) = read(tmp_path, "? ? ?")
    assert triples(example.reference.spans["chunks"]) == []
    assert len(example.reference.spans["missing_chunks"]) == 3
