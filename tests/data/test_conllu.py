"""CoNLL-U files: words, annotation, trees, multiword tokens."""

import gzip
from dataclasses import replace

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import DocBin
from spacy.training.converters import conllu_to_docs

from spacy_latperc.data.configured import CONLLU, corpus_block
from spacy_latperc.data.conversion import convert
from spacy_latperc.data.corpus import column_corpus, conllu_corpus
from spacy_latperc.data.formats import CONLLU as FORMAT
from spacy_latperc.data.table import NO_HEAD

CONTENT = """\
# newdoc id = a
# sent_id = 1
# text = I don't.
1\tI\tI\tPRON\tPRP\tCase=Nom\t2\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdo\tdo\tAUX\tVBP\t_\t0\troot\t_\t_
3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_
3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_
4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

# sent_id = 2
1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_

# newdoc id = b
# sent_id = 3
1\tNo\tno\tINTJ\tUH\t_\t0\troot\t_\t_

"""


def read_conllu(path, **settings):
    return replace(FORMAT, **settings).read(path).table


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("conllu") / "a.conllu"
    path.write_text(CONTENT)
    return read_conllu(path)


def column(table, name):
    return [table.columns[name].strings[i] for i in table.columns[name].ids]


def test_conllu_words_and_annotation_without_ranges_and_empty_nodes(table):
    for name, values in {
        "word": "I do n't . Yes No",
        "lemma": "I do not . yes no",
        "pos": "PRON AUX PART PUNCT INTJ INTJ",
        "tag": "PRP VBP RB . UH UH",
    }.items():
        assert column(table, name) == values.split()
    assert table.spaces.tolist() == [True, False, False, True, True, True]
    assert table.sentence_offsets.tolist() == [0, 4, 5, 6]
    assert table.document_offsets.tolist() == [0, 2, 3]
    assert table.heads.tolist() == [1, 1, 1, 1, 4, 5]
    assert column(table, "dep")[:3] == ["nsubj", "root", "advmod"]


# Trees -------------------------------------------------------------------------------

MARK = 8 * "\t_" + "\n"  # behind the form of a multiword token
GERMAN = """\
# sent_id = 1
# text = Sie sitzt im alten Haus.
1\tSie\tsie\tPRON\tPPER\tCase=Nom|Number=Sing\t2\tnsubj\t_\t_
2\tsitzt\tsitzen\tVERB\tVVFIN\tNumber=Sing\t0\troot\t_\t_
3-4\tim\t_\t_\t_\t_\t_\t_\t_\t_
3\tin\tin\tADP\tAPPR\t_\t6\tcase\t_\t_
4\tdem\tder\tDET\tART\tCase=Dat|Number=Sing\t6\tdet\t_\t_
5\talten\talt\tADJ\tADJA\tCase=Dat\t6\tamod\t_\t_
6\tHaus\tHaus\tNOUN\tNN\tCase=Dat|Number=Sing\t2\tobl\t_\tSpaceAfter=No
7\t.\t.\tPUNCT\t$.\t_\t2\tpunct\t_\t_

"""


def write(tmp_path, content, name="a.conllu"):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


def tree(*heads, words=None):
    """A sentence of CoNLL-U with these heads."""
    words = words or [f"w{i}" for i in range(1, len(heads) + 1)]
    return "".join(
        f"{i}\t{word}\t_\t_\t_\t_\t{head}\t{'root' if head == 0 else 'x'}\t_\t_\n"
        for i, (word, head) in enumerate(zip(words, heads, strict=True), 1)
    )


def first_doc(path, **settings):
    (example,) = conllu_corpus(path, **settings)(spacy.blank("xx"))
    return example.reference


def converted(path, tmp_path, **settings):
    convert(path, tmp_path / "out.spacy", **settings)
    docs = DocBin().from_disk(tmp_path / "out.spacy").get_docs(spacy.blank("xx").vocab)
    return list(docs)


