"""Files of Docs: a damaged one is named, whatever is damaged."""

import zlib

import pytest
import spacy
import srsly
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_latperc.io.docbin import load_docbin, read_docs, write_docs


@pytest.fixture
def path(tmp_path):
    docs = [Doc(spacy.blank("xx").vocab, words=["a", "b"], tags=["X", "Y"])] * 3
    write_docs(docs, tmp_path / "a.spacy", attributes=["TAG"])
    return tmp_path / "a.spacy"


def test_docbin_is_read_as_written_and_once(path):
    docbin = load_docbin(path)
    found = [[t.tag_ for t in doc] for doc in read_docs(path, Vocab())]
    assert found == [["X", "Y"]] * 3
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match=r"LP120.*a\.spacy"):
        load_docbin(path)
    path.unlink()
    with pytest.raises(FileNotFoundError, match="LP101"):
        load_docbin(path)
    assert len(list(read_docs(path, Vocab(), docbin=docbin))) == 3


GROUPS = [0.5, None, {}, [], [0.5] * 3, [b"\xc1"] * 3]


@pytest.mark.parametrize(
    ("part", "content"),
    [("tokens", ...), ("lengths", ...), *(("span_groups", x) for x in GROUPS)],
)
def test_docbin_with_damaged_docs_or_groups_of_spans_is_named(path, part, content):
    """The file itself can be read; what is wrong shows when Docs are made of it."""
    parts = srsly.msgpack_loads(zlib.decompress(path.read_bytes()))
    parts[part] = parts[part][:-1] if content is ... else content
    path.write_bytes(zlib.compress(srsly.msgpack_dumps(parts)))
    with pytest.raises(ValueError, match=r"LP120.*a\.spacy"):
        list(read_docs(path, Vocab()))
