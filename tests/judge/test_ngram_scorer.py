"""An n-gram model of an ARPA file in place of a judge."""

import numpy as np
import pytest
from builders.text import lines, text
from typer.testing import CliRunner

from spacy_latperc.api import filter_texts, score_texts
from spacy_latperc.cli import latperc_cli
from spacy_latperc.grammaticality.ngrams.ngram_model import NgramModel

GOOD = lines()[3]
BAD = " ".join(reversed(GOOD.split()))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("arpa") / "text.arpa"
    NgramModel.train(text(), order=3).to_disk(path)
    return path


def test_scores_are_geometric_means(path):
    rows = [GOOD, BAD, "Unheard of"]
    model = NgramModel.from_disk(path)
    sums = model.score_sentences([row.split() for row in rows])
    lengths = [len(row.split()) + 1 for row in rows]
    for processes in (1, 2):
        found = score_texts(path, rows, tokenised=True, processes=processes)
        scores = [verdict.score for verdict in found]
        assert scores == pytest.approx(np.exp(sums / lengths))
    assert scores[0] > scores[1]
    kept = filter_texts(path, rows, tokenised=True, threshold=scores[0])
    assert list(kept) == [GOOD]


def run(*arguments):
    result = CliRunner().invoke(latperc_cli, ["filter", *map(str, arguments)])
    return result.exit_code, " ".join(result.output.split())


def test_filter_reads_the_model_and_refuses_damage(path, tmp_path):
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text(f"{GOOD}\n{BAD}\n", encoding="utf8")
    code, printed = run(path, source, target, "-t", 0.05, "--reasons", "--tokenised")
    assert code == 0, printed
    assert target.read_text() == f"\t{GOOD}\n"
    assert "LP789" in run(path, source, target)[1]
    rows = path.read_text().splitlines()
    rows[9] = "x" + rows[9]
    damaged = tmp_path / "damaged.arpa"
    damaged.write_text("\n".join(rows), encoding="utf8")
    code, printed = run(damaged, source, target, "-t", 0.05)
    assert code == 1 and "LP407" in printed and "line 10" in printed
