"""The figures of the experiment on votes, on a handful of sentences."""

import pytest
from builders.pipelines import make_examples, make_trained

from experiments.votes import agreement, scores, speed, voting_component

SCHEMES = ["IOB2", "IOE2", "O+C"]


@pytest.fixture(scope="module")
def trained():
    return make_trained("latperc_chunker", schemes=SCHEMES, passes=30)


def test_votes_score_every_chain_and_vote(trained):
    found = scores(voting_component(trained), make_examples(trained), "chunks_f")
    votes = ["span vote", "pool vote"]
    assert found == dict.fromkeys([*SCHEMES, *votes], 1.0)


def test_votes_of_a_component_that_shows_agreement(trained):
    component = voting_component(trained)
    component.scores = "agreement"
    found = scores(component, make_examples(trained), "chunks_f")
    assert found["pool vote"] == 1.0
    assert (component.vote, component.scores) == ("span", "agreement")
    component.scores = "none"


def test_votes_agreement_is_of_each_chunk(trained):
    examples = make_examples(trained)
    shares, right = agreement(voting_component(trained), examples)
    n = sum(len(example.reference.spans["chunks"]) for example in examples)
    assert len(shares) == len(right) == n
    assert right.all()


def test_votes_speed_is_in_tokens_a_second(trained):
    assert speed(voting_component(trained), make_examples(trained)) > 100


def test_votes_need_several_schemes():
    with pytest.raises(SystemExit, match="LP452.*none"):
        voting_component(make_trained("latperc_chunker", passes=1))
