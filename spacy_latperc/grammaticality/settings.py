"""Settings of the classifier of sentences."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import Errors
from ..errors.check import (
    check_choice,
    check_count,
    check_flag,
    check_kind,
    check_number,
    check_strings,
)
from .evidence import KINDS, LATENT
from .scorer import NEGATIVE, POSITIVE

OF_SENTENCES: dict[str, Callable[[Any], Any]] = {"min": np.min, "mean": np.mean}


@dataclass(kw_only=True)
class GrammaticalitySettings:
    """What `latperc_grammaticality` answers, and what it writes.

    Attributes:
        positive_label: The category of good sentences in doc.cats, for gold and for
            predictions.
        negative_label: The category of bad sentences.
        evidence: What is known of a sentence: "latent" is the margin of the model, as
            in the paper; "ngram" what n-grams say, by a source of the model or by
            latperc_errors before this component, and "classes" what n-grams of word
            classes say; "errors" what latperc_errors found; "length". What each is
            worth is fitted to held-out data, when probabilities are calibrated.
            Without "latent" the model learns nothing.
        errors_key: Where in doc.spans latperc_errors wrote.
        doc: The score of a Doc of several sentences: their "min" or their "mean".
        threshold: Below this probability a sentence counts as ungrammatical.
        chunks: Also write the best latent chunks to doc.spans["latperc:<view>"].
        explain: Also write token._.grammaticality, what a token adds to the margin, and
            doc.spans["ungrammatical"], the worst spans of each ungrammatical sentence:
            by latperc_errors, if "errors" is among the evidence. There are none without
            "errors" and "latent".
        span_length: How many tokens such a span has, at most.
        span_count: How many such spans a sentence has, at most.
        n_threads: How many threads share a batch, at most. The annotation is the same.
            It pays where batches have some thousand tokens.
    """

    positive_label: str = POSITIVE
    negative_label: str = NEGATIVE
    evidence: list[str] = field(default_factory=lambda: [LATENT])
    errors_key: str = "errors"
    doc: str = "min"
    threshold: float = 0.5
    chunks: bool = False
    explain: bool = False
    span_length: int = 3
    span_count: int = 3
    n_threads: int = 1

    def __post_init__(self) -> None:
        check_strings("evidence", self.evidence)
        for kind in self.evidence:
            check_choice("evidence", kind, KINDS)
        if not self.evidence or len(set(self.evidence)) < len(self.evidence):
            raise ValueError(Errors.LP780.format(evidence=self.evidence))
        check_kind("errors_key", self.errors_key, str, "a key of doc.spans")
        check_choice(
            "doc", self.doc, OF_SENTENCES, advice="It is for several sentences."
        )
        check_number(
            "threshold", self.threshold, high=1.0, advice="It is a probability."
        )
        check_flag("chunks", self.chunks)
        check_flag("explain", self.explain)
        if self.chunks and LATENT not in self.evidence:
            raise ValueError(Errors.LP781)
        for name in ("span_length", "span_count"):
            no_spans = "explain = false gives no spans."
            check_count(name, getattr(self, name), advice=no_spans)

    @property
    def joined(self) -> bool:
        """Whether there is more than the margin of the model."""
        return list(self.evidence) != [LATENT]

    @property
    def latent(self) -> bool:
        """Whether the model takes part."""
        return LATENT in self.evidence
