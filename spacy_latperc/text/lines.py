"""Reading text: one sentence a line, words between white space, plain or gzip."""

from collections.abc import Callable
from pathlib import Path

from ..errors import Errors
from ..io.lines import BYTE_ORDER_MARK, whole_lines
from ..io.packed import STDIN
from ..kernels.text import Vocabulary
from .sentences import Sentences, join

BLOCK = 1 << 20

Notes = dict[str, int]


def read_text(
    path: Path | str,
    *,
    vocabulary: Vocabulary | None = None,
    lowercase: bool = False,
    progress: Callable[[int], None] | None = None,
) -> tuple[Sentences, Notes]:
    """All the sentences of a text file.

    Args:
        path: The file, plain or gzip; "-" for the standard input.
        vocabulary: Grows by the words of the text; a new one by default.
        lowercase: Read everything in lower case.
        progress: Told the number of bytes of each block.

    Returns:
        The sentences; how many lines there were, how many of them empty, and how many
        with control characters, which were read as white space.
    """
    vocabulary = vocabulary or Vocabulary()
    name = "standard input" if str(path) == STDIN else str(path)
    parts: list[Sentences] = []
    notes = {"lines": 0, "empty": 0, "with_controls": 0}
    for block in whole_lines(path, size=BLOCK):
        if not parts:
            block = block.removeprefix(BYTE_ORDER_MARK)
        text = _lowered(block) if lowercase else block
        ids, bounds, counts = vocabulary.read(text)
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


def _lowered(block: bytes) -> bytes:
    try:
        return block.decode("utf8").lower().encode("utf8")
    except UnicodeDecodeError:
        return block  # what reads it names the line
