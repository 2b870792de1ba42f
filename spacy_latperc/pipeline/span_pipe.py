"""Components whose answers are spans."""

from typing import Any

from spacy.vocab import Vocab
from thinc.api import Model

from ..schemes import DEFAULT_SCHEME, get_scheme
from .chain_pipe import ChainPipe
from .component_settings import SpanSettings
from .forwarded import forwarded
from .span_coder import SpanCoder


class SpanPipe(ChainPipe):
    """A component that predicts spans."""

    coder: SpanCoder
    inventory = forwarded("coder", "The labels, in the scheme.")

    def __init__(
        self, vocab: Vocab, model: Model, name: str, layer: Any, **settings: Any
    ):
        scorer = settings.pop("scorer", None)
        wanted = SpanSettings(**settings)
        scheme = wanted.scheme or DEFAULT_SCHEME

        def make_coder(owner: Any, layer: Any) -> SpanCoder:
            return SpanCoder(owner, layer, scheme, wanted)

        tied = {"scheme": get_scheme(scheme).name}
        more: dict[str, Any] = {"tied": tied, "settings": wanted, "scorer": scorer}
        super().__init__(vocab, model, name, layer, make_coder, **more)
