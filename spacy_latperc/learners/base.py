"""The base of learners over arrays: templates with an index of their features, a lock,
and serialization, which also makes copies."""

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
AnyBatch = TypeVar("AnyBatch", bound="Batch")


@dataclass(frozen=True, eq=False)
class Batch:
    """Columns of token attributes of a batch of Docs.

    Attributes:
        values: [tokens, columns]; the first two are the word and the sentence start.
        docs: First tokens of the Docs, and the end.
        lookup: A map from the hash of a word to its string.
        allowed: Labels that each token may have, [tokens, labels]; None for all.
        lists: Lists of values that replace some of the values.
        external_scores: [tokens, labels] or [tokens, states]; None for 0.
        extra: Columns that no template names, [tokens, columns], if there are some.
        blank: True if there are such columns, and all of them are 0.
        source_data: Data that sources of attributes keep with the columns, by source.
    """

    values: NDArray[np.uint64]
    docs: Offsets
    lookup: Callable[[int], str]
    allowed: NDArray[np.uint8] | None = None
    lists: ValueLists | None = None
    external_scores: NDArray[np.float32] | None = None
    extra: NDArray[np.uint64] | None = None
    blank: bool = False
    source_data: Mapping[Any, Any] = field(default_factory=dict)

    def within(self: AnyBatch, allowed: NDArray[np.uint8] | None) -> AnyBatch:
        """Return the batch with other allowed labels."""
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
        """The first tokens of the sentences, and the end."""
        return self.sentences[0]

    @property
    def per_doc(self) -> Offsets:
        """The number of sentences of each Doc."""
        return self.sentences[1]

    @cached_property
    def sentences(self) -> tuple[Offsets, Offsets]:
        """The `bounds` of the sentences, and the number of sentences of each Doc."""
        return sentence_bounds(self.values[:, 1], self.docs)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A batch that a learner has read once, for any number of predictions.

    Attributes:
        attributes: The attributes that the templates read.
        docs: First tokens of the Docs, and the end.
        bounds: First tokens of the sentences, and the end.
        per_doc: The number of sentences of each Doc.
        allowed: Labels that each token may have, [tokens, labels]; None for all.
        values: Lists of values that replace some attributes.
        external_scores: [tokens, labels] or [tokens, states]; None for 0.
        n_threads: The largest number of threads that predict.
        recall_constant: A number added to the score of the first label at every token.
    """

    attributes: BatchAttributes
    docs: Offsets
    bounds: Offsets
    per_doc: Offsets
    allowed: NDArray[np.uint8] | None = None
    values: TokenValues | None = None
    external_scores: NDArray[np.float32] | None = None
    n_threads: int = 1
    recall_constant: float = 0.0

    @property
    def attrs(self) -> NDArray[np.uint64]:
        """The attributes as a matrix, [tokens, attributes]."""
        return self.attributes.matrix

    @property
    def n_tokens(self) -> int:
        """The number of tokens."""
        return int(self.docs[-1])

    def starting_from(self, scores: NDArray[np.float32] | None) -> "Prepared":
        """Return the batch with other external scores."""
        same = scores is self.external_scores
        return self if same else replace(self, external_scores=scores)

    def within(self, allowed: NDArray[np.uint8] | None) -> "Prepared":
        """Return the batch with other allowed labels."""
        return self if allowed is self.allowed else replace(self, allowed=allowed)

    def ask(self, question: Callable[["Prepared"], T]) -> list["Answer[T]"]:
        """Split the sentences between threads and predict.

        Args:
            question: A prediction for a batch with these tokens but fewer sentences.

        Returns:
            The results in the order of the sentences; at least one.
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
    """The result of one thread.

    Attributes:
        tokens: The tokens of the batch that it is for.
        value: The result. Arrays over tokens are as long as the batch, with undefined
            values for other tokens.
    """

    tokens: slice
    value: T


def by_token(answers: Sequence[Answer[NDArray[Any]]]) -> NDArray[Any]:
    """Join the results of all threads, token by token."""
    if len(answers) == 1:
        return answers[0].value
    return np.concatenate([answer.value[answer.tokens] for answer in answers])


