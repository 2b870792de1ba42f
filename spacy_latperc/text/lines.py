"""Reading text: one sentence a line, words between white space, plain or gzip."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..errors import Errors
from ..io.lines import BYTE_ORDER_MARK, name_of, whole_lines
from ..kernels.text import Vocabulary
from .sentences import Sentences, join

BLOCK = 1 << 20

Notes = dict[str, int]


def read_text(
    path: Path | str,
    *,
    vocabulary: Vocabulary | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Sentences, Notes]:
    """All the sentences of a text file.

    Args:
        path: The file, plain or gzip; "-" for the standard input.
        vocabulary: Grows by the words of the text; a new one by default.
        progress: Told the number of bytes of each block.

    Returns:
        The sentences; how many lines there were, how many of them empty, and how many
        with control characters, which were read as white space.
    """
    blocks = text_blocks(path)
    return read_blocks(blocks, name_of(path), vocabulary=vocabulary, progress=progress)


def text_blocks(path: Path | str) -> Iterator[bytes]:
    """A text file in blocks of whole lines, without its byte order mark."""
    for number, block in enumerate(whole_lines(path, size=BLOCK)):
        yield block if number else block.removeprefix(BYTE_ORDER_MARK)


def check_block(block: bytes, name: str, before: int) -> None:
    """Refuse a block with a line that is not UTF-8 or has a NUL character.

    Args:
        block: Whole lines.
        name: What they are from.
        before: How many lines came before.
    """
    _, _, counts = Vocabulary().read(block, grow=False)
    if bad := counts["not_utf8"] or counts["with_null"]:
        message = Errors.LP403 if counts["not_utf8"] else Errors.LP404
        raise ValueError(message.format(path=name, line=before + bad))


def read_blocks(
    blocks: Iterable[bytes],
    name: str,
    *,
    vocabulary: Vocabulary | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Sentences, Notes]:
    """All the sentences of blocks of whole lines.

    Args:
        blocks: One sentence a line, words between white space.
        name: What they are from, for errors.
        vocabulary: See `read_text`, as for the rest.
        progress: Told the number of bytes of each block.
    """
    vocabulary = vocabulary or Vocabulary()
    parts: list[Sentences] = []
    notes = {"lines": 0, "empty": 0, "with_controls": 0}
    for block in blocks:
        ids, bounds, counts = vocabulary.read(block)
        if bad := counts["not_utf8"] or counts["with_null"]:
            message = Errors.LP403 if counts["not_utf8"] else Errors.LP404
            line = notes["lines"] + bad
            raise ValueError(message.format(path=name, line=line))
        for key in notes:
            notes[key] += counts[key]
        parts.append(Sentences(vocabulary, ids, bounds))
        if progress:
            progress(len(block))
    if not any(map(len, parts)):
        raise ValueError(Errors.LP405.format(path=name, lines=notes["lines"]))
    return join(vocabulary, parts), notes
