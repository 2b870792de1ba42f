"""What was learned so far, after each pass: training can go on after a failure."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language

from ..errors import Errors
from ..io.atomic import write_whole
from ..io.model_file import DAMAGED, pack, unpack
from ..learners.chain import ChainLearner
from ..learners.mixing import Mixing

KIND = "training checkpoint"
FILE = "checkpoint.latperc"


class Checkpoint:
    """A file that knows all that the learners know when a pass is over.

    Args:
        path: The file.
        nlp: The pipeline that is trained.
        shards: In how many its corpus is dealt.
        mixing: How and how often these are mixed.
    """

    def __init__(self, path: Path, nlp: Language, shards: int, mixing: Mixing):
        self.path = path
        rounds = mixing.rounds_of(shards)
        text = f"{nlp.config.to_str()}\n{shards} shards, {mixing.kind}, {rounds} rounds"
        self._mark = hashlib.sha256(text.encode("utf8")).hexdigest()

    @staticmethod
    def can(learners: Sequence[ChainLearner]) -> bool:
        """Whether passes teach them something one after the other."""
        return not any(learner.settings.whole_pass for learner in learners)

    def save(self, passes: int, learners: Sequence[ChainLearner]) -> None:
        """Write what they know after so many passes; the file changes in one step."""
        header: dict[str, Any] = {"kind": KIND, "training": self._mark}
        header |= {"passes": passes, "chains": []}
        arrays: dict[str, np.ndarray] = {}
        for number, learner in enumerate(learners):
            known, parts = learner.state_of_shards()
            header["chains"].append(known)
            arrays |= {f"{number}.{name}": part for name, part in parts.items()}
        write_whole(self.path, pack(header, arrays))

    def resume(self, learners: Sequence[ChainLearner]) -> int:
        """Let the learners know what the file says.

        Returns:
            After how many passes it was written; 0, and nothing is done, without one.

        Raises:
            ValueError: It is of another training, or damaged.
        """
        if not self.path.is_file():
            return 0
        try:
            header, arrays = unpack(self.path.read_bytes())
        except ValueError as error:
            message = Errors.LP842.format(path=self.path, error=error)
            raise ValueError(message) from error
        if header.get("kind") != KIND or header.get("training") != self._mark:
            raise ValueError(Errors.LP841.format(path=self.path))
        try:
            for number, learner in enumerate(learners):
                start = f"{number}."
                parts = {
                    name.removeprefix(start): part
                    for name, part in arrays.items()
                    if name.startswith(start)
                }
                learner.go_on_from(header["chains"][number], parts)
            return int(header["passes"])
        except DAMAGED as error:
            message = Errors.LP842.format(path=self.path, error=error)
            raise ValueError(message) from error
