"""Sources of attributes: knowledge from outside the training data.

A source is a block of the config with a name, such as clusters of words read from a
file. Templates name what it knows by kind, name and argument: `cl.tweets:4[0]` are the
first 4 bits of the cluster that the source `tweets` has for the word. What a source has
learned is saved with the model, so that a trained pipeline needs nothing else.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_kind
from ..kernels.chains import WordClasses, sentence_bounds
from .attributes import Attribute
from .values import ListedColumn

_NAME = re.compile(r"[A-Za-z0-9_-]+")
Self = TypeVar("Self", bound="Source")


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of a batch of Docs, for sources that read Docs.

    Attributes:
        docs: The Docs.
        words: Hashes of the word forms (ORTH), of all Docs in a row.
        offsets: First token of each Doc, and the end.
        lookup: From the hash of a word form to its string.
        kept: What sources keep of what they read, beside the columns; by source.
        sources: All that read these tokens, by name.
        firsts: SENT_START of all tokens; None: the Docs are asked.
    """

    docs: Sequence[Any]
    words: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    lookup: Callable[[int], str]
    kept: dict[Any, Any] = field(default_factory=dict)
    sources: Mapping[str, "Source"] = field(default_factory=dict)
    firsts: NDArray[np.uint64] | None = None

    @cached_property
    def sentences(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First tokens of the sentences, and the end; how many each Doc has."""
        firsts = self.firsts
        if firsts is None:
            rows = [doc.to_array("SENT_START") for doc in self.docs]
            firsts = np.concatenate([*rows, np.zeros(0, np.uint64)]).astype(np.uint64)
        return sentence_bounds(firsts, self.offsets)

    @classmethod
    def of(cls, docs: Sequence[Any], sources: Mapping[str, "Source"]) -> "Tokens":
        """Those of some Docs.

        Args:
            docs: One or more.
            sources: That read them.
        """
        words = [np.asarray(doc.to_array("ORTH"), dtype=np.uint64) for doc in docs]
        offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
        lookup = docs[0].vocab.strings.__getitem__
        return cls(docs, np.concatenate(words), offsets, lookup, {}, sources)


DocReading = Callable[[Tokens], NDArray[np.uint64] | ListedColumn]


class FormPart:
    """A function of word forms that says a part of what a source says of a form at
    once. Of all parts together the source is asked once for a word type, and what a
    part of an answer is, once for each answer.

    Args:
        whole: From a word form to all that the source says of it; equal for all parts
            of a source.
        cut: From that to the part.
        classes: Gives the classes of words in which the kernel looks up what `whole`
            would say, or None; those of now, for it is asked at each new word.
        number: Of the part, among those of a source.
    """

    __slots__ = ("classes", "cut", "known", "number", "whole")

    def __init__(
        self,
        whole: Callable[[str], tuple[str, ...]],
        cut: Callable[[tuple[str, ...]], str],
        classes: Callable[[], WordClasses | None] = lambda: None,
        number: int = 0,
    ):
        self.whole = whole
        self.cut = cut
        self.classes = classes
        self.number = number
        self.known: dict[tuple[str, ...], int] = {}  # hashes, for the kernel

    def __call__(self, word: str) -> str:
        return self.cut(self.whole(word))


@dataclass(frozen=True)
class Reading:
    """How an attribute of a source is read: by exactly one of two functions. They are
    called as long as the source lives, and answer by what it knows at that time.

    Attributes:
        of_form: The value for a word form, called once per word type: tokens cost
            nothing. It must always answer the same between two calls of `fit` or
            `from_bytes`.
        of_docs: The values of the tokens of a batch of Docs, as hashes or, where a
            token may have several values or a number, as `values.read_column` gives
            them. Those must not have `few_values`.
        few_values: Whether there are few different values (see Attribute).
    """

    of_form: Callable[[str], str] | None = None
    of_docs: DocReading | None = None
    few_values: bool = False


@dataclass(frozen=True, eq=False)
class Givens:
    """What a source may learn from when a component is initialised.

    Attributes:
        name: Of the source in the config.
        vocab: Of the pipeline, with its lookups and vectors; None outside of spaCy.
        tokenize: Splits a text into words as the pipeline does; None outside of spaCy.
        examples: Gives the training examples.
        seed: Of the model.
        sources: All sources of the component, of which those before have learned.
    """

    name: str
    vocab: Any = None
    tokenize: Callable[[str], list[str]] | None = None
    examples: Callable[[], Iterable[Any]] | None = None
    seed: int = 0
    sources: Mapping[str, "Source"] = field(default_factory=dict)


class Source(ABC):
    """What knows something of words or of Docs. Its settings come from the config and
    never change; what it has learned comes from `fit` or from a model file.

    Attributes:
        kind: What templates write before the dot: one of attributes.SOURCE_KINDS.
        changes: Counts the changes of what it knows. Whoever changes that between
            `fit` and saving counts up, so that bytes are made anew.
        optional: Whether there may be nothing to learn from. Its templates are left out
            then. Only for sources of word forms.
    """

    kind: ClassVar[str]
    changes: int = 0
    optional: bool = False

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What a model file must agree with to be loaded, as JSON has it: all that
        values depend on, and no paths."""

    @abstractmethod
    def attribute(self, argument: str) -> Reading:
        """How an attribute is read.

        Args:
            argument: What a template has after the colon; empty without one.

        Raises:
            ValueError: There is no such attribute.
        """

    def templates(self, name: str) -> list[str]:
        """The templates that pay for a source of this kind.

        Args:
            name: Of the source.
        """
        return [f"{self.kind}.{name}[{offset}]" for offset in range(-2, 3)]

    @abstractmethod
    def fit(self, givens: Givens) -> None:
        """Learn from files, the vocabulary or examples, when a component is
        initialised. What was known before is forgotten. Paths of the config are read
        here and nowhere else."""

    @abstractmethod
    def to_bytes(self) -> bytes:
        """What it knows. The same knowledge gives the same bytes."""

    @abstractmethod
    def from_bytes(self, data: bytes) -> None:
        """Know what `to_bytes` gave.

        Raises:
            ValueError: The bytes are damaged.
        """

    @abstractmethod
    def blank(self: Self) -> Self:
        """A source with the same settings that knows nothing."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory of what it knows."""

    @property
    def is_absent(self) -> bool:
        """Whether there was nothing to learn from, as optional sources allow."""
        return False

    def forget(self) -> None:  # noqa: B027
        """Forget what was only remembered to be faster (a memory zone ends)."""

    def adopt(self, other: "Source") -> None:
        """Know what another source with the same settings knows."""
        changes = self.changes + 1
        vars(self).update(vars(other))
        self.changes = changes


Sources = Mapping[str, Source]


def check_sources(sources: Any) -> dict[str, Source]:
    """The sources of a set of templates, by name, checked."""
    checked = dict(check_kind("sources", sources or {}, Mapping, "named blocks"))
    for name, source in checked.items():
        wanted = "a block that makes a source, such as spacy_latperc.ClusterFile.v1"
        check_kind(f"sources.{name}", source, Source, wanted)
        if not _NAME.fullmatch(name):
            raise ValueError(Errors.LP701.format(name=name))
    return checked


def standard_templates(sources: Sources) -> list[str]:
    """The templates that pay for these sources."""
    return [text for name, source in sources.items() for text in source.templates(name)]


def resolve(attribute: Attribute, template: str, sources: Sources) -> Attribute:
    """The same attribute, knowing how it is read if a source gives it. `template` is
    for the error message."""
    if attribute.source is None:
        return attribute
    kind, name, argument = attribute.source
    alike = [known for known, source in sources.items() if source.kind == kind]
    if name not in alike and len(alike) == 1 and not argument:
        # Of the only source of a kind the name may be left out.
        name, argument = alike[0], name
    if name not in alike:
        raise ValueError(
            Errors.LP700.format(
                template=template,
                name=f"{kind}.{name}",
                known=", ".join(f"{x.kind}.{n}" for n, x in sources.items()) or "none",
            )
        )
    try:
        reading = sources[name].attribute(argument)
    except ValueError as error:
        raise ValueError(Errors.LP702.format(template=template, error=error)) from error
    full = f"{kind}.{name}:{argument}" if argument else f"{kind}.{name}"
    return Attribute(
        full,
        column=full if reading.of_docs else None,
        source=(kind, name, argument),
        of_form=reading.of_form is not None,
        few_values=reading.few_values,
    )


def find_reading(attribute: Attribute, sources: Sources) -> Reading:
    """How the attribute of a source is read."""
    assert attribute.source is not None
    _, name, argument = attribute.source
    return sources[name].attribute(argument)
