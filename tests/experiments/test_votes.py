"""The figures of the experiment on votes, on a handful of sentences."""

import pytest
from builders.pipelines import make_examples, make_trained

from experiments.votes import agreement, scores, voting_component

SCHEMES = ["IOB2", "IOE2", "O+C"]


@pytest.fixture(scope="module")
def trained():
    return make_trained("latperc_chunker", schemes=SCHEMES, passes=30)


def test_votes_score_every_chain_and_vote(trained):
    component, examples = voting_component(trained), make_examples(trained)
    for shown in ("none", "agreement"):
        component.scores = shown
        found = scores(component, examples, "chunks_f")
        votes = ["span vote", "pool vote"]
        assert found == dict.fromkeys([*SCHEMES, *votes], 1.0)
        assert (component.vote, component.scores) == ("span", shown)
    component.scores = "none"


def test_votes_agreement_is_of_each_chunk_of_several_schemes(trained):
    examples = make_examples(trained)
    shares, right = agreement(voting_component(trained), examples)
    n = sum(len(example.reference.spans["chunks"]) for example in examples)
    assert len(shares) == len(right) == n
    assert right.all()


def test_votes_need_several_schemes():
    with pytest.raises(SystemExit, match="LP452.*none"):
        voting_component(make_trained("latperc_chunker", passes=1))
