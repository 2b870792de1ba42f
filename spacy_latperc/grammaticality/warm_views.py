"""Views of a classifier that begin with the weights of a supervised chunker."""

from pathlib import Path

from ..errors import Errors
from ..pipeline.base import ChainPipe
from ..schemes import get_scheme
from .classifier import LatentClassifier


def begin_views(
    learner: LatentClassifier, chunker: ChainPipe, *, where: str | Path, limit: float
) -> None:
    """All views of the chunker's representation; the others begin with zeros.

    where: The pipeline of the chunker. limit: The largest weight.
    """
    scheme = get_scheme(chunker.cfg["scheme"]) if "scheme" in chunker.cfg else None
    schemes = [inventory.scheme for inventory in learner.inventories]
    if scheme not in schemes:
        known = ", ".join(x.name for x in schemes)
        name = scheme.name if scheme else "none"
        raise ValueError(Errors.LP462.format(where=where, scheme=name, known=known))
    for view, own in enumerate(schemes):
        if own == scheme:
            learner.start_from(chunker.learner, view=view, limit=limit)
