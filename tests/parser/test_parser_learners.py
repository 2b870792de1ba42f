"""latperc_parser: threads, and dynamic oracles."""

import pytest
import spacy
from builders.registered_learners import PARSER_LEARNERS
from parser import test_parser as small
from parser.test_parser import SECOND, WORDS, both, gold, make_pipeline, second, tree
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.learners import dynamic_oracle

ORACLE = {
    "search": {"@misc": "spacy_latperc.Beam.v1", "width": 1},
    "learner": {"@misc": "spacy_latperc.DynamicOracle.v1"},
}


def trained(**settings):
    nlp = make_pipeline(**settings)
    return small.train(nlp, [gold(nlp), second(nlp), both(nlp)], passes=3)


def dump(nlp):
    return nlp.get_pipe("latperc_parser").to_bytes(exclude=["vocab"])


def test_threads_do_not_change_trees():
    nlp = trained()
    words = (WORDS + SECOND) * 20
    found = []
    for threads in (1, 3):
        nlp.get_pipe("latperc_parser").n_threads = threads
        starts = [[True] * len(words) if i % 2 else None for i in range(8)]
        docs = [Doc(nlp.vocab, words=words, sent_starts=x) for x in starts]
        parsed = nlp.get_pipe("latperc_parser").pipe(docs)
        found.append([tree(doc) for doc in parsed])
    assert found[0] == found[1]


def test_parser_learns_by_a_dynamic_oracle():
    nlp = make_pipeline(model=ORACLE)
    small.train(nlp, [gold(nlp), second(nlp), both(nlp)])
    doc = nlp(Doc(nlp.vocab, words=WORDS + SECOND))
    assert tree(doc) == tree(both(nlp))
    assert PARSER_LEARNERS == [ORACLE["learner"]["@misc"]]  # tested here


@pytest.mark.parametrize("step", ["plain", "adagrad"])
@pytest.mark.parametrize("average", ["none", "average", "mavg"])
def test_dynamic_oracle_learns_the_same_again_and_after_loading(
    step, average, monkeypatch
):
    monkeypatch.setattr(dynamic_oracle, "FROM_EPOCH", 1)
    learner = {**ORACLE["learner"], "step": step, "average": average}
    model = {**ORACLE, "learner": learner}
    saved, anew, first, again = (make_pipeline(model=model) for _ in range(4))
    for nlp in (saved, anew):
        small.train(nlp, [gold(nlp), second(nlp), both(nlp)], passes=4)
    assert dump(anew) == dump(saved)
    for nlp in (first, again):
        nlp.from_bytes(saved.to_bytes())
        assert dump(nlp) == dump(saved)
        trees = [gold(nlp), second(nlp), both(nlp)]
        bare = [Doc(nlp.vocab, words=[t.text for t in doc]) for doc in trees]
        for _ in range(3):
            nlp.update(list(map(Example, bare, trees)))
    assert dump(again) == dump(first) != dump(saved)


def test_dynamic_oracles_are_for_greedy_parsers():
    wide = {"@misc": "spacy_latperc.Beam.v1", "width": 2}
    with pytest.raises(ValueError, match="LP812"):
        make_pipeline(model={**ORACLE, "search": wide})


def test_chains_refuse_dynamic_oracles():
    features = {"@misc": "spacy_latperc.Templates.v1", "templates": ["w[0]"]}
    model = {"features": features, "learner": ORACLE["learner"]}
    nlp = spacy.blank("xx")
    nlp.add_pipe("latperc_tagger", config={"model": model})
    doc = Doc(nlp.vocab, words=["a"], tags=["A"])
    with pytest.raises(ValueError, match="LP813"):
        small.train(nlp, [doc])
