"""The gazetteers of a component, which may change after training.

    nlp.get_pipe("ner").gazetteers["products"].add("Zenbook 14")

What was learned of the list holds for new phrases too. Saving the pipeline saves them.
"""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.tokens import Doc, Span

from ..errors import Errors
from ..knowledge.gazetteer import Gazetteer
from ..knowledge.phrase_lists import check_length, split_phrase

# A string, a list or tuple of words, a Doc or a Span: spaCy's types are Any here.
Phrase = Any


class PhraseList:
    """A gazetteer of a component.

    Any number of threads may predict while it changes."""

    def __init__(self, pipe: Any, name: str):
        self._pipe = pipe
        self._name = name

    def add(self, *phrases: Phrase) -> int:
        """Add phrases.

        Args:
            phrases: Strings, which the tokenizer of the pipeline splits, lists of
                words, Docs or Spans.

        Returns:
            How many were not there before.
        """
        return self._source.add([self._words(phrase) for phrase in phrases])

    def remove(self, *phrases: Phrase) -> int:
        """Remove phrases; see `add`.

        Returns:
            How many were there.
        """
        return self._source.remove([self._words(phrase) for phrase in phrases])

    def __contains__(self, phrase: Phrase) -> bool:
        return self._words(phrase) in self._source

    def __len__(self) -> int:
        return len(self._source)

    def __repr__(self) -> str:
        return f"<gazetteer '{self._name}' of '{self._pipe.name}': {len(self)} phrases>"

    @property
    def _source(self) -> Gazetteer:
        """Loading puts another one in its place: it is looked up every time."""
        return _gazetteers(self._pipe)[self._name]

    def _words(self, phrase: Phrase) -> list[str]:
        where = f"The phrase {ascii(str(phrase))[:80]}"
        if isinstance(phrase, str):
            return split_phrase(phrase, self._tokenizer(where), where)
        if isinstance(phrase, Doc | Span):
            words = [token.text for token in phrase]
        elif isinstance(phrase, list | tuple) and all(
            isinstance(x, str) for x in phrase
        ):
            words = list(phrase)
        else:
            raise TypeError(Errors.LP743.format(type=type(phrase).__name__))
        check_length(len(words), where)
        return words

    def _tokenizer(self, where: str) -> Callable[[str], list[str]]:
        tokenizer = self._pipe.tokenizer
        if tokenizer is None:
            raise ValueError(Errors.LP744.format(name=self._pipe.name, where=where))
        return lambda text: [token.text for token in tokenizer(text)]


class PhraseLists(dict[str, PhraseList]):
    """The gazetteers of a component, by name."""

    def __init__(self, pipe: Any):
        super().__init__((name, PhraseList(pipe, name)) for name in _gazetteers(pipe))
        self._component = pipe.name

    def __missing__(self, name: str) -> PhraseList:
        known = ", ".join(self) or "none"
        raise KeyError(
            Errors.LP742.format(name=self._component, wanted=name, known=known)
        )


def _gazetteers(pipe: Any) -> dict[str, Gazetteer]:
    sources: Iterable[tuple[str, Any]] = pipe.learner.features.sources.items()
    return {name: x for name, x in sources if isinstance(x, Gazetteer)}
