"""Random trees."""

from hypothesis import strategies as st


@st.composite
def trees(draw, size=None):
    """The heads of a tree with one root, of any form; a root is its own head."""
    if size is None:
        size = draw(st.integers(1, 10))
    order = draw(st.permutations(range(size)))
    heads = [0] * size
    heads[order[0]] = order[0]
    for i, token in enumerate(order[1:], 1):
        heads[token] = order[draw(st.integers(0, i - 1))]
    return heads
