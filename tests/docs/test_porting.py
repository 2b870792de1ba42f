"""The program of the porting guide, with both packages."""

import gzip
import itertools
import re
from pathlib import Path

import pytest

from .test_blocks import ROOT, blocks_of

PAGE = ROOT / "docs" / "porting.md"
OURS, THEIRS = (
    "from spacy_latperc.sequence import CRF",
    "from sklearn_crfsuite import CRF",
)


@pytest.fixture
def program():
    found = next(x.body for x in blocks_of(PAGE) if x.kind == "python")
    assert found.startswith(OURS)
    return found


def learned(code, sentences=None):
    """The names of the program after it ran, on other sentences if there are some."""
    if sentences is not None:
        code = re.sub(r"train_sents = \[\n.*?\n\]\n", "", code, flags=re.DOTALL)
    names = {"train_sents": sentences}
    exec(compile(code, str(PAGE), "exec"), names)
    return names


def test_porting_changes_an_import_and_no_answer(program, data: Path, capsys):
    pytest.importorskip("sklearn_crfsuite")
    file = data / "conll2002" / "esp.train.gz"
    if not file.is_file():
        pytest.skip("CoNLL-2002 is not here")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        blocks = lines.read().split("\n\n")[6600:6900]
    rows = [[line.split() for line in block.splitlines()] for block in blocks]
    sentences = [[tuple(row) for row in block if len(row) == 3] for block in rows]
    kept = [sentence for sentence in sentences if sentence]
    assert any(x[0][2].startswith("I-") for x in kept)  # the only one of the file
    ours = learned(program, kept)
    theirs = learned(program.replace(OURS, THEIRS), kept)
    pairs = list(
        zip(
            itertools.chain(*ours["crf"].predict(ours["X_train"])),
            itertools.chain(*theirs["crf"].predict(theirs["X_train"])),
            strict=True,
        )
    )
    assert sum(a == b for a, b in pairs) > 0.99 * len(pairs)


def test_porting_prints_the_same_with_both(program, capsys):
    pytest.importorskip("sklearn_crfsuite")
    learned(program)
    ours = capsys.readouterr().out
    learned(program.replace(OURS, THEIRS))
    assert capsys.readouterr().out == ours
