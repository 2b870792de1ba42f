"""The learner of latent classifiers, without spaCy."""

import numpy as np
import pytest
from builders.classifiers import FIVE, begin, make_classifier, make_sentences, trained
from builders.learners import make_learner
from builders.widths import both_widths

from spacy_latperc.grammaticality.classifier import OneClassError
from spacy_latperc.grammaticality.classifier import classifier_learner as module
from spacy_latperc.grammaticality.classifier.lclr import lclr
from spacy_latperc.grammaticality.classifier.online import latent_pa
from spacy_latperc.kernels.chains import Question
from spacy_latperc.learners.base import Batch


@pytest.mark.parametrize("combine", ["add", "vote", "cotrain"])
def test_latent_classifier_contributions_sum_to_the_score(combine):
    """And the chunkings of all views are valid."""
    classifier, batch, _ = trained(schemes=FIVE, combine=combine)
    found = classifier.predict(batch)
    parts = classifier.contributions(classifier.read(batch), found.labels)
    sums = np.add.reduceat(parts, found.bounds[:-1])
    np.testing.assert_allclose(sums, found.scores, atol=1e-5)
    for inventory, labels in zip(classifier.inventories, found.labels, strict=True):
        for start, end in zip(found.bounds[:-1], found.bounds[1:], strict=True):
            names = [inventory.labels[label] for label in labels[start:end]]
            assert inventory.scheme.first_invalid(names) is None


def test_latent_classifier_of_16_bits_scores_nearly_the_same():
    classifier, batch, _ = trained()
    wanted = classifier.predict(batch).scores
    loaded = make_classifier().from_bytes(classifier.to_bytes(bits=16))
    np.testing.assert_allclose(loaded.predict(batch).scores, wanted, atol=1e-3)
    for other in ({"types": ("NP",)}, {"schemes": ("IOE2",)}):
        with pytest.raises(ValueError, match="LP026"):
            make_classifier(**other).from_bytes(classifier.to_bytes())


def test_latent_classifier_needs_both_classes():
    with pytest.raises(OneClassError, match="LP436"):
        make_classifier().start(10, 0)
    classifier = make_classifier(lclr())
    batch, gold = make_sentences(1)
    blocks = begin(classifier, batch, gold)
    with pytest.raises(OneClassError, match="LP436"):
        classifier.update(blocks, np.abs(gold))
    classifier = make_classifier()
    blocks = begin(classifier, batch, gold)
    assert classifier.update(blocks, np.zeros_like(gold)).examples == 0


@pytest.mark.parametrize("n", [0, 1, 100_000])
def test_latent_classifier_takes_sentences_of_any_length(n):
    classifier, batch, _ = trained(schemes=("IOB2", "IOE1"), combine="vote")
    values = np.resize(batch.values, (n, batch.values.shape[1]))
    values[:, 1] = 0
    batch = Batch(values, np.array([0, n]), batch.lookup)
    classifier.update(classifier.extract(batch), np.full(min(n, 1), -1, np.int8))
    found = classifier.predict(batch)
    assert found.labels.shape == (2, n)
    assert np.isfinite(found.scores).all()


def test_latent_classifier_hashes_features_into_a_table():
    classifier, batch, gold = trained(hash_bits=8, templates=["w[0]", "w[-1]|w[0]"])
    assert max(classifier.n_rows[0]) <= 256
    assert len(classifier.predict(batch).scores) == len(gold)
    classifier, batch, _ = trained(types=())
    assert not classifier.predict(batch).labels.any()


def test_latent_classifier_averages_from_the_pass_that_is_named():
    settings = latent_pa(variant="PA", average_from=3)
    for passes in (2, 4):
        late, batch, _ = trained(settings, passes=passes)
        never, _, _ = trained(passes=passes)
        same = late.predict(batch).scores == never.predict(batch).scores
        assert same.all() == (passes < 3)


def test_latent_classifier_begins_with_the_weights_of_a_chunker():
    classifier = make_classifier(schemes=("IOB2",))
    batch, gold = make_sentences(1)
    begin(classifier, batch, gold)
    labels = classifier.inventories[0].labels
    chunker = make_learner(["w[0]", "w[-1]"], labels=labels)
    tags = np.arange(len(batch.values), dtype=np.int32) % len(labels)
    chunker.update(chunker.extract(batch), tags)
    classifier.start_from(chunker, limit=0.1)
    weights = classifier.freeze().chains[0].export(0)[3]
    assert np.abs(weights).max() == pytest.approx(0.1)
    with pytest.raises(ValueError, match="LP432"):
        classifier.start_from(make_learner())


def test_latent_classifier_noise_parts_twin_views():
    for noise in (0.0, 1e-3):
        settings = latent_pa(variant="PA", noise=noise)
        classifier, batch, _ = trained(settings, schemes=("IOB2", "IOB2"))
        first, second = classifier.predict(batch).by_view
        assert (first == second).all() == (noise == 0)


def test_latent_classifier_features_below_the_cut_off_are_not_learned():
    classifier = make_classifier(min_count=10_000)
    batch, gold = make_sentences(1)
    classifier.extract(batch, count=True)
    classifier.start(1, 1, keep_features=True)
    progress = classifier.update(classifier.extract(batch), gold)
    assert progress.updates == 0
    assert progress.capped == progress.negatives


GROUPED = ["w[-1]", "w[0]", "o[-1]", "o[0]", "o[-1]|o[0]"]  # those of o are


def live_answers(classifier, read, monkeypatch):
    """Predict by trainable rows, which must agree with frozen ones."""
    monkeypatch.setattr(module, "TOKENS_PER_ROW", 0)
    live = classifier._predict_live(read)
    assert live is not None
    asked = Question(classifier.space, read.attrs, read.bounds)
    frozen = classifier.freeze().predict(asked)
    for ours, theirs in zip(live, frozen, strict=True):
        assert ours.tobytes() == theirs.tobytes()
    return live


@pytest.mark.parametrize("combine", ["add", "vote", "cotrain"])
@pytest.mark.parametrize("settings", [latent_pa(), latent_pa(average_from=1)])
def test_classifier_rows_that_learn_answer_as_frozen_ones(
    combine, settings, monkeypatch
):
    how = {"schemes": FIVE, "combine": combine, "templates": GROUPED}
    classifier, batch, gold = trained(settings, **how)
    read = classifier.read(batch)
    live_answers(classifier, read, monkeypatch)
    assert classifier._predict_live(read) is None  # they are written out now
    classifier.update(classifier.extract(batch), gold)
    monkeypatch.setattr(module, "TOKENS_PER_ROW", 10**9)
    assert classifier._predict_live(read) is None  # it would cost more


# Rows of 4 to 136 floats: every way of adding them up in vectors.
@pytest.mark.parametrize("types", [0, 1, 3, 5, 7, 11, 14, 17, 33])
@pytest.mark.parametrize("average_from", [0, 1])
def test_classifier_rows_of_any_width_answer_as_frozen_ones(
    types, average_from, monkeypatch
):
    answers, settings = [], latent_pa(average_from=average_from)
    how = {"schemes": ["IOB2", "O+C"], "types": [f"T{n}" for n in range(types)]}
    for _ in both_widths():
        made = trained(settings, **how, templates=GROUPED, passes=1)
        classifier, batch, _ = made
        live = live_answers(classifier, classifier.read(batch), monkeypatch)
        answers.append(b"".join(part.tobytes() for part in live))
    assert len(set(answers)) == 1
