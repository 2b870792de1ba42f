"""Sources of attributes: knowledge from outside the training data.

A source is a named block of the config, such as word clusters read from a file.
Templates refer to its attributes by kind, name and argument: `cl.tweets:4[0]` are the
first 4 bits of the word's cluster in the source `tweets`. Fitted sources are saved with
the model, so a trained pipeline needs no other files.
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
from ..kernels.chains import sentence_bounds
from .attributes import Attribute
from .values import DenseColumn, ListedColumn

_NAME = re.compile(r"[A-Za-z0-9_-]+")
Self = TypeVar("Self", bound="Source")


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of a batch of Docs, for sources that read Docs.

    Attributes:
        docs: The Docs.
        words: The hashes of the word forms (ORTH) of all Docs.
        offsets: The first token of each Doc, and the end.
        lookup: A function from the hash of a word form to its string.
        source_data: A cache for sources, by source.
        sources: All sources that read these tokens, by name.
        firsts: The SENT_START of all tokens; None to read them from the Docs.
    """

    docs: Sequence[Any]
    words: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    lookup: Callable[[int], str]
    source_data: dict[Any, Any] = field(default_factory=dict)
    sources: Mapping[str, "Source"] = field(default_factory=dict)
    firsts: NDArray[np.uint64] | None = None

    @cached_property
    def sentences(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first tokens of the sentences, and the end; the sentences of each Doc."""
        firsts = self.firsts
        if firsts is None:
            rows = [doc.to_array("SENT_START") for doc in self.docs]
            firsts = np.concatenate([*rows, np.zeros(0, np.uint64)]).astype(np.uint64)
        return sentence_bounds(firsts, self.offsets)

    @classmethod
    def of(cls, docs: Sequence[Any], sources: Mapping[str, "Source"]) -> "Tokens":
        """Create it from Docs."""
        words = [np.asarray(doc.to_array("ORTH"), dtype=np.uint64) for doc in docs]
        offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
        lookup = docs[0].vocab.strings.__getitem__
        return cls(docs, np.concatenate(words), offsets, lookup, {}, sources)


DocReading = Callable[[Tokens], NDArray[np.uint64] | ListedColumn | DenseColumn]


class FormPart:
    """A function of word forms that returns a part of the value of a source. The source
    is queried once per word type, and each part is extracted once per distinct value.

    Args:
        whole: A function from a word form to the value; the same for all parts.
        cut: A function from the value to the part.
    """

    __slots__ = ("cut", "known", "whole")

    def __init__(
        self,
        whole: Callable[[str], tuple[str, ...]],
        cut: Callable[[tuple[str, ...]], str],
    ):
        self.whole = whole
        self.cut = cut
        self.known: dict[tuple[str, ...], int] = {}  # hashes, for the kernel

    def __call__(self, word: str) -> str:
        return self.cut(self.whole(word))


@dataclass(frozen=True)
class Reading:
    """The reader of an attribute of a source: exactly one of two functions. They are
    called as long as the source exists, and read its current state.

    Attributes:
        of_form: A function from a word form to the value, called once per word type. It
            must return the same value between calls of `fit` or `from_bytes`.
        of_docs: A function from a batch of Docs to the values of their tokens: hashes
            or, for numbers and several values, the result of `values.read_column`,
            which must not have `few_values`.
        few_values: True if there are few different values (see Attribute).
    """

    of_form: Callable[[str], str] | None = None
    of_docs: DocReading | None = None
    few_values: bool = False


@dataclass(frozen=True, eq=False)
class Givens:
    """The data from which a source is fitted when a component is initialised.

    Attributes:
        name: The name of the source in the config.
        vocab: The pipeline's vocab, with lookups and vectors; None outside of spaCy.
        tokenize: The pipeline's function from text to words; None outside of spaCy.
        examples: A function that returns the training examples.
        seed: The seed of the model.
        sources: All sources of the component. Those before this one are fitted.
        annotate: A function that runs the earlier components on a Doc.
    """

    name: str
    vocab: Any = None
    tokenize: Callable[[str], list[str]] | None = None
    examples: Callable[[], Iterable[Any]] | None = None
    seed: int = 0
    sources: Mapping[str, "Source"] = field(default_factory=dict)
    annotate: Callable[[Any], Any] | None = None


class Source(ABC):
    """A source of attributes of words or Docs. Its settings come from the config and
    never change; its state comes from `fit` or from a model file.

    Attributes:
        kind: The prefix in templates: one of attributes.SOURCE_KINDS.
        changes: The number of changes of the state. Methods that change it between
            `fit` and saving must increment this, so that cached bytes are replaced.
        optional: True if training data may be missing, which drops its templates. Only
            for sources of word forms.
    """

    kind: ClassVar[str]
    changes: int = 0
    optional: bool = False

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """The settings that a model file must share to be loaded, for JSON: all that
        affect values, without paths."""

    @abstractmethod
    def attribute(self, argument: str) -> Reading:
        """The reader of an attribute.

        Args:
            argument: The text after the colon in a template; empty without one.
        """

    def templates(self, name: str) -> list[str]:
        """The recommended templates for a source of this kind."""
        return [f"{self.kind}.{name}[{offset}]" for offset in range(-2, 3)]

    @abstractmethod
    def fit(self, givens: Givens) -> None:
        """Learn from files, the vocabulary or examples, when a component is
        initialised, and drop the earlier state. Paths are read only here."""

    @abstractmethod
    def to_bytes(self) -> bytes:
        """Serialize the state. Equal states give equal bytes."""

    @abstractmethod
    def from_bytes(self, data: bytes) -> None:
        """Load the bytes of `to_bytes`."""

    @abstractmethod
    def blank(self: Self) -> Self:
        """An untrained source with the same settings."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """The memory of the state in bytes."""

    @property
    def is_absent(self) -> bool:
        """True if an optional source had no training data."""
        return False

    def forget(self) -> None:  # noqa: B027
        """Clear caches (when a memory zone ends)."""

    def adopt(self, other: "Source") -> None:
        """Copy the state of another source with the same settings."""
        changes = self.changes + 1
        vars(self).update(vars(other))
        self.changes = changes


Sources = Mapping[str, Source]


def check_sources(sources: Any) -> dict[str, Source]:
    """Check the sources of a set of templates, by name."""
    checked = dict(check_kind("sources", sources or {}, Mapping, "named blocks"))
    for name, source in checked.items():
        wanted = "a block that makes a source, such as spacy_latperc.ClusterFile.v1"
        check_kind(f"sources.{name}", source, Source, wanted)
        if not _NAME.fullmatch(name):
            raise ValueError(Errors.LP701.format(name=name))
    return checked


def standard_templates(sources: Sources) -> list[str]:
    """The recommended templates for these sources."""
    return [text for name, source in sources.items() for text in source.templates(name)]


def resolve(attribute: Attribute, template: str, sources: Sources) -> Attribute:
    """Add its reader to an attribute of a source. `template` is for the error
    message."""
    if attribute.source is None:
        return attribute
    kind, name, argument = attribute.source
    alike = [known for known, source in sources.items() if source.kind == kind]
    if name not in alike and len(alike) == 1 and not argument:
        # The name may be omitted if a kind has a single source.
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
    """The reader of an attribute of a source."""
    assert attribute.source is not None
    _, name, argument = attribute.source
    return sources[name].attribute(argument)
