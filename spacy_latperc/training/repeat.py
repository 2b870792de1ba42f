"""Training of one config with several seeds, for the variance of scores."""

import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import process_time

from spacy.language import Language
from spacy.training import Example
from thinc.api import Config

from .fit import fit, prepare_to_save


@dataclass(frozen=True)
class Run:
    """The scores of one seed, and the CPU seconds from file to model."""

    seed: int
    seconds: float
    scores: dict[str, float]


def repeat(
    config: Config,
    seeds: Iterable[int],
    examples: Callable[[Language], Iterable[Example]],
    *,
    as_saved: bool = False,
) -> Iterator[Run]:
    """Train with each seed (order of examples, initial noise) and evaluate. as_saved:
    With what saving adds, such as a recall constant fitted to the development corpus:
    for other examples."""
    for seed in seeds:
        start = process_time()
        nlp = fit(with_seed(config, seed))
        if as_saved:
            nlp = prepare_to_save(nlp)
        seconds = process_time() - start
        scores = nlp.evaluate(list(examples(nlp)))
        yield Run(seed, seconds, {k: v for k, v in scores.items() if _is_score(v)})


def with_seed(config: Config, seed: int) -> Config:
    """Set the seed of a config for training and for every chain."""
    config = config.copy()
    config.setdefault("training", {})["seed"] = seed
    for component in config.get("components", {}).values():
        if isinstance(component.get("model"), dict):
            component["model"]["seed"] = seed
    return config


def mean_and_sd(runs: list[Run], name: str) -> tuple[float, float]:
    """Compute mean and standard deviation of a score over the seeds, in percent."""
    values = [100 * run.scores[name] for run in runs]
    return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def _is_score(value: object) -> bool:
    return isinstance(value, float) and 0.0 <= value <= 1.0
