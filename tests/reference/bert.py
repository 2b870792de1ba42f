"""A BERT-like encoder in numpy: the twin of the graph, one text at a time."""

from math import erf, sqrt

import numpy as np


def norm(x, scale, bias, eps):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps) * scale + bias


def layers_of(weights, ids, heads, eps):
    """The outputs of all layers for one text, [layers + 1, pieces, width]."""

    def linear(x, name):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def normed(x, name):
        return norm(x, weights[f"{name}.weight"], weights[f"{name}.bias"], eps)

    gelu = np.vectorize(lambda x: x * 0.5 * (1 + erf(x / sqrt(2))))
    at = "embeddings."
    x = weights[f"{at}word_embeddings.weight"][ids]
    x = x + weights[f"{at}position_embeddings.weight"][: len(ids)]
    x = normed(x + weights[f"{at}token_type_embeddings.weight"][0], f"{at}LayerNorm")
    outputs = [x]
    n, width = x.shape
    count = len({name for name in weights if name.endswith("output.dense.weight")}) // 2
    for layer in range(count):
        at = f"encoder.layer.{layer}"
        q, k, v = (
            linear(x, f"{at}.attention.self.{part}").reshape(n, heads, -1)
            for part in ("query", "key", "value")
        )
        met = np.zeros_like(q)
        for head in range(heads):
            scores = q[:, head] @ k[:, head].T / sqrt(q.shape[2])
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            met[:, head] = shares / shares.sum(-1, keepdims=True) @ v[:, head]
        met = linear(met.reshape(n, width), f"{at}.attention.output.dense")
        x = normed(met + x, f"{at}.attention.output.LayerNorm")
        inner = gelu(linear(x, f"{at}.intermediate.dense"))
        x = normed(linear(inner, f"{at}.output.dense") + x, f"{at}.output.LayerNorm")
        outputs.append(x)
    return np.array(outputs)
