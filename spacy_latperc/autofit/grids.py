"""Models, configs and grids of settings, as systems to compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.util import load_config
from thinc.api import Config

from ..data.configured import SECTION, block_examples
from ..errors import Errors
from ..io.pipelines import CONFIG

GRIDS = (".yml", ".yaml")


@dataclass(frozen=True)
class System:
    """A model (its folder), or the text of a config to train one."""

    name: str
    config: str = ""
    model: str = ""

    def trained_config(self, seed: int, share: float) -> Config:
        """Return the config for a training with a seed and a share of the data."""
        config = Config().from_str(self.config, interpolate=False)
        return _with_share(with_seed(config, seed), share)


def read_systems(paths: Sequence[Path], overrides: Mapping[str, Any]) -> list[System]:
    """Read models, configs, and grids: files with a `config` and a `grid` of lists of
    values by setting, of which each combination is a system."""
    found = []
    for path in paths:
        if path.is_dir():
            if not (path / CONFIG).is_file():
                raise ValueError(Errors.LP330.format(path=path))
            found.append(System(str(path), model=str(path)))
            continue
        grid: Any = {"config": path.name, "grid": {}}
        if path.suffix in GRIDS:
            grid = srsly.read_yaml(path)
            if not isinstance(grid, dict) or not {"config", "grid"} <= grid.keys():
                raise ValueError(Errors.LP867.format(path=path))
        for values in product(*grid["grid"].values()):
            settings = dict(zip(grid["grid"], values, strict=True))
            config = load_config(
                path.parent / grid["config"],
                overrides={**overrides, **settings},
                interpolate=False,
            )
            shown = [f"{k.rpartition('.')[2]} {v}" for k, v in settings.items()]
            found.append(System(", ".join(shown) or str(path), config.to_str()))
    return found


def with_seed(config: Config, seed: int) -> Config:
    """Set the seed of a config for training and for every chain."""
    config = config.copy()
    config.setdefault("training", {})["seed"] = seed
    for component in config.get("components", {}).values():
        if isinstance(component.get("model"), dict):
            component["model"]["seed"] = seed
    return config


def _with_share(config: Config, share: float) -> Config:
    """Limit the training corpus of a config to the first part of it."""
    if share == 1:
        return config
    config = config.interpolate()
    name = config["training"].get("train_corpus", "corpora.train")
    _limit(config["corpora"][name.removeprefix(SECTION)], share, config["nlp"]["lang"])
    return config


def _limit(block: dict[str, Any], share: float, lang: str) -> None:
    """Limit a corpus, or those that it is made of."""
    inner = [block.get("corpus"), *block.get("corpora", {}).values()]
    if "path" not in block and (blocks := [x for x in inner if isinstance(x, dict)]):
        for block in blocks:
            _limit(block, share, lang)
    else:
        n = sum(1 for _ in block_examples(spacy.blank(lang), block))
        block["limit"] = max(round(share * n), 1)
