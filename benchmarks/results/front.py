"""The rows of the front table: ours, with knowledge from outside, and others."""

from dataclasses import dataclass
from typing import Any

from .entry import GRID

_SCORES = {entry.name: entry.score for entry in GRID}


@dataclass(frozen=True)
class Row:
    """A row of the front table.

    Attributes:
        title: The test set and the score.
        ours: The entry with our figure, from nothing but the training data, and with
            those of others.
        richer: The entry with the most knowledge from outside, if there is one.
        known: What that knowledge is, in a few words.
    """

    title: str
    ours: str
    richer: str = ""
    known: str = "clusters"


FRONT = (
    Row("CoNLL-2000, chunks, F", "conll2000_all", "conll2000_all_lookups_own"),
    Row("CoNLL-2000, noun phrases, F", "conll2000_np", "conll2000_np_lookups_own"),
    Row(
        "UD English EWT, 49 tags, accuracy",
        "ud_ewt",
        "ud_ewt_lookups_frequency_tweets_own",
    ),
    Row("UD English EWT, dependency trees, LAS", "ud_trees_en"),
    Row("UD Afrikaans, dependency trees, LAS", "ud_trees_af"),
    Row(
        "CoNLL-2002 Spanish, entities from words alone, F",
        "conll2002_esp",
        "conll2002_esp_lookups_two_pass",
        "clusters, second pass",
    ),
    Row("CoNLL-2002 Spanish, entities, tags given, F", "conll2002_esp_tags"),
    Row(
        "CoNLL-2002 Dutch, entities from words alone, F",
        "conll2002_ned",
        "conll2002_ned_two_pass",
        "second pass",
    ),
    Row("CoNLL-2002 Dutch, entities, tags given, F", "conll2002_ned_tags"),
    Row(
        "JNLPBA, bio-entities, F",
        "jnlpba",
        "jnlpba_own_two_pass",
        "clusters, second pass",
    ),
    Row(
        "W-NUT 2017, entities, F",
        "wnut17",
        "wnut17_lookups_tweets_own",
        "clusters, C = 0.03",
    ),
)


def our_figures(result: dict[str, Any]) -> tuple[float, float, float]:
    """The mean of the score, its standard deviation, and seconds of training."""
    figures = result["figures"]
    score = figures["scores"][_SCORES[result["name"]]]
    return score["mean"], score["sd"], figures["seconds"]


def peer_rows(result: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Name, score and seconds of the others: with as many passes as ours, or, of
    L-BFGS, whose iterations are no passes of an online learner, to convergence."""
    rows = result["figures"].get("rows", [])[1:]
    passes = result["figures"]["rows"][0]["passes"] if rows else None
    return [
        (row["name"].partition(",")[0], row["score"], row["seconds"])
        for row in rows
        if (
            row["passes"] is None if "lbfgs" in row["name"] else row["passes"] == passes
        )
    ]
