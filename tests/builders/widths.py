"""Code for wide vectors and for narrow ones: what both must agree on."""

from collections.abc import Iterator

from spacy_latperc.kernels.chains import allow_wide_vectors


def both_widths() -> Iterator[bool]:
    """Yield for each vector width of this processor whether it is the wide one."""
    try:
        if allow_wide_vectors(False):
            yield False
            allow_wide_vectors(True)
            yield True
        else:
            yield False
    finally:
        allow_wide_vectors(True)
