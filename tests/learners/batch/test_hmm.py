"""The hidden Markov model, on the worked example of Ke's notes (section 2)."""

from itertools import product

import numpy as np
import pytest
from reference.chain import START, text_hash

from spacy_latperc.features.sets import custom_templates, paper_features
from spacy_latperc.learners import ChainLearner
from spacy_latperc.learners.base import Batch
from spacy_latperc.learners.batch.gathering import Gathered
from spacy_latperc.learners.batch.hmm import FLOOR, count, find_roles, hmm
from spacy_latperc.learners.blocks import plan_blocks
from spacy_latperc.learners.learner_settings import viterbi

LABELS = ["D", "N", "V"]
CAN, THE = (text_hash(word) for word in ("can", "the"))
STRINGS = {CAN: "can", THE: "the", text_hash("nu"): "nu"}
# Ten sentences in which everything happens as often as the example says.
PIDGIN = [*["DN"] * 6, "DNVV", "DNVDN", "VDNNDN", "VDNVDN"]
INITIAL = np.array([0.8, 0.0, 0.2])
T = np.array([[0, 0.2, 0.8], [1, 0.2, 0], [0, 0.6, 0.2]])  # [to, from], equation 8
EMITTED = np.array([[0, 1, 1], [1, 0, 0]])  # [word, label], equation 9


def read(sentences, words=None):
    """Labels as letters; D emits "the", the others "can", unless words are given."""
    gold = np.array([LABELS.index(x) for sentence in sentences for x in sentence])
    offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    values = np.zeros((len(gold), 3), dtype=np.uint64)
    values[:, 0] = words or [THE if label == 0 else CAN for label in gold]
    values[:, 1] = 2**64 - 1
    values[offsets[:-1], 1] = 1
    return values, offsets, gold.astype(np.int32)


def make(
    settings, sentences, *, order=1, latent=1, features=None, hidden=(), boundaries=True
):
    features = features or paper_features("hmm")
    how = {"order": order, "latent": latent, "boundaries": boundaries}
    learner = ChainLearner(features, settings, viterbi(), **how)
    learner.set_labels(LABELS)
    values, offsets, gold = read(sentences)
    gold[list(hidden)] = -1
    blocks = learner.extract(Batch(values, offsets, STRINGS.__getitem__))
    learner.start(len(sentences), keep_features=True)
    loss, _ = learner.update(blocks, gold)
    return learner, loss


def rows(learner, kind):
    """{feature hash: row} of a block."""
    frozen, result = learner.freeze(), {}
    keys, sizes, cells, values = frozen.export(kind)
    for key, end, size in zip(keys, np.cumsum(sizes), sizes, strict=True):
        row = np.zeros(len(LABELS) ** (kind + 1))
        row[cells[end - size : end]] = values[end - size : end]
        result[int(key)] = row.reshape((len(LABELS),) * (kind + 1))
    return result


def feature_of(learner, word, *, first):
    """Hashes of (bias, word, start) at a token; start weights stand for the last."""
    values, offsets, _ = read(["D" if first else "DD"], [word] * (1 if first else 2))
    attrs = learner.space.assemble(values, STRINGS.__getitem__)
    names, hashes = learner.plan.observations, learner.space.hashes(attrs)[-1]
    seen = ("bias", "word[0]", "is_space[-1]")
    bias, found, start = (int(hashes[names.index(x)]) for x in seen)
    return [bias, found, START if learner.boundaries else start]


def counted(sentence):
    """Counts of a sentence, as equations 13 and 14 have them."""
    features = paper_features("hmm")
    plan = plan_blocks(features, latent=1, order=1)
    space = plan.make_space(1)
    learner = ChainLearner(features, hmm(), viterbi())
    learner.set_labels(LABELS)
    values, offsets, gold = read([sentence])
    attrs = space.assemble(values, STRINGS.__getitem__)
    block = space.extract(attrs, offsets)
    structure = learner._make_structure(LABELS, {})
    given = features, plan, space, structure, 1, 1, 0, [block], gold
    gathered = Gathered(*given, None, {}, None)
    return count(gathered, find_roles(gathered))


