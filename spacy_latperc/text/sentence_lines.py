"""Reading text: one sentence a line, words between white space, plain or gzip."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..errors import Errors
from ..io.lines import BYTE_ORDER_MARK, whole_lines
from ..kernels.text import Vocabulary
from .sentences import Sentences, join

BLOCK = 1 << 20

Notes = dict[str, int]


def text_blocks(path: Path | str) -> Iterator[bytes]:
    """Yield a text file in blocks of whole lines, without its byte order mark."""
    for number, block in enumerate(whole_lines(path, size=BLOCK)):
        yield block if number else block.removeprefix(BYTE_ORDER_MARK)


def check_block(block: bytes, name: str, before: int) -> None:
    """Refuse a block with a line that is not UTF-8 or has a NUL character.

    Args:
        block: Whole lines.
        name: The name of the file, for errors.
        before: The number of previous lines.
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
    """Read all sentences of blocks of whole lines.

    Args:
        blocks: One sentence a line, words between white space.
        name: The name of the file, for errors.
        vocabulary: The vocabulary, to which words are added; a new one by default.
        progress: A function that is called with the bytes of each block.

    Returns:
        The sentences; the numbers of lines, empty lines and lines with control
        characters, which were read as white space.
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
