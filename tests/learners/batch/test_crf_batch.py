"""Conditional random fields fitted to a whole pass."""

from dataclasses import replace

import numpy as np
import pytest
from builders.learners import LABELS, make_batch, make_learner, predict

from experiments.hidden_states import count, percentages, sample
from spacy_latperc.features.sets import custom_templates
from spacy_latperc.kernels.chains import Objective
from spacy_latperc.learners import ChainLearner
from spacy_latperc.learners.base import Batch
from spacy_latperc.learners.batch.crf_batch import crf_batch
from spacy_latperc.learners.batch.lbfgs import pseudo_slope
from spacy_latperc.learners.learner_settings import viterbi


def begin(settings, batch, **options):
    """A learner that has extracted an epoch and waits for it."""
    learner = make_learner(learner=settings, **options)
    blocks = learner.extract(batch)
    learner.start(sum(block.n_sentences for block in blocks), keep_features=True)
    return learner, blocks


def fit(settings, batch, **options):
    learner, blocks = begin(settings, batch, **options)
    loss, _ = learner.update(blocks, batch.gold)
    return learner, blocks, loss


def slope_at_the_weights(learner, blocks, gold, *, l2):
    objective = Objective(learner.space, learner._structure, blocks, gold)
    w, slope = np.zeros(objective.n_pairs), np.empty(objective.n_pairs)
    for b in range(len(learner.plan.blocks)):
        objective.set_rows(b, w, *learner.freeze().export(b))
    objective.evaluate(w, slope)
    return w, slope + l2 * w


def test_crf_batch_learns_what_labels_depend_on_and_the_slope_vanishes():
    batch = make_batch(1, docs=30)
    learner, _, _ = fit(crf_batch(l2=0.1), batch)
    assert predict(learner, batch) == batch.gold.tolist()
    batch = make_batch(2, noise=0.2)
    learner, blocks, _ = fit(crf_batch(l2=0.5, tolerance=1e-9), batch)
    _, slope = slope_at_the_weights(learner, blocks, batch.gold, l2=0.5)
    assert np.abs(slope).max() < 1e-3


def test_crf_batch_l1_minimum_has_no_way_down_and_exact_zeros():
    """Karush, Kuhn and Tucker."""
    batch = make_batch(3, noise=0.2)
    settings = crf_batch(l1=0.5, l2=0.0, tolerance=1e-10, max_iterations=2000)
    learner, blocks, _ = fit(settings, batch)
    w, slope = slope_at_the_weights(learner, blocks, batch.gold, l2=0.0)
    assert 0 < np.count_nonzero(w) < 0.7 * w.size
    assert np.abs(pseudo_slope(w, slope, 0.5)).max() < 5e-3


@pytest.mark.parametrize("form", ["tied", "full"])
@pytest.mark.parametrize("order", [1, 2])
def test_crf_batch_latent_values_say_more(form, order):
    """The DPLVM: labels depend on the word before, which hidden values can remember."""
    batch = make_batch(5, docs=30)
    settings = crf_batch(l2=0.05, max_iterations=100)
    options = {"templates": ["w[0]"], "order": order}
    _, _, plain = fit(settings, batch, **options)
    _, _, latent = fit(settings, batch, latent=2, form=form, **options)
    assert latent < 0.95 * plain


def test_crf_batch_finds_the_hidden_cycle_behind_labels():
    """Sun et al. 2009, Figure 3 at P = 0.9: DPLVMs 84.9 %, CRFs 63.4 %."""
    rng = np.random.default_rng(0)
    train, test = (sample(0.9, rng, n) for n in (600, 300))
    found = {}
    for latent in (1, 2):
        features = custom_templates(["w[0]"], latent_form="full")
        learner = ChainLearner(features, crf_batch(l2=1.0), viterbi(), latent=latent)
        learner.set_labels(["y1", "y2"])
        learner.start(600)
        learner.update(learner.extract(Batch(train[0], train[1], str)), train[2])
        found[latent], _ = percentages(count(learner, test))
    assert found[1] < 70 < 80 < found[2]


def test_crf_batch_tokens_without_labels_are_summed_over_and_sets_count():
    batch = make_batch(6, docs=100)
    hidden = np.random.default_rng(0).random(len(batch.gold)) < 0.5
    partly = replace(batch, gold=np.where(hidden, -1, batch.gold).astype(np.int32))
    learner, _, _ = fit(crf_batch(l2=0.1), partly)
    found = np.array(predict(learner, batch))
    assert (found == batch.gold)[hidden].mean() > 0.95
    batch = make_batch(7)
    learner, blocks = begin(crf_batch(l2=0.1), batch)
    code = learner.label_set(np.array([True, True, False]))
    gold = np.where(batch.gold == 2, 2, code).astype(np.int32)
    learner.update(blocks, gold)
    found = np.array(predict(learner, batch))
    assert ((found == 2) == (batch.gold == 2)).all()


def test_crf_batch_learns_in_the_first_pass_only():
    batch = make_batch(8)
    learner = make_learner(learner=crf_batch())
    blocks = [block for block in learner.extract(batch) if block.n_tokens]
    sizes = [block.n_sentences for block in blocks]
    golds = np.split(batch.gold, np.cumsum([block.n_tokens for block in blocks]))
    learner.start(sum(sizes), keep_features=True)
    losses = []
    saved = set()
    for _ in range(3):
        of_pass = 0.0
        for block, gold in zip(blocks, golds, strict=False):
            of_pass += learner.update([block], gold)[0]
        losses.append(of_pass)
        saved.add(learner.freeze().export(0)[3].tobytes())
    assert len(saved) == 1
    assert losses == pytest.approx([losses[0]] * 3)
    assert learner.examples == 3 * sum(sizes)


