"""The groups of templates that are summed together.

When the weights are frozen, the sum of the rows of several templates is a function of
the attributes that they read, which a decoder caches. This pays if these attributes
have few joint values: all attributes of one word form at one offset (word, affixes,
shape: twenty templates become one look-up), and n-grams of tags or shapes with the
shorter n-grams inside them.
"""

from collections.abc import Iterable, Mapping, Sequence

from ..features.templates import Part

Parts = tuple[Part, ...]


def _of_one_form(parts: Parts) -> bool:
    return len({part.offset for part in parts}) == 1 and all(
        part.attribute.of_form for part in parts
    )


def _few_values(parts: Parts) -> bool:
    return bool(parts) and all(part.attribute.few_values for part in parts)


def group_parts(templates: Mapping[str, Parts]) -> list[list[str]]:
    """Group templates, given by name with their parts; groups keep the order."""
    groups: dict[object, list[str]] = {}
    wholes = [
        frozenset(parts)
        for parts in templates.values()
        if _few_values(parts) and not _of_one_form(parts)
    ]
    for name, parts in templates.items():
        home: object = name
        if _of_one_form(parts):
            home = parts[0].offset
        elif _few_values(parts):
            home = max(
                (whole for whole in wholes if whole >= set(parts)),
                key=lambda whole: (len(whole), sorted(str(part) for part in whole)),
            )
        groups.setdefault(home, []).append(name)
    return list(groups.values())


def key_of(group: Iterable[Parts]) -> Sequence[Part]:
    """Return the parts that the sum of a group depends on."""
    key = list(dict.fromkeys(part for parts in group for part in parts))
    words = {part.offset for part in key if part.attribute.name == "word"}
    # Affixes and the like are functions of the word, so the word replaces them.
    return [part for part in key if part.attribute.column or part.offset not in words]
