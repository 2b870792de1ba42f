"""Words by their classes, so that n-grams of classes can be counted: they are seen
where n-grams of words are not."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...kernels.chains import text_hash
from ...knowledge.class_files import ClassFile

_ARRAYS = ("words", "classes")
_ENDING = 2  # letters of words without a class, that tell them apart


@dataclass(frozen=True, eq=False)
class WordClasses:
    """Which class each word of a clustering has.

    Attributes:
        words: Hashes of words, which rise.
        classes: The number of the class of each.
    """

    words: NDArray[np.uint64]
    classes: NDArray[np.int32]

    @classmethod
    def none(cls) -> "WordClasses":
        """Of no word at all."""
        return cls(np.zeros(0, np.uint64), np.zeros(0, np.int32))

    @classmethod
    def of(cls, classes: Mapping[str, str]) -> "WordClasses":
        """Those of some words.

        Args:
            classes: The name of the class of each word.
        """
        numbers = {name: n for n, name in enumerate(sorted(set(classes.values())))}
        found = {text_hash(word): numbers[name] for word, name in classes.items()}
        words = np.array(sorted(found), dtype=np.uint64)
        return cls(words, np.array([found[w] for w in words.tolist()], dtype=np.int32))

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray]) -> "WordClasses":
        """What `arrays` gave, checked."""
        words, classes = (arrays[f"class_{name}"] for name in _ARRAYS)
        if words.dtype != np.uint64 or classes.dtype != np.int32:
            raise ValueError("the classes of words are no numbers of the right kind")
        if words.ndim != 1 or words.shape != classes.shape:
            raise ValueError("the classes of words have another form")
        if (words[1:] <= words[:-1]).any() or (classes < 0).any():
            raise ValueError("the classes of words are in disorder")
        return cls(words, classes)

    def arrays(self) -> dict[str, NDArray]:
        """As files have them."""
        return {f"class_{name}": getattr(self, name) for name in _ARRAYS}

    def __len__(self) -> int:
        return len(self.words)

    def of_words(self, words: Iterable[str]) -> "WordClasses":
        """The classes of some words alone."""
        wanted = np.array([text_hash(word) for word in words], dtype=np.uint64)
        kept = np.isin(self.words, wanted)
        return WordClasses(self.words[kept], self.classes[kept])

    def fold(self, word: str) -> str:
        """What stands for a word: its class, that of the word in small letters, or, if
        it has none, how it begins and ends."""
        for form in dict.fromkeys((word, word.lower())):
            at = int(np.searchsorted(self.words, np.uint64(text_hash(form))))
            if at < len(self.words) and int(self.words[at]) == text_hash(form):
                return f"<{self.classes[at]}>"
        capital = "A" if word[:1].isupper() else "a"
        digit = "0" if any(char.isdigit() for char in word) else ""
        return f"<{capital}{digit}{word[-_ENDING:].lower()}>"


def read_word_classes(path: Path | str) -> WordClasses:
    """The classes of a file that `knowledge clusters` wrote, or of another format
    that ClusterFile.v1 reads."""
    file = ClassFile.open(Path(path))
    return WordClasses.of({line.word: line.classes[0] for line in file})
