"""Evidence of n-grams of word classes, as a source of attributes: whether words of
these kinds stand together, where the words themselves were never seen together."""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from ...errors import Errors
from ...errors.check import check_flag, check_kind
from ...io.model_file import DAMAGED, pack, unpack
from ...kernels.chains import text_hash
from .ngram_counts import NgramCounts
from .ngram_evidence import NgramEvidence
from .word_classes import WordClasses, read_word_classes

KIND = "n-gram counts of classes"


@dataclass(eq=False)
class ClassNgramEvidence(NgramEvidence):
    """What the counts of the classes of a text say of tokens.

    Attributes:
        classes: A file of classes.
        known_classes: Those of the file, or of the model.
    """

    classes: str | Path = ""
    known_classes: WordClasses = field(default_factory=WordClasses.none)

    def forget(self) -> None:
        super().forget()
        self._class_key = lru_cache(maxsize=1 << 16)(self._key_of_class)

    def _key(self, word: str) -> int:
        return self._class_key(self.known_classes.fold(word))

    def _key_of_class(self, name: str) -> int:
        return text_hash(name)

    def _is_named(self) -> bool:
        return bool(str(self.path)) and bool(str(self.classes))

    def read_files(self) -> None:
        self.known_classes = read_word_classes(self.classes)
        self._know(NgramCounts.from_disk(self.path))

    def to_bytes(self) -> bytes:
        if self.counts is None:
            return b""
        counts = np.frombuffer(self.counts.to_bytes(), dtype=np.uint8)
        return pack({"kind": KIND}, {"counts": counts, **self.known_classes.arrays()})

    def from_bytes(self, data: bytes) -> None:
        if not data:
            return
        header, arrays = unpack(data)
        if header.get("kind") != KIND:
            raise ValueError(Errors.LP025.format(kind=header.get("kind")))
        try:
            classes = WordClasses.read(arrays)
            counts = NgramCounts.from_bytes(arrays["counts"].tobytes())
        except DAMAGED as error:
            raise ValueError(Errors.LP023.format(error=error)) from error
        self.known_classes = classes
        self._know(counts)

    def blank(self) -> "ClassNgramEvidence":
        return type(self)(self.path, self.leave_out, None, self.classes)

    # What is only remembered stays behind.
    def __reduce__(self) -> tuple:
        given = self.path, self.leave_out, self.counts, self.classes
        return type(self), (*given, self.known_classes)

    @property
    def nbytes(self) -> int:
        others = sum(array.nbytes for array in self.known_classes.arrays().values())
        return super().nbytes + others


def class_ngram_evidence(
    path: str | Path, classes: str | Path, leave_out: bool = True
) -> ClassNgramEvidence:
    """What the counts of the classes of a text say of each token, which templates see
    as NgramEvidence.v1 gives them.

    The files are read when the component is initialised; the model keeps what they say.

    Args:
        path: A file that `spacy latperc knowledge ngrams --classes` wrote.
        classes: The file of classes that was given there.
        leave_out: A sentence that the counted text has does not count for itself. With
            false the counts betray which sentences are in the text.
    """
    check_kind("path", path, (str, Path), "a path")
    check_kind("classes", classes, (str, Path), "a path")
    check_flag("leave_out", leave_out)
    return ClassNgramEvidence(path, leave_out, None, classes)
