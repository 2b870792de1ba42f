"""Pseudo-projective parsing: trees without crossing arcs, and back (Nivre and Nilsson
2005).

A transition parser cannot cross arcs. So words with a crossing arc are attached higher
up, and their relation names the relation of their true head: `dep||headdep`, as in
spaCy. In a parsed tree they go back to the first word below with the relation
`headdep`.

Heads are positions in one sentence: a root is its own head, and -1 is unknown.
"""

from bisect import insort
from collections import deque
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

DELIMITER = "||"


def is_projective(heads: Sequence[int]) -> bool:
    """Return True if no arcs cross, and none passes over a root."""
    n = len(heads)
    arcs = []
    for token, head in enumerate(heads):
        if head == token:
            arcs.append((token, -n))  # as if its head were behind the sentence
        elif head >= 0:
            arcs.append((token, -head) if token < head else (head, -token))
    arcs.sort()
    ends: list[int] = []  # of the enclosing arcs, inner ones last
    for start, minus_end in arcs:
        while ends and ends[-1] <= start:
            ends.pop()
        if ends and ends[-1] < -minus_end:
            return False
        ends.append(-minus_end)
    return True


def projectivize(
    heads: Sequence[int], labels: Sequence[str]
) -> tuple[list[int], list[str]]:
    """Make a tree projective, with relations from which it can be restored.

    The word with the shortest non-projective arc (the first of several) is attached to
    the head of its head, until there is none. With unknown heads arcs may still cross:
    then the longer one is removed.

    Returns:
        Heads, and relations: `dep||headdep` for words that were moved.
    """
    new_heads, new_labels = list(heads), list(labels)
    if is_projective(heads):
        return new_heads, new_labels
    children: dict[int, set[int]] = {}
    for token, head in enumerate(heads):
        if head != token and head >= 0:
            children.setdefault(head, set()).add(token)

    waiting = [
        (abs(head - token), token)
        for token, head in enumerate(heads)
        if _must_move(new_heads, token)
    ]
    heapify(waiting)
    queued = {token for _, token in waiting}
    while waiting:
        _, token = heappop(waiting)
        queued.discard(token)
        head = new_heads[token]
        above = new_heads[head]
        if above == head:
            continue  # Two roots: nothing is above them.
        new_heads[token] = above
        children[head].remove(token)
        if above < 0:
            changed = sorted(children[head])
        else:
            children.setdefault(above, set()).add(token)
            changed = sorted({token, *children[head]})
        # Only the heads of these words have fewer descendants now.
        for other in changed:
            if other not in queued and _must_move(new_heads, other):
                heappush(waiting, (abs(new_heads[other] - other), other))
                queued.add(other)
    if -1 in heads:
        _open_crossing(new_heads)
    for token, head in enumerate(heads):
        if new_heads[token] != head and new_heads[token] >= 0:
            new_labels[token] = f"{labels[token]}{DELIMITER}{labels[head]}"
    return new_heads, new_labels


def deprojectivize(
    heads: Sequence[int], labels: Sequence[str]
) -> tuple[list[int], list[str]]:
    """Restore the tree before `projectivize`, as far as its labels tell.

    Words with a decorated relation are moved one by one, from left to right, until
    nothing changes. They stay if no word below their head has the wanted relation.

    Returns:
        Heads, and relations without decoration.
    """
    new_heads = list(heads)
    wishes = [label.partition(DELIMITER)[::2] for label in labels]
    plain = [name for name, _ in wishes]
    children: dict[int, list[int]] = {}
    for token, head in enumerate(heads):
        if head != token:
            children.setdefault(head, []).append(token)
    left = [t for t, (_, wanted) in enumerate(wishes) if wanted]
    while left:
        # Moving other words may bring the wanted one below.
        unmoved = [
            token
            for token in left
            if not _move_back(token, wishes[token][1], new_heads, plain, children)
        ]
        left = unmoved if len(unmoved) < len(left) else []
    return new_heads, plain


def _must_move(heads: Sequence[int], token: int) -> bool:
    """Return True if a word between a word and its head is not below the head."""
    head = heads[token]
    if head < 0 or head == token:
        return False
    first, last = min(token, head), max(token, head)
    below = {head, token}
    for start in range(first + 1, last):
        at, passed, left = start, [], False
        while at not in below:
            passed.append(at)
            left |= not first <= at <= last
            above = heads[at]
            if above == at or (above < 0 and left):
                return True
            if above < 0:
                break  # An unknown head crosses no arc.
            at = above
        else:
            below.update(passed)
    return False


def _open_crossing(heads: list[int]) -> None:
    """Remove arcs that cross a shorter one, or pass over a root."""
    kept: list[tuple[int, int]] = []
    known = [
        (abs(head - token), token) for token, head in enumerate(heads) if head >= 0
    ]
    for _, token in sorted(known):
        head = heads[token] if heads[token] != token else len(heads)
        first, last = min(token, head), max(token, head)
        if any(a < first < b < last or first < a < last < b for a, b in kept):
            heads[token] = -1
        else:
            kept.append((first, last))


def _move_back(
    token: int,
    wanted: str,
    heads: list[int],
    labels: Sequence[str],
    children: dict[int, list[int]],
) -> bool:
    head = heads[token]
    if head == token or head < 0:
        return False
    found = _below(head, wanted, labels, children, without=token)
    if found is None:
        return False
    heads[token] = found
    children[head].remove(token)
    insort(children.setdefault(found, []), token)
    return True


def _below(
    top: int,
    wanted: str,
    labels: Sequence[str],
    children: dict[int, list[int]],
    *,
    without: int,
) -> int | None:
    """Find the nearest descendant with a relation, the first one of a level."""
    level = deque([top])
    while level:
        for child in children.get(level.popleft(), ()):
            if child == without:
                continue
            if labels[child] == wanted:
                return child
            level.append(child)
    return None
