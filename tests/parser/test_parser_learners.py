"""latperc_parser: threads, and dynamic oracles."""

import pytest
import spacy
from builders.registered_learners import PARSER_LEARNERS
from parser.test_parser import (
    SECOND,
    WORDS,
    both,
    gold,
    make_pipeline,
    second,
    train,
    tree,
)
from spacy.tokens import Doc
from spacy.training import Example

ORACLE = {
    "search": {"@misc": "spacy_latperc.Beam.v1", "width": 1},
    "learner": {"@misc": "spacy_latperc.DynamicOracle.v1"},
}


def trained(**settings):
    nlp = make_pipeline(**settings)
    return train(nlp, [gold(nlp), second(nlp), both(nlp)], passes=3)


def dump(nlp):
    return nlp.get_pipe("latperc_parser").to_bytes(exclude=["vocab"])


def test_threads_do_not_change_trees():
    nlp = trained()
    docs = [Doc(nlp.vocab, words=(WORDS + SECOND) * 20) for _ in range(8)]
    found = []
    for threads in (1, 3):
        nlp.get_pipe("latperc_parser").n_threads = threads
        parsed = [
            Doc(nlp.vocab, words=[t.text for t in doc], sent_starts=[True] * len(doc))
            if i % 2
            else Doc(nlp.vocab, words=[t.text for t in doc])
            for i, doc in enumerate(docs)
        ]
        parsed = list(nlp.get_pipe("latperc_parser").pipe(parsed))
        found.append([tree(d) for d in parsed])
    assert found[0] == found[1]


# Dynamic oracles ----------------------------------------------------------------------


def test_parser_learns_by_a_dynamic_oracle():
    nlp = make_pipeline(model=ORACLE)
    train(nlp, [gold(nlp), second(nlp), both(nlp)])
    doc = nlp(Doc(nlp.vocab, words=WORDS + SECOND))
    assert tree(doc) == tree(both(nlp))


def test_learners_for_parsers_alone_are_tested_here():
    assert PARSER_LEARNERS == [ORACLE["learner"]["@misc"]]


@pytest.mark.parametrize("step", ["plain", "adagrad"])
@pytest.mark.parametrize("average", ["none", "average", "mavg"])
def test_dynamic_oracle_learns_the_same_again_and_after_loading(step, average):
    learner = {**ORACLE["learner"], "step": step, "average": average, "from_epoch": 1}
    model = {**ORACLE, "learner": learner}
    saved, anew, first, again = (make_pipeline(model=model) for _ in range(4))
    for nlp in (saved, anew):
        train(nlp, [gold(nlp), second(nlp), both(nlp)], passes=4)
    assert dump(anew) == dump(saved)
    for nlp in (first, again):
        nlp.from_bytes(saved.to_bytes())
        assert dump(nlp) == dump(saved)
        trees = [gold(nlp), second(nlp), both(nlp)]
        bare = [Doc(nlp.vocab, words=[t.text for t in doc]) for doc in trees]
        for _ in range(3):
            nlp.update(list(map(Example, bare, trees)))
    assert dump(again) == dump(first) != dump(saved)


@pytest.mark.parametrize(
    "model",
    [
        {**ORACLE, "search": {"@misc": "spacy_latperc.Beam.v1", "width": 2}},
        {**ORACLE, "system": "arc_standard"},
    ],
    ids=["beam", "arc-standard"],
)
def test_dynamic_oracles_are_for_greedy_parsers_of_arc_hybrid(model):
    with pytest.raises(ValueError, match="LP812"):
        make_pipeline(model=model)


def test_chains_refuse_dynamic_oracles():
    model = {
        "features": {"@misc": "spacy_latperc.Templates.v1", "templates": ["w[0]"]},
        "learner": ORACLE["learner"],
    }
    nlp = spacy.blank("xx")
    nlp.add_pipe("latperc_tagger", config={"model": model})
    doc = Doc(nlp.vocab, words=["a"], tags=["A"])
    with pytest.raises(ValueError, match="LP813"):
        train(nlp, [doc])


def test_settings_that_mean_nothing_are_refused():
    with pytest.raises(ValueError, match="min_lifted"):
        make_pipeline(min_lifted=0)
