"""A judge as a filter of datatrove.

    python examples/datatrove_filter.py JUDGE INPUT OUTPUT

Requires `pip install datatrove[io,processing]`. JUDGE is a pipeline of `latperc judge
train`; INPUT and OUTPUT are folders of JSONL files.
"""

import sys

from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
from datatrove.pipeline.writers.disk_base import DiskWriter

from spacy_latperc.judge.filter.filter_scores import LineScorer, ScoringSettings


class JudgeFilter(BaseFilter):
    """Keeps documents most of whose sentences are good.

    Args:
        model: The folder of a judge.
        share: The smallest share of good sentences.
        exclusion_writer: Writes the other documents.
        batch_size: The number of documents that are scored together.
    """

    name = "latperc judge"

    def __init__(
        self,
        model: str,
        share: float = 0.5,
        exclusion_writer: DiskWriter | None = None,
        batch_size: int = 1000,
    ):
        super().__init__(exclusion_writer, batch_size)
        self.model, self.share = model, share
        self._scorer: LineScorer | None = None  # loaded by the worker

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Return True for a document that is kept."""
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: list[Document]) -> list[bool | tuple[bool, str]]:
        """Score documents, and write their scores into their metadata."""
        if self._scorer is None:
            self._scorer = LineScorer(ScoringSettings(self.model, documents=True))
        found: list[bool | tuple[bool, str]] = []
        verdicts = self._scorer([doc.text for doc in batch])
        for doc, verdict in zip(batch, verdicts, strict=True):
            if verdict.problem:
                raise ValueError(f"{doc.id}: {verdict.problem}")
            doc.metadata["good_sentences"] = verdict.score
            found.append(verdict.score >= self.share or (False, "judge"))
        return found


def main(model: str, source: str, target: str) -> None:
    steps = [JsonlReader(source), JudgeFilter(model), JsonlWriter(target)]
    LocalPipelineExecutor(steps, logging_dir=f"{target}/logs").run()


if __name__ == "__main__":
    main(*sys.argv[1:])