@pytest.mark.parametrize("boundaries", [True, False])
def test_hmm_weights_are_equation_12(boundaries):
    learner, _ = make(hmm(add_k=0.0), PIDGIN, boundaries=boundaries)
    state, (edge,) = rows(learner, 0), rows(learner, 1).values()
    _, can, _ = feature_of(learner, CAN, first=False)
    _, the, start = feature_of(learner, THE, first=True)
    emissions = np.array([state[can], state[the]])
    w = np.concatenate([state[start], edge.reshape(-1), emissions.T.reshape(-1)])
    floor = -np.inf
    found = [floor if x == FLOOR else round(float(x), 2) + 0.0 for x in w]
    assert found == [
        -0.22, floor, -1.61,
        floor, 0, floor, -1.61, -1.61, -0.51, -0.22, floor, -1.61,
        floor, 0, 0, floor, 0, floor,
    ]  # fmt: skip


def test_hmm_counts_are_equations_13_to_15():
    counts = counted("DNVVDN")
    assert counts.starts.tolist() == [1, 0, 0]
    assert counts.steps[1].T.tolist() == [[0, 0, 1], [2, 0, 0], [0, 1, 1]]
    can, the = (np.array(row) for row in sorted(counts.emitted.tolist()))
    assert [can.tolist(), the.tolist()] == [[0, 2, 2], [2, 0, 0]]
    whole = [counts.starts, counts.steps[1], np.array([can, the]).T]
    assert np.concatenate([x.reshape(-1) for x in whole]).tolist() == [
        1, 0, 0, 0, 2, 0, 0, 0, 1, 1, 0, 1, 0, 2, 2, 0, 2, 0,
    ]  # fmt: skip


def joint(words, labels):
    """P(words, labels), equation 4."""
    p = INITIAL[labels[0]] * EMITTED[words[0], labels[0]]
    for i in range(1, len(words)):
        p *= T[labels[i], labels[i - 1]] * EMITTED[words[i], labels[i]]
    return p


@pytest.mark.parametrize("sentence", ["DNVVDN", "VDN"])
def test_hmm_score_of_a_path_is_its_log_probability(sentence):
    learner, _ = make(hmm(add_k=0.0), PIDGIN)
    values, offsets, gold = read([sentence])
    words = [0 if word == CAN else 1 for word in values[:, 0]]
    everything = product(range(3), repeat=len(gold))
    possible = {labels: joint(words, labels) for labels in everything}
    possible = {labels: p for labels, p in possible.items() if p > 0}
    batch = learner.read(Batch(values, offsets, STRINGS.__getitem__))
    paths, scores, _ = learner.n_best(batch, len(possible))
    rows = paths.reshape(-1, len(gold)).tolist()
    found = dict(zip(map(tuple, rows), scores, strict=True))
    assert found.keys() == possible.keys()
    for labels, score in found.items():
        assert score == pytest.approx(np.log(possible[labels]), abs=1e-5)
    if sentence == "VDN":  # can the can
        assert learner.best(batch).tolist() == gold.tolist()


def test_hmm_loss_is_the_log_probability_of_the_pass():
    _, loss = make(hmm(add_k=0.0), PIDGIN)
    expected = 0.0
    for sentence in PIDGIN:
        labels = [LABELS.index(x) for x in sentence]
        expected -= np.log(joint([int(label == 0) for label in labels], labels))
    assert loss == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("order", [1, 2])
def test_hmm_smoothed_probabilities_sum_to_one(order):
    learner, _ = make(hmm(add_k=0.3), PIDGIN, order=order)
    state, (edge,) = rows(learner, 0), rows(learner, 1).values()
    bias, can, _ = feature_of(learner, CAN, first=False)
    _, the, start = feature_of(learner, THE, first=True)
    assert np.exp(state[start]).sum() == pytest.approx(1.0, rel=1e-5)
    assert np.exp(edge).sum(axis=1) == pytest.approx(np.ones(3), rel=1e-5)
    unseen = state[bias]
    words = np.exp(unseen + state[can]) + np.exp(unseen + state[the]) + np.exp(unseen)
    assert words == pytest.approx(np.ones(3), rel=1e-5)
    if order == 2:
        (tri,) = rows(learner, 2).values()
        both = np.exp(edge + tri).sum(axis=2)
        assert both == pytest.approx(np.ones((3, 3)), rel=1e-4)


