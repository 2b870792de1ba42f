"""Searches for the best path: exact or with a beam (kernels/lattice/{search,beam}.hh).

With latent states several paths have the same labels, and predictions may choose by one
path or by all of them: LVP, equations 1 and 2.

A beam pays where histories are many: order 2 with dozens of labels, for which exact
search takes S^3 steps a token and a beam of width b takes b * S. Learn with
`violation_fixing` then: a search that errs needs updates that are violations.
"""

from ..errors.check import check_choice, check_count
from .settings import DECODING, SearchSettings

EXACT = "For exact search use spacy_latperc.Viterbi.v1."


def viterbi(decode: str = "latent_path", n: int = 10) -> SearchSettings:
    """The best path over latent states, found exactly: S, S^2 or S^3 steps a token for
    order 0, 1 or 2.

    Args:
        decode: How predictions choose labels. "latent_path": those of the best path, as
            the latent perceptron learns them. "label_marginal": the valid sequence with
            the largest sum of label probabilities (latent values summed): the most
            tokens right. "label_sequence": of the n best label sequences the most
            probable one (its latent paths summed); without latent states that is the
            best path.
        n: Label sequences that "label_sequence" looks at.
    """
    check_choice("decode", decode, DECODING)
    check_count("n", n)
    return SearchSettings("viterbi", decode=decode, n=n)


def beam(width: int = 4) -> SearchSettings:
    """The best path among those whose histories stay among the best at each token:
    width * S steps a token, whatever the order.

    Args:
        width: Histories kept; 1 is greedy search. A history is the last state, of order
            2 the last two; paths with one history count once. A textbook beam (SL)
            keeps such paths apart: 1 to 5 % of the updates of violation fixing differ
            from its own.
    """
    check_count("width", width, advice=EXACT)
    return SearchSettings("beam", beam=width)
