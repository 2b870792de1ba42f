"""Files of word classes, as clustering programs write them.

Three formats, told apart by the first line: Brown paths (`path<TAB>word<TAB>count`),
pairs (`word<TAB>class`, with a column for each of several clusterings), and the classes
of word2vec (`word class`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import Errors
from ..io.lines import line_blocks

BROWN, PAIRS, WORD2VEC = "brown", "pairs", "word2vec"
FORMATS = {
    BROWN: "a bit path, a tab, a word, a tab, a count",
    PAIRS: "a word, a tab, a class (and as many more classes as in the first line)",
    WORD2VEC: "a word, a space, a class",
}
_SHOWN = 60
# A word, and its class or one class for each of several clusterings.
Classed = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class ClassFile:
    """A file of classes."""

    path: Path
    format: str
    columns: int

    @staticmethod
    def open(path: Path) -> "ClassFile":
        """Detect the format of a file, plain or .gz, from its first line."""
        for number, line in _lines(path):
            found = next((name for name, read in _READERS.items() if read(line)), "")
            if found:
                return ClassFile(path, found, line.count("\t") if found == PAIRS else 1)
            known = "; ".join(f"{name}: {text}" for name, text in FORMATS.items())
            raise _bad_line(path, number, line, f"one of these formats: {known}")
        raise ValueError(Errors.LP705.format(path=path))

    def __iter__(self) -> Iterator[Classed]:
        """Yield the lines; empty ones are skipped."""
        read = _READERS[self.format]
        for number, line in _lines(self.path):
            classed = read(line)
            if classed is None or len(classed[1]) != self.columns:
                wanted = f"{self.format}: {FORMATS[self.format]}"
                raise _bad_line(self.path, number, line, wanted)
            yield classed


def is_path(text: str) -> bool:
    """Return True if a class is the bit path of a hierarchy."""
    return bool(text) and not text.strip("01")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers."""
    for first, block in line_blocks(path):
        for number, line in enumerate(block.decode("utf8").split("\n"), first):
            if line.strip():
                yield number, line


def _brown(line: str) -> Classed | None:
    path, _, rest = line.partition("\t")
    word, _, count = rest.partition("\t")
    if not (is_path(path) and word and count.isascii() and count.strip().isdigit()):
        return None
    return word, (path,)


def _pairs(line: str) -> Classed | None:
    word, *classes = line.split("\t")
    classes = [text.strip() for text in classes]
    whole = word and classes and all(classes)
    return (word, tuple(classes)) if whole else None


def _word2vec(line: str) -> Classed | None:
    fields = line.rsplit(maxsplit=1)
    whole = len(fields) == 2 and "\t" not in line
    return (fields[0], (fields[1],)) if whole else None


_READERS = {BROWN: _brown, PAIRS: _pairs, WORD2VEC: _word2vec}


def _bad_line(path: Path, number: int, line: str, wanted: str) -> ValueError:
    text = line if len(line) <= _SHOWN else line[:_SHOWN] + "..."
    message = Errors.LP704.format(path=path, line=number, text=text, wanted=wanted)
    return ValueError(message)
