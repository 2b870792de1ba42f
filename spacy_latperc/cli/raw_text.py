"""Reading raw text for commands, with progress and warnings."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from time import perf_counter

import numpy as np
from wasabi import msg

from ..errors import Warnings
from ..io.progress import progress_bar
from ..kernels.text import Vocabulary
from ..text.sentence_files import Notes, read_sentences, tokenizer_of
from ..text.sentences import Sentences, join


@dataclass
class RawTextReader:
    """Reads all texts of a command alike, and says how far the command is.

    Attributes:
        lang: Splits lines into words as spaCy does for it; empty: at white space.
        field: Of JSONL, with the text.
        lowercase: Read all in lower case.
        digits: Read every digit as 0.
        quiet: Show no progress, only warnings.
    """

    lang: str = ""
    field: str = "text"
    _: KW_ONLY
    lowercase: bool = False
    digits: bool = False
    quiet: bool = False

    def __post_init__(self) -> None:
        self.start = perf_counter()
        self.tokenize = tokenizer_of(self.lang) if self.lang else None

    def done(self, what: str) -> None:
        """Print what has been done, and after how many seconds."""
        if not self.quiet:
            msg.text(f"{self.seconds:6.1f} s  {what}")

    @property
    def seconds(self) -> float:
        """The time since the command began."""
        return perf_counter() - self.start

    def read(
        self,
        paths: Iterable[str],
        *,
        beside: Sentences | None = None,
        what: str = "sentences",
    ) -> Sentences:
        """All sentences of some files; the vocabulary of those `beside` grows."""
        changed = self.lowercase or self.digits
        known = beside.vocabulary if beside else Vocabulary()
        vocabulary = Vocabulary() if changed else known
        parts = []
        for path in paths:
            with progress_bar("B read", quiet=self.quiet) as progress:
                part, notes = read_sentences(
                    path,
                    vocabulary=vocabulary,
                    field=self.field,
                    tokenize=self.tokenize,
                    progress=progress,
                )
            self._tell(path, notes)
            if columns := _columns(part, notes):
                msg.warn(Warnings.LP973.format(path=path, columns=columns))
            parts.append(part)
        text = join(vocabulary, parts)
        if changed:
            text = text.renamed(self._change, known)
        self.done(f"read {len(text):,} {what}, {len(text.ids):,} words")
        return text

    def _tell(self, path: str, notes: Notes) -> None:
        if (n := notes.get("empty")) and not self.quiet:
            msg.info(f"{path}: Empty lines left out: {n:,}")
        if n := notes.get("with_controls"):
            msg.warn(
                f"{path}: {n:,} line(s) have control characters, which were read as "
                "spaces"
            )

    def _change(self, word: str) -> str:
        word = word.lower() if self.lowercase else word
        return word.translate(_ZEROS) if self.digits else word


def _columns(text: Sentences, notes: Notes) -> int:
    """Return the number of columns that a text file seems to have, or 0."""
    lengths, lines = np.unique(text.lengths, return_counts=True)
    most = lines.argmax()
    alike = lines[most] >= 0.9 * len(text) and len(text) >= 20
    return int(lengths[most]) if notes.get("empty") and alike else 0


_ZEROS = str.maketrans("123456789", "000000000")
