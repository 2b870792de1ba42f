"""Several corpora as one."""

from collections.abc import Iterator
from typing import Any

from spacy.language import Language
from spacy.training import Example

from ..errors import Errors
from ..errors.check import check_count
from .corpus import Reader


def joined_corpus(
    corpora: dict[str, Any],
    times: dict[str, int] = {},  # noqa: B006
) -> Reader:
    """Registered as spacy_latperc.Joined.v1: the examples of several readers.

    Args:
        corpora: The blocks of the readers, each under a name of your choice.
        times: The number of times that the examples of a corpus are read in each epoch,
            by its name; 1 by default. Gold annotation thus weighs more than the labels
            of a teacher.
    """
    for name, n in times.items():
        if name not in corpora:
            raise ValueError(Errors.LP777.format(name=name, known=", ".join(corpora)))
        check_count(f"times.{name}", n, hint="1 to read it once")

    def read(nlp: Language) -> Iterator[Example]:
        for name, corpus in corpora.items():
            for _ in range(times.get(name, 1)):
                yield from corpus(nlp)

    return read
