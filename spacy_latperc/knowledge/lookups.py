"""Word clusters and frequencies from tables of spacy-lookups-data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from spacy.lookups import load_lookups
from spacy.strings import get_string_id

from ..errors import Errors
from ..errors.check import check_count, check_flag, check_kind, check_number
from ..features.sources import Givens, Reading
from .clusters import PREFIXES, Clusters, check_prefixes
from .normalise import Normaliser
from .word_table import WordTable
from .words import UNKNOWN, WordSource

CLUSTERS, LOG_PROBABILITIES = "lexeme_cluster", "lexeme_prob"
_PATH_BITS = 18  # of the longest path in these tables
_LEVELS = 64
Table = Mapping[int, Any]


@dataclass(eq=False)
class LookupClusters(Clusters):
    """Word clusters of a table of lookups."""

    lang: str | None = None
    max_words: int | None = None
    optional: bool = False

    hash_form = staticmethod(get_string_id)

    def fit(self, givens: Givens) -> None:
        table = _table_of_vocabulary(CLUSTERS, self.lang, givens)
        if not table and not self.optional:
            table = find_table(CLUSTERS, self.lang, givens)
        # Words without a cluster have 0.
        clusters = {key: cluster for key, cluster in table.items() if cluster}
        if self.max_words is not None:
            probabilities = find_table(LOG_PROBABILITIES, self.lang, givens)
            kept = _most_frequent(probabilities, self.max_words)
            clusters = {k: v for k, v in clusters.items() if k in kept}
        words = ((key, (_path(cluster),)) for key, cluster in clusters.items())
        self.know_classes(words, CLUSTERS)


@dataclass(eq=False)
class Frequencies(WordSource):
    """The log probabilities of words, in steps."""

    kind: ClassVar[str] = "freq"

    lang: str | None = None
    max_words: int = 200_000
    step: float = 1.0

    hash_form = staticmethod(get_string_id)

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "step": self.step}

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
        table = find_table(LOG_PROBABILITIES, self.lang, givens)
        kept = _most_frequent(table, self.max_words)
        levels = -np.fromiter(kept.values(), dtype=float, count=len(kept)) / self.step
        level = np.clip(levels, 0, _LEVELS - 1).astype(np.uint8)
        keys = np.fromiter(kept.keys(), dtype=np.uint64, count=len(kept))
        self.know(WordTable(keys, {"level": level}))

    def header(self) -> dict[str, Any]:
        return {}

    def read(self, header: dict[str, Any], arrays: dict[str, Any]) -> WordTable:
        return WordTable.read(arrays, level=_LEVELS)


def find_table(name: str, lang: str | None, givens: Givens) -> Table:
    """Find a table in the vocabulary, or else in the package spacy-lookups-data.

    Args:
        name: The name of the table.
        lang: The language; by default the language of the vocabulary.
        givens: The training data of the source.
    """
    table = _table_of_vocabulary(name, lang, givens)
    if table:
        return table
    language = lang or (givens.vocab.lang if givens.vocab is not None else "")
    table = load_lookups(language, [name], strict=False).get_table(name, {})
    if not table:
        raise ValueError(
            Errors.LP710.format(name=givens.name, table=name, lang=language)
        )
    return table


def _table_of_vocabulary(name: str, lang: str | None, givens: Givens) -> Table:
    vocab = givens.vocab
    if vocab is None or lang not in (None, vocab.lang):
        return {}
    return vocab.lookups.get_table(name, {})


def _most_frequent(table: Table, most: int) -> Table:
    if len(table) <= most:
        return table
    return dict(sorted(table.items(), key=lambda entry: (-entry[1], entry[0]))[:most])


def _path(cluster: int) -> str:
    """Return the bit path of a cluster, lowest bit first."""
    return format(cluster, "b")[::-1].ljust(_PATH_BITS, "0")


def lookup_clusters(
    lang: str | None = None,
    max_words: int | None = None,
    prefixes: list[int] = PREFIXES,
    lower: bool = True,
    digits: str = "0",
    classes: bool = True,
    back_off: bool = True,
    optional: bool = False,
) -> LookupClusters:
    """Use word clusters of the table `lexeme_cluster`: `cl.NAME[0]` is the class of a
    word and `cl.NAME:4[0]` the first four bits of its path.

    The table comes from the vocabulary (`[initialize.lookups]`) or else from the Python
    package spacy-lookups-data, if it is installed, with English, German and Spanish. It
    is read when the component is initialised; the model keeps a copy.

    Args:
        lang: The language; by default the language of the pipeline.
        max_words: The number of most frequent words that are kept, by the table
            `lexeme_prob`; by default all that have a cluster.
        prefixes: The numbers of bits after the colon in the templates that are added.
        lower: Also look up the lower-case form of a word.
        digits: Also look up the form with this character for every digit; empty for
            none.
        classes: Also look up the class of a URL or of a mention of a user.
        back_off: Also look up the capitalised form, the part after the last hyphen, and
            the part after a hash sign.
        optional: Use only the table of the vocabulary, and leave out the templates of
            this source if there is none, as latperc_ner does when it is added without a
            config.
    """
    check_flag("optional", optional)
    if max_words is not None:
        check_count("max_words", max_words)
    normaliser = Normaliser(lower, digits, classes, back_off)
    _check_lang(lang)
    return LookupClusters(
        normaliser, check_prefixes(prefixes), lang, max_words, optional
    )


def lookup_frequency(
    lang: str | None = None,
    max_words: int = 200_000,
    step: float = 1.0,
    lower: bool = True,
    digits: str = "",
    classes: bool = False,
    back_off: bool = False,
) -> Frequencies:
    """Use word frequencies of the table `lexeme_prob`: `freq.NAME[0]` is the log
    probability of a word, in steps.

    The table is found as by `LookupClusters.v1`.

    Args:
        lang: The language; by default the language of the pipeline.
        max_words: The number of most frequent words that are kept; all others have the
            same value.
        step: The size of a step of the natural logarithm.
        lower: Also look up the lower-case form, see `LookupClusters.v1`.
        digits: Also look up the form without digits, likewise.
        classes: Also look up the class of a URL or a mention, likewise.
        back_off: Also look up further forms, likewise.
    """
    check_count("max_words", max_words)
    check_number("step", step, low=0.1, high=100)
    normaliser = Normaliser(lower, digits, classes, back_off)
    _check_lang(lang)
    return Frequencies(normaliser, lang, max_words, step)


def _check_lang(lang: str | None) -> None:
    if lang is not None:
        check_kind("lang", lang, str, "the code of a language, such as 'en'")