def test_hmm_add_k_is_counted_by_hand():
    learner, _ = make(hmm(add_k=0.5), ["DN", "DV"])
    state, (edge,) = rows(learner, 0), rows(learner, 1).values()
    bias, can, _ = feature_of(learner, CAN, first=False)
    assert np.exp(edge[0]) == pytest.approx([0.5 / 3.5, 1.5 / 3.5, 1.5 / 3.5])
    wanted = [0.5 / 3.5, 1.5 / 2.5, 1.5 / 2.5]
    assert np.exp(state[bias] + state[can]) == pytest.approx(wanted, rel=1e-5)
    assert np.exp(state[bias]) == pytest.approx([0.5 / 3.5, 0.5 / 2.5, 0.5 / 2.5])


def test_hmm_order_2_remembers_two_labels():
    sentences = ["DNV", "NNN", "VND"] * 5
    learner, _ = make(hmm(add_k=0.1), sentences, order=2)
    nu = text_hash("nu")
    for sentence in ("DNV", "VND"):
        values, offsets, gold = read([sentence], [0, 0, nu])
        values[:2, 0] = [THE if x == "D" else CAN for x in sentence[:2]]
        allowed = np.ones((3, 3), dtype=np.uint8)
        allowed[0] = np.arange(3) == gold[0]
        allowed[1] = np.arange(3) == gold[1]
        found = learner.predict(Batch(values, offsets, STRINGS.__getitem__, allowed))
        assert found[2] == gold[2]


def test_hmm_tokens_without_labels_are_not_counted():
    all_known, _ = make(hmm(), ["DN", "V"])
    partly, _ = make(hmm(), ["DN", "VD"], hidden=[3])
    assert rows(partly, 1).keys() == rows(all_known, 1).keys()
    for key, row in rows(all_known, 1).items():
        np.testing.assert_array_equal(rows(partly, 1)[key], row)


def test_hmm_rare_words_are_what_unseen_words_look_like():
    features = paper_features("hmm", min_count=2)
    learner = ChainLearner(features, hmm(add_k=0.1), viterbi())
    learner.set_labels(LABELS)
    values, offsets, gold = read(["DNNN"])
    values[0, 0] = text_hash("nu")
    blocks = learner.extract(Batch(values, offsets, STRINGS.__getitem__), count=True)
    learner.start(1, keep_features=True)
    learner.update(blocks, gold)
    bias, _, _ = feature_of(learner, CAN, first=False)
    wanted = [1.1 / 1.2, 0.1 / 3.2, 0.1 / 0.2]
    assert np.exp(rows(learner, 0)[bias]) == pytest.approx(wanted, rel=1e-5)


def test_hmm_forbidden_transitions_take_no_share():
    transitions = np.ones((3, 3), dtype=bool)
    transitions[0, 0] = False
    learner = ChainLearner(paper_features("hmm"), hmm(add_k=0.5), viterbi())
    learner.set_labels(LABELS, transitions=transitions)
    values, offsets, gold = read(["DN", "DV"])
    blocks = learner.extract(Batch(values, offsets, STRINGS.__getitem__))
    learner.start(2, keep_features=True)
    learner.update(blocks, gold)
    (edge,) = rows(learner, 1).values()
    assert edge[0, 0] == 0
    assert np.exp(edge[0, 1:]) == pytest.approx([0.5, 0.5])


def test_hmm_other_models_are_refused():
    for options in ({"latent": 2}, {"order": 0}):
        with pytest.raises(ValueError, match="LP063"):
            make(hmm(), PIDGIN, **options)


@pytest.mark.parametrize(
    "templates, code",
    [
        (["bias", "w[0]", "is_space[-1]", "w[1]"], r"LP064.*'word\[1\]'"),
        (["bias", "w[0]", "is_space[-1]", "suf1[0]"], "LP064"),
        (["bias", "w[0]", "is_space[-1]", "edge:w[0]"], "LP064"),
        (["bias", "is_space[-1]"], "LP065.*word"),
        (["bias", "w[0]"], "LP065.*start"),
        (["w[0]", "is_space[-1]"], "LP065.*bias"),
    ],
)
def test_hmm_other_templates_are_refused(templates, code):
    with pytest.raises(ValueError, match=code):
        make(hmm(), PIDGIN, features=custom_templates(templates), boundaries=False)


def test_hmm_with_start_weights_needs_no_template_for_them():
    one, _ = make(hmm(), PIDGIN, features=custom_templates(["bias", "w[0]"]))
    other, _ = make(hmm(), PIDGIN, boundaries=False)
    values, offsets, _ = read(["DNV", "ND"])
    batch = Batch(values, offsets, STRINGS.__getitem__)
    assert one.predict(batch).tolist() == other.predict(batch).tolist()
