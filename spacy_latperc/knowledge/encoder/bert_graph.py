"""The graph of a BERT-like encoder for onnxruntime, made from its weights.

The graph takes ids of pieces, [texts, pieces], and a mask of those that are there, and
gives a vector for each piece: the mean of the outputs of the chosen layers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import Errors
from .open_encoder import IDS, MASK, VECTORS, broken

OPSET = 20  # has Gelu and LayerNormalization
_FIRST_POSITION = {"bert": 0, "roberta": 2, "xlm-roberta": 2}
_MASKED = 1e30  # taken from the scores of pieces that are not there
_WORDS = "embeddings.word_embeddings.weight"


@dataclass(frozen=True)
class BertConfig:
    """The form of a model, from its `config.json`.

    Attributes:
        eps: The epsilon of its layer norms.
        window: The number of pieces that it reads at once.
        first_position: The row of the first position among those of positions.
    """

    layers: int
    heads: int
    width: int
    eps: float
    window: int
    first_position: int

    @classmethod
    def read(cls, config: Mapping[str, Any], where: str) -> "BertConfig":
        """Read the content of a `config.json`; `where` is for messages."""
        kind = config.get("model_type")
        act = config.get("hidden_act")
        positions = config.get("position_embedding_type", "absolute")
        if kind not in _FIRST_POSITION or act != "gelu" or positions != "absolute":
            found = f"model_type {kind!r}, hidden_act {act!r}, {positions} positions"
            known = ", ".join(_FIRST_POSITION)
            raise ValueError(Errors.LP680.format(where=where, found=found, known=known))
        first = _FIRST_POSITION[kind]
        try:
            return cls(
                int(config["num_hidden_layers"]),
                int(config["num_attention_heads"]),
                int(config["hidden_size"]),
                float(config.get("layer_norm_eps", 1e-12)),
                int(config["max_position_embeddings"]) - first,
                first,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise broken(where, f"config.json: {error!r}") from error


class _Graph:
    """Nodes and weights in the making."""

    def __init__(self) -> None:
        import onnx

        self.onnx = onnx
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def weight(self, values: Any) -> str:
        """Add an array; return its name."""
        name = f"w{len(self.weights)}"
        array = np.ascontiguousarray(values).reshape(np.shape(values))
        self.weights.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add an operation; return the name of its output."""
        name = name or f"x{len(self.nodes)}"
        make = self.onnx.helper.make_node
        self.nodes.append(
            make(kind, inputs, [name], name=f"{kind}_{name}", **attributes)
        )
        return name

    def ints(self, *values: int) -> str:
        """Add an array of integers."""
        return self.weight(np.array(values, dtype=np.int64))


def build_graph(
    weights: Mapping[str, np.ndarray], config: BertConfig, layers: Sequence[int]
) -> Any:
    """Build the graph of a model.

    Args:
        weights: Its weights by name, as transformers stores them.
        config: Its form.
        layers: The layers whose mean is given, from 1; 0 is below the first.

    Returns:
        An `onnx.ModelProto`.
    """
    g = _Graph()
    # With a head the names begin with that of the encoder: "bert.embeddings...".
    starts = [name[: -len(_WORDS)] for name in weights if name.endswith(_WORDS)]
    start = starts[0] if starts else ""

    def get(name: str) -> np.ndarray:
        return np.asarray(weights[start + name], dtype=np.float32)

    def norm(x: str, name: str) -> str:
        scale, bias = (g.weight(get(f"{name}.{part}")) for part in ("weight", "bias"))
        return g.node("LayerNormalization", x, scale, bias, epsilon=config.eps)

    def linear(x: str, *names: str) -> str:
        rows = np.concatenate([get(f"{name}.weight") for name in names])
        bias = np.concatenate([get(f"{name}.bias") for name in names])
        return g.node("Add", g.node("MatMul", x, g.weight(rows.T)), g.weight(bias))

    # The sum of the embeddings of pieces, positions and the first segment.
    x = g.node("Gather", g.weight(get(_WORDS)), IDS)
    places = get("embeddings.position_embeddings.weight")[config.first_position :]
    places = places + get("embeddings.token_type_embeddings.weight")[:1]
    length = g.node("Shape", IDS, start=1, end=2)
    places_here = g.node("Slice", g.weight(places), g.ints(0), length, g.ints(0))
    x = norm(g.node("Add", x, places_here), "embeddings.LayerNorm")

    # 0 for pieces that are there and very low for others, [texts, 1, 1, pieces].
    helper, kinds = g.onnx.helper, g.onnx.TensorProto
    there = g.node("Unsqueeze", MASK, g.ints(1, 2))
    mask = g.node("Sub", g.node("Cast", there, to=kinds.FLOAT), g.weight(np.float32(1)))
    mask = g.node("Mul", mask, g.weight(np.float32(_MASKED)))

    size = config.width // config.heads
    outputs = [x]
    for layer in range(max(layers)):
        at = f"encoder.layer.{layer}"
        names = [f"{at}.attention.self.{part}" for part in ("query", "key", "value")]
        joined = linear(x, *names)
        shape = g.ints(0, 0, 3, config.heads, size)
        apart = g.node("Reshape", joined, shape)
        apart = g.node("Transpose", apart, perm=[2, 0, 3, 1, 4])
        q, k, v = (
            g.node("Gather", apart, g.weight(np.int64(part)), axis=0)
            for part in range(3)
        )
        q = g.node("Mul", q, g.weight(np.float32(size**-0.5)))
        scores = g.node("MatMul", q, g.node("Transpose", k, perm=[0, 1, 3, 2]))
        shares = g.node("Softmax", g.node("Add", scores, mask), axis=-1)
        met = g.node("Transpose", g.node("MatMul", shares, v), perm=[0, 2, 1, 3])
        met = g.node("Reshape", met, g.ints(0, 0, config.width))
        met = linear(met, f"{at}.attention.output.dense")
        x = norm(g.node("Add", met, x), f"{at}.attention.output.LayerNorm")
        inner = g.node("Gelu", linear(x, f"{at}.intermediate.dense"))
        inner = linear(inner, f"{at}.output.dense")
        x = norm(g.node("Add", inner, x), f"{at}.output.LayerNorm")
        outputs.append(x)
    g.node("Mean", *(outputs[layer] for layer in layers), name=VECTORS)

    axes = ["texts", "pieces"]
    given = [helper.make_tensor_value_info(x, kinds.INT64, axes) for x in (IDS, MASK)]
    found = [vectors_info(config.width)]
    graph = helper.make_graph(g.nodes, "encoder", given, found, g.weights)
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(graph, opset_imports=[opset], ir_version=9)


def vectors_info(width: int) -> Any:
    """Return the form of the output of a graph."""
    from onnx import TensorProto, helper

    return helper.make_tensor_value_info(
        VECTORS, TensorProto.FLOAT, ["texts", "pieces", width]
    )
