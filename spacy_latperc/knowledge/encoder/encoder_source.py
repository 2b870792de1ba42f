"""Vectors of a frozen encoder, as a source of attributes."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import check_count
from ...features.sources import Givens, Tokens
from ..doc_vectors import DocVectors
from .build_encoder import read_encoder
from .open_encoder import EncoderFiles, OpenEncoder, Text, open_encoder

_EMBEDDED = ("graph", "tokenizer")


@dataclass(eq=False)
class EncoderVectors(DocVectors):
    """The vectors that an encoder gives the tokens of a sentence."""

    path: str
    around: int
    embed: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("around", self.around, low=0)
        self._encoder: OpenEncoder | None = None
        self._files: EncoderFiles | None = None  # if they are part of the model
        self._fingerprint = ""  # of the encoder of the directions

    @cached_property
    def name(self) -> str:
        """The name of the vectors, for messages."""
        return f"vec ({Path(self.path).name})"

    def templates(self, name: str) -> list[str]:
        offsets = range(-self.around, self.around + 1)
        return [f"vec.{name}[{offset}]" for offset in offsets]

    def _open(self) -> OpenEncoder:
        if self._encoder is None:
            files = self._files or read_encoder(self.path)
            found = files.form["fingerprint"]
            if self._fingerprint and found != self._fingerprint:
                raise ValueError(
                    Errors.LP688.format(
                        path=self.path, found=found, wanted=self._fingerprint
                    )
                )
            self._fingerprint = found
            self._files = files if self.embed else None
            self._encoder = open_encoder(files, self.path)
        return self._encoder

    def fit(self, givens: Givens) -> None:
        self._encoder = self._files = None
        self._fingerprint = ""
        self._open().keep()
        super().fit(givens)

    def vectors(self, tokens: Tokens) -> list[NDArray[Any]]:
        rows = np.concatenate(self._open().encode(_texts(tokens)))
        return np.split(rows, tokens.offsets[1:-1])

    # Saving: the fingerprint of the encoder, or the encoder. --------------------------

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        header, arrays = super().state()
        header["fingerprint"] = self._fingerprint
        if self.embed and arrays:
            self._open()
            files = self._files
            assert files is not None
            header["form"] = files.form
            for name in _EMBEDDED:
                arrays[name] = np.frombuffer(getattr(files, name), dtype=np.uint8)
        return header, arrays

    def load(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        super().load(header, arrays)
        if not isinstance(header.get("fingerprint"), str):
            raise ValueError("the fingerprint of the encoder is missing")
        self._files = self._encoder = None
        if "form" in header:
            graph, tokenizer = (arrays[name].tobytes() for name in _EMBEDDED)
            files = EncoderFiles(graph, tokenizer, header["form"])
            self._files = files.checked("the model")
        self._fingerprint = header["fingerprint"]


def _texts(tokens: Tokens) -> list[Text]:
    """Return the sentences of Docs as texts, with a space after each token: no piece
    belongs to two tokens then."""
    words = list(map(tokens.lookup, tokens.words.tolist()))
    bounds = tokens.sentences[0].tolist()
    texts = []
    for first, last in zip(bounds[:-1], bounds[1:], strict=True):
        sizes = np.array([len(word) for word in words[first:last]], dtype=np.int64)
        ends = np.cumsum(sizes + 1) - 1
        texts.append(Text(" ".join(words[first:last]), ends - sizes, ends))
    return texts


def encoder(
    path: str,
    width: int = 384,
    whitening: float = 0.5,
    length: float = 3.0,
    around: int = 0,
    embed: bool = False,
) -> EncoderVectors:
    """Use the vectors of a frozen encoder: `vec.NAME[0]`.

    Sentences are encoded in batches, and a token has the mean of the vectors of its
    pieces. Vectors are turned to the principal directions of those of the training
    data. The folder of the encoder is needed wherever the pipeline is used, unless the
    model has it (`embed`).

    Args:
        path: A folder made by `spacy latperc knowledge encoder`, or a package with
            weights, of which the same encoder is made in memory when it is first used.
        width: The number of directions, and so of numbers for each token.
        whitening: The power of its standard deviation that each direction is divided
            by: 0 keeps their widths, 1 makes all equally wide.
        length: The mean length of a vector. Plain features have the value 1. Choose it
            on development data: entities in noisy text want more (6).
        around: The number of words on each side whose vectors are read too.
        embed: Save the encoder with the model.
    """
    return EncoderVectors(width, length, whitening, path, around, embed)