class Learner:
    """A base with templates, the index of their features, saving and copying.

    Updates take a lock; predictions read frozen weights, so any number of threads may
    predict at once.
    """

    # Packed features of training take less memory and a little time to read.
    packs_features = True

    def __init__(
        self, features: FeatureSet, settings: Any, plan: Plan, *, seed: int, bits: int
    ):
        self.features = self.all_features = features
        self.settings = settings
        self.plan = plan
        self.seed = seed
        self._hash_bits = bits
        self.space = self._make_space()
        self._epoch_size = 0
        self._random_state = seed
        self._bytes: bytes | None = None
        self._known = self._knowledge()
        self._lock = threading.RLock()

    def _make_space(self) -> FeatureSpace:
        return self.plan.make_space(
            self.features.min_count, bits=self._hash_bits, packed=self.packs_features
        )

    def empty_space(self) -> FeatureSpace:
        """Return an empty index over the same templates, without a cut-off."""
        return self.plan.make_space(1, bits=self._hash_bits, packed=False)

    def _arguments(self) -> dict[str, Any]:
        """The arguments of a learner with the same settings."""
        raise NotImplementedError

    def blank(self: Self) -> Self:
        """Make an untrained learner with the same settings."""
        return type(self)(**self._blank_arguments())

    def _blank_arguments(self) -> dict[str, Any]:
        return {**self._arguments(), "features": self.all_features.blank()}

    # Copies travel as bytes: compiled rows and locks cannot be pickled.
    def __getstate__(self) -> dict[str, Any]:
        return {**self._blank_arguments(), "data": self.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state.pop("data")
        type(self).__init__(self, **state)
        self.from_bytes(data)

    @property
    def epoch_size(self) -> int:
        """The number of sentences in an epoch."""
        return self._epoch_size

    def freeze(self) -> Any:
        """Return the current weights (averaged if set so), which never change."""
        raise NotImplementedError

    # Sources of attributes ----------------------------------------------------------

    def fit_sources(self, givens: Callable[[str], Givens]) -> None:
        """Fit the sources of attributes, before the weights.

        Args:
            givens: A function from the name of a source to its training data.
        """
        with self._lock:
            for name, source in self.all_features.sources.items():
                source.fit(givens(name))
            self._use(self.all_features.without(self._absent()))
            self._sources_changed()

    def _absent(self) -> set[str]:
        """Return the names of sources that found no training data."""
        return {name for name, x in self.all_features.sources.items() if x.is_absent}

    @contextmanager
    def _templates_of(self, data: bytes) -> Iterator[None]:
        """Use the templates of a model file, which may lack optional sources. If the
        file is refused, nothing changes."""
        before = dict(vars(self))
        try:
            self._use(self.all_features.without(self._absent_in(read_header(data))))
            yield
        except BaseException:
            vars(self).update(before)
            raise

    def _absent_in(self, header: Mapping[str, Any]) -> set[str]:
        """Return the names of optional sources that a model file does not have."""
        known = header.get("sources")
        found = known if isinstance(known, dict) else {}
        optional = {name for name, x in self.all_features.sources.items() if x.optional}
        return optional - found.keys()

    def _use(self, features: FeatureSet) -> None:
        """Use a part of the given templates. If it changes, all weights are lost."""
        if features.templates != self.features.templates:
            self.features = features
            self.plan = self._make_plan(features)
            self.space = self._make_space()
            self._lay_out()

    def _make_plan(self, features: FeatureSet) -> Plan:
        raise NotImplementedError

    def _lay_out(self) -> None:
        """Make rows for the current templates."""
        raise NotImplementedError

    def adopt_sources(self, sources: Mapping[str, Source]) -> None:
        """Copy the knowledge of other sources of the same names."""
        for name, source in sources.items():
            self.features.sources[name].adopt(source)
        self._sources_changed()

    def forget_words(self, most: int) -> None:
        """Clear the cache of words if it has more than `most`; it fills again."""
        if self.space.n_lexemes > most:
            self.space.forget_lexemes()
        for source in self.features.sources.values():
            source.forget()

    def _sources_changed(self) -> None:
        self.space.forget_lexemes()
        self._bytes, self._known = None, self._knowledge()

    def _knowledge(self) -> list[int]:
        """Return the number of changes of each source."""
        return [source.changes for source in self.features.sources.values()]

    # Reading columns ----------------------------------------------------------------

    def read(
        self,
        batch: Batch,
        *,
        allowed: NDArray[np.uint8] | None = None,
        external_scores: NDArray[np.float32] | None = None,
        n_threads: int = 1,
        recall_constant: float = 0.0,
    ) -> Prepared:
        """Read a batch once, for all predictions.

        Args:
            batch: The batch.
            allowed: Labels that each token may have; None to take them from the batch.
            external_scores: External scores; None to take them from the batch.
            n_threads: The largest number of threads that predict.
            recall_constant: Added to the score of the first label at every token.
        """
        lists = batch.lists
        if lists is not None and lists.dense:
            lists = lists.listing(lists.dense.keys() - self._dense_columns())
        bounds, per_doc = batch.sentences
        return Prepared(
            self.space.attributes(batch.values, batch.lookup),
            batch.docs,
            bounds,
            per_doc,
            batch.allowed if allowed is None else allowed,
            self.space.token_values(**vars(lists)) if lists else None,
            batch.external_scores if external_scores is None else external_scores,
            n_threads,
            recall_constant,
        )

    def _dense_columns(self) -> set[int]:
        """Return the numbers of columns whose vectors need not become lists."""
        return set()

    def extract(self, batch: Batch, *, count: bool = False) -> list[FeatureBlock]:
        """Extract the feature ids of each Doc for training; the index grows."""
        with self._lock:
            read = self.read(batch)
            ends = np.concatenate([[0], np.cumsum(read.per_doc)])
            return [
                self.space.extract(
                    read.attributes,
                    read.bounds[first : last + 1],
                    count=count,
                    values=read.values,
                )
                for first, last in zip(ends[:-1], ends[1:], strict=True)
            ]

    # Saving -------------------------------------------------------------------------

    def to_bytes(self, *, bits: int = 32) -> bytes:
        """Serialize the weights and all that is needed to use them or to go on.

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
        """Load the bytes of `to_bytes`. Bad bytes leave the learner unchanged."""
        raise NotImplementedError
