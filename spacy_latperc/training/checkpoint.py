"""Checkpoints: the weights after each epoch, so that a training can be resumed."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import Errors
from ..io.atomic import write_whole
from ..io.model_file import DAMAGED, pack, unpack
from ..learners.chain import ChainLearner
from .reading import Job, Stub

KIND, FILE = "training checkpoint", "checkpoint.latperc"
OTHER = "it belongs to a run with another corpus, config or number of workers"


def identity_of(job: Job, learners: Sequence[ChainLearner], corpus: str) -> str:
    """Return a hash of all that two trainings must share for one to resume the other:
    settings, labels, and the features and gold of the corpus."""
    config = job.nlp.config.interpolate().to_str()
    labels = [learner.labels for learner in learners]
    return hashlib.sha256(repr([config, corpus, labels]).encode()).hexdigest()


def fingerprint(stubs: Sequence[Stub], spaces: Sequence[Any]) -> str:
    """Return a hash of the features and the gold of some examples."""
    found = hashlib.sha256()
    for stub in stubs:
        for part in (*(block.to_bytes() for block in stub.features), *stub.gold):
            found.update(part)
    for space in spaces:  # the blocks have numbers of features
        numbers = np.arange(1, space.n_features + 1, dtype=np.int32)
        found.update(space.keys_of(numbers).tobytes())
    return found.hexdigest()


class Checkpoint:
    """A file with the state of all learners after an epoch."""

    def __init__(self, path: Path, identity: str):
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
        try:
            header, arrays = unpack(self.path.read_bytes())
            if header.get("kind") != KIND:
                raise ValueError("it is not a checkpoint of a training")
            if header["identity"] != self.identity:
                raise ValueError(OTHER)
            epochs = int(header["epochs"])
            for number, learner in enumerate(learners):
                start = f"{number}."
                parts = {x.removeprefix(start): y for x, y in arrays.items()}
                learner.restore_training_state(header["chains"][number], parts)
        except DAMAGED as error:
            message = Errors.LP842.format(path=self.path, error=error)
            raise ValueError(message) from error
        return epochs
