"""Detect what a file holds: its format, the columns of a column file, the language."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import util
from itertools import islice
from os.path import commonprefix
from pathlib import Path

import spacy.lang

from ..data.column_files import ARTICLE_MARK
from ..data.formats import CONLLU_SUFFIXES, ColumnFormat
from ..errors import Errors
from ..io.docbin import SUFFIX
from ..io.lines import numbered_lines
from ..io.packed import open_unpacked, without_packing

JSONL, COLUMNS, CONLLU, DOCBIN = "JSON records", "columns", "CoNLL-U", ".spacy"
_JSON_SUFFIXES = (".jsonl", ".json", ".ndjson")
_ROWS_READ = 20_000
is_span_label = re.compile(r"(O|[BIESLUM]-\S+)\Z").match
# Annotation with more values than this is neither tags nor spans: lemmas, glosses.
_MOST_TAGS = 200
_COMMON = frozenset("de en es fr it nl pl pt ru sv tr zh ja".split())
_PRIOR = 0.2  # the advantage of these when the language is detected
_LEAST_SHARE = 0.08  # of stop words among the tokens of a text in the language
PHRASES = frozenset(
    "NP VP PP ADJP ADVP SBAR PRT CONJP INTJ LST UCP AP AVP SP NX QP".split()
)
UPOS = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB "
    "X _".split()
)


def detect_format(path: Path) -> str:
    """Return the format of a file, by its name and its first line."""
    name = without_packing(path.name)
    if name.endswith(SUFFIX):
        return DOCBIN
    if path.name.endswith(CONLLU_SUFFIXES):
        return CONLLU
    if name.endswith(_JSON_SUFFIXES):
        return JSONL
    with open_unpacked(path) as file:
        lines = (line.strip() for _, line in numbered_lines(file))
        first = next(filter(None, islice(lines, 1000)), b"")
    if not first:
        raise ValueError(Errors.LP108.format(path=path))
    return JSONL if first[:1] in b"{[" and first[-1:] in b"}][{" else COLUMNS


def detect_columns(path: Path) -> ColumnFormat:
    """Return the format of a file with a token on each line."""
    rows = sample_rows(path)
    separator = "\t" if rows and all("\t" in row for row in rows) else None
    split = [row.split(separator) for row in rows]
    width = Counter(map(len, split)).most_common(1)[0][0] if split else 0
    columns = list(zip(*(row for row in split if len(row) == width), strict=True))
    names: list[str] = []
    for column in columns:
        names.append(_name_column(column, names))
    spans = [i for i, name in enumerate(names) if name in ("ent", "chunk")]
    if "word" not in names or not {"ent", "chunk", "tag", "pos"} & set(names):
        raise ValueError(Errors.LP860.format(path=path, width=width))
    if len(spans) > 1 and len({names[i] for i in spans}) < len(spans):
        for i in spans[:-1]:  # the last one counts
            names[i] = "-" if names[i] == names[spans[-1]] else names[i]
    while names[-1] == "-":
        names.pop()
    short = [row for row, found in zip(rows, split, strict=True) if len(found) == 1]
    mark = commonprefix(short).rstrip("0123456789") if len(short) > 1 else ""
    comment = "#" if names[0] == "id" else "# " if separator else None
    return ColumnFormat(
        names,
        separator,
        chunk_scheme="auto",
        ent_scheme="auto",
        repair=True,
        doc_mark=mark if len(mark) > 2 else ARTICLE_MARK,
        comment=comment,
    )


def sample_rows(path: Path) -> list[str]:
    """Return the first rows of a file with a token on each line."""
    rows: list[str] = []
    with open_unpacked(path) as file:
        for number, line in numbered_lines(file):
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                message = Errors.LP861.format(path=path, line=number, error=error)
                raise ValueError(message) from error
            if text.strip() and not text.startswith((ARTICLE_MARK, "# ", "#\t")):
                rows.append(text)
            if len(rows) == _ROWS_READ:
                break
    return rows


def _name_column(values: Sequence[str], before: Sequence[str]) -> str:
    """Return the name of a column, given its values and the names of those before."""
    kinds = Counter(values)
    types = {value[2:] for value in kinds if value != "O"}
    if types and all(map(is_span_label, kinds)):
        return "chunk" if types <= PHRASES else "ent"
    if "word" not in before:
        numbers = sum(n for value, n in kinds.items() if value.isdecimal())
        return "id" if "1" in kinds and numbers > 0.95 * len(values) else "word"
    small = 1 < len(kinds) <= min(_MOST_TAGS, len(values) // 4)
    if not small or "O" in kinds:
        return "-"
    if kinds.keys() <= UPOS:
        return "-" if "pos" in before else "pos"
    return "-" if "tag" in before else "tag"


@lru_cache(maxsize=1)
def stop_words() -> Mapping[str, frozenset[str]]:
    """Return spaCy's stop words by language."""
    found = {}
    for folder in sorted(Path(spacy.lang.__path__[0]).iterdir()):
        # The module alone: a language imports much more.
        path = folder / "stop_words.py"
        spec = util.spec_from_file_location(f"_stop_words_{folder.name}", path)
        if path.is_file() and spec is not None and spec.loader is not None:
            module = util.module_from_spec(spec)
            spec.loader.exec_module(module)
            found[folder.name] = frozenset(
                word.lower() for word in module.STOP_WORDS if word[:1].isalpha()
            )
    return found


def detect_language(words: Iterable[str]) -> tuple[str, float]:
    """Return the language that has the largest share of stop words in a text, and the
    share; "xx" if no language has many."""
    counts = Counter(word.lower() for word in words)
    total = sum(counts.values())
    shares = {
        name: sum(counts[word] for word in known & counts.keys()) / max(total, 1)
        for name, known in stop_words().items()
    }
    # Of languages that share many stop words, the more common one.
    best = max(shares, key=lambda name: shares[name] * (1 + _PRIOR * (name in _COMMON)))
    share = shares.get(best, 0.0)
    return (best, share) if share >= _LEAST_SHARE else ("xx", share)
