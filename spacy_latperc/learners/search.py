"""Searches for the best path: exact or with a beam (kernels/lattice/{search,beam}.hh).

With latent states several paths have the same labels, and predictions may choose by one
path or by all of them: LVP, equations 1 and 2.

A beam pays for many histories: order 2 with dozens of labels, for which exact search
takes S^3 steps a token and a beam of width b takes b * S. Train with `violation_fixing`
then: an inexact search needs updates that are violations.
"""

from ..errors.check import check_choice, check_count
from .learner_settings import DECODING, SearchSettings

EXACT = "for exact search use spacy_latperc.Viterbi.v1"


def viterbi(decode: str = "latent_path", n: int = 10) -> SearchSettings:
    """Find the best path over latent states exactly, in S, S^2 or S^3 steps a token for
    order 0, 1 or 2.

    Args:
        decode: The rule of predictions. "latent_path": the labels of the best path, as
            the latent perceptron learns them. "label_marginal": the valid sequence with
            the largest sum of label probabilities (summed over latent values), which
            has the most correct tokens. "label_sequence": the most probable of the n
            best label sequences (summed over latent paths); without latent states that
            is the best path.
        n: The number of sequences for "label_sequence".
    """
    check_choice("decode", decode, DECODING)
    check_count("n", n)
    return SearchSettings("viterbi", decode=decode, n=n)


def beam(width: int = 4) -> SearchSettings:
    """Keep the best histories at each token: width * S steps a token for any order.

    Args:
        width: The number of histories; 1 is greedy search. A history is the last state,
            for order 2 the last two; paths with the same history count once. A textbook
            beam (SL) keeps such paths apart: 1 to 5 % of the updates of violation
            fixing differ.
    """
    check_count("width", width, hint=EXACT)
    return SearchSettings("beam", beam=width)
