"""The bundled sample, and settings of configs that learn a few of its sentences."""

from typing import Any

from project_files import ROOT

SAMPLE = ROOT / "assets" / "sample"


def sample_paths(train: str = "train.txt", dev: str = "dev.txt") -> dict[str, Any]:
    return {"paths.train": str(SAMPLE / train), "paths.dev": str(SAMPLE / dev)}


def few_sentences(train, dev, *, epochs, every=200):
    """Overrides for so many sentences and epochs, evaluated every so many steps."""
    return {
        **sample_paths(),
        "corpora.train.limit": train,
        "corpora.dev.limit": dev,
        "training.max_epochs": epochs,
        "training.eval_frequency": every,
    }
