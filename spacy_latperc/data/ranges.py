"""Multiword tokens: tokens of the text that a treebank splits into words.

In CoNLL-U a range (`2-3  im`) precedes its words (`in`, `dem`). Pipelines read the
text, so they must be trained on the text too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from .table import NO_HEAD, UNSET, Column, Table, narrowest

MULTIWORD = ("auto", "merge", "split")
DEFAULT_MULTIWORD = "auto"
# The annotation of a part, besides its id, form and head.
_OF_PARTS = ("lemma", "pos", "tag", "morph", "dep")
_OF_HEADS = ("pos", "dep")


@dataclass(frozen=True)
class Range:
    """A multiword token: the positions of its words, ends exclusive, and its row."""

    start: int
    end: int
    form: str
    line: int
    space: bool


def check_ranges(table: Table, ranges: Sequence[Range]) -> None:
    """Check that each range is within a sentence, after the previous one."""
    ends = np.append(0, [x.end for x in ranges])
    for previous, found in zip(ends.tolist(), ranges, strict=False):
        sentence = np.searchsorted(table.sentence_offsets, found.start, side="right")
        last = table.sentence_offsets[min(int(sentence), table.n_sentences)]
        if not previous <= found.start < found.end <= last:
            raise ValueError(
                Errors.LP136.format(path=table.path, line=found.line, form=found.form)
            )


def merge_ranges(table: Table, ranges: Sequence[Range], multiword: str) -> Table:
    """Merge multiword tokens of a table into single tokens.

    Args:
        table: The words, one row each.
        ranges: The multiword tokens.
        multiword: "merge" for all, "split" for none, "auto" for those whose words do
            not spell them ("im" is not "indem", but "don't" is "do" + "n't").
    """
    words = table.columns["word"]
    merged = [
        x
        for x in ranges
        if multiword == "merge"
        or (multiword == "auto" and "".join(_strings(words, x.start, x.end)) != x.form)
    ]
    return _Merger(table, merged).merge() if merged else table


class _Merger:
    def __init__(self, table: Table, ranges: list[Range]):
        self.table = table
        self.ranges = ranges
        self.kept = np.ones(table.n_tokens, dtype=bool)
        for x in ranges:
            self.kept[x.start + 1 : x.end] = False
        # A removed word has the position of the token that it is part of.
        self.position = np.cumsum(self.kept) - 1
        self.head_parts = [self._head_part(x) for x in ranges]

    def merge(self) -> Table:
        table, kept = self.table, self.kept
        spaces = table.spaces
        if spaces is not None:
            spaces = spaces.copy()
            spaces[[x.start for x in self.ranges]] = [x.space for x in self.ranges]
            spaces = spaces[kept]
        offsets = np.append(self.position, int(kept.sum()))
        return replace(
            table,
            columns={name: self._column(name) for name in table.columns},
            lines=table.lines[kept],
            spaces=spaces,
            sentence_offsets=offsets[table.sentence_offsets],
            heads=self._heads(),
        )

    def _head_part(self, x: Range) -> int:
        """The part that is nearest to the root, or the first of several.

        This cannot create a cycle: each step up from a merged token leads to a token
        that is nearer to the root than all parts of the previous one.
        """
        heads = self.table.heads
        if heads is None:
            return x.start
        depths = []
        for part in range(x.start, x.end):
            depth, at = 0, part
            while heads[at] not in (at, NO_HEAD):
                depth, at = depth + 1, heads[at]
            depths.append((heads[part] == NO_HEAD, depth, part))
        return min(depths)[2]

    def _heads(self) -> NDArray[np.int64] | None:
        if self.table.heads is None:
            return None
        heads = self.table.heads.copy()
        for x, part in zip(self.ranges, self.head_parts, strict=True):
            head = self.table.heads[part]
            heads[x.start] = x.start if head == part else head
        return np.where(heads == NO_HEAD, NO_HEAD, self.position[heads])[self.kept]

    def _column(self, name: str) -> Column:
        column = self.table.columns[name]
        strings, all_ids = list(column.strings), column.ids.astype(np.int32)
        known = {string: i for i, string in enumerate(strings)}
        for x, part in zip(self.ranges, self.head_parts, strict=True):
            values = _strings(column, x.start, x.end)
            if name == "word":
                value = x.form
            elif name in _OF_HEADS:
                value = values[part - x.start]
            elif name in _OF_PARTS:
                value = _joined(name, [v for v in values if v not in UNSET])
            elif len(set(values)) == 1:
                value = values[0]
            else:
                raise ValueError(
                    Errors.LP139.format(
                        path=self.table.path,
                        line=x.line,
                        form=x.form,
                        column=name,
                        labels=", ".join(values),
                    )
                )
            if value not in known:
                known[value] = len(strings)
                strings.append(value)
            all_ids[x.start] = known[value]
        used, ids = np.unique(all_ids[self.kept], return_inverse=True)
        return Column(
            [strings[i] for i in used.tolist()],
            ids.astype(narrowest(len(used)), copy=False),
        )


def _strings(column: Column, start: int, end: int) -> list[str]:
    return [column.strings[i] for i in column.ids[start:end].tolist()]


def _joined(name: str, values: list[str]) -> str:
    """Join the annotation of several words as spaCy's own converter does."""
    if name == "morph":
        features: dict[str, set[str]] = {}
        for feature in "|".join(values).split("|") if values else ():
            field, _, options = feature.partition("=")
            features.setdefault(field, set()).update(options.split(","))
        values = [
            f"{field}={','.join(sorted(features[field]))}" for field in sorted(features)
        ]
    separator = {"morph": "|", "lemma": " "}.get(name, "_")
    return separator.join(values) or "_"
