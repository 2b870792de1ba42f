"""The text of features: templates filled with the values of tokens, `w[-1]=the`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..features.attributes import Attribute
from ..features.sets import FeatureSet
from ..features.sources import find_reading
from ..features.templates import Part
from ..kernels.chains import FeatureSpace, text_hash
from ..learners.base import Batch, Prepared
from ..learners.blocks import Plan

OUTSIDE = ("<start>", "<end>")


class ActiveFeature(NamedTuple):
    """A feature of a token.

    Attributes:
        token: The token, from the first one of the sentences that were read.
        template: The number of the observation.
        place: The number of the feature among those of the template at the token.
        key: The hash.
        value: The value; 1 for features of single values.
    """

    token: int
    template: int
    place: int
    key: int
    value: float


def active_features(
    space: FeatureSpace, batch: Prepared, wanted: NDArray[np.uint64] | None = None
) -> Iterator[ActiveFeature]:
    """Yield the features of the tokens of a batch.

    Args:
        space: An index that may grow.
        batch: The tokens.
        wanted: The sorted hashes of the features to yield; all by default.
    """
    block = space.extract(batch.attributes, batch.bounds, values=batch.values)
    ids = block.to_array()
    keys = space.keys_of(ids.reshape(-1)).reshape(ids.shape)
    found = ids > 0
    if wanted is not None:
        found &= np.isin(keys, wanted)
    for token, template in np.argwhere(found).tolist():
        key = int(keys[token, template])
        yield ActiveFeature(token, template, 0, key, 1.0)
    tokens, templates, listed, values = block.weighted_features()
    keys, number = space.keys_of(listed), np.arange(len(listed))
    lists = tokens * len(ids[0]) + templates if len(ids) else tokens
    places = number - np.searchsorted(lists, lists)
    chosen = number if wanted is None else np.flatnonzero(np.isin(keys, wanted))
    columns = (tokens, templates, places, keys, values)
    for row in zip(*(column[chosen].tolist() for column in columns), strict=True):
        yield ActiveFeature(*row)


class FeatureText:
    """The text of the features of a Doc, whose columns are in a batch."""

    def __init__(self, features: FeatureSet, plan: Plan, doc: Any, batch: Batch):
        self._parts = {x.observation: x.parts for x in features.templates}
        self._plan, self._doc, self._batch = plan, doc, batch

    def names(self, template: int, token: int, start: int, end: int) -> list[str]:
        """Return the texts of the features of a template at a token: one, or one for
        each combination of values if attributes have several.
        """
        name = self._plan.observations[template]
        parts = self._parts.get(name, ())
        if not parts:
            return [name]
        texts = [self._part(part, token, start, end) for part in parts]
        return [" | ".join(chosen) for chosen in product(*texts)]

    def _part(self, part: Part, token: int, start: int, end: int) -> list[str]:
        at = token + part.offset
        if not start <= at < end:
            return [f"{part}={OUTSIDE[at >= end]}"]
        texts = self._values(part.attribute, at)
        return [
            str(part) if text is None else f"{part}={text or '<none>'}"
            for text in texts
        ]

    def _values(self, attribute: Attribute, token: int) -> Sequence[str | None]:
        word = self._doc[token].text
        n = attribute.length
        if attribute.affix == "ngrams":
            marked = f"<{word.lower()}>"
            grams = (marked[at : at + n] for at in range(len(marked) - n + 1))
            return list(dict.fromkeys(grams))
        if attribute.affix:
            return [word[:n] if attribute.affix == "prefix" else word[-n:]]
        if attribute.function:
            return [attribute.function(word)]
        if attribute.source:
            reading = find_reading(attribute, self._plan.knowledge)
            if reading.of_form:
                return [reading.of_form(word)]
        assert attribute.column is not None
        if attribute.column.startswith("_."):
            return _texts(self._doc[token]._.get(attribute.column[2:]))
        column = self._plan.columns.index(attribute.column)
        if (texts := self._listed(column, token)) is not None:
            return texts
        value = int(self._batch.values[token, column])
        if attribute.column == "ent" or attribute.column.startswith("spans:"):
            label = self._string(value >> 1)  # the last bit tells the first token
            return [f"{'B' if value & 1 else 'I'}-{label}" if label else "O"]
        if attribute.name.startswith(("is_", "like_")):
            return ["yes" if value else "no"]
        return [self._string(value)]

    def _listed(self, column: int, token: int) -> Sequence[str] | None:
        """Return the hashes of the values of a token that has several, or the places of
        the numbers of a vector."""
        lists = self._batch.lists
        if lists is not None and column in lists.dense:
            return [str(at) for at in np.flatnonzero(lists.dense[column][1][token])]
        if lists is None or column not in lists.columns:
            return None
        number = int(lists.list_of[token, lists.columns.index(column)])
        if not number:
            return None
        keys = lists.keys[lists.begin[number - 1] : lists.begin[number]]
        return [f"#{key:x}" for key in keys.tolist()]

    def _string(self, value: int) -> str:
        strings = self._doc.vocab.strings
        return strings[value] if value in strings else f"#{value:x}"


def _texts(value: Any) -> Sequence[str | None]:
    """Return the texts of the value of an extension, in the order of its features."""
    if isinstance(value, (float, np.floating)):
        return [None] if value else []
    if isinstance(value, Mapping):
        return [str(key) for key, number in value.items() if number]
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value), key=text_hash)
    if isinstance(value, (list, tuple, np.ndarray)):
        if len(value) and all(isinstance(x, (float, np.floating)) for x in value):
            return [str(place) for place, number in enumerate(value) if number]
        return list(dict.fromkeys(map(str, value)))
    return [str(value)]
