"""Section 4 of the latent perceptron paper, in small: the plain perceptron cannot see
the cycle behind the labels, the latent one reaches the bound of the true model, and
modified averaging keeps it there."""

import numpy as np
import pytest
from builders.learners import make_batch, make_learner, train

from experiments.synthetic import cycle_model
from spacy_latperc.learners.base import Batch
from spacy_latperc.learners.perceptron import perceptron

SEQUENCES = 1000
PASSES = 30
# The paper's features; and with one that sees where a sequence begins, without which
# the first state is only known from the weights of all others.
PLAIN = ["w[0]"]
WITH_START = ["w[0]", "t[-1]"]


@pytest.fixture(scope="module", params=range(3))
def sequences(request):
    """Training and test sequences, as columns, Doc offsets and labels."""
    rng = np.random.default_rng(request.param)
    return [in_columns(cycle_model(0.9).sample(rng, SEQUENCES)) for _ in range(2)]


def in_columns(sample):
    docs = np.cumsum([0, *(len(x) for x, _ in sample)], dtype=np.int64)
    x, y = (np.concatenate(part) for part in zip(*sample, strict=True))
    # The word, no sentence starts, the same tag throughout.
    values = np.stack([x + 10, np.zeros_like(x), np.ones_like(x)], axis=1)
    values = values.astype(np.uint64)
    return values, docs, y.astype(np.int32)


def accuracies(sequences, templates, *, latent, average):
    """Compute the accuracy on the test sequences after each pass."""
    (values, docs, gold), (test_values, test_docs, expected) = sequences
    settings = perceptron(average=average, restart_every=4)
    how = {"labels": ["y1", "y2"], "latent": latent, "form": "full"}
    learner = make_learner(templates, learner=settings, **how)
    learner.start(SEQUENCES)
    blocks = learner.extract(Batch(values, docs, str))
    result = []
    for _ in range(PASSES):
        learner.update(blocks, gold)
        found = learner.predict(Batch(test_values, test_docs, str))
        result.append(100 * (found == expected).mean())
    return result


def bound_of(sequences):
    """Compute the accuracy of the true model on the test sequences."""
    _, (values, docs, gold) = sequences
    model = cycle_model(0.9)
    found = [
        model.viterbi(values[None, first:end, 0].astype(np.int64) - 10)[0]
        for first, end in zip(docs[:-1], docs[1:], strict=True)
    ]
    return 100 * (np.concatenate(found) == gold).mean()


@pytest.mark.parametrize("templates", [PLAIN, WITH_START])
def test_latent_structure_is_hidden_from_the_plain_perceptron(sequences, templates):
    found = accuracies(sequences, templates, latent=1, average="average")
    assert max(found) < 65


@pytest.mark.parametrize("average", ["average", "mavg"])
@pytest.mark.parametrize("templates", [PLAIN, WITH_START])
def test_latent_structure_is_found_by_the_latent_perceptron(
    sequences, templates, average
):
    found = accuracies(sequences, templates, latent=2, average=average)
    assert max(found) > bound_of(sequences) - 1.5


def test_latent_structure_is_kept_by_modified_averaging(sequences):
    found = accuracies(sequences, WITH_START, latent=2, average="mavg")
    assert found[-1] > max(found) - 0.5


def test_states_in_use_are_logged_after_each_epoch(caplog):
    caplog.set_level("INFO", logger="spacy.latperc")
    plain = make_learner(latent=1)
    train(plain, make_batch(1), passes=2)
    assert not caplog.records
    learner = make_learner(latent=3, learner=perceptron())
    train(learner, make_batch(1), passes=2)
    assert len(caplog.records) == 2
    message = caplog.records[-1].getMessage()
    assert message.startswith("Latent states in use, of 3: A ")
    shares = [float(part.split()[-1]) for part in message.split(": ")[1].split(", ")]
    assert len(shares) == 3 and all(1 <= share <= 3 for share in shares)
