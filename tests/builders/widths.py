"""Code for wide vectors and for narrow ones: what both must agree on."""

from collections.abc import Iterator

from spacy_latperc.kernels.chains import allow_wide_vectors


def both_widths() -> Iterator[bool]:
    """For each width that this processor has: whether it is the wide one."""
    try:
        if allow_wide_vectors(False):
            yield False
            allow_wide_vectors(True)
            yield True
        else:
            yield False
    finally:
        allow_wide_vectors(True)
