"""Joined chains: scores that are sums of those of their members."""

import numpy as np
import pytest
from builders.learners import LABELS, make_batch, make_learner

from spacy_latperc.features.sets import custom_templates, unite_sets
from spacy_latperc.io import model_file
from spacy_latperc.learners.base import Batch
from spacy_latperc.learners.crf import crf
from spacy_latperc.learners.learner_settings import viterbi
from spacy_latperc.learners.members import JoinedChain, Member
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.learners.perceptron import perceptron

SETS = (
    ["w[0]", "w[-1]|w[0]", "edge:t[0]"],
    ["w[1]", "w[0]", "suf1[0]"],
    ["t[0]", "edge:t[0]", "edge:w[0]"],
)
RULES = (passive_aggressive(C=0.1), crf(), perceptron())


def make_joined(weights=(1.0, 0.5, 2.0), *, order=1, rules=None):
    members = {
        f"m{i}": Member(custom_templates(list(texts)), rule, weight)
        for i, (texts, rule, weight) in enumerate(
            zip(SETS, RULES, weights, strict=False)
        )
    }
    union = unite_sets([each.features for each in members.values()])
    joined = JoinedChain(
        members, union, learner=RULES[0], search=viterbi(), order=order
    )
    joined.set_labels(LABELS, **(rules or {}))
    joined.start(20)
    return joined


def train(learner, batch, passes=3):
    blocks = learner.extract(batch)
    return [learner.update(blocks, batch.gold)[0] for _ in range(passes)]


def short(batch: Batch, n=4):
    """The first tokens of each Doc, so that every labelling can be listed."""
    kept = np.concatenate(
        [
            np.arange(a, min(a + n, b))
            for a, b in zip(batch.docs[:-1], batch.docs[1:], strict=True)
        ]
    )
    sizes = np.minimum(np.diff(batch.docs), n)
    docs = np.cumsum([0, *sizes], dtype=np.int64)
    values = batch.values[kept].copy()
    values[:, 1] = 0
    values[docs[:-1][sizes > 0], 1] = 1
    return Batch(values, docs, batch.lookup)


def scores_of_labellings(learner, prepared):
    labels, scores, counts = learner.n_best(prepared, len(LABELS) ** 4)
    found, at, path = [], 0, 0
    for n, count in zip(np.diff(prepared.bounds), counts, strict=True):
        listed = labels[at : at + count * n].reshape(count, n)
        found.append(
            {
                tuple(row): score
                for row, score in zip(
                    listed.tolist(), scores[path : path + count].tolist(), strict=True
                )
            }
        )
        at, path = at + count * n, path + count
    return found


@pytest.mark.parametrize("order", [1, 2])
def test_scores_are_weighted_sums_of_those_of_the_members(order):
    batch = make_batch(1)
    joined = make_joined(order=order)
    train(joined, batch)
    prepared = joined.read(short(batch))
    parts = [scores_of_labellings(chain, prepared) for chain in joined.members]
    for s, found in enumerate(scores_of_labellings(joined, prepared)):
        for labels, score in found.items():
            expected = sum(
                weight * part[s][labels]
                for weight, part in zip(joined.weights, parts, strict=True)
            )
            assert score == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_members_learn_as_they_would_alone():
    batch = make_batch(2)
    joined = make_joined()
    train(joined, batch)
    for texts, rule, chain in zip(SETS, RULES, joined.members, strict=True):
        alone = make_learner(texts, learner=rule)
        blocks = alone.extract(batch)
        for _ in range(3):
            alone.update(blocks, batch.gold)
        assert (alone.best(alone.read(batch)) == chain.best(joined.read(batch))).all()
        for mine, theirs in zip(
            alone.log_scores(alone.read(batch), batch.gold),
            chain.log_scores(joined.read(batch), batch.gold),
            strict=True,
        ):
            assert mine == pytest.approx(theirs, rel=1e-4, abs=1e-4)


def test_joined_chains_survive():
    batch = make_batch(3)
    joined = make_joined()
    train(joined, batch)
    joined.weigh([1.0, 0.0, 3.0])
    data = joined.to_bytes()
    loaded = joined.blank().from_bytes(data)
    assert loaded.weights == joined.weights
    prepared = joined.read(batch)
    assert (loaded.best(loaded.read(batch)) == joined.best(prepared)).all()
    assert loaded.to_bytes() == data
    train(loaded, batch, 1)  # and learn on
    assert (loaded.best(loaded.read(batch)) >= 0).all()


@pytest.mark.parametrize("weights", [None, [1.0], [1.0, "1", 1.0], [1.0, -1.0, 1.0]])
def test_damaged_weights_of_members_are_refused(weights):
    joined = make_joined()
    header, arrays = model_file.unpack(joined.to_bytes())
    data = model_file.pack({**header, "weights": weights}, arrays)
    with pytest.raises(ValueError, match="LP023.*weight"):
        joined.blank().from_bytes(data)


def test_members_of_a_file_have_the_same_labels():
    joined, other = make_joined(), make_joined()
    other.set_labels([*LABELS, "D"])
    header, arrays = model_file.unpack(joined.to_bytes())
    arrays = {**arrays, "1": model_file.unpack(other.to_bytes())[1]["1"]}
    with pytest.raises(ValueError, match="LP023.*labels"):
        joined.blank().from_bytes(model_file.pack(header, arrays))
