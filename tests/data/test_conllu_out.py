"""CoNLL-U is written as it was read, and any Doc can be written."""

import gzip

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_latperc.data.conllu import conllu_lines, write_conllu
from spacy_latperc.data.conversion import convert
from spacy_latperc.data.corpus import conllu_corpus

NLP = spacy.blank("xx")


def rows(path):
    """The lines of words without what Docs do not have: comments, empty nodes, DEPS and
    all of MISC but missing spaces."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    found = []
    for line in content.decode().split("\n")[:-1]:
        columns = line.split("\t")
        if columns[0].startswith("#") or "." in columns[0]:
            continue
        if len(columns) == 10:
            glued = "SpaceAfter=No" in columns[9].split("|")
            columns[8:] = ["_", "SpaceAfter=No" if glued else "_"]
        found.append(columns)
    return found


def read(path, **settings):
    return [x.reference for x in conllu_corpus(path, **settings)(NLP)]


@pytest.mark.parametrize("docs", ["sentence", "document"])
@pytest.mark.parametrize("name", ["en_ewt-dev", "af_afribooms-dev"])
def test_conllu_out_treebanks_come_back_whole(data, tmp_path, name, docs):
    path = data / "ud_trees" / f"{name}.conllu.gz"
    write_conllu(read(path, multiword="split", docs=docs), tmp_path / "out.conllu.gz")
    # Spacing within a multiword token is that of its text.
    words = [row[:9] for row in rows(path) if "-" not in row[0]]
    assert [row[:9] for row in rows(tmp_path / "out.conllu.gz")] == words


def test_conllu_out_of_docs_with_little_or_odd_annotation():
    doc = Doc(
        NLP.vocab, words=["a", "\n ", "b", "c"], spaces=[True, False, False, False]
    )
    doc[0].tag_ = "T"
    doc[2].set_morph("NumType=Card|Number=Sing")
    assert list(conllu_lines(doc)) == [
        "# newdoc\n",
        "# sent_id = 1\n",
        "# text = a bc\n",
        "1\ta\t_\t_\tT\t_\t_\t_\t_\tSpacesAfter=\\s\\n\\s\n",
        "2\tb\t_\t_\t_\tNumber=Sing|NumType=Card\t_\t_\t_\tSpaceAfter=No\n",
        "3\tc\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n",
        "\n",
    ]
    assert list(conllu_lines(Doc(NLP.vocab, words=[" "]))) == ["# newdoc\n"]


def test_conllu_out_conversion_back_and_forth_of_any_docs(tmp_path):
    path = tmp_path / "in.conllu"
    text = "1\tI\t_\tPRON\tPRP\tCase=Nom\t2\tnsubj\t_\t_\n"
    text += "2\tgo\tgo\t_\t_\t_\t0\troot\t_\t_\n"
    path.write_text(f"{text}\n{text}\n")
    convert(path, tmp_path / "a.spacy", docs="document")
    (result,) = convert(tmp_path / "a.spacy", tmp_path / "b.conllu")
    assert (result.docs, result.sentences, result.tokens) == (1, 2, 4)
    assert rows(tmp_path / "b.conllu") == rows(path)
    convert(path, tmp_path / "c.conllu.gz", docs="document")
    packed = gzip.decompress((tmp_path / "c.conllu.gz").read_bytes())
    assert packed == (tmp_path / "b.conllu").read_bytes()
    (tmp_path / "d.txt").write_text("a X\nb Y\n")
    convert(tmp_path / "d.txt", tmp_path / "d.conllu", columns=["word", "tag"])
    assert [row[4] for row in rows(tmp_path / "d.conllu") if len(row) > 1] == ["X", "Y"]
    DocBin().to_disk(tmp_path / "a.spacy")
    with pytest.raises(ValueError, match=r"LP324.*a\.spacy"):
        convert(tmp_path / "a.spacy", tmp_path / "e.conllu")
    assert not (tmp_path / "e.conllu").exists()
