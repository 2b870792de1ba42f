"""Word clusters and frequencies from tables of spacy-lookups-data."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from spacy.lookups import load_lookups
from spacy.strings import get_string_id

from ..errors import Errors
from ..errors.check import check_choice, check_flag, check_kind
from ..features.sources import Givens, Reading
from .clusters import PREFIXES, UNKNOWN, Clusters, WordSource, WordTable, check_prefixes
from .normalise import Normaliser

CLUSTERS, LOG_PROBABILITIES = "lexeme_cluster", "lexeme_prob"
_PATH_BITS = 18  # of the longest path in these tables
_LEVELS = 64
MOST_WORDS = 200_000  # with a log probability
Table = Mapping[int, Any]


@dataclass(eq=False)
class LookupClusters(Clusters):
    """Word clusters of a table of lookups."""

    lang: str | None = None
    optional: bool = False

    hash_form = staticmethod(get_string_id)

    def fit(self, givens: Givens) -> None:
        table = find_table(CLUSTERS, self.lang, givens, optional=self.optional)
        # Words without a cluster have 0.
        words = ((key, (_path(cluster),)) for key, cluster in table.items() if cluster)
        self.know_classes(words, CLUSTERS)


@dataclass(eq=False)
class Frequencies(WordSource):
    """The log probabilities of words, rounded down."""

    kind: ClassVar[str] = "freq"

    lang: str | None = None
    optional: bool = False

    hash_form = staticmethod(get_string_id)

    def attribute(self, argument: str) -> Reading:
        if argument:
            raise ValueError(Errors.LP709.format(argument=argument))
        return Reading(of_form=self._level, few_values=True)

    def _level(self, word: str) -> str:
        row = self.row_of(word)
        return "" if row == UNKNOWN else str(self.table.columns["level"][row])

    def templates(self, name: str) -> list[str]:
        return [f"{self.kind}.{name}[{offset}]" for offset in (-1, 0, 1)]

    def fit(self, givens: Givens) -> None:
        table = find_table(LOG_PROBABILITIES, self.lang, givens, optional=self.optional)
        ordered = sorted(table.items(), key=lambda entry: (-entry[1], entry[0]))
        kept = dict(ordered[:MOST_WORDS])
        levels = -np.fromiter(kept.values(), dtype=float, count=len(kept))
        level = np.clip(levels, 0, _LEVELS - 1).astype(np.uint8)
        keys = np.fromiter(kept.keys(), dtype=np.uint64, count=len(kept))
        self.know(WordTable(keys, {"level": level}))

    def read(self, header: dict[str, Any], arrays: dict[str, Any]) -> WordTable:
        return WordTable.read(arrays, level=_LEVELS)


def find_table(
    name: str, lang: str | None, givens: Givens, *, optional: bool = False
) -> Table:
    """Find a table in the vocabulary, or else in the package spacy-lookups-data.

    Args:
        name: The name of the table.
        lang: The language; by default the language of the vocabulary.
        givens: The training data of the source.
        optional: Search only the vocabulary, and return an empty table if it has none.
    """
    vocab = givens.vocab
    table: Table = {}
    if vocab is not None and lang in (None, vocab.lang):
        table = vocab.lookups.get_table(name, {})
    if table or optional:
        return table
    language = lang or (vocab.lang if vocab is not None else "")
    table = dict(zip(*(x.tolist() for x in package_table(name, language)), strict=True))
    if not table:
        raise ValueError(
            Errors.LP710.format(name=givens.name, table=name, lang=language)
        )
    return table


@lru_cache(maxsize=2)
def package_table(name: str, lang: str) -> tuple[NDArray, NDArray]:
    """Return the keys and the values above or below 0 of a table of the package
    spacy-lookups-data, or nothing. Reading it takes seconds, and components share it.
    """
    table = load_lookups(lang, [name], strict=False).get_table(name, {})
    values = np.array(list(table.values()))
    keys = np.fromiter(table.keys(), dtype=np.uint64, count=len(table))
    return keys[values != 0], values[values != 0]


def _path(cluster: int) -> str:
    """Return the bit path of a cluster, lowest bit first."""
    return format(cluster, "b")[::-1].ljust(_PATH_BITS, "0")


def lookups(
    table: str = CLUSTERS,
    lang: str | None = None,
    prefixes: list[int] = PREFIXES,
    optional: bool = False,
) -> LookupClusters | Frequencies:
    """Use word clusters or frequencies of spacy-lookups-data.

    With the table `lexeme_cluster`, `cl.NAME[0]` is the cluster of a word and
    `cl.NAME:4[0]` the first four bits of its path. With `lexeme_prob`, `freq.NAME[0]`
    is the log probability of a word, rounded to an integer.

    The table comes from the vocabulary (`[initialize.lookups]`) or else from the Python
    package spacy-lookups-data, if it is installed, with English, German and Spanish. It
    is read when the component is initialised; the model keeps a copy.

    Args:
        table: The name of the table: "lexeme_cluster" or "lexeme_prob".
        lang: The language; by default the language of the pipeline.
        prefixes: The numbers of bits after the colon in the templates that are added.
        optional: Use only the table of the vocabulary, and leave out the templates of
            this source if there is none, as latperc_ner does when it is added without a
            config.
    """
    check_choice("table", table, (CLUSTERS, LOG_PROBABILITIES))
    check_flag("optional", optional)
    if lang is not None:
        check_kind("lang", lang, str, "the code of a language, such as 'en'")
    bits = check_prefixes(prefixes)
    if table == CLUSTERS:
        return LookupClusters(Normaliser(), bits, lang, optional)
    only_lower = Normaliser(digits="", classes=False, back_off=False)
    return Frequencies(only_lower, lang, optional)
