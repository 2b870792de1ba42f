"""Exact search (kernels/search.hh): Viterbi of the order of the model.

With latent states several paths have the same labels, and predictions may choose by one
path or by all of them: Sun, Matsuzaki, Okanohara, Tsujii 2009, equations 1 and 2.
"""

from ..errors import Errors
from .settings import DECODING, SearchSettings, check_choice


def viterbi(decode: str = "latent_path", n: int = 10) -> SearchSettings:
    """The best path over latent states, found exactly: S, S^2 or S^3 steps a token for
    order 0, 1 or 2.

    decode: how predictions choose labels. "latent_path": those of the best path, as the
        latent perceptron learns them. "label_marginal": the valid sequence with the
        largest sum of label probabilities (latent values summed): the most tokens
        right. "label_sequence": of the n best label sequences the most probable one
        (its latent paths summed); without latent states that is the best path.
    n: label sequences that "label_sequence" looks at.
    """
    check_choice("decode", decode, DECODING)
    if n < 1:
        raise ValueError(Errors.LP056.format(n=n))
    return SearchSettings("viterbi", decode=decode, n=n)
