"""Vectors that other components or functions give the tokens of a Doc."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from thinc.backends import get_array_ops

from ..errors import Errors
from ..errors.check import refusal
from ..features.sources import Givens, Tokens
from .doc_vectors import DocVectors, text_of


@dataclass(eq=False)
class DocTensor(DocVectors):
    """The vectors of `doc.tensor`, of a transformer, or of a function."""

    function: Callable[[Any], Any] | None
    layers: Sequence[int]

    @property
    def name(self) -> str:
        return "vec (doc.tensor)" if self.function is None else "vec (function)"

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "layers": list(self.layers)}

    def vectors(self, tokens: Tokens) -> list[NDArray[Any]]:
        return [self._of_doc(doc) if len(doc) else np.zeros(0) for doc in tokens.docs]

    def training_docs(self, givens: Givens) -> Iterator[Any]:
        if self.function is not None or givens.annotate is None:
            return super().training_docs(givens)
        return (givens.annotate(doc.copy()) for doc in super().training_docs(givens))

    def _of_doc(self, doc: Any) -> NDArray[Any]:
        if self.function is not None:
            found = self.function(doc)
        elif doc.has_extension("trf_data") and doc._.trf_data is not None:
            found = transformer_vectors(doc._.trf_data, self.layers)
        else:
            found = doc.tensor
        found = get_array_ops(found).to_numpy(found)
        if len(found) != len(doc):
            raise ValueError(Errors.LP689.format(doc=text_of(doc)))
        return found


def transformer_vectors(output: Any, layers: Sequence[int] = ()) -> NDArray[Any]:
    """Return the mean of the pieces of each token, and of some layers.

    Args:
        output: `doc._.trf_data` of a component `curated_transformer` or `transformer`.
        layers: The layers, from 0 for the embeddings; by default the last. Other ones
            must be part of the output.
    """
    if hasattr(output, "all_outputs"):  # curated: for each layer pieces, and how many
        chosen = [output.all_outputs[layer] for layer in layers or [-1]]
        pieces = np.mean([_numpy(x.dataXd) for x in chosen], axis=0)
        counts = _numpy(chosen[0].lengths)
        order = np.arange(len(pieces))
    else:  # spans of pieces, and for each token which ones
        states = output.model_output
        if layers:
            chosen = [_numpy(states["hidden_states"][layer]) for layer in layers]
            pieces = np.mean(chosen, axis=0)
        else:
            pieces = _numpy(states["last_hidden_state"])
        pieces = pieces.reshape(-1, pieces.shape[-1])
        counts = _numpy(output.align.lengths)
        order = _numpy(output.align.dataXd).reshape(-1)
    token = np.repeat(np.arange(len(counts)), counts)
    rows = np.zeros((len(counts), pieces.shape[1]), dtype=np.float32)
    np.add.at(rows, token, pieces[order])
    return rows / np.maximum(counts, 1)[:, None]


def _numpy(array: Any) -> NDArray[Any]:
    if hasattr(array, "detach"):  # of torch
        array = array.detach().cpu().numpy()
    return get_array_ops(array).to_numpy(array)


def doc_tensor(
    function: Any = None,
    layers: Any = (),
    width: int = 384,
    whitening: float = 0.5,
    length: float = 3.0,
) -> DocTensor:
    """Use the vectors that an earlier component gives the tokens: `vec.NAME[0]`.

    The component (`tok2vec`, `transformer`, `curated_transformer`) must be trained, and
    one of the `annotating_components` of the training. Its vectors are turned to the
    principal directions of those of the training data.

    Args:
        function: A block that makes a function from a Doc to an array [tokens, width],
            in place of a component.
        layers: The layers of a transformer whose mean is taken, from 0 for its
            embeddings; by default the last.
        width: The number of directions, and so of numbers for each token.
        whitening: The power of its standard deviation that each direction is divided
            by.
        length: The mean length of a vector. Plain features have the value 1.
    """
    if function is not None and not callable(function):
        wanted = "a block that makes a function of a Doc"
        raise refusal(Errors.LP590, "function", function, wanted=wanted)
    return DocTensor(width, length, whitening, function, layers)
