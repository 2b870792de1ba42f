"""n-gram models in the ARPA format, which SRILM, KenLM and others read.

Of each n-gram it has the logarithm (base 10) of the probability of the last word after
the others and, if it is a context of longer ones, of the share that goes to its shorter
context.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...kernels.text import BEGIN, END, FIRST_WORD, UNKNOWN, NgramTable, Vocabulary

MARKS = {"<s>": BEGIN, "</s>": END, "<unk>": UNKNOWN}
_NEVER = -99.0  # the logarithm of 0 in these files
_LOWEST = 10**_NEVER
_AT_ONCE = 50_000  # n-grams

Rows = NDArray[np.int32]
Floats = NDArray[np.float64]


def arpa_lines(vocabulary: Vocabulary, table: NgramTable) -> Iterator[str]:
    """Write a model as the lines of an ARPA file."""
    names = [*MARKS, *map(vocabulary.word, range(FIRST_WORD, table.words))]
    for name in names[FIRST_WORD:]:
        if name in MARKS or name.encode().split() != [name.encode()]:
            raise ValueError(Errors.LP408.format(word=name))
    yield "\\data\\\n"
    for number, size in enumerate(table.sizes, 1):
        yield f"ngram {number}={size}\n"
    rows: Rows = np.zeros((1, 0), dtype=np.int32)
    for number in range(1, table.order + 1):
        word, begin, _ = table.level(number)
        contexts = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        rows = np.column_stack([rows[contexts], word])
        rests = table.level(number + 1)[2] if number < table.order else None
        yield f"\n\\{number}-grams:\n"
        for start in range(0, len(rows), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            p = _logarithms(table.last_words(rows[part]))
            ends = [""] * len(p)
            if rests is not None:
                ends = [f"\t{rest:.7g}" for rest in _logarithms(rests[part])]
            for row, x, end in zip(rows[part].tolist(), p, ends, strict=True):
                yield f"{x:.7g}\t{' '.join([names[word] for word in row])}{end}\n"
    yield "\n\\end\\\n"


def _logarithms(values: Floats) -> list[float]:
    return np.log10(np.maximum(values, _LOWEST)).tolist()
