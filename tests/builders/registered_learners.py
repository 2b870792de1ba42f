"""Every learner that is registered, with a toy task for it. A new learner takes part in
the contract tests by being registered. Those that are for parsers alone take part in
the tests of the parser.

In the folder `tests`, `python -m builders.registered_learners` prints what each of them
learns, as digests.
"""

import hashlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from builders.learners import LABELS, GoldBatch, make_batch
from spacy_latperc.features.sets import custom_templates
from spacy_latperc.grammaticality.classifier import ClassifierSettings
from spacy_latperc.learners.learner_settings import LearnerSettings, viterbi
from spacy_latperc.learners.members import Member
from spacy_latperc.model import (
    build_chain_model,
    build_latent_classifier,
    get_classifier,
    get_learner,
)

PREFIX = "spacy_latperc."
# What a hidden Markov model can read too.
TEMPLATES = ["bias", "w[0]", "is_space[-1]"]


def task(seed: int) -> tuple[GoldBatch, NDArray[np.int8]]:
    """Docs with labels, and a class for each of their sentences: which of two halves of
    the words it has more of."""
    batch = make_batch(seed)
    starts = np.flatnonzero(batch.values[:, 1] == 1)
    side = np.where(batch.values[:, 0] & np.uint64(1), 1, -1)
    return batch, np.where(np.add.reduceat(side, starts) < 0, -1, 1).astype(np.int8)


@dataclass(frozen=True)
class Learner:
    """A registered learner with some settings.

    members: whether a second chain joins the first.
    """

    name: str
    factory: Callable
    settings: dict[str, Any] = field(default_factory=dict)
    members: bool = False

    def __str__(self) -> str:
        text = [self.name, *(f"{k}={v}" for k, v in self.settings.items())]
        return "-".join(text + ["members"] * self.members)

    @property
    def is_chain(self) -> bool:
        return get_type_hints(self.factory)["return"] is LearnerSettings

    def make(self, templates: Sequence[str] = TEMPLATES, **options: Any) -> Any:
        """A learner that has learned nothing. options: of the model."""
        features = custom_templates(list(templates))
        settings = self.factory(**self.settings)
        if not self.is_chain:
            model = build_latent_classifier(features, settings, **options)
            return get_classifier(model)
        if self.members:
            other = Member(custom_templates(["w[0]", "w[1]"]), settings, 0.5)
            options["members"] = {"other": other}
        learner = get_learner(
            build_chain_model(features, viterbi(), settings, **options)
        )
        learner.set_labels(LABELS)
        return learner

    def learn(self, learner: Any, *, passes: int = 3, seed: int = 1) -> None:
        """Learn a toy task from the start."""
        batch, classes = task(seed)
        n = len(classes)
        if self.is_chain:
            learner.start(n)
        else:
            learner.start(int((classes > 0).sum()), int((classes < 0).sum()))
        self.go_on(learner, passes=passes, seed=seed)

    def go_on(self, learner: Any, *, passes: int = 2, seed: int = 1) -> None:
        batch, classes = task(seed)
        gold = batch.gold if self.is_chain else classes
        for _ in range(passes):
            learner.update(learner.extract(batch), gold)

    def answers(self, learner: Any, *, seed: int = 1) -> np.ndarray:
        """Predict for each token, or with a classifier for each sentence."""
        batch, _ = task(seed)
        found = learner.predict(batch)
        return found if self.is_chain else found.scores

    def share_right(self, learner: Any, *, seed: int = 1) -> float:
        batch, classes = task(seed)
        found = self.answers(learner, seed=seed)
        if not self.is_chain:
            return float((np.sign(found) == classes).mean())
        return float((found == batch.gold).mean())


def is_for_parsers_alone(settings: Any) -> bool:
    """Check whether a learner refuses to learn any chain."""
    if settings.epoch_trainer is not None:  # it has no rule
        return False
    try:
        settings.make_rule()
    except ValueError as error:
        return "[LP813]" in str(error)
    return False


def registered() -> tuple[list[Learner], list[str]]:
    """The learners of the entry points, as they are by default, and those kinds that a
    setting makes; and the names of those that are for parsers alone."""
    found, of_parsers = [], []
    ours = [x for x in entry_points(group="spacy_misc") if x.name.startswith(PREFIX)]
    for entry in sorted(ours, key=lambda x: x.name):
        factory = entry.load()
        made = get_type_hints(factory).get("return")
        if made is LearnerSettings and is_for_parsers_alone(factory()):
            of_parsers.append(entry.name)
        elif made in (LearnerSettings, ClassifierSettings):
            name = entry.name.removeprefix(PREFIX)
            found.append(Learner(name, factory))
            if name == "Perceptron.v1":
                found.append(Learner(name, factory, members=True))
    return found, of_parsers


LEARNERS, PARSER_LEARNERS = registered()


def digest(learner: Learner) -> str:
    """Hash everything that a learner has learned."""
    made = learner.make()
    learner.learn(made)
    return hashlib.sha256(made.to_bytes()).hexdigest()


if __name__ == "__main__":
    for each in LEARNERS:
        sys.stdout.write(f"{each} {digest(each)}\n")
