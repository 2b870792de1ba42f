"""What every learner over arrays is: templates and the index of their features, a lock,
and all that was learned as bytes, in which form it is also copied."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..features.sets import FeatureSet
from ..features.sources import Givens, Source
from ..features.values import ValueLists
from ..io.model_file import read_header
from ..kernels.chains import (
    BatchAttributes,
    FeatureBlock,
    FeatureSpace,
    TokenValues,
    sentence_bounds,
)
from .blocks import Plan
from .threads import parts_of, together

T = TypeVar("T")
Offsets = NDArray[np.int64]
Self = TypeVar("Self", bound="Learner")
Given = TypeVar("Given", bound="Batch")


@dataclass(frozen=True, eq=False)
class Batch:
    """Columns of token attributes of a batch of Docs.

    Attributes:
        values: [tokens, columns]; the first two are the word and the sentence start.
        docs: First tokens of the Docs, and the end.
        lookup: From the hash of a word to its string.
        allowed: Labels that each token may have, [tokens, labels]; None: all.
        lists: Lists of values, in the place of some of the values.
        given: Scores from outside, [tokens, labels] or [tokens, states], at which the
            scores of the chain start; None: at 0.
        extra: Columns that no template names, [tokens, columns], if there are some.
        blank: True if there are such columns, and they are 0 throughout.
        kept: What sources of attributes kept beside the columns; by source.
    """

    values: NDArray[np.uint64]
    docs: Offsets
    lookup: Callable[[int], str]
    allowed: NDArray[np.uint8] | None = None
    lists: ValueLists | None = None
    given: NDArray[np.float32] | None = None
    extra: NDArray[np.uint64] | None = None
    blank: bool = False
    kept: Mapping[Any, Any] = field(default_factory=dict)

    def within(self: Given, allowed: NDArray[np.uint8] | None) -> Given:
        """The same batch with other labels allowed."""
        return replace(self, allowed=allowed)

    def some_docs(self, numbers: Sequence[int]) -> "Batch":
        """Return the columns of some Docs, by number."""
        if len(numbers) == len(self.docs) - 1:
            return self
        at = [np.arange(self.docs[i], self.docs[i + 1]) for i in numbers]
        docs = np.cumsum([0, *map(len, at)], dtype=np.int64)
        tokens = np.concatenate(at)
        lists = self.lists.take(tokens) if self.lists else None
        return Batch(self.values[tokens], docs, self.lookup, lists=lists)

    @property
    def bounds(self) -> Offsets:
        """First tokens of the sentences, and the end."""
        return self.sentences[0]

    @property
    def per_doc(self) -> Offsets:
        """How many sentences each Doc has."""
        return self.sentences[1]

    @cached_property
    def sentences(self) -> tuple[Offsets, Offsets]:
        """The `bounds` of the sentences, and how many each Doc has."""
        return sentence_bounds(self.values[:, 1], self.docs)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A batch as a learner reads it: read once, for any number of questions.

    Attributes:
        attributes: Of the tokens, as the templates want them: as a learner reads them,
            or as a matrix.
        docs: First tokens of the Docs, and the end.
        bounds: First tokens of the sentences, and the end.
        per_doc: How many sentences each Doc has.
        allowed: Labels that each token may have, [tokens, labels]; None: all.
        values: Lists of values, in the place of some attributes.
        given: Scores from outside, [tokens, labels] or [tokens, states], at which the
            scores of the chain start; None: at 0.
        n_threads: The most threads that answer.
    """

    attributes: BatchAttributes | NDArray[np.uint64]
    docs: Offsets
    bounds: Offsets
    per_doc: Offsets
    allowed: NDArray[np.uint8] | None = None
    values: TokenValues | None = None
    given: NDArray[np.float32] | None = None
    n_threads: int = 1

    @property
    def attrs(self) -> NDArray[np.uint64]:
        """The attributes as a matrix, [tokens, attributes]."""
        found = self.attributes
        return found.matrix if isinstance(found, BatchAttributes) else found

    @property
    def n_tokens(self) -> int:
        """How many tokens there are."""
        return int(self.docs[-1])

    def starting_from(self, given: NDArray[np.float32] | None) -> "Prepared":
        """The same batch with other scores from outside."""
        return self if given is self.given else replace(self, given=given)

    def within(self, allowed: NDArray[np.uint8] | None) -> "Prepared":
        """The same batch with other labels allowed."""
        return self if allowed is self.allowed else replace(self, allowed=allowed)

    def ask(self, question: Callable[["Prepared"], T]) -> list["Answer[T]"]:
        """Ask about some sentences in each thread.

        Args:
            question: Asks about a batch with these tokens but fewer sentences.

        Returns:
            The answers in the order of the sentences. There is one at least.
        """
        if self.n_threads == 1:
            return [Answer(slice(None), question(self))]
        parts = parts_of(self.bounds, self.n_threads)
        if len(parts) == 1:
            return [Answer(slice(None), question(self))]
        at = [self.bounds[first : last + 1] for first, last in parts]
        jobs = [partial(question, replace(self, bounds=bounds)) for bounds in at]
        return [
            Answer(slice(int(bounds[0]), int(bounds[-1])), value)
            for bounds, value in zip(at, together(jobs), strict=True)
        ]


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What one thread answered.

    Attributes:
        tokens: The tokens of the batch that it is about.
        value: The answer. Arrays over tokens are as long as the batch; what they say
            of other tokens means nothing.
    """

    tokens: slice
    value: T


def by_token(answers: Sequence[Answer[NDArray[Any]]]) -> NDArray[Any]:
    """The answers of all threads, token by token."""
    if len(answers) == 1:
        return answers[0].value
    return np.concatenate([answer.value[answer.tokens] for answer in answers])


class Learner:
    """Templates, the index of their features, and how learners are saved and copied.

    Updates take a lock; predictions read frozen weights, so that any number of threads
    may predict at once.

    Args:
        features: The templates; those of sources with nothing to know are left out.
        settings: How the weights change.
        plan: How the templates are laid out.
        seed: Of the initial noise and of shuffling.
        bits: Of the hash by which features are told apart.
    """

    # Whether features of training take little memory, and a little time to be read.
    packs_features = True

    def __init__(
        self, features: FeatureSet, settings: Any, plan: Plan, *, seed: int, bits: int
    ):
        self.features = self.given = features
        self.settings = settings
        self.plan = plan
        self.seed = seed
        self._hash_bits = bits
        self.space = self._make_space()
        self._pass_size = 0
        self._random_state = seed
        self._bytes: bytes | None = None
        self._known = self._knowledge()
        self._lock = threading.RLock()

    def _make_space(self) -> FeatureSpace:
        return self.plan.make_space(
            self.features.min_count, bits=self._hash_bits, packed=self.packs_features
        )

    def _arguments(self) -> dict[str, Any]:
        """What makes a learner with the same settings."""
        raise NotImplementedError

    def blank(self: Self) -> Self:
        """A learner with the same settings that has learned nothing."""
        return type(self)(**self._blank_arguments())

    def _blank_arguments(self) -> dict[str, Any]:
        return {**self._arguments(), "features": self.given.blank()}

    # Copies travel as bytes: compiled rows and locks cannot be pickled.
    def __getstate__(self) -> dict[str, Any]:
        return {**self._blank_arguments(), "data": self.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state.pop("data")
        type(self).__init__(self, **state)
        self.from_bytes(data)

    @property
    def pass_size(self) -> int:
        """Sentences in a pass."""
        return self._pass_size

    def freeze(self) -> Any:
        """The weights of now (averaged, where they are), which never change."""
        raise NotImplementedError

    # Sources of attributes ----------------------------------------------------------

    def fit_sources(self, givens: Callable[[str], Givens]) -> None:
        """Let the sources of attributes learn, before anything else does.

        Args:
            givens: What a source of this name may learn from.
        """
        with self._lock:
            for name, source in self.given.sources.items():
                source.fit(givens(name))
            self._use(self.given.without(self._absent()))
            self._sources_changed()

    def _absent(self) -> set[str]:
        """Sources that found nothing to learn from."""
        return {name for name, x in self.given.sources.items() if x.is_absent}

    @contextmanager
    def _templates_of(self, data: bytes) -> Iterator[None]:
        """Have the templates that a model file has, which may lack optional sources. If
        it is refused, all is as before."""
        before = dict(vars(self))
        try:
            self._use(self.given.without(self._absent_in(read_header(data))))
            yield
        except BaseException:
            vars(self).update(before)
            raise

    def _absent_in(self, header: Mapping[str, Any]) -> set[str]:
        """Optional sources that a model file does not have."""
        known = header.get("sources")
        found = known if isinstance(known, dict) else {}
        optional = {name for name, x in self.given.sources.items() if x.optional}
        return optional - found.keys()

    def _use(self, features: FeatureSet) -> None:
        """Take other templates of those that were given, if they are others; nothing
        that was learned goes with them."""
        if features.templates != self.features.templates:
            self.features = features
            self.plan = self._make_plan(features)
            self.space = self._make_space()
            self._lay_out()

    def _make_plan(self, features: FeatureSet) -> Plan:
        raise NotImplementedError

    def _lay_out(self) -> None:
        """Have rows for the templates of now."""
        raise NotImplementedError

    def adopt_sources(self, sources: Mapping[str, Source]) -> None:
        """Know what other sources of the same names know."""
        for name, source in sources.items():
            self.features.sources[name].adopt(source)
        self._sources_changed()

    def forget_words(self, most: int) -> None:
        """Forget what is remembered of words, where there are more than so many; it is
        found out again when they come."""
        if self.space.n_lexemes > most:
            self.space.forget_lexemes()
        for source in self.features.sources.values():
            source.forget()

    def _sources_changed(self) -> None:
        self.space.forget_lexemes()
        self._bytes, self._known = None, self._knowledge()

    def _knowledge(self) -> list[int]:
        """How often each source has changed."""
        return [source.changes for source in self.features.sources.values()]

    # Reading columns ----------------------------------------------------------------

    def read(
        self,
        batch: Batch,
        *,
        allowed: NDArray[np.uint8] | None = None,
        external_scores: NDArray[np.float32] | None = None,
        n_threads: int = 1,
    ) -> Prepared:
        """Read a batch once, for all questions.

        Args:
            batch: The batch.
            allowed: Labels that each token may have; None: as the batch says.
            external_scores: Scores at which the chain starts; None: as the batch says.
            n_threads: The most threads that answer.
        """
        lists = batch.lists
        bounds, per_doc = batch.sentences
        return Prepared(
            self.space.attributes(batch.values, batch.lookup),
            batch.docs,
            bounds,
            per_doc,
            batch.allowed if allowed is None else allowed,
            self.space.token_values(**vars(lists)) if lists else None,
            batch.given if external_scores is None else external_scores,
            n_threads,
        )

    def extract(self, batch: Batch, *, count: bool = False) -> list[FeatureBlock]:
        """Feature ids of each Doc, for training; new features join the index."""
        with self._lock:
            read = self.read(batch)
            ends = np.concatenate([[0], np.cumsum(read.per_doc)])
            return [
                self.space.extract(
                    read.attrs,
                    read.bounds[first : last + 1],
                    count=count,
                    values=read.values,
                )
                for first, last in zip(ends[:-1], ends[1:], strict=True)
            ]

    # Saving -------------------------------------------------------------------------

    def to_bytes(self, *, bits: int = 32) -> bytes:
        """The weights and all that is needed to use them or to go on.

        Args:
            bits: 32 keeps the weights exactly; 16 rounds them to 65,535 steps.
        """
        with self._lock:
            if bits != 32:
                return self._pack(bits)
            known = self._knowledge()
            if self._bytes is None or known != self._known:
                self._known = known
                self._bytes = self._pack(bits)
            return self._bytes

    def _pack(self, bits: int) -> bytes:
        raise NotImplementedError

    def from_bytes(self: Self, data: bytes) -> Self:
        """Load what `to_bytes` gave. Bad bytes leave the learner as it was."""
        raise NotImplementedError