def test_conllu_trees_reach_the_references_and_features_that_are_named_both(tmp_path):
    path = write(tmp_path, CONTENT)
    example = next(iter(conllu_corpus(path)(spacy.blank("xx"))))
    reference = example.reference
    assert [t.head.i for t in reference] == [1, 1, 1, 1]
    assert [t.dep_ for t in reference] == ["nsubj", "ROOT", "advmod", "punct"]
    assert [t.is_sent_start for t in reference] == [True, False, False, False]
    assert reference.text == "I don't. "
    assert not any(example.predicted.has_annotation(x) for x in ("DEP", "MORPH"))
    example = next(iter(conllu_corpus(path, inputs=["morph"])(spacy.blank("xx"))))
    assert [str(t.morph) for t in example.predicted] == ["Case=Nom", "", "", ""]
    assert example.predicted.has_annotation("MORPH")


@pytest.mark.parametrize(
    "docs, lengths, sents",
    [("sentence", [4, 1, 1], [1, 1, 1]), ("document", [5, 1], [2, 1])],
)
def test_conllu_conversion_keeps_everything(tmp_path, docs, lengths, sents):
    found = converted(write(tmp_path, CONTENT), tmp_path, docs=docs)
    assert [len(doc) for doc in found] == lengths
    assert [len(list(doc.sents)) for doc in found] == sents
    doc = found[0]
    assert [t.head.i for t in doc][:4] == [1, 1, 1, 1]
    assert [t.dep_ for t in doc][:4] == ["nsubj", "ROOT", "advmod", "punct"]
    said = [(t.lemma_, t.pos_, t.tag_, str(t.morph)) for t in doc][:3]
    assert said[0] == ("I", "PRON", "PRP", "Case=Nom")
    assert said[1:] == [("do", "AUX", "VBP", ""), ("not", "PART", "RB", "")]


@pytest.mark.parametrize(
    "content, line, problem",
    [
        (tree(2, 0, "x"), 3, "LP132.*'x' is not a number"),
        (tree(2, 0, -1), 3, "LP132.*'-1' is not a number"),
        (tree(2, 0, 4), 3, "LP132.*there is no word 4 in the sentence"),
        (tree(1, 0), 1, "LP132.*the word is its own head"),
        (tree(2, 0) + "\n" + tree(0, 1, 0), 6, "LP132.*has a root already, in line 4"),
        (tree(0) + "\n" + tree(2, 1), 3, "LP132.*no word of the sentence is the root"),
        (tree(0, 3, 4, 2), 2, "LP132.*go round in a circle"),
        (tree(0, 1).replace("2\tw2", "3\tw2"), 2, "LP134.*id 2, found '3'"),
        (tree(2, 0).replace("w2" + 4 * "\t_", "w2\t_\t_\t_\tA"), 2, "LP135.*'A'"),
    ],
)
def test_conllu_names_the_place_of_what_is_no_tree(tmp_path, content, line, problem):
    with pytest.raises(ValueError, match=rf"a.conllu, line {line}: .*") as error:
        read_conllu(write(tmp_path, content))
    assert error.match(problem)


def is_tree(heads):
    """The obvious check: one root, and a way up to it from every word."""
    if heads.count(0) != 1:
        return False
    for word in range(1, len(heads) + 1):
        seen = set()
        while word:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n)
    )
)
def test_conllu_accepts_trees_and_nothing_else(tmp_path_factory, heads):
    path = write(tmp_path_factory.mktemp("tree"), tree(0) + "\n" + tree(*heads))
    if is_tree(heads):
        expected = [i if h == 0 else h - 1 for i, h in enumerate(heads)]
        assert (read_conllu(path).heads[1:] - 1).tolist() == expected
    else:
        with pytest.raises(ValueError, match="LP132"):
            read_conllu(path)


