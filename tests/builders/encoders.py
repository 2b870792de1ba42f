"""Tiny encoders with random weights, as folders of published models have them."""

import json

import numpy as np

WIDTH, HEADS, LAYERS, WINDOW = 16, 2, 2, 24
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS += [*"abcdefg", *(f"##{x}" for x in "abcdefg"), ".", "big", "##ger"]


def random_weights(seed=0):
    rng = np.random.default_rng(seed)
    sizes = {
        "embeddings.word_embeddings.weight": (len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": (WINDOW, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
        for part in [*parts, "attention.output.dense"]:
            sizes[f"{at}.{part}.weight"] = (WIDTH, WIDTH)
            sizes[f"{at}.{part}.bias"] = (WIDTH,)
        sizes[f"{at}.intermediate.dense.weight"] = (2 * WIDTH, WIDTH)
        sizes[f"{at}.intermediate.dense.bias"] = (2 * WIDTH,)
        sizes[f"{at}.output.dense.weight"] = (WIDTH, 2 * WIDTH)
        sizes[f"{at}.output.dense.bias"] = (WIDTH,)
        norms += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
    weights = {name: rng.normal(size=size) * 0.5 for name, size in sizes.items()}
    for name in norms:
        weights[f"{name}.weight"] = 1 + 0.1 * rng.normal(size=WIDTH)
        weights[f"{name}.bias"] = 0.1 * rng.normal(size=WIDTH)
    return {name: array.astype(np.float32) for name, array in weights.items()}


def model_folder(folder, seed=0, **config):
    """Write the folder of a model."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    folder.mkdir(parents=True, exist_ok=True)
    save_file(random_weights(seed), folder / "model.safetensors")
    form = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "hidden_size": WIDTH,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": WINDOW,
        **config,
    }
    (folder / "config.json").write_text(json.dumps(form))
    numbers = {word: k for k, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.enable_truncation(WINDOW)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\nA model.\n")
    (folder / "LICENSE").write_text("A licence.\n")
    return folder
