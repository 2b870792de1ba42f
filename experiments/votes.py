"""Compare a vote over representations with each of its chains.

    python -m experiments.votes configs/chunker_voting.cfg \
        --paths.train conll2000/train.txt.gz --paths.dev conll2000/test.txt

Paths are overridden as for `spacy train`. A chain in a vote is the same, byte for byte,
as one that is trained alone. Besides, how often chunks are right by the share of the
votes for them.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from spacy.cli._util import parse_config_overrides
from spacy.language import Language
from spacy.training import Example
from spacy.util import load_config
from thinc.api import Config
from wasabi import msg

from spacy_latperc.data.configured import configured_examples
from spacy_latperc.errors import Errors
from spacy_latperc.pipeline.doc_reader import same_tokens
from spacy_latperc.pipeline.span_pipe import VOTES, SpanPipe
from spacy_latperc.training.fit import fit
from spacy_latperc.training.repeat import with_seed

from .training import mean_and_sd, show

_AT_ONCE = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description="Chains and votes among them")
    parser.add_argument("config", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--score", default="chunks_f")
    arguments, rest = parser.parse_known_args()
    overrides = parse_config_overrides(rest)
    config = load_config(
        arguments.config,
        overrides=overrides,
        interpolate=False,
    )
    runs: dict[str, list[float]] = {}
    shares: list[NDArray[np.float32]] = []
    right: list[NDArray[np.bool_]] = []
    for seed in range(arguments.seeds):
        nlp, seconds = train(config, seed)
        examples = list(configured_examples(nlp))
        component = voting_component(nlp)
        msg.text(f"Seed {seed}: {seconds:.2f} s of processor time per epoch")
        for name, found in scores(component, examples, arguments.score).items():
            runs.setdefault(name, []).append(100 * found)
        found_shares, found_right = agreement(component, examples)
        shares.append(found_shares)
        right.append(found_right)
    rows = [(name, *mean_and_sd(found)) for name, found in runs.items()]
    show(("", arguments.score, "SD"), rows)
    share, correct = np.concatenate(shares).round(3), np.concatenate(right)
    rows = [
        (
            f"{x:.2f}",
            f"{100 * (share == x).mean():.2f}",
            f"{100 * correct[share == x].mean():.2f}",
        )
        for x in np.unique(share)
    ]
    show(("Share", "% of all", "% right"), rows)


def train(config: Config, seed: int) -> tuple[Language, float]:
    """A trained pipeline, and seconds of processor time per epoch after the first."""
    ends: list[float] = []
    nlp = fit(with_seed(config, seed), progress=lambda *_: ends.append(process_time()))
    return nlp, (ends[-1] - ends[0]) / max(1, len(ends) - 1)


def voting_component(nlp: Language) -> SpanPipe:
    pipes = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, SpanPipe)]
    found = [pipe for pipe in pipes if pipe.voters]
    if not found:
        names = ", ".join(nlp.pipe_names)
        raise SystemExit(Errors.LP452.format(name=names, schemes="none"))
    return found[0]


def scores(
    component: SpanPipe, examples: Sequence[Example], score: str
) -> dict[str, float]:
    """The score of each chain and of each kind of vote."""
    found = {}
    for voter in component.voters:
        found[voter.cfg["scheme"]] = _score(voter, examples, score)
    chosen = component.vote, component.scores
    component.scores = "none"  # pooled chains have no shares of votes
    for vote in VOTES:
        component.vote = vote
        found[f"{vote} vote"] = _score(component, examples, score)
    component.vote, component.scores = chosen
    return found


def _score(pipe: SpanPipe, examples: Sequence[Example], score: str) -> float:
    predicted = _copies(examples)
    for start in range(0, len(predicted), _AT_ONCE):
        docs = [example.predicted for example in predicted[start : start + _AT_ONCE]]
        pipe.set_annotations(docs, pipe.predict(docs))
    return float(pipe.score(predicted)[score])


def agreement(
    component: SpanPipe, examples: Sequence[Example]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The share of the votes for each chunk, and whether it is right."""
    examples = _copies(examples)
    before, component.scores = component.scores, "agreement"
    prediction = component.predict([example.predicted for example in examples])
    component.scores = before
    answers = component.coder.answers(prediction.labels, prediction.sentences)
    same = [same_tokens(example) for example in examples]
    right, known, _ = component.coder.compare(examples, same, answers)
    assert prediction.scores is not None
    return prediction.scores[known], right[known]


def _copies(examples: Sequence[Example]) -> list[Example]:
    """Fresh ones: evaluation annotates what it is given."""
    return [Example(x.predicted.copy(), x.reference) for x in examples]


if __name__ == "__main__":
    main()
