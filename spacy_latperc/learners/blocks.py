"""The plan of a feature set: the blocks of a chain and the features it extracts.

A weight is found as follows. A FeatureSet holds Templates (features/). A Plan lays them
out: each distinct observation gets a program for the FeatureSpace, which turns the
attributes of a token into feature ids; each kind of history has a block. A Structure
(kernels/) is these blocks over given labels, latent states and rules. A Chain has for
each block a row of weights per feature, whose cells are labels, states or histories of
them; a FrozenChain has the averaged rows, which never change.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..errors import Errors
from ..features.attributes import SENTENCE_COLUMN, WORD_COLUMN, Attribute
from ..features.sets import FeatureSet
from ..features.sources import DocReading, Sources, find_reading
from ..features.templates import KINDS, Part, Template
from ..kernels.chains import (
    COMPUTED,
    NGRAMS,
    PREFIX,
    SUFFIX,
    FeatureSpace,
    text_hash,
)

Parts = tuple[Part, ...]
# Templates that are summed together, and the (attribute, offset) pairs they depend on.
Group = tuple[list[int], list[tuple[int, int]]]
Block = tuple[int, bool, list[Group]]  # kind, latent rows or label rows, groups
Source = tuple


@dataclass
class Plan:
    """The layout of a feature set: columns to read, observations, blocks of rows.

    Attributes:
        columns: Columns of the Doc; the first two are the word and the sentence start.
        observations: Observations, extracted once for all histories.
        programs: The hash seed of each observation, and its (attribute, offset) pairs.
        sources: The location of each attribute.
        blocks: The kind of history, a flag for latent rows, and groups of templates.
        attributes: The number of each attribute.
        knowledge: Sources of attributes, by name.
        doc_readings: Readers of the columns that sources give, by column.
    """

    columns: list[str] = field(default_factory=lambda: [WORD_COLUMN, SENTENCE_COLUMN])
    observations: list[str] = field(default_factory=list)
    programs: list[tuple[int, list[tuple[int, int]]]] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    attributes: dict[str, int] = field(default_factory=dict)
    knowledge: Sources = field(default_factory=dict)
    doc_readings: dict[str, DocReading] = field(default_factory=dict)

    @property
    def layout(self) -> list[list]:
        """The rows of the blocks, for comparison with a model file. Groups are left
        out, since they may change between versions."""
        return [
            [
                kind,
                is_latent,
                sorted(self.observations[t] for ts, _ in groups for t in ts),
            ]
            for kind, is_latent, groups in self.blocks
        ]

    @cached_property
    def dense_columns(self) -> set[int]:
        """The columns that only templates of a single part read, in blocks of states:
        the kernels take vectors of numbers there as they are."""
        others = {
            t for kind, _, groups in self.blocks if kind for ts, _ in groups for t in ts
        }
        joined = {
            attribute
            for t, (_, parts) in enumerate(self.programs)
            for attribute, _ in parts
            if len(parts) > 1 or t in others
        }
        barred = {self.sources[a][1] for a in joined if self.sources[a][0] == "column"}
        return set(range(len(self.columns))) - barred

    def within(self, union: "Plan") -> "Plan":
        """Return this layout over the observations and attributes of a larger one."""
        number = [union.observations.index(name) for name in self.observations]
        attribute = [union.attributes[name] for name in self.attributes]
        blocks: list[Block] = [
            (
                kind,
                is_latent,
                [
                    ([number[t] for t in ts], [(attribute[a], at) for a, at in key])
                    for ts, key in groups
                ],
            )
            for kind, is_latent, groups in self.blocks
        ]
        return replace(union, blocks=blocks)

    def make_space(
        self, min_count: int, *, bits: int = 64, packed: bool = True
    ) -> FeatureSpace:
        """Make the index of features. bits: The size of hashes. packed: See there."""
        return FeatureSpace(
            self.programs,
            self.sources,
            min_count=min_count,
            bits=bits,
            packed=packed,
        )

    def attribute_number(self, attribute: Attribute) -> int:
        """Return the number of an attribute; new ones are added."""
        if attribute.name not in self.attributes:
            self.attributes[attribute.name] = len(self.sources)
            self.sources.append(self._source(attribute))
        return self.attributes[attribute.name]

    def _source(self, attribute: Attribute) -> Source:
        reading = find_reading(attribute, self.knowledge) if attribute.source else None
        if attribute.column:
            if attribute.column not in self.columns:
                self.columns.append(attribute.column)
            if reading and reading.of_docs:
                self.doc_readings[attribute.column] = reading.of_docs
            return ("column", self.columns.index(attribute.column))
        if reading:
            return ("lexical", COMPUTED, 0, reading.of_form)
        if attribute.function:
            return ("lexical", COMPUTED, 0, attribute.function)
        kinds = {"prefix": PREFIX, "suffix": SUFFIX, "ngrams": NGRAMS}
        return ("lexical", kinds[str(attribute.affix)], attribute.length, None)

    def add_observation(self, name: str, parts: tuple[Part, ...]) -> None:
        """Add an observation, unless it is there already."""
        if name not in self.observations:
            program = [(self.attribute_number(p.attribute), p.offset) for p in parts]
            self.observations.append(name)
            self.programs.append((text_hash(name), program))

    def add_block(
        self, kind: int, is_latent: bool, parts: dict[str, tuple[Part, ...]]
    ) -> None:
        """Add a block over these observations; state rows are grouped."""
        grouped = group_parts(parts) if kind == 0 else [[name] for name in parts]
        groups: list[Group] = []
        for names in grouped:
            key = [
                (self.attribute_number(part.attribute), part.offset)
                for part in key_of([parts[name] for name in names])
            ]
            groups.append(([self.observations.index(name) for name in names], key))
        self.blocks.append((kind, is_latent, groups))


def plan_blocks(features: FeatureSet, *, latent: int, order: int) -> Plan:
    """Lay out a feature set for a number of latent values and an order.

    Plain transitions (`edge:bias`, `tri:bias`) are added up to the order.
    """
    wanted: dict[str, dict[str, tuple[Part, ...]]] = {kind: {} for kind in KINDS}
    for template in features.templates:
        if not isinstance(template, Template):
            raise ValueError(Errors.LP811.format(template=template))
        wanted[template.kind][template.observation] = template.parts
    for kind in KINDS[1 : order + 1]:
        wanted[kind].setdefault("bias", ())
    plan = Plan(knowledge=features.sources)
    for kind in KINDS:
        for name, parts in wanted[kind].items():
            plan.add_observation(name, parts)
    full = latent > 1 and features.latent_form == "full"
    for number, kind in enumerate(KINDS[: order + 1]):
        plan.add_block(number, full, wanted[kind])
    if latent > 1 and not full:
        named = set(features.latent_templates)
        for number, kind in enumerate(KINDS[: order + 1]):
            chosen = {
                name: parts
                for name, parts in wanted[kind].items()
                if not named
                or (name if number == 0 else f"{kind}:{name}") in named
                or (number > 0 and name == "bias")
            }
            if chosen:
                plan.add_block(number, True, chosen)
    return plan


# Groups: when the weights are frozen, the sum of the rows of several templates is a
# function of the attributes that they read, which a decoder caches. This pays if these
# have few joint values: all attributes of one word form at one offset (twenty templates
# become one look-up), and n-grams of tags or shapes with the shorter ones inside them.


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
