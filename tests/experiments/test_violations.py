"""The experiment with inexact search, on the sample."""

import pytest

from experiments import violations
from spacy_latperc.kernels.chains import PREFIXES
from tools.corpora.locate import data_folder


@pytest.mark.skipif(data_folder() is None, reason="LATPERC_DATA has no corpora")
@pytest.mark.parametrize("unlabelled", [False, True])
@pytest.mark.parametrize("method", PREFIXES)
def test_violations_of_a_parser_are_counted(method, unlabelled):
    row = {"data": "ud_trees/af_afribooms", "limit": 60, "unlabelled": unlabelled}
    row |= {"method": method, "width": 2, "passes": 2, "seeds": 2}
    found = violations.measure(row)
    assert 0 <= found["mean"] <= found["uas"] <= 100
    assert (found["no_violation"] > 0) == (method == "standard")
    assert [point["pass"] for point in found["curve"]] == [1, 2]
    if unlabelled:
        assert found["mean"] == pytest.approx(found["uas"], abs=1)
