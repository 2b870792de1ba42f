"""Templates that go beyond the paper's, in groups that can be added one by one.

Samples of a 3-gram model are in order wherever three neighbours are looked at. What is
wrong with them is seen at longer distances: in more tags, in words that are apart, in
words between tags. None of them needs a column that the paper's templates do not.
"""

from __future__ import annotations

from collections.abc import Iterable

from spacy_latperc.features.sets import FeatureSet, custom_templates, grammaticality


def _run(name: str, first: int, n: int) -> str:
    return "|".join(f"{name}[{i}]" for i in range(first, first + n))


ADDITIONS: dict[str, list[str]] = {
    "tags": [
        *(_run("t", first, 4) for first in (-2, -1)),
        _run("t", -2, 5),
        *(_run("t", first, 6) for first in (-3, -2)),
    ],
    "apart": ["w[-1]|w[1]", "w[0]|w[2]", "w[0]|w[3]", "w[-3]|w[0]", "w[0]|w[4]"],
    "mixed": [
        "w[0]|t[1]|t[2]|t[3]",
        "t[-3]|t[-2]|t[-1]|w[0]",
        "t[-2]|t[-1]|w[0]|t[1]|t[2]",
        "w[-1]|w[0]|t[1]|t[2]",
        "t[-2]|t[-1]|w[0]|w[1]",
        "w[-1]|t[0]|t[1]|w[2]",
    ],
    "affixes": [
        "suf3[0]",
        "pre3[0]",
        _run("suf3", -1, 3),
        *(_run("suf2", first, 4) for first in (-2, -1)),
    ],
}


def enriched(
    additions: Iterable[str], *, tags: bool = True, min_count: int = 1
) -> FeatureSet:
    """The paper's templates and those of the named groups."""
    paper = [str(x) for x in grammaticality(tags=tags).templates]
    more = [template for name in additions for template in ADDITIONS[name]]
    if not tags:
        more = [template for template in more if "t[" not in template]
    return custom_templates(paper + more, min_count=min_count)
