"""Components whose answers are spans: the chunker and the entity recogniser."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from spacy.vocab import Vocab
from thinc.api import Model

from ..errors import Errors
from ..errors.check import check_choice, check_strings
from ..schemes import DEFAULT_SCHEME, get_scheme
from .chain import ChainPipe
from .ensemble import VOTES, EnsembleCoder
from .layers import SpanLayer
from .parts import Context, forwarded
from .settings import SpanSettings
from .spans import SpanCoder


class SpanPipe(ChainPipe):
    """A component whose answers are spans: of one chain, or of several that vote.

    Args:
        vocab: Of the pipeline.
        model: A chain.
        name: Of the component.
        layer: Where the spans are.
        scorer: Scores the spans in evaluation.
        settings: See SpanSettings.
    """

    coder: SpanCoder
    vote = forwarded("coder", "How several chains vote.")
    weights = forwarded("coder", "Of each chain, if set.", "given_weights")
    inventory = forwarded("coder", "The labels, in the scheme.")

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        layer: SpanLayer,
        *,
        scorer: Callable | None = None,
        **settings: Any,
    ):
        self.layer = layer
        wanted = SpanSettings(**settings)
        schemes = wanted.schemes
        check_strings("schemes", schemes)
        if schemes and wanted.scheme is not None:
            message = Errors.LP450.format(
                name=name, scheme=wanted.scheme, schemes=", ".join(schemes)
            )
            raise ValueError(message)
        check_choice("vote", wanted.vote, VOTES)
        scheme = wanted.scheme or DEFAULT_SCHEME
        get_scheme(scheme)
        tied: dict[str, Any] = {"scheme": scheme}
        if schemes:
            tied["schemes"] = [get_scheme(x).name for x in schemes]

        def make_coder(context: Context) -> SpanCoder:
            if not schemes:
                return SpanCoder(context, layer, scheme, wanted)
            chosen = replace(wanted, schemes=tied["schemes"])
            return EnsembleCoder(context, layer, chosen)

        super().__init__(
            vocab,
            model,
            name,
            make_coder,
            tied=tied,
            settings=wanted,
            scorer=scorer,
        )

    @property
    def voters(self) -> list["SpanPipe"]:
        """Each chain of a vote as a component of its own, to be looked at."""
        if not isinstance(self.coder, EnsembleCoder):
            return []
        given = vars(self.layer).items()
        settings = {key: value for key, value in given if key[0] != "_"}
        found = []
        for coder in self.coder.voters:
            voter = type(self)(
                self.vocab,
                coder.context.model,
                self.name,
                scheme=coder.scheme_name,
                scorer=self.scorer,
                **settings,
            )
            voter.cfg["labels"] = self.cfg["labels"]
            found.append(voter)
        return found
