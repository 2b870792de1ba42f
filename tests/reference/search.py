"""Searches by their definition: every labelling, every step of the beam."""

import numpy as np

from reference import chain


def labellings(shape, scores):
    """Every possible label sequence, with the score of its best path."""
    best: dict[chain.Path, float] = {}
    for path, value in np.ndenumerate(scores):
        if value > -np.inf:
            labels = shape.labels_of(path)
            best[labels] = max(best.get(labels, -np.inf), float(value))
    return best


def beam_search(shape, hashes, weights, width, *, order, allowed=None):
    """Return the histories in the beam after each token, best first, as defined in
    kernels/lattice/beam.hh: paths that the rules and the mask let go on to the end."""
    possible = chain.path_scores(shape, hashes, {}, allowed=allowed) > -np.inf
    if not possible.any():
        return None
    kept: list[list[chain.Path]] = [[()]]
    for i in range(len(hashes)):
        best: dict[chain.Path, chain.Path] = {}
        longer = [(*path, j) for path in kept[-1] for j in range(shape.states)]
        scored = {path: prefix_score(shape, hashes, weights, path) for path in longer}
        for path in sorted(longer, key=lambda path: (-scored[path], path[::-1])):
            if possible[path].any():
                best.setdefault(path[i + 1 - order :] if order else (), path)
        kept.append(list(best.values())[:width])
    return kept[1:]


def prefix_score(shape, hashes, weights, path):
    return chain.score(weights, chain.path_features(shape, hashes, path))


def violation_fixing(method, width, rate=1.0):
    """Huang, Fayong, Guo 2012: the update on the prefix that the method picks."""

    def step(shape, hashes, gold, weights):
        order = shape.order
        kept = beam_search(shape, hashes, weights, width, order=order)
        mask = chain.gold_mask(shape, gold)
        inside = beam_search(shape, hashes, weights, width, order=order, allowed=mask)
        if kept is None or inside is None:
            return None
        better = inside[-1][0]
        loss = chain.hamming(shape, gold, kept[-1][0])
        if loss == 0:
            return chain.Step(0)
        gaps = {}  # of the prefixes that are violations, by their lengths
        lost = []
        for n, paths in enumerate(kept, 1):
            gap = prefix_score(shape, hashes, weights, paths[0]) - prefix_score(
                shape, hashes, weights, better[:n]
            )
            if chain.hamming(shape, gold[:n], paths[0]) and gap >= 0:
                gaps[n] = gap
                histories = {path[max(n - order, 0) :] for path in paths}
                if better[max(n - order, 0) : n] not in histories or n == len(kept):
                    lost.append(n)
        if method == "standard":
            at = len(kept)
        elif not gaps or (method == "early" and not lost):
            return chain.Step(loss)
        elif method == "early":
            at = min(lost)
        elif method == "latest":
            at = max(gaps)
        else:
            at = max(n for n in gaps if gaps[n] == max(gaps.values()))
        return chain.Step(loss, rate, better[:at], kept[at - 1][0])

    return step
