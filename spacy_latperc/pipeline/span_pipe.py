"""Components whose answers are spans: the chunker and the entity recogniser."""

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
    """A component whose answers are spans: of one chain, or of several that vote."""

    coder: SpanCoder
    vote = forwarded("coder", "How several chains vote.")
    weights = forwarded("coder", "Of each chain, if set.", "given_weights")
    inventory = forwarded("coder", "The labels, in the scheme.")

    def __init__(
        self, vocab: Vocab, model: Model, name: str, layer: SpanLayer, **settings: Any
    ):
        scorer = settings.pop("scorer", None)
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

        def make_coder(context: Context, layer: SpanLayer) -> SpanCoder:
            if not schemes:
                return SpanCoder(context, layer, scheme, wanted)
            chosen = replace(wanted, schemes=tied["schemes"])
            return EnsembleCoder(context, layer, chosen)

        more = {"tied": tied, "settings": wanted, "scorer": scorer}
        super().__init__(vocab, model, name, layer, make_coder, **more)

    @property
    def voters(self) -> list["SpanPipe"]:
        """Each chain of a vote as a component of its own, to be looked at."""
        if not isinstance(self.coder, EnsembleCoder):
            return []
        found = []
        for coder in self.coder.voters:
            more = {"scheme": coder.scheme_name, "scorer": self.scorer}
            voter = type(self)(
                self.vocab, coder.context.model, self.name, self.layer, **more
            )
            voter.cfg["labels"] = self.cfg["labels"]
            found.append(voter)
        return found