def test_conllu_open_heads_stay_open_and_documents_need_the_roots(tmp_path):
    path = write(tmp_path, tree("_", 3, 0, "_", 4))
    assert read_conllu(path).heads.tolist() == [NO_HEAD, 2, 2, NO_HEAD, 3]
    for doc in (first_doc(path), *converted(path, tmp_path)):
        assert [t.has_head() for t in doc] == [False, True, True, False, True]
        assert [t.head.i for t in doc if t.has_head()] == [2, 2, 3]
        assert len(list(doc.sents)) == 1
    path = write(tmp_path, tree(0) + "\n" + tree("_", 1))
    assert [len(list(doc.sents)) for doc in converted(path, tmp_path)] == [1, 1]
    with pytest.raises(ValueError, match="LP138") as error:
        converted(path, tmp_path, docs="document")
    assert error.match("line 3")
    doc = first_doc(path, docs="document")
    assert [len(sent) for sent in doc.sents] == [1, 2]


def test_conllu_trees_can_be_left_out(tmp_path):
    columns = [name if name not in ("head", "dep") else "-" for name in FORMAT.columns]
    path = write(tmp_path, tree(0, 0, "x"))
    settings = {"separator": "\t", "comment": "#"}
    (doc,) = converted(path, tmp_path, columns=columns, **settings)
    assert not doc.has_annotation("DEP")
    with pytest.raises(ValueError, match="LP106.*head"):
        column_corpus(path, ["id", "word", "dep"])


# Multiword tokens --------------------------------------------------------------------


def test_conllu_multiword_token_is_the_text(tmp_path):
    path = write(tmp_path, GERMAN)
    for doc in (first_doc(path), *converted(path, tmp_path)):
        assert doc.text.strip() == "Sie sitzt im alten Haus."
        token = doc[2]
        assert (token.text, token.tag_, token.pos_) == ("im", "APPR_ART", "ADP")
        assert (token.lemma_, str(token.morph)) == ("in der", "Case=Dat|Number=Sing")
        assert (token.head.text, token.dep_) == ("Haus", "case")
        assert [t.head.i for t in doc] == [1, 1, 4, 4, 1, 1]
    with pytest.raises(ValueError, match="LP085.*auto, merge, split.*'join'"):
        conllu_corpus(path, multiword="join")


@pytest.mark.parametrize(
    "multiword, words",
    [
        ("auto", ["I", "do", "n't", ".", "im"]),
        ("merge", ["I", "don't", ".", "im"]),
        ("split", ["I", "do", "n't", ".", "in", "dem"]),
    ],
)
def test_conllu_multiword_tokens_as_wanted(tmp_path, multiword, words):
    im = tree(0, 1, words=["in", "dem"])
    content = CONTENT.partition("\n\n")[0] + f"\n\n1-2\tim{MARK}{im}"
    path = write(tmp_path, content)
    found = read_conllu(path, multiword=multiword)
    assert column(found, "word") == words
    docs = converted(path, tmp_path, multiword=multiword)
    assert [t.text for doc in docs for t in doc] == words
    text = "".join(doc.text_with_ws for doc in docs).strip()
    assert text == ("I don't. indem" if multiword == "split" else "I don't. im")


def test_conllu_ranges_must_fit_their_words(tmp_path):
    twice = GERMAN.replace("5\talten", f"4-5\tx{MARK}5\talten")
    for content, range_, code in (
        (GERMAN, "3-9", "LP136"),
        (GERMAN, "4-3", "LP136"),
        (twice, "3-5", "LP136"),
        (GERMAN, "3-3-", "LP134"),
    ):
        with pytest.raises(ValueError, match=code):
            read_conllu(write(tmp_path, content.replace("3-4\tim", f"{range_}\tim")))


def test_conllu_labels_of_the_parts_must_agree(tmp_path):
    rows = "1-2 im _\n1 in {}\n2 dem I-X\n"
    columns = ["id", "word", "ent"]
    path = write(tmp_path, rows.format("B-X"))
    with pytest.raises(ValueError, match="LP139.*'im'.*'ent'.*B-X, I-X.*split"):
        list(column_corpus(path, columns)(spacy.blank("xx")))
    split = column_corpus(path, columns, multiword="split")
    assert [len(x.reference.ents) for x in split(spacy.blank("xx"))] == [1]
    path = write(tmp_path, rows.format("I-X"))
    (example,) = column_corpus(path, columns, repair=True)(spacy.blank("xx"))
    assert [x.text for x in example.reference.ents] == ["im"]


