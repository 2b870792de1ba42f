"""The corpora of the bench: CoNLL-2000 where it is there, else the sample."""

import gzip
from collections.abc import Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tools.corpora.locate import data_folder

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "sample"
CHOICES = ("auto", "conll2000", "sample")
SHORT = range(9, 12)  # tokens
MOST_SHORT = 300
Sentence = tuple[list[str], list[str], list[str]]  # words, tags, chunk labels
Text = TypeVar("Text", bound=Sized)


@dataclass(frozen=True)
class BenchCorpus:
    """Column files with a word, a tag and chunk or entity labels in IOB2."""

    name: str
    train: str
    test: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Treebank:
    """CoNLL-U files."""

    name: str
    train: str
    test: str


@dataclass(frozen=True)
class Corpora:
    """The corpora of chunkers and taggers, of entity recognisers, and of parsers."""

    chunks: BenchCorpus
    entities: BenchCorpus | None
    trees: Treebank


_FILES = (str(FOLDER / "train.txt"), str(FOLDER / "test.txt"))
SAMPLE = BenchCorpus("bundled sample", *_FILES, ("word", "tag", "chunk", "ent"))
_TREES = (str(FOLDER / "train.conllu"), str(FOLDER / "test.conllu"))
SAMPLE_TREES = Treebank("bundled sample", *_TREES)


def find_corpora(choice: str) -> Corpora:
    """The corpora of this choice."""
    if choice not in CHOICES:
        known = ", ".join(CHOICES)
        raise ValueError(f"Unknown data '{choice}'. Choose one of: {known}.")
    folder = data_folder()
    chunks = _chunks(folder) if folder else None
    if chunks is None and choice == "conll2000":
        raise ValueError(
            "CoNLL-2000 is not here. Set LATPERC_DATA to the folder that holds "
            "conll2000/train.txt.gz and conll2000/test.txt, or use --data sample."
        )
    if chunks is None or choice == "sample":
        return Corpora(SAMPLE, SAMPLE, SAMPLE_TREES)
    trees = (_trees(folder) if folder else None) or SAMPLE_TREES
    return Corpora(chunks, _entities(folder) if folder else None, trees)


def _chunks(folder: Path) -> BenchCorpus | None:
    train, test = (folder / "conll2000" / x for x in ("train.txt.gz", "test.txt"))
    return _existing("CoNLL-2000", train, test, ("word", "tag", "chunk"))


def _entities(folder: Path) -> BenchCorpus | None:
    train, test = (folder / "conll2002" / x for x in ("esp.train.gz", "esp.testb"))
    return _existing("CoNLL-2002 Spanish", train, test, ("word", "tag", "ent"))


def _trees(folder: Path) -> Treebank | None:
    train, test = (
        folder / "ud_trees" / f"en_ewt-{part}.conllu.gz" for part in ("train", "test")
    )
    if not (train.is_file() and test.is_file()):
        return None
    return Treebank("UD English EWT", str(train), str(test))


def _existing(
    name: str, train: Path, test: Path, columns: tuple[str, ...]
) -> BenchCorpus | None:
    if not (train.is_file() and test.is_file()):
        return None
    return BenchCorpus(name, str(train), str(test), columns)


def read_sentences(path: str, *, limit: int = 0) -> list[Sentence]:
    """The sentences of a file as plain lists, the way a script for CRFsuite reads them.

    limit: how many; all when 0.
    """
    file = Path(path)
    data = file.read_bytes()
    if file.suffix == ".gz":
        data = gzip.decompress(data)
    sentences: list[Sentence] = []
    for block in data.decode("utf-8").split("\n\n"):
        rows = [line.split() for line in block.split("\n") if line]
        if rows:
            words, tags, labels, *_ = (
                list(column) for column in zip(*rows, strict=True)
            )
            sentences.append((words, tags, labels))
            if len(sentences) == limit:
                break
    return sentences


def short_texts(texts: Sequence[Text]) -> list[Text]:
    """The texts of about ten tokens, for calls with single texts."""
    return [text for text in texts if len(text) in SHORT][:MOST_SHORT] or [texts[0]]
