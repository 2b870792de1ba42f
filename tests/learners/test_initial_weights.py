"""Beginning from the weights of another model."""

import re

import numpy as np
import pytest
from builders.learners import LABELS, make_batch, make_learner, predict, train

from spacy_latperc.learners.initial_weights import begin_from
from spacy_latperc.learners.perceptron import perceptron

BATCH = make_batch(1, docs=30)
OTHER = make_batch(2, docs=60)
TEMPLATES = ("w[0]", "w[-1]|w[0]", "suf1[0]", "t[0]", "edge:t[0]")
FEW = ("w[0]", "t[0]")


def trained(templates=TEMPLATES, **settings):
    learner = make_learner(templates, **settings)
    train(learner, BATCH, passes=4)
    return learner


def begun(source, templates=TEMPLATES, **settings):
    learner = make_learner(templates, **settings)
    begin_from(learner, source, where="elsewhere")
    return learner


def names(learner, batch):
    return [learner.labels[label] for label in predict(learner, batch)]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ({}, {"labels": ["B", "C", "A"]}),
        ({"templates": FEW}, {}),
        ({"templates": FEW, "order": 0}, {"templates": FEW, "order": 2}),
        *(
            ({"latent": few, "form": form}, {"latent": many, "form": form})
            for few, many in [(1, 1), (1, 2), (1, 3), (2, 2), (2, 4)]
            for form in ("tied", "full")
        ),
    ],
    ids=str,
)
def test_warm_start_predicts_like_the_source(source, target):
    learner = trained(**source)
    assert names(begun(learner, **target), OTHER) == names(learner, OTHER)


@pytest.mark.parametrize("latent", [1, 2])
def test_warm_start_tied_rows_become_full_ones(latent):
    source = trained(latent=latent, form="tied")
    target = begun(source, latent=2, form="full")
    same = np.array(names(target, OTHER)) == np.array(names(source, OTHER))
    assert same.mean() > 0.99  # sums are rounded in another order


def test_warm_start_copies_every_cell():
    source = trained(FEW, latent=1, order=1)
    target = begun(source, FEW, latent=2, order=1, form="full")
    for b in range(2):
        keys, sizes, cells, values = source.freeze().export(b)
        wide = target.freeze().export(b)
        assert wide[0].tolist() == keys.tolist()
        assert wide[1].tolist() == (sizes * 2 ** (b + 1)).tolist()
        assert set(wide[3].tolist()) == set(values.tolist())


@pytest.mark.parametrize("form", ["tied", "full"])
@pytest.mark.parametrize("order", [0, 1])
def test_warm_start_tells_latent_states_apart(form, order):
    """Copies alone would learn the same for ever."""
    target = begun(trained(FEW, order=order), FEW, latent=2, order=order, form=form)
    train(target, make_batch(5, noise=0.3), passes=4)
    b = [k for k, (_, latent, _) in enumerate(target.plan.blocks) if latent][-1]
    _, sizes, cells, values = target.freeze().export(b)
    states = target.freeze().structure.unpack(b, cells)[2]
    rows = np.repeat(np.arange(len(sizes)), sizes)
    dense = np.zeros((len(sizes), 2 * len(LABELS)))
    np.add.at(dense, (rows, states), values)
    assert (dense[:, ::2] != dense[:, 1::2]).any()


def test_warm_start_learns_in_fewer_mistakes():
    cold, warm = make_learner(), begun(trained())
    again = make_batch(7, docs=30)
    assert train(warm, again, passes=1)[0] < 0.7 * train(cold, again, passes=1)[0]


def test_warm_start_counts_and_averages_from_now():
    source = trained(learner=perceptron())
    target = begun(source, learner=perceptron())
    assert target.examples == 0
    train(target, BATCH, passes=1)
    assert 0 < target.examples < source.examples


def test_warm_start_weights_are_frequent_enough():
    target = begun(trained(), min_count=5)
    assert names(target, OTHER) == names(trained(), OTHER)
    train(target, make_batch(4, noise=0.5), passes=1)


def refused(code, *parts):
    message = ".*".join(re.escape(part) for part in (f"[{code}]", *parts))
    return pytest.raises(ValueError, match=message)


@pytest.mark.parametrize(
    ("code", "parts", "source", "target"),
    [
        ("LP095", ["elsewhere", "B, C"], {}, {"labels": ["A"]}),
        ("LP096", ["suf1[0], edge:tag[0]"], {}, {"templates": (*FEW, TEMPLATES[1])}),
        ("LP096", ["edge:bias"], {"templates": FEW}, {"templates": FEW, "order": 0}),
        ("LP096", ["tri:bias"], {"order": 2}, {}),
        ("LP097", ["latent is 3 there and 2 here"], {"latent": 3}, {"latent": 2}),
    ],
)  # fmt: skip
def test_warm_start_refuses_what_does_not_fit(code, parts, source, target):
    learner = make_learner(**{"templates": TEMPLATES, **target})
    before = learner.to_bytes()
    with refused(code, *parts):
        begin_from(learner, trained(**source), where="elsewhere")
    assert learner.to_bytes() == before
