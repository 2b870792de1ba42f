"""Exact search (kernels/search.hh): Viterbi of the order of the model."""

from .settings import SearchSettings


def viterbi() -> SearchSettings:
    """The best path over latent states, found exactly: S, S^2 or S^3 steps a token for
    order 0, 1 or 2."""
    return SearchSettings("viterbi")
