"""Start and end weights: what they make learnable, and files with and without them."""

import numpy as np
import pytest
from builders.learners import LABELS, make_batch, predict, train
from builders.registered_learners import LEARNERS
from reference.chain import END, START, text_hash

from spacy_latperc.features.sets import custom_templates
from spacy_latperc.learners.base import Batch
from spacy_latperc.learners.chain import ChainLearner
from spacy_latperc.learners.learner_settings import beam, viterbi
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.model import build_chain_model, get_learner

CHAINS = [learner for learner in LEARNERS if learner.is_chain and not learner.members]


def make(boundaries=True, *, learner=None, search=None, latent=1, order=1, form="tied"):
    features, how = custom_templates(["w[0]"], latent_form=form), {"latent": latent}
    given = features, learner or passive_aggressive(C=1.0), search or viterbi()
    result = ChainLearner(*given, **how, order=order, boundaries=boundaries)
    result.set_labels(LABELS)
    result.start(20)
    return result


def edges_only(lengths):
    """Sentences of one word: A begins them, C ends them, and B is all between."""
    docs = np.cumsum([0, *lengths], dtype=np.int64)
    n = int(docs[-1])
    values = np.zeros((n, 2), dtype=np.uint64)
    values[:, 0] = text_hash("ant")
    gold = np.ones(n, dtype=np.int32)
    gold[docs[1:] - 1] = 2
    gold[docs[:-1]] = 0
    return Batch(values, docs, lambda _: "ant"), gold


def learn(learner, batch, gold, *, passes=30):
    blocks = learner.extract(batch)
    for _ in range(passes):
        learner.update(blocks, gold)
    return learner


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(("latent", "form"), [(1, "tied"), (2, "tied"), (2, "full")])
@pytest.mark.parametrize("search", [viterbi(), beam(width=9)])
def test_the_first_and_the_last_label_can_be_learned(order, latent, form, search):
    batch, gold = edges_only([2, 3, 4, 5, 3])
    settings = {"order": order, "latent": latent, "form": form, "search": search}
    with_weights = learn(make(**settings), batch, gold)
    assert with_weights.predict(batch).tolist() == gold.tolist()
    if order == 0:  # others may say it by their transitions
        without = learn(make(False, **settings), batch, gold)
        assert without.predict(batch).tolist() != gold.tolist()


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_every_learner_has_start_and_end_weights(chain):
    learner = chain.make()
    chain.learn(learner)
    keys = {int(key) for key in learner.freeze().export(0)[0]}
    assert START in keys
    assert (END in keys) == (chain.name != "HMM.v1")  # which has no end
    plain = chain.make(boundaries=False)
    chain.learn(plain)
    assert not {START, END} & {int(key) for key in plain.freeze().export(0)[0]}


def test_a_file_without_them_answers_as_before():
    batch = make_batch(1)
    old = make(False)
    train(old, batch)
    loaded = make().from_bytes(old.to_bytes())
    assert loaded.to_bytes() == old.to_bytes()
    other = make_batch(2)
    assert predict(loaded, other) == predict(old, other)
    old_scores, new_scores = (x.marginals(x.read(other))[0] for x in (old, loaded))
    np.testing.assert_array_equal(old_scores, new_scores)
    train(loaded, batch)
    assert START in loaded.freeze().export(0)[0]


def test_a_file_with_them_is_refused_by_a_config_without():
    learner = make()
    train(learner, make_batch(1))
    with pytest.raises(ValueError, match=r"LP641.*boundaries = true"):
        make(False).from_bytes(learner.to_bytes())
    features = custom_templates(["w[0]"])
    model = build_chain_model(features, viterbi(), passive_aggressive())
    assert get_learner(model).boundaries
