"""A large text in pieces, each of which one task reads."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import Errors
from ..io.docbin import SUFFIX
from ..io.jsonl import SUFFIXES
from ..io.lines import BYTE_ORDER_MARK
from ..io.packed import STDIN, first_bytes, packing_of
from ..kernels.text import Vocabulary
from ..text.files import read_sentences, tokenized, tokenizer_of
from ..text.sentences import Sentences

PIECE = 16 << 20  # bytes of a plain file


@dataclass(frozen=True)
class Piece:
    """Some lines of a plain file, or all of another one.

    Attributes:
        path: The file.
        start: The lines are those that begin from this byte on,
        end: and before this one; 0 for the whole file.
    """

    path: str
    start: int = 0
    end: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether it can be cut where lines end."""
        return self.end > 0

    def read(self) -> bytes:
        """Its lines."""
        with Path(self.path).open("rb") as file:
            if self.start:
                file.seek(self.start - 1)
                file.readline()
            first = file.tell()
            text = file.read(max(self.end - first, 0))
            if text and not text.endswith(b"\n"):
                text += file.readline()
        return text if self.start else text.removeprefix(BYTE_ORDER_MARK)


@dataclass(frozen=True)
class TextReading:
    """How a text is read.

    Attributes:
        lang: Splits lines into words as spaCy does for it; empty: at white space.
        field: Of JSONL, with the text.
        fold: What becomes of each word; None: it stays.
    """

    lang: str = ""
    field: str = "text"
    fold: Callable[[str], str] | None = None

    def read(self, piece: Piece) -> "PieceText":
        """The sentences of a piece.

        Raises:
            ValueError: It cannot be read, as for whole files. That a line of a plain
                file is bad is in what is returned.
        """
        tokenize = tokenizer_of(self.lang) if self.lang else None
        if not piece.is_plain:
            text, notes = read_sentences(
                piece.path, field=self.field, tokenize=tokenize
            )
            return PieceText(self._folded(text), notes.get("lines", 0), dict(notes))
        vocabulary = Vocabulary()
        block = piece.read()
        if tokenize:
            block = tokenized(block, tokenize)
        ids, bounds, counts = vocabulary.read(block)
        text = Sentences(vocabulary, ids, bounds)
        return PieceText(self._folded(text), counts["lines"], counts)

    def _folded(self, text: Sentences) -> Sentences:
        return text.renamed(self.fold, Vocabulary()) if self.fold else text


@dataclass(frozen=True)
class PieceText:
    """What a piece has.

    Attributes:
        text: Its sentences.
        lines: Its lines.
        notes: What was noted of them: see Vocabulary.read.
    """

    text: Sentences
    lines: int
    notes: dict[str, int]


def cut_text(paths: Sequence[str], *, size: int = PIECE) -> list[Piece]:
    """Texts in pieces, in order. Plain files are cut; packed ones, JSONL and .spacy are
    a piece each.

    Args:
        paths: The files.
        size: Bytes of a piece.
    """
    pieces: list[Piece] = []
    for path in paths:
        if path == STDIN:
            raise ValueError(Errors.LP827)
        file = Path(path)
        if not file.is_file():
            raise FileNotFoundError(Errors.LP101.format(path=path))
        full = str(file.absolute())
        length = file.stat().st_size
        if (
            path.endswith((SUFFIX, *SUFFIXES))
            or packing_of(first_bytes(file))
            or not length
        ):
            pieces.append(Piece(full))
            continue
        pieces += [
            Piece(full, start, min(start + size, length))
            for start in range(0, length, size)
        ]
    return pieces


def check_lines(pieces: Sequence[Piece], notes: Sequence[dict[str, int]]) -> None:
    """Refuse a text with a bad line, or a file without a sentence, by its name.

    Args:
        pieces: All of the text.
        notes: What was noted of the lines of each.
    """
    for path, found in _by_file(pieces, notes):
        lines = 0
        for note in found:
            bad = note.get("not_utf8") or note.get("with_null")
            if bad:
                message = Errors.LP403 if note["not_utf8"] else Errors.LP404
                raise ValueError(message.format(path=path, line=lines + bad))
            lines += note.get("lines", 0)
        if found[0].get("plain") and not any(note["sentences"] for note in found):
            raise ValueError(Errors.LP405.format(path=path, lines=lines))


def _by_file(
    pieces: Sequence[Piece], notes: Sequence[dict[str, int]]
) -> Iterator[tuple[str, list[dict[str, int]]]]:
    found: dict[str, list[dict[str, int]]] = {}
    for piece, note in zip(pieces, notes, strict=True):
        found.setdefault(piece.path, []).append(note)
    yield from found.items()
