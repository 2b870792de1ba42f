"""The list of the n best trees, against one that is made by hand."""

import itertools

import numpy as np
from spacy.strings import StringStore

from spacy_latperc.parser.n_best import list_trees
from spacy_latperc.parser.projective import DELIMITER
from spacy_latperc.pipeline.best_sequences import Sequences, softmax

LABELS = ["h", "a", f"a{DELIMITER}h"]


def packed(head, relation):
    return head << 16 | (relation + 1)


# Heads and relations of the last of three words. The second one is that of a word whose
# arc was lifted from the first one: two ways to write one tree.
LAST = [packed(1, 1), packed(0, 2), packed(0, 1)]
TREE = [0, 0, 1]


def test_list_of_trees_falls_also_where_twins_are_joined():
    """Whatever the scores and whichever trees are the same."""
    random = np.random.default_rng(3)
    strings = StringStore(LABELS)
    moved = 0
    for _ in range(300):
        n = int(random.integers(1, 9))
        scores = np.sort(random.normal(size=n))[::-1]
        kinds = random.integers(0, 3, size=n)
        rows = np.array([[packed(0, -1), packed(0, 0), LAST[k]] for k in kinds])
        listed = list_trees(
            Sequences(rows, scores), LABELS, strings, temperature=0.7, restore=None
        )
        shares = [tree.probability for tree in listed]
        assert shares == sorted(shares, reverse=True)
        found, trees = softmax(scores / 0.7), np.array(TREE)[kinds]
        sums = [found[trees == tree].sum() for tree in {*trees.tolist()}]
        np.testing.assert_allclose(sorted(shares), sorted(sums))
        best = [scores[trees == tree].max() for tree in {*trees.tolist()}]
        order = [tree.score for tree in listed]
        assert sorted(best) == sorted(order)
        moved += any(a < b for a, b in itertools.pairwise(order))
    assert moved  # some lists are not in the order of the scores
