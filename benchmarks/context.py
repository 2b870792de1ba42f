"""The context of a section: corpora, settings, measurements, trained models."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .corpora import BenchCorpus, Corpora
from .process import Measurements, Result, Task

BASE = "base chunker"


@dataclass(frozen=True)
class Bench:
    """One run of the bench.

    peer, nltk: whether CRFsuite and NLTK are there.
    epochs, limit, passes: passes over the training data, sentences of it (0: all), and
        passes over the test data when tagging is timed.
    """

    corpora: Corpora
    measurements: Measurements
    scratch: Path
    peer: bool
    nltk: bool
    epochs: int
    limit: int
    passes: int

    def take(
        self, tasks: Mapping[str, Task], *, runs: int | None = None
    ) -> dict[str, list[Result]]:
        return self.measurements.take(tasks, runs=runs)

    # Tasks that more than one section wants -----------------------------------------

    def fit(self, kind: str = BASE) -> Task:
        """Train directly and save under the name of the kind."""
        entities = kind == "ner" and self.corpora.entities
        settings = {**self._learning(entities or self.corpora.chunks), "kind": kind}
        return Task("training.direct", {**settings, "output": str(self.model(kind))})

    def crfsuite(self) -> Task:
        """Train CRFsuite."""
        settings = self._learning(self.corpora.chunks)
        output = str(self.model("crfsuite"))
        return Task("crfsuite.train", {**settings, "output": output})

    def kernel(self) -> Task:
        """Learning alone."""
        return Task("training.kernel", self._learning(self.corpora.chunks))

    def _learning(self, corpus: BenchCorpus) -> dict[str, Any]:
        return {"corpus": asdict(corpus), "epochs": self.epochs, "limit": self.limit}

    # Models -------------------------------------------------------------------------

    def model(self, name: str) -> Path:
        """The path of a saved model."""
        return self.scratch / name.replace(" ", "-")

    def make(self, *kinds: str) -> None:
        """Train the models of these kinds that are not there yet; "crfsuite" is one."""
        for kind in kinds:
            if not self.model(kind).exists():
                task = self.crfsuite() if kind == "crfsuite" else self.fit(kind)
                self.take({f"model: {kind}": task}, runs=1)


def values(results: Sequence[Result], key: str) -> list[Any]:
    """One figure of each run."""
    return [result[key] for result in results]


def ratios(above: Sequence[float], below: Sequence[float]) -> list[float]:
    """Run by run: neighbours in time are compared with each other."""
    return [a / b for a, b in zip(above, below, strict=True)]
