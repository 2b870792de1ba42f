"""The component `latperc_errors`: finds wrong tokens and computes sentence features.

It is a chain over labels of tokens: right, wrong, missing before it. It learns from
injected errors (`judge corrupt`) or from real ones.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model

from ..kernels.chains import FeatureBlock
from ..pipeline.chain_pipe import ChainPipe, Compared
from ..pipeline.component_settings import default_model
from ..pipeline.forwarded import saved_number
from ..pipeline.prediction import Ids, Prediction
from ..pipeline.saved import Check
from .error_coder import KEY, ErrorCoder, ErrorLayer
from .error_scorer import error_score
from .sentence_features import sentence_features
from .spaces import Words, without_spaces_in


def _default_model() -> dict[str, Any]:
    model = default_model("ErrorFeatures.v1")
    learner = {"@misc": "spacy_latperc.CRF.v1", "optimizer": "adagrad"}
    return {**model, "learner": learner}


@Language.factory(
    "latperc_errors",
    assigns=["doc.spans"],
    default_config={
        "model": _default_model(),
        "spans_key": KEY,
        "threshold": 0.5,
        "scorer": None,
    },
    default_score_weights={"errors_f05": 1.0, "errors_auc": None},
)
def make_errors(
    nlp: Language,
    name: str,
    model: Model,
    spans_key: str,
    threshold: float,
    scorer: Callable | None,
) -> "LatpercErrors":
    """Build a component that finds wrong tokens.

    It writes a span for each such token to doc.spans, with the calibrated probabilities
    in the attributes of the group: `scores` of the spans, `tokens` of every token to be
    wrong, and the `starts` and the `features` of sentences for latperc_judge.

    Args:
        nlp: The pipeline.
        name: Of the component.
        model: A chain (spacy_latperc.ChainModel.v1) whose learner has probabilities.
        spans_key: Where in doc.spans it reads errors, to learn, and writes them.
        threshold: Tokens that are wrong with this probability or more are written.
        scorer: Scores the errors in evaluation, in place of `error_score`.
    """
    layer = ErrorLayer(spans_key, threshold)
    scorer = scorer or error_score
    return LatpercErrors(nlp.vocab, model, name, layer, ErrorCoder, scorer=scorer)


class LatpercErrors(ChainPipe):
    """Finds wrong tokens."""

    layer: ErrorLayer
    threshold = saved_number("layer", "The lowest probability of an error.")

    def _cfg_checks(self) -> dict[str, Check]:
        return {**super()._cfg_checks(), "threshold": type(self).threshold.check}

    def _loaded(self) -> None:
        super()._loaded()
        type(self).threshold.take_saved(self)

    # White space is neither right nor wrong -------------------------------------------

    def _examples(
        self, given: Callable[[], Iterable[Example]]
    ) -> Callable[[], Iterable[Example]]:
        return lambda: map(without_spaces_in, given())

    def _prepared(
        self, examples: Sequence[Example], *, remember: bool
    ) -> tuple[list[FeatureBlock], Ids, NDArray[np.int64]]:
        seen = [without_spaces_in(example) for example in examples]
        return super()._prepared(seen, remember=remember)

    def compare(self, examples: Sequence[Example]) -> Compared:
        """All answers on the predicted Docs of examples, and whether they are right."""
        return super().compare([without_spaces_in(example) for example in examples])

    def predict(self, docs: Iterable[Doc]) -> Prediction:
        """Predict wrong tokens, with the probability of each token to be wrong."""
        words, coder = Words.of(list(docs)), self.coder
        assert isinstance(coder, ErrorCoder)
        columns, batch = self.read_docs(words.docs)
        wrong, kinds = coder.wrong(batch, coder.calibration.temperature)
        flagged = coder.flag(batch, wrong, kinds)
        assert flagged.scores is not None
        # Of probabilities that are not calibrated: the judge fits weights of its own.
        sources = self.learner.features.sources.values()
        features = sentence_features(wrong, batch.bounds, sources, columns)
        return flagged._replace(
            labels=words.spread(flagged.labels, coder.right),
            scores=words.spread(flagged.scores, 0),
            docs=words.whole,
            sentences=words.bounds(flagged.sentences, batch.per_doc),
            features=features.astype(np.float32),
        )

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score examples with the scorer of this component."""
        return super().score(examples, spans_key=self.layer.name, **kwargs)
