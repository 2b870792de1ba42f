"""The slow twin of kernels/batch/objective.hh: every path is enumerated."""

import numpy as np

from reference import chain
from reference.sums import log_sum

Pair = tuple[int, int, chain.Path]  # block, hash, cell


def allowed_labels(shape, codes, sets):
    """[tokens, labels]: what gold codes allow."""
    mask = np.ones((len(codes), shape.labels), dtype=np.uint8)
    for i, code in enumerate(codes):
        if code >= 0:
            mask[i] = np.arange(shape.labels) == code
        elif code < -1:
            assert sets is not None
            mask[i] = sets[-2 - code]
    return mask


def negative_log_likelihood(shape, hashes, allowed, weights):
    """log Z(x) - log Z(x, y) of one sentence; infinite where no path agrees."""
    free = log_sum(chain.path_scores(shape, hashes, weights))
    return free - log_sum(chain.path_scores(shape, hashes, weights, allowed=allowed))


def gold_pairs(shape, hashes, allowed):
    """Pairs that some sequence of allowed labels has, whatever begins or ends it."""
    n = len(hashes)
    pairs: set[Pair] = set()
    for b, (kind, _, templates) in enumerate(shape.blocks):
        for i in range(kind, n):
            seen = {key for t in templates for key, _ in chain.bag_of(hashes[i][t])}
            for cell in np.ndindex(*shape.row_shape(b)):
                labels = shape.labels_of(cell) if shape.blocks[b][1] else cell
                here = allowed[range(i - kind, i + 1), labels]
                if here.all() and may_follow(shape, labels):
                    pairs |= {(b, key, cell) for key in seen}
    for b in shape.boundary_blocks if n else []:
        for key, i in ((chain.START, 0), (chain.END, n - 1)):
            for cell in np.ndindex(*shape.row_shape(b)):
                (label,) = shape.labels_of(cell) if shape.blocks[b][1] else cell
                if allowed[i, label]:
                    pairs.add((b, key, cell))
    return pairs


def may_follow(shape, labels):
    pairs = zip(labels, labels[1:], strict=False)
    return shape.transitions is None or all(shape.transitions[x] for x in pairs)


def expected_features(shape, hashes, scores):
    """Compute the expected features of the paths with these scores."""
    expected: dict[Pair, float] = {}
    total = log_sum(scores)
    for path in np.ndindex(*scores.shape):
        share = float(np.exp(scores[path] - total))
        if share > 0:
            for pair, count in chain.path_features(shape, hashes, path).items():
                expected[pair] = expected.get(pair, 0.0) + share * count
    return expected
