"""CoNLL-U files."""

import pytest

from spacy_latperc.data.conllu import read_conllu

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


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("conllu") / "a.conllu"
    path.write_text(CONTENT)
    return read_conllu(path)


def column(table, name):
    return [table.columns[name].strings[i] for i in table.columns[name].ids]


def test_conllu_words_without_ranges_and_empty_nodes(table):
    assert column(table, "word") == ["I", "do", "n't", ".", "Yes", "No"]


@pytest.mark.parametrize(
    "name, values",
    [
        ("lemma", ["I", "do", "not", ".", "yes", "no"]),
        ("pos", ["PRON", "AUX", "PART", "PUNCT", "INTJ", "INTJ"]),
        ("tag", ["PRP", "VBP", "RB", ".", "UH", "UH"]),
    ],
)
def test_conllu_annotation_is_read(table, name, values):
    assert column(table, name) == values


def test_conllu_spacing_is_that_of_the_ranges(table):
    assert table.spaces.tolist() == [True, False, False, True, True, True]


def test_conllu_documents_start_where_they_are_announced(table):
    assert table.sentence_offsets.tolist() == [0, 4, 5, 6]
    assert table.document_offsets.tolist() == [0, 2, 3]
