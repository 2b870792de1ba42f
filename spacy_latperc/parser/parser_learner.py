"""A parser over arrays: labels, features, weights, training and saving.

Updates take a lock; predictions read frozen weights, so any number of threads may parse
at once.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import Errors
from ..errors.check import check_seed
from ..features.sets import FeatureSet
from ..io import model_file
from ..kernels.chains import text_hash
from ..kernels.parsing import (
    EXPLORE,
    FACTS,
    FrozenParser,
    Parser,
    ParserTemplates,
)
from ..learners.base import Batch, Prepared
from ..learners.blocks import Plan
from ..learners.chain import NotFiniteError
from ..learners.dynamic_oracle import FOLLOW, FROM_EPOCH, DynamicOracle
from ..learners.learner_settings import LearnerSettings, SearchSettings
from ..learners.serialization import pieces
from ..learners.violation_fixing import ViolationFixing
from .parser_inference import ParserInference
from .state_templates import StateTemplate
from .words import RELATION, Ids, Words, gold_sentences

# The number of largest weights that predictions and files keep. On English EWT a parser
# learns 5.7 million, and a third of them scores the same.
MOST_WEIGHTS = 2_000_000


class ParserLearner(ParserInference):
    """A parser that can be trained."""

    def __init__(
        self,
        features: FeatureSet,
        learner: LearnerSettings,
        search: SearchSettings,
        seed: int,
    ):
        rule = learner.make_rule
        if not isinstance(rule, ViolationFixing | DynamicOracle):
            raise ValueError(Errors.LP802.format(name=learner.name))
        if not search.beam:
            raise ValueError(Errors.LP803.format(name=search.name))
        if isinstance(rule, DynamicOracle) and search.beam > 1:
            raise ValueError(Errors.LP812.format(search=search.name))
        templates: tuple[Any, ...] = features.templates
        for template in templates:
            if not isinstance(template, StateTemplate):
                raise ValueError(Errors.LP804.format(template=template))
        self.rule: ViolationFixing | DynamicOracle = rule
        self.search = search
        self.labels: list[str] = []
        super().__init__(
            features, learner, _plan(features), seed=check_seed(seed), bits=64
        )
        self._lay_out()

    def _arguments(self) -> dict[str, Any]:
        return {
            "features": self.all_features,
            "learner": self.settings,
            "search": self.search,
            "seed": self.seed,
        }

    def _make_plan(self, features: FeatureSet) -> Plan:
        return _plan(features)

    def _lay_out(self) -> None:
        self.templates = ParserTemplates(
            [_program(self.plan, template) for template in self.features.templates],
            len(self.plan.sources),
        )
        self._parser: Parser | None = None
        self._frozen: FrozenParser | None = None
        self._examples = 0

    # Labels ---------------------------------------------------------------------------

    def set_labels(self, labels: Sequence[str]) -> None:
        """Set the relations, in order. A trained parser accepts more relations after
        the old ones."""
        with self._lock:
            old = self.labels
            if list(labels[: len(old)]) != old:
                raise ValueError(Errors.LP019.format(old=old, new=list(labels)))
            if list(labels) == old:
                return
            if self._parser is not None or self._frozen is not None:
                before = self.freeze()
                self._examples = self.examples
                self._frozen = self._wider(before, len(labels))
                self._parser = None
            self.labels = list(labels)
            self._bytes = None

    def _wider(self, frozen: FrozenParser, relations: int) -> FrozenParser:
        wider = self._blank_frozen(relations)
        wider.fill(*frozen.export(), unit=frozen.unit)
        return wider

    def _blank_frozen(self, relations: int) -> FrozenParser:
        return FrozenParser(self.templates, relations=relations)

    # Learning -------------------------------------------------------------------------

    def start(self, epoch_size: int, *, keep_features: bool = False) -> None:
        """Restart with zero weights."""
        with self._lock:
            self._parser = None
            self._frozen = self._blank_frozen(len(self.labels))
            self._examples = 0
            self._random_state = self.seed
            self._epoch_size = self.settings.epoch_size or epoch_size
            self._bytes = None

    @property
    def examples(self) -> int:
        """The number of sentences learned from so far."""
        return self._examples + (self._parser.examples if self._parser else 0)

    @property
    def updates(self) -> tuple[int, int]:
        """The number of updates since training began or continued, and of violations
        among them: wrong prefixes that scored no less than gold."""
        return (
            (self._parser.updates, self._parser.violations) if self._parser else (0, 0)
        )

    def extract(self, batch: Batch, *, count: bool = False) -> list[Any]:
        """Return the attributes of each Doc, which training keeps."""
        with self._lock:
            attrs = self.read(batch).attrs
        starts = batch.values[:, 1].astype(np.int8)
        return [
            Words(attrs[first:last].copy(), starts[first:last].copy())
            for first, last in zip(batch.docs[:-1], batch.docs[1:], strict=True)
        ]

    def read(self, batch: Batch, **options: Any) -> Prepared:
        """Read a batch once, for all predictions."""
        if batch.lists is not None:
            raise ValueError(Errors.LP805)
        return super().read(batch, **options)

    def update(self, blocks: Sequence[Words], gold: Ids) -> tuple[float, list[int]]:
        """Learn from a batch.

        Args:
            blocks: The results of `extract` for some Docs.
            gold: Head, relation and sentence start of each token.

        Returns:
            The loss (tokens without their head and relation), and the numbers of Docs
            with a sentence whose gold no tree can have.
        """
        sentences, heads, lost = gold_sentences(blocks, gold)
        attrs = np.concatenate([block.attrs for block in blocks])
        starts = np.concatenate([block.starts for block in blocks])
        with self._lock:
            parser = self._learning_parser()
            self._bytes = self._frozen = None
            examples = self.examples
            try:
                loss, impossible, _, _ = parser.update(
                    attrs,
                    sentences[:, :3].copy(),
                    (starts == 0).view(np.uint8),
                    heads,
                    np.ascontiguousarray(gold[:, RELATION]),
                    self._method(),
                    follow=self._follow(examples),
                    rates=self.settings.rates(
                        examples, len(sentences), self._epoch_size
                    ),
                )
            except FloatingPointError as error:
                doc = int(sentences[error.args[0], 3])
                raise NotFiniteError(doc, self.examples) from error
        docs = {int(sentences[number, 3]) for number in impossible}
        return loss, sorted(docs | lost)

    def _method(self) -> str:
        rule = self.rule
        return rule.method if isinstance(rule, ViolationFixing) else EXPLORE

    def _follow(self, examples: int) -> float:
        """Return the probability of following a wrong prediction while exploring."""
        if not isinstance(self.rule, DynamicOracle):
            return 0.0
        waits = (FROM_EPOCH - 1) * self._epoch_size
        return FOLLOW if examples >= waits else 0.0

    def _learning_parser(self) -> Parser:
        """Return the rows in training, made from the frozen ones when training begins
        or continues after loading."""
        if self._parser is None:
            if self._frozen is None or not self.labels:
                raise ValueError(Errors.LP024)
            settings = self.settings
            self._parser = Parser(
                self.templates,
                relations=len(self.labels),
                beam=self.search.beam,
                average=settings.average != "none",
                epoch_size=self._epoch_size,
                restart_every=settings.restart_every,
                step=settings.step,
            )
            self._parser.load(self._frozen)
            self._parser.random_state = self._random_state
        return self._parser

    # Predicting -----------------------------------------------------------------------

    def freeze(self) -> FrozenParser:
        """Return the current averaged weights."""
        with self._lock:
            if self._frozen is None:
                if self._parser is None:
                    raise ValueError(Errors.LP024)
                self._frozen = self._parser.freeze(MOST_WEIGHTS)
            return self._frozen

    # Saving ---------------------------------------------------------------------------

    @property
    def description(self) -> dict[str, Any]:
        """The properties that a file must share with this learner."""
        return {
            "system": "arc_hybrid",
            "templates": [str(template) for template in self.features.templates],
            **pieces.describe_sources(self.features.sources),
        }

    def _pack(self, bits: int) -> bytes:
        header: dict[str, Any] = {
            "kind": "parser",
            **self.description,
            "labels": self.labels,
            "examples": self.examples,
            "pass_size": self._epoch_size,
            "random_state": self._parser.random_state
            if self._parser
            else self._random_state,
        }
        arrays = pieces.write_sources(self.features.sources)
        if self._parser is not None or self._frozen is not None:
            frozen = self.freeze()
            keys, sizes, cells, values = frozen.export()
            # Weights are multiples of the unit already: rounding is exact.
            header["0.scale"] = frozen.unit
            steps = np.rint(values / np.float32(frozen.unit)).astype(np.int16)
            rows = (keys, pieces.narrow(sizes), pieces.narrow(cells), steps)
            arrays |= {
                f"0.{name}": part for name, part in zip(_PARTS, rows, strict=True)
            }
        return model_file.pack(header, arrays)

    def from_bytes(self, data: bytes) -> "ParserLearner":
        """Load the bytes of `to_bytes`; templates must agree. Bad bytes leave the
        learner unchanged."""
        with self._lock, self._templates_of(data):
            header, arrays = pieces.open_model(
                data, "parser", self.description, Errors.LP025
            )
            with pieces.suspicion():
                known: dict[str, Any] = pieces.read_sources(
                    arrays, self.features.sources
                )
                labels = pieces.read_labels(header)
                counts = [
                    pieces.read_count(header, name)
                    for name in ("examples", "pass_size")
                ]
                random_state = pieces.read_count(header, "random_state", bits=64)
                frozen = None
                if "0.keys" in arrays:
                    unit = float(header["0.scale"])
                    frozen = self._blank_frozen(len(labels))
                    frozen.fill(*pieces.read_rows(header, arrays, 0), unit=unit)
            self.adopt_sources(known)
            self.labels, self._frozen, self._parser = labels, frozen, None
            self._examples, self._epoch_size = counts
            self._random_state = random_state
            self._bytes = bytes(data)
        return self


_PARTS = ("keys", "sizes", "cells", "values")


def _plan(features: FeatureSet) -> Plan:
    """Plan the attributes that templates read; states make the observations."""
    plan = Plan(knowledge=features.sources)
    for template in features.templates:
        for part in getattr(template, "parts", ()):
            if not getattr(part, "is_fact", False):
                plan.attribute_number(part.attribute)
    return plan


def _program(plan: Plan, template: Any) -> tuple[int, list[tuple[int, int]]]:
    """Return the hash seed of a template, and the locations of its parts."""
    looks = []
    for part in template.parts:
        if part.is_fact:
            looks.append((FACTS.index(str(part)), -1))
        else:
            column = plan.attribute_number(part.attribute)
            looks.append((FACTS.index(part.place), column))
    return text_hash(str(template)), looks
