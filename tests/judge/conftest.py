"""Counts of the small text, for all tests of judges."""

import pytest
from builders.text import text

from spacy_latperc.judge.evidence.ngram_counts import CountSettings, NgramCounts


@pytest.fixture(scope="session")
def counts(tmp_path_factory):
    """The path of a file with them."""
    path = tmp_path_factory.mktemp("ngrams") / "text.ngrams"
    NgramCounts.count(text(), CountSettings()).to_disk(path)
    return path
