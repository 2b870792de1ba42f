"""latperc_parser: scores of arcs, the n best trees, calibration, merging, exploring."""

import itertools

import numpy as np
import pytest
import spacy
from builders.registered_learners import PARSER_LEARNERS
from parser.test_parser import (
    DEPS,
    HEADS,
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

from spacy_latperc.api import calibrate

ORACLE = {
    "search": {"@misc": "spacy_latperc.Greedy.v1"},
    "learner": {"@misc": "spacy_latperc.DynamicOracle.v1"},
}


def trained(**settings):
    nlp = make_pipeline(**settings)
    return train(nlp, [gold(nlp), second(nlp), both(nlp)], passes=3)


@pytest.fixture(scope="module")
def sure():
    return trained(scores="marginal", n_best=4)


def dump(nlp):
    return nlp.get_pipe("latperc_parser").to_bytes(exclude=["vocab"])


def unseen(nlp):
    return Doc(nlp.vocab, words="They met in London Ada . the king".split())


def test_scores_are_probabilities_and_change_no_tree(sure):
    plain = trained()
    for words in (WORDS, SECOND, WORDS + SECOND):
        doc = sure(Doc(sure.vocab, words=words))
        assert tree(doc) == tree(plain(Doc(plain.vocab, words=words)))
        assert all(0 < token._.dep_score < 1 for token in doc)


def test_scores_travel_with_the_doc_and_belong_to_one_arc(sure):
    doc = sure(Doc(sure.vocab, words=WORDS))
    scores = [token._.dep_score for token in doc]
    copy = Doc(sure.vocab).from_bytes(doc.to_bytes())
    assert [token._.dep_score for token in copy] == scores
    copy[0].dep_ = "other"
    copy[6].head = copy[0]
    assert copy[0]._.dep_score is None
    assert copy[6]._.dep_score is None
    assert copy[3]._.dep_score == scores[3]


def test_heads_that_were_set_are_certain(sure):
    doc = Doc(sure.vocab, words=WORDS)
    doc[6].head, doc[6].dep_ = doc[4], "nmod"
    found = sure(doc)
    assert found[6]._.dep_score == 1
    assert found[0]._.dep_score < 1


@pytest.mark.parametrize("width", [1, 4])
def test_greedy_and_beam_searches_are_sure_of_what_they_know(width):
    search = {"@misc": "spacy_latperc.Beam.v1", "width": width}
    nlp = trained(scores="marginal", model={"search": search})
    known = nlp(Doc(nlp.vocab, words=WORDS))
    strange = nlp(Doc(nlp.vocab, words=[word[::-1] for word in WORDS]))

    def mean(doc):
        return np.mean([token._.dep_score for token in doc])

    assert mean(known) > mean(strange)


def test_n_best_begins_with_the_prediction_and_falls(sure):
    pipe = sure.get_pipe("latperc_parser")
    doc = unseen(sure)
    listed = pipe.n_best(doc, 5)
    assert not doc.has_annotation("DEP")
    found = sure(unseen(sure))
    assert listed[0].annotation == [(t.head.i, t.dep_) for t in found]
    scores = [analysis.score for analysis in listed]
    assert 1 < len(listed) <= 5
    assert scores == sorted(scores, reverse=True)
    assert sum(analysis.probability for analysis in listed) == pytest.approx(1)
    trees = {tuple(analysis.annotation) for analysis in listed}
    assert len(trees) == len(listed)
    assert found._.latperc_n_best["latperc_parser"] == pipe.n_best(unseen(sure), 4)


def test_n_best_of_a_doc_joins_those_of_its_sentences(sure):
    pipe = sure.get_pipe("latperc_parser")
    n = len(WORDS)
    one = pipe.n_best(Doc(sure.vocab, words=WORDS), 8)
    other = pipe.n_best(Doc(sure.vocab, words=SECOND), 8)
    starts = [i in (0, n) for i in range(n + len(SECOND))]
    whole = pipe.n_best(Doc(sure.vocab, words=WORDS + SECOND, sent_starts=starts), 8)
    pairs = sorted(
        (-(a.score + b.score), i, j)
        for (i, a), (j, b) in itertools.product(enumerate(one), enumerate(other))
    )
    for analysis, (minus, i, j) in zip(whole, pairs, strict=False):
        assert analysis.score == pytest.approx(-minus)
        moved = [(head + n, dep) for head, dep in other[j].annotation]
        assert analysis.annotation == one[i].annotation + moved


def test_n_best_keeps_heads_that_are_set(sure):
    doc = Doc(sure.vocab, words=WORDS)
    doc[6].head, doc[6].dep_ = doc[4], "strange"
    for analysis in sure.get_pipe("latperc_parser").n_best(doc, 4):
        assert analysis.annotation[6] == (4, "strange")


def test_empty_docs_have_one_empty_tree(sure):
    doc = sure(Doc(sure.vocab))
    assert len(doc) == 0
    (empty,) = sure.get_pipe("latperc_parser").n_best(Doc(sure.vocab))
    assert empty.annotation == []


def test_n_best_puts_lifted_words_back():
    nlp = make_pipeline(min_lifted=1)
    heads = [1, 1, 5, 6, 1, 1, 1, 1]  # arcs cross
    train(nlp, [gold(nlp, heads=heads)], passes=20)
    best = nlp.get_pipe("latperc_parser").n_best(Doc(nlp.vocab, words=WORDS), 3)[0]
    assert best.annotation == list(zip(heads, DEPS, strict=True))


def test_calibration_of_a_parser_is_fitted_used_and_saved(tmp_path):
    nlp = trained(scores="marginal")
    words = [WORDS, SECOND, WORDS + SECOND, WORDS[::-1], SECOND[::-1]] * 4
    golds = [gold(nlp), second(nlp), both(nlp)]
    golds += [
        gold(nlp, WORDS[::-1], [1, 1, 1, 1, 1, 1, 1, 1], DEPS),
        gold(nlp, SECOND[::-1], [0, 0, 1, 0], ["ROOT", "x", "case", "obl"]),
    ]
    examples = [
        Example(Doc(nlp.vocab, words=own), answer)
        for own, answer in zip(words, golds * 4, strict=True)
    ]
    before = [token._.dep_score for token in nlp(Doc(nlp.vocab, words=WORDS))]
    report = calibrate(nlp, "latperc_parser", examples)
    assert report.answers == sum(map(len, words))
    assert 0 < report.right < report.answers
    assert report.after.log_loss < report.before.log_loss
    after = [token._.dep_score for token in nlp(Doc(nlp.vocab, words=WORDS))]
    assert after != before
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    loaded = [token._.dep_score for token in again(Doc(again.vocab, words=WORDS))]
    assert loaded == after


def test_heads_that_are_unknown_or_set_are_no_answers():
    nlp = trained(scores="marginal")
    deps = ["", *DEPS[1:]]
    given = Doc(nlp.vocab, words=WORDS)
    given[6].head, given[6].dep_ = given[4], "obl"
    examples = [
        Example(given, gold(nlp, deps=deps)),
        Example(Doc(nlp.vocab), Doc(nlp.vocab)),
    ]
    with pytest.warns(UserWarning, match="LP915"):
        report = calibrate(nlp, "latperc_parser", examples)
    assert report.answers == len(WORDS) - 2


def test_calibration_needs_gold_trees():
    nlp = trained()
    bare = Example(Doc(nlp.vocab, words=WORDS), Doc(nlp.vocab, words=WORDS))
    with pytest.raises(ValueError, match="LP080"):
        calibrate(nlp, "latperc_parser", [bare])


def test_threads_do_not_change_trees_and_scores():
    nlp = trained(scores="marginal")
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
        found.append([(tree(d), [t._.dep_score for t in d]) for d in parsed])
    assert found[0] == found[1]


# Merged states and dynamic oracles ----------------------------------------------------


def test_merging_parser_learns_and_is_saved(tmp_path):
    nlp = make_pipeline(model={"merge": True})
    train(nlp, [gold(nlp), second(nlp)])
    assert tree(nlp(Doc(nlp.vocab, words=WORDS))) == (HEADS, DEPS)
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert again.get_pipe("latperc_parser").learner.options.merge
    assert tree(again(Doc(again.vocab, words=WORDS))) == (HEADS, DEPS)


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
    learner = {**ORACLE["learner"], "step": step, "average": average, "from_pass": 1}
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


@pytest.mark.parametrize(
    "settings", [{"scores": "margin"}, {"n_best": 0}, {"min_lifted": 0}]
)
def test_settings_that_mean_nothing_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        make_pipeline(**settings)
