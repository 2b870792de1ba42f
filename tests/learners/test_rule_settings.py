"""Settings of the learners that have more of them than the perceptron."""

import pytest
from builders.learners import make_batch, make_learner, predict, train

from spacy_latperc.learners.learner_settings import InverseDecay
from spacy_latperc.learners.mira import mira
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.learners.perceptron import perceptron
from spacy_latperc.learners.probabilistic import probabilistic_perceptron

LEARNERS = {
    "PA": passive_aggressive(variant="PA"),
    "PA-I": passive_aggressive(C=0.5),
    "PA-II": passive_aggressive(C=0.5, variant="PA-II"),
    "MIRA": mira(C=0.5),
    "MIRA without a cap": mira(n=3, C=None),
    "log-linear": probabilistic_perceptron(learn_rate=0.5),
    "linear": probabilistic_perceptron(form="linear", learn_rate=0.5),
    "polynomial": probabilistic_perceptron(form="polynomial", learn_rate=0.5),
    "expected states": perceptron(states="expected", temperature=1.0),
    "AdaGrad": probabilistic_perceptron(step="adagrad", learn_rate=0.1),
}


@pytest.mark.parametrize("latent", [1, 2])
@pytest.mark.parametrize("name", LEARNERS)
def test_rule_settings_learner_learns(name, latent):
    batch = make_batch(3)
    learner = make_learner(learner=LEARNERS[name], latent=latent)
    losses = train(learner, batch, passes=20)
    assert losses[-1] < 0.5 * losses[0]
    assert predict(learner, batch) == batch.gold.tolist()


@pytest.mark.parametrize("average", ["none", "average", "mavg"])
@pytest.mark.parametrize(
    "make", [mira, passive_aggressive, perceptron, probabilistic_perceptron]
)
def test_rule_settings_averages_are_passed_on(make, average):
    settings = make(average=average, restart_every=3)
    assert settings.average == average
    assert settings.restart_every == (3 if average == "mavg" else 0)
    if make in (perceptron, passive_aggressive):
        assert (make().average, make().restart_every) == ("average", 0)
        assert make().epoch_size is None


def test_rule_settings_probabilistic_rate_falls_by_passes():
    # 0.1 / (1 + t / |S|), of t examples seen and |S| in a pass.
    settings = probabilistic_perceptron()
    assert settings.learn_rate == InverseDecay(0.1)
    assert settings.rates(8, 2, 8).tolist() == pytest.approx([0.05, 0.1 / (1 + 9 / 8)])
