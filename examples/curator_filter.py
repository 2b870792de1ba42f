"""A judge as a filter of NeMo Curator.

    from nemo_curator.stages.text.filters import ScoreFilter
    pipeline.add_stage(ScoreFilter(JudgeFilter("judge"), score_field="good_sentences"))

Requires `pip install nemo-curator`. The folder "judge" is a pipeline of `latperc judge
train`.
"""

from nemo_curator.stages.text.filters.doc_filter import DocumentFilter

from spacy_latperc.judge.filter.filter_scores import LineScorer, ScoringSettings


class JudgeFilter(DocumentFilter):
    """Keeps documents most of whose sentences are good.

    Args:
        model: The folder of a judge.
        share: The smallest share of good sentences.
    """

    def __init__(self, model: str, share: float = 0.5):
        super().__init__()
        self._name = "latperc_judge"
        self.model, self.share = model, share
        self._scorer: LineScorer | None = None  # loaded by the worker

    def score_document(self, text: str) -> float:
        """Return the share of good sentences."""
        if self._scorer is None:
            self._scorer = LineScorer(ScoringSettings(self.model, documents=True))
        (verdict,) = self._scorer([text])
        if verdict.problem:
            raise ValueError(verdict.problem)
        return verdict.score

    def keep_document(self, scores: float) -> bool:
        """Return True for a document that is kept."""
        return scores >= self.share
