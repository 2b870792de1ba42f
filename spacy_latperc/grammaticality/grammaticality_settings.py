"""The settings of the grammaticality classifier."""

from dataclasses import dataclass

from ..errors.check import check_choice, check_flag, check_number
from .sentence_pipe import OF_SENTENCES


@dataclass(kw_only=True)
class GrammaticalitySettings:
    """Settings of `latperc_grammaticality`.

    Attributes:
        doc: The score of a Doc of several sentences: their "min" or their "mean".
        threshold: Below this probability a sentence counts as ungrammatical.
        chunks: Also write the best latent chunks to doc.spans["latperc:<view>"].
        explain: Also write token._.grammaticality, the share of a token in the margin.
        n_threads: The largest number of threads that share a batch. The annotation is
            the same. Threads pay for batches of some thousand tokens.
    """

    doc: str = "min"
    threshold: float = 0.5
    chunks: bool = False
    explain: bool = False
    n_threads: int = 1

    def __post_init__(self) -> None:
        check_choice(
            "doc", self.doc, OF_SENTENCES, hint="for Docs of several sentences"
        )
        check_number("threshold", self.threshold, high=1.0, hint="a probability")
        check_flag("chunks", self.chunks)
        check_flag("explain", self.explain)
