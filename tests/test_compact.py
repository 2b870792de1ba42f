"""Pipelines with fewer weights: what is left out, and by what it is chosen."""

import pytest
from builders.pipelines import make_examples, make_pipeline, train

from spacy_latperc.compact import SHARES, compact

TAGGER = "latperc_tagger"


@pytest.fixture
def trained():
    nlp = make_pipeline(TAGGER)
    train(nlp, make_examples(nlp), 3)
    return nlp


def size_of(nlp):
    return len(nlp.get_pipe(TAGGER).model.to_bytes())


@pytest.mark.parametrize(
    "setting, values", [("cut", (0, 0.5, 0.9)), ("bits", (16, 12, 8))]
)
def test_compact_makes_the_file_smaller_the_more_it_takes(trained, setting, values):
    examples = make_examples(trained)
    data = trained.to_bytes()
    sizes = []
    for value in values:
        trained.from_bytes(data)
        report = compact(trained, examples, **{setting: value})
        assert setting == "bits" or report.cut == value
        assert report.components[0].after < report.components[0].before
        sizes.append(size_of(trained))
    assert sizes == sorted(sizes, reverse=True)


def test_compact_leaves_out_as_little_as_a_size_allows(trained):
    examples = make_examples(trained)
    data = trained.to_bytes()
    sizes = {}
    for cut in SHARES:
        trained.from_bytes(data)
        sizes[cut] = compact(trained, examples, cut=cut).components[0].after
    for wanted, share in ((sizes[0.0], 0.0), (sizes[0.5], 0.5), (0, 0.9)):
        trained.from_bytes(data)
        report = compact(trained, examples, max_mb=wanted / 1e6)
        assert report.cut == share
        assert report.components[0].after == sizes[share]


def test_compact_refuses_other_bits_and_shares_that_are_none(trained):
    bits, cuts = (7, 17, 12.5), (-0.1, 1.0, "much")
    for name, value in [*(("bits", x) for x in bits), *(("cut", x) for x in cuts)]:
        with pytest.raises(ValueError, match=name):
            compact(trained, make_examples(trained), **{name: value})