def test_crf_batch_answers_before_the_pass_and_reports_iterations(caplog):
    caplog.set_level("INFO", logger="spacy.latperc")
    batch = make_batch(9)
    learner = make_learner(learner=crf_batch())
    blocks = learner.extract(batch)
    learner.start(0, keep_features=True)
    with pytest.raises(ValueError, match="LP060.*crf_batch"):
        learner.update(blocks, batch.gold)
    blocks = learner.extract(batch)
    learner.start(10**6, keep_features=True)
    assert learner.update(blocks, batch.gold) == (0.0, [])
    assert len(predict(learner, batch)) == len(batch.gold)
    assert learner.to_bytes()
    assert "nothing was learned yet" in caplog.text
    caplog.clear()
    fit(crf_batch(), make_batch(16))
    messages = [record.message for record in caplog.records]
    assert "pairs of features and labels" in messages[0]
    assert messages[1].startswith("iteration 1: loss ")
    assert "iterations" in messages[-1]
    transitions = np.ones((len(LABELS), len(LABELS)), dtype=bool)
    transitions[0, 1] = False
    learner, blocks = begin(crf_batch(), batch, rules={"transitions": transitions})
    loss, impossible = learner.update(blocks, batch.gold)
    assert np.isfinite(loss) and impossible  # named and left out


def test_crf_batch_goes_on_from_saved_weights():
    batch = make_batch(10, noise=0.1)
    learner, _, loss = fit(crf_batch(l2=0.5, tolerance=1e-8), batch)
    copy = make_learner(learner=crf_batch(l2=0.5, max_iterations=1))
    copy.from_bytes(learner.to_bytes())
    assert predict(copy, batch) == predict(learner, batch)
    again, _ = copy.update(copy.extract(batch), batch.gold)
    assert again == pytest.approx(loss, rel=1e-5)


@pytest.mark.parametrize("latent", [1, 2])
def test_crf_batch_order_of_extraction_does_not_matter(latent):
    """Examples may be read in one order and learned from in another."""
    batch = make_batch(11, noise=0.1)
    saved = []
    for others_first in (False, True):
        learner = make_learner(learner=crf_batch(), latent=latent)
        if others_first:
            other = make_batch(12)
            learner.extract(other)
        blocks = learner.extract(batch)
        learner.start(sum(block.n_sentences for block in blocks), keep_features=True)
        learner.update(blocks, batch.gold)
        saved.append(learner.to_bytes())
    assert saved[0] == saved[1]


def test_crf_batch_stopped_by_hand_keeps_the_weights(monkeypatch):
    def interrupt(_, at):
        if at.number == 3:
            raise KeyboardInterrupt

    whole = fit(crf_batch(l2=0.1), make_batch(13))[2]
    reporter = "spacy_latperc.learners.batch.crf_batch._Reporter.__call__"
    monkeypatch.setattr(reporter, interrupt)
    learner, _, loss = fit(crf_batch(l2=0.1), make_batch(13))
    assert np.isfinite(loss) and loss > whole


class LosingCount(Objective):
    """Its third evaluation goes wrong at the second sentence."""

    evaluations = 0

    def evaluate(self, w, slope):
        LosingCount.evaluations += 1
        found = super().evaluate(w, slope)
        return (np.nan, 1) if LosingCount.evaluations == 3 else found


def test_crf_batch_not_finite_names_the_sentence_and_keeps_the_weights(monkeypatch):
    monkeypatch.setattr("spacy_latperc.learners.batch.crf_batch.Objective", LosingCount)
    batch = make_batch(14)
    learner, blocks = begin(crf_batch(), batch)
    with pytest.raises(ValueError, match="LP061.* sentence 2 of the epoch"):
        learner.update(blocks, batch.gold)
    assert learner.freeze().n_rows[0] > 0
    assert learner.update(blocks, batch.gold)[0] > 0


@pytest.mark.parametrize("latent", [1, 2])
@pytest.mark.parametrize("shards", [2, 3, 50])
def test_crf_batch_parts_of_the_objective_add_up(shards, latent):
    batch = make_batch(15, noise=0.2)
    learner = make_learner(latent=latent)
    blocks = learner.extract(batch)
    gold = np.where(np.arange(len(batch.gold)) % 5, batch.gold, -1).astype(np.int32)
    found = []
    given = (learner.space, learner._structure, blocks, gold)
    for n in (1, shards):
        parts = [Objective(*given, share=share, shares=n) for share in range(n)]
        w = np.random.default_rng(3).normal(size=parts[0].n_pairs)
        slopes = np.full((n, len(w)), np.nan)
        losses = [x.evaluate(w, slope) for x, slope in zip(parts, slopes, strict=True)]
        assert all(bad == -1 for _, bad in losses)
        sizes = [(x.n_sentences, x.n_tokens) for x in parts]
        loss, slope = sum(loss for loss, _ in losses), slopes.sum(axis=0)
        found.append((loss, slope, *np.sum(sizes, axis=0)))
    assert found[1][0] == pytest.approx(found[0][0], rel=1e-12)
    np.testing.assert_allclose(found[1][1], found[0][1], rtol=0, atol=1e-9)
    assert found[1][2:] == found[0][2:]
