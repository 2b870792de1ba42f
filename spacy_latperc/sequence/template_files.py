"""Template files of CRF++ and Wapiti."""

import re
from collections.abc import Sequence
from pathlib import Path

from ..errors import Errors

# One macro: kind, row, column, and the pattern of Wapiti's %m and %t.
_MACRO = re.compile(r'%([xXmMtT])\[\s*([+-]?\d+)\s*,\s*(\d+)\s*(?:,\s*"([^"]*)"\s*)?\]')
_PREFIX = re.compile(r"\^((?:\.\??){1,5})")
_SUFFIX = re.compile(r"((?:\.\??){1,5})\$")


def read_templates(path: str | Path, columns: str = "word,tag") -> list[str]:
    """Read the templates of CRF++ or Wapiti.

    A line that begins with U gives a template of one token, B one of a pair of labels,
    and * of Wapiti both. Plain B needs none, since every pair of labels has a weight.

    Args:
        path: The file.
        columns: The names of its columns; further ones are called column2, column3, ...

    Returns:
        Templates for ChainClassifier, whose parameter `columns` must have these names.
    """
    found: dict[str, None] = {}
    lines = Path(path).read_text(encoding="utf8").splitlines()
    for number, text in enumerate(map(str.strip, lines), start=1):
        if not text or text.startswith("#"):
            continue
        try:
            kind, observation = text[0].upper(), _observation(text, columns.split(","))
            if kind not in "UB*":
                raise ValueError(text)
        except ValueError:
            message = Errors.LP890.format(line=number, path=path, text=text)
            raise ValueError(message) from None
        if kind in "U*":
            found[observation or "bias"] = None
        if kind in "B*" and observation:
            found[f"edge:{observation}"] = None
    return list(found)


def _observation(text: str, columns: Sequence[str]) -> str:
    rest = _MACRO.sub("", text)
    if re.search(r"%[a-zA-Z]\[", rest):
        raise ValueError(rest)
    parts = [
        _attribute(kind, int(column), pattern, columns) + f"[{int(row)}]"
        for kind, row, column, pattern in _MACRO.findall(text)
    ]
    return "|".join(dict.fromkeys(parts))


def _attribute(kind: str, column: int, pattern: str, columns: Sequence[str]) -> str:
    name = columns[column] if column < len(columns) else f"column{column}"
    if kind == "x":
        return name if name in ("word", "tag", "lemma") else f"_.{name}"
    if name == "word" and kind == "X":
        return "lower"
    if name == "word" and kind == "m":
        for form, affix in ((_PREFIX, "pre"), (_SUFFIX, "suf")):
            if found := form.fullmatch(pattern):
                return f"{affix}{found[1].count('.')}"
    raise ValueError(kind)
