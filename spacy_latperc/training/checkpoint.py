"""Checkpoints: the weights after each epoch, so that a training can be resumed."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from spacy.util import dict_to_dot

from ..errors import Errors
from ..io.atomic import write_whole
from ..io.model_file import DAMAGED, pack, unpack
from ..learners.chain import ChainLearner
from ..learners.serialization.source_arrays import write_sources
from .reading import Job

KIND, FILE = "training checkpoint", "checkpoint.latperc"
_MOST_DIFFERENCES, _LONGEST_VALUE = 5, 60  # in a message


def identity_of(job: Job, learners: Sequence[ChainLearner]) -> dict[str, str]:
    """Return the settings, labels and sources of attributes that two trainings must
    share for one to resume the other, by names for messages."""
    found = dict_to_dot(job.nlp.config.interpolate())
    for number, learner in enumerate(learners, 1):
        found |= {
            f"label {x} of chain {number}": i for i, x in enumerate(learner.labels)
        }
    for name, component in job.components:
        for source, data in write_sources(component.learner.features.sources).items():
            found[f"{source} of {name}"] = hashlib.sha256(data.tobytes()).hexdigest()
    return {name: str(value) for name, value in found.items()}


class Checkpoint:
    """A file with the state of all learners after an epoch.

    Args:
        path: The file.
        identity: The identity of the training and its corpus.
    """

    def __init__(self, path: Path, identity: dict[str, str]):
        self.path = path
        self.identity = identity

    def save(self, epochs: int, learners: Sequence[ChainLearner]) -> None:
        """Write the state of the learners after a number of epochs, atomically."""
        states = [learner.training_state() for learner in learners]
        header: dict[str, Any] = {"kind": KIND, "identity": self.identity}
        header |= {"epochs": epochs, "chains": [state for state, _ in states]}
        arrays: dict[str, np.ndarray] = {
            f"{number}.{name}": array
            for number, (_, parts) in enumerate(states)
            for name, array in parts.items()
        }
        write_whole(self.path, pack(header, arrays))

    def resume(self, learners: Sequence[ChainLearner]) -> int:
        """Restore the learners; return the number of complete epochs, 0 without a file.

        Raises:
            ValueError: The file is damaged, or belongs to another training.
        """
        if not self.path.is_file():
            return 0
        with self._refuse_damage():
            header, arrays = unpack(self.path.read_bytes())
            if header.get("kind") != KIND:
                raise ValueError("it is not a checkpoint of a training")
            before = {name: str(x) for name, x in dict(header["identity"]).items()}
            epochs = int(header["epochs"])
        if differences := _differences(before, self.identity):
            message = Errors.LP841.format(path=self.path, differences=differences)
            raise ValueError(message)
        with self._refuse_damage():
            for number, learner in enumerate(learners):
                start = f"{number}."
                parts = {x.removeprefix(start): y for x, y in arrays.items()}
                learner.restore_training_state(header["chains"][number], parts)
        return epochs

    @contextmanager
    def _refuse_damage(self) -> Iterator[None]:
        try:
            yield
        except DAMAGED as error:
            message = Errors.LP842.format(path=self.path, error=error)
            raise ValueError(message) from error


def _differences(before: dict[str, str], now: dict[str, str]) -> str:
    """Describe the differences between two trainings; empty if there are none."""
    names = [name for name in {**now, **before} if before.get(name) != now.get(name)]
    more = len(names) - _MOST_DIFFERENCES
    said = [
        f"{name} was {before.get(name, 'absent')[:_LONGEST_VALUE]}, and is "
        f"{now.get(name, 'absent')[:_LONGEST_VALUE]}"
        for name in names[:_MOST_DIFFERENCES]
    ]
    return "; ".join([*said, *([f"{more} more"] if more > 0 else [])])