@given(st.data())
def test_conllu_merged_trees_are_trees(tmp_path_factory, data):
    """Any tree and any ranges: still one root, and no circles."""
    n = data.draw(st.integers(2, 9))
    order = data.draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for i, word in enumerate(order[1:], 1):
        heads[word - 1] = order[data.draw(st.integers(0, i - 1))]
    cuts = sorted(data.draw(st.sets(st.integers(1, n - 1))))
    rows = tree(*heads).splitlines(keepends=True)
    pieces = list(zip([0, *cuts], [*cuts, n], strict=True))
    content = ""
    for start, end in pieces:
        if end - start > 1:
            content += f"{start + 1}-{end}\tM" + 8 * "\t_" + "\n"
        content += "".join(rows[start:end])
    found = read_conllu(write(tmp_path_factory.mktemp("merged"), content))
    merged = [0 if h == i else int(h) + 1 for i, h in enumerate(found.heads)]
    assert len(merged) == len(pieces)
    assert is_tree(merged)
    # A head is one that a word of the token has.
    token_of = {w: i for i, (a, b) in enumerate(pieces) for w in range(a + 1, b + 1)}
    for i, (start, end) in enumerate(pieces):
        outside = {token_of.get(h, -1) for h in heads[start:end]} - {i}
        assert merged[i] - 1 in outside


# In pipelines and beside spaCy's converter -------------------------------------------


def test_conllu_file_can_stand_for_another_corpus(tmp_path):
    path = str(write(tmp_path, GERMAN))
    dev = {"@readers": "spacy.Corpus.v1", "path": "dev.spacy"}
    block = corpus_block({"corpora": {"dev": dev}}, path)
    assert block == {"@readers": CONLLU, "inputs": [], "path": path}


ATTRIBUTES = ("text", "tag_", "pos_", "lemma_", "dep_", "whitespace_")


def values_of(doc, attribute):
    """The annotation of the tokens; "_" stands for a lemma that is not given."""
    values = [getattr(token, attribute) for token in doc]
    return ["" if x == "_" and attribute == "lemma_" else x for x in values]


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("name", ["en_ewt-dev", "af_afribooms-dev"])
def test_conllu_docs_are_those_of_spacys_converter(data, tmp_path, name, merge):
    path = data / "ud_trees" / f"{name}.conllu.gz"
    text = gzip.decompress(path.read_bytes()).decode()
    # Its own reading of merged heads depends on the order of merges.
    attributes = [x for x in ATTRIBUTES if not (merge and x in ("dep_", "pos_"))]
    theirs = conllu_to_docs(text, n_sents=1, merge_subtokens=merge, no_print=True)
    ours = conllu_corpus(path, multiword="merge" if merge else "split")
    for example, their in zip(ours(spacy.blank("xx")), theirs, strict=True):
        our = example.reference
        for attribute in attributes:
            assert values_of(our, attribute) == values_of(their, attribute)
        assert [str(t.morph) for t in our] == [str(t.morph) for t in their]
        if not merge:
            assert [t.head.i for t in our] == [t.head.i for t in their]
            assert [len(s) for s in our.sents] == [len(our)]


def test_conllu_ud_trees_have_their_counts(data):
    path = data / "ud_trees" / "en_ewt-train.conllu.gz"
    table, merged = read_conllu(path), read_conllu(path, multiword="merge")
    assert (table.n_sentences, table.n_tokens) == (12544, 204577)
    assert table.n_tokens - merged.n_tokens == 2615
    assert (np.diff(merged.document_offsets) > 0).tolist() == [True] * table.n_documents
