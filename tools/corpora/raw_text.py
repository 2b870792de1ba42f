"""Plain sentences for clusters and n-gram models, from two collections of corpora."""

import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from .sentences import split_sentences, tokenize

# Books, speeches, reviews, web text and chat of NLTK
ENGLISH = (
    *("webtext", "movie_reviews", "inaugural", "state_union", "genesis"),
    *("product_reviews_1", "product_reviews_2", "nps_chat", "shakespeare"),
)
MTL = (
    "https://github.com/cambridgeltl/MTL-Bioinformatics-2016/raw/df0df02fae6d/data/"
    "{corpus}-IOB/{part}.tsv"
)
BIOMEDICAL = (
    *("AnatEM", "BC5CDR", "BioNLP09", "BioNLP11EPI", "BioNLP11ID", "BioNLP13CG"),
    *("BioNLP13GE", "BioNLP13PC", "CRAFT", "Ex-PTM", "linnaeus"),
)
PARTS = ("devel", "train")

_REVIEWS = "/cv"  # of films: a sentence on each line
_mark_up = re.compile(r"<[^>]+>|\[[a-z]+[+-]?[0-9]?\]")
_new_paragraph = re.compile(r"\n\s*\n")


def english(archives: Iterable[Path]) -> bytes:
    """All different sentences of the archives, one on each line."""
    return _lines(
        " ".join(tokenize(sentence))
        for archive in archives
        for name, text in _texts(archive)
        for paragraph in _paragraphs(name, _mark_up.sub(" ", text))
        for sentence in split_sentences(" ".join(paragraph.split()))
    )


def _texts(archive: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(archive) as files:
        for name in sorted(files.namelist()):
            is_text = name.endswith((".txt", ".xml")) or _REVIEWS in name
            if is_text and "README" not in name and not name.endswith("/"):
                yield name, files.read(name).decode("latin-1")


def _paragraphs(name: str, text: str) -> list[str]:
    return text.split("\n") if _REVIEWS in name else _new_paragraph.split(text)


def biomedical(files: Iterable[Path]) -> bytes:
    """All different sentences of column files, one on each line, without labels."""
    return _lines(
        " ".join(row.split("\t")[0].strip() for row in block.split("\n") if row.strip())
        for path in files
        for block in path.read_text(encoding="utf-8").split("\n\n")
    )


def _lines(sentences: Iterable[str]) -> bytes:
    return ("\n".join(dict.fromkeys(filter(None, sentences))) + "\n").encode()
