"""Components whose answers are spans."""

from dataclasses import replace
from typing import Any

from spacy.vocab import Vocab
from thinc.api import Model

from ..errors import Errors
from ..errors.check import check_choice, check_strings
from ..schemes import DEFAULT_SCHEME, get_scheme
from .chain_pipe import ChainPipe
from .component_settings import VOTES, SpanSettings
from .forwarded import forwarded
from .span_coder import SpanCoder


class SpanPipe(ChainPipe):
    """A component that predicts spans, with one chain or several that vote."""

    coder: SpanCoder
    vote = forwarded("coder", "How several chains vote.")
    inventory = forwarded("coder", "The labels, in the scheme.")

    def __init__(
        self, vocab: Vocab, model: Model, name: str, layer: Any, **settings: Any
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
        tied: dict[str, Any] = {"scheme": get_scheme(scheme).name}
        if schemes:
            tied["schemes"] = [get_scheme(x).name for x in schemes]

        def make_coder(owner: Any, layer: Any) -> SpanCoder:
            if not schemes:
                return SpanCoder(owner, layer, scheme, wanted)
            from .voting import EnsembleCoder

            return EnsembleCoder(owner, layer, replace(wanted, schemes=tied["schemes"]))

        more = {"tied": tied, "settings": wanted, "scorer": scorer}
        super().__init__(vocab, model, name, layer, make_coder, **more)

    @property
    def voters(self) -> list["SpanPipe"]:
        """Each chain of a vote as a component of its own."""
        found = []
        for coder in getattr(self.coder, "voters", ()):
            more = {"scheme": coder.scheme_name, "scorer": self.scorer}
            voter = type(self)(self.vocab, coder.model, self.name, self.layer, **more)
            voter.cfg["labels"] = self.cfg["labels"]
            found.append(voter)
        return found
