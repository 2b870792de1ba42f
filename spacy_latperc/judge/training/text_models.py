"""The models of the texts of a judge: n-gram counts, contexts, and words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...text.sentences import Sentences, join
from ..evidence.context_model import ContextModel
from ..evidence.lexicon import Lexicon
from ..evidence.ngram_counts import NgramCounts
from ..floor import WordModel
from .text_parts import JudgeSettings, word_counts

_GROUPS = 4  # groups of texts, each of which is scored by models of the others
_ENOUGH = 0.2  # the share of all sentences that the others must have for that
_PASSES, _OTHER_PASSES = 3, 1  # of the context models of all, and of other texts
_MOST_TIMES = 4  # the largest number of copies of a small text

Group = Sequence[int]  # numbers of texts


def mixed(texts: Sequence[Sentences]) -> Sentences:
    """Join texts, with several copies of small ones. Otherwise their n-grams would be
    too rare to be kept beside those of a large text.
    """
    largest = max(map(len, texts))
    several = [
        text
        for text in texts
        for _ in range(min(int((largest / max(len(text), 1)) ** 0.5), _MOST_TIMES))
    ]
    return join(texts[0].vocabulary, several)


class Knowledge:
    """Counts and context models in files, and models of words: of all texts, and
    those that make each text out-of-domain, of the other texts.
    """

    def __init__(
        self,
        texts: Sequence[Sentences],
        lexicon: Lexicon,
        settings: JudgeSettings,
        folder: str,
        done: Callable[[str], None],
    ):
        self._lexicon, self._settings = lexicon, settings
        self._folder, self._done = Path(folder), done
        self.groups: list[Group] = []
        self.words: dict[Group, WordModel] = {}
        self._learn((), texts)
        # Of texts that are out-of-domain together, if the others are large enough.
        n = min(len(texts), _GROUPS)
        enough = _ENOUGH * sum(map(len, texts))
        for first in range(n if n > 1 else 0):
            group = range(len(texts))[first::n]
            others = [text for n, text in enumerate(texts) if n not in group]
            if sum(map(len, others)) >= enough:
                self.groups.append(group)
                self._learn(group, others)

    def _learn(self, group: Group, texts: Sequence[Sentences]) -> None:
        self.words[group] = WordModel.learn(word_counts(texts))
        text, settings = mixed(texts), self._settings
        words, contexts = self._files(group)
        NgramCounts.count(text, settings.counting).to_disk(words)
        passes = _OTHER_PASSES if group else _PASSES
        how = {"passes": passes, "seed": settings.seed}
        ContextModel.learn(text, self._lexicon, **how).to_disk(contexts)
        self._done(f"learned n-grams and contexts of {len(text):,} sentences")

    def _files(self, group: Group) -> tuple[Path, Path]:
        """Return the files of the models of all texts but some."""
        name = str(group[0]) if group else "all"
        return self._folder / f"{name}.ngrams", self._folder / f"{name}.contexts"

    @property
    def sources(self) -> dict[str, dict[str, str]]:
        """The blocks of the sources `words` and `contexts`."""
        words, contexts = map(str, self._files(()))
        return {
            "words": {"@misc": "spacy_latperc.NgramEvidence.v1", "path": words},
            "contexts": {"@misc": "spacy_latperc.ContextEvidence.v1", "path": contexts},
        }

    @contextmanager
    def without(self, group: Group, sources: Mapping[str, Any]) -> Iterator[None]:
        """Use models of the other texts in the sources.

        Args:
            group: One of `groups`; empty for the models of all texts.
            sources: The sources `words` and `contexts`.
        """
        both = sources["words"], sources["contexts"]
        before = [source.known for source in both]
        try:
            for source, path in zip(both, self._files(group), strict=True):
                source.replace(source.tables_class.from_disk(path))
            yield
        finally:
            for source, tables in zip(both, before, strict=True):
                source.replace(tables)
