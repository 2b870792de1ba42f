"""What is done with a piece, without a cluster."""

import io
import json

import pytest
import spacy
from builders.grammaticality import REAL, SHUFFLED, make_trained
from spacy.language import Language

from spacy_latperc.distributed.filtering import FilterWorker
from spacy_latperc.distributed.pieces import Piece, read_pieces
from spacy_latperc.errors import Errors
from spacy_latperc.grammaticality.filter.files import Layout
from spacy_latperc.grammaticality.filter.lines import MOST_BYTES, LineReader
from spacy_latperc.grammaticality.filter.run import Choice, Tally
from spacy_latperc.grammaticality.filter.scores import ScoringSettings
from spacy_latperc.io.pipelines import pipeline_from_bytes, pipeline_to_bytes

POISON = "poison"


@Language.component("latperc_test_poison")
def poisoned(doc):
    if POISON in doc.text:
        raise RuntimeError(POISON)
    return doc


def load():
    nlp = make_trained()
    nlp.add_pipe("latperc_test_poison", first=True)
    return nlp


def worker(**layout):
    return FilterWorker(load, ScoringSettings(""), Choice(0.5), Layout(**layout))


def test_pieces_are_the_file_again(tmp_path):
    path = tmp_path / "a.txt"
    long = b"x" * (MOST_BYTES + 10)
    path.write_bytes(b"\xef\xbb\xbf" + b"a b\r\n\n" * 30_000 + long + b"\nlast")
    found = list(read_pieces(7, str(path), "text", "text"))
    assert len(found) > 2
    assert b"".join(piece.content for piece in found) == path.read_bytes()
    whole = LineReader(str(path), skip_bad=True)
    expected = [line.content for line in whole]
    lines = []
    for piece in found:
        reader = LineReader(str(path), skip_bad=True)
        reader.lines = piece.first
        lines += [line.content for line in reader.read(io.BytesIO(piece.content))]
    assert piece.file == 7 and reader.lines == whole.lines
    assert lines == expected


def test_pieces_say_what_cannot_be_read(tmp_path):
    (piece,) = read_pieces(0, str(tmp_path / "none"), "text", "text")
    assert "LP101" in piece.problem
    (piece,) = read_pieces(0, "nosuch://a/b", "text", "text")
    assert "LP572" in piece.problem


def test_worker_names_the_text_that_the_pipeline_fails_on():
    content = f"{REAL[0]}\n\n{REAL[1]} {POISON}\n{REAL[2]}\n".encode()
    piece = Piece(0, "a.txt", "text", 100, content)
    with pytest.raises(ValueError, match=r"LP340.*a\.txt: line 103 .*RuntimeError"):
        worker()(piece)
    made = worker(skip_bad=True)(piece)
    assert made.content.decode().splitlines() == [REAL[0], REAL[2]]
    tally = Tally(**json.loads(made.report))
    assert tally.first_bad.startswith("a.txt: line 103 cannot be scored")
    counts = (tally.lines, tally.empty, tally.bad, tally.scored, tally.kept)
    assert counts == (4, 1, 1, 2, 2)


def test_pipeline_comes_back_from_its_bytes():
    nlp = make_trained()
    again = pipeline_from_bytes(pipeline_to_bytes(nlp))
    assert pipeline_to_bytes(again) == pipeline_to_bytes(nlp)
    texts = REAL[:3] + SHUFFLED[:3]
    assert [d.cats for d in again.pipe(texts)] == [d.cats for d in nlp.pipe(texts)]


@pytest.mark.parametrize("content", [b"", b"x", b"\xc1", spacy.blank("xx").to_bytes()])
def test_bytes_that_are_no_pipeline_are_refused(content):
    with pytest.raises(ValueError, match="LP567") as caught:
        pipeline_from_bytes(content)
    assert str(caught.value).startswith(f"[{Errors.LP567[1:6]}]")
