"""The rows of the front table: ours, with knowledge from outside, and others."""

from dataclasses import dataclass, field
from typing import Any

from .grid import GRID

_SCORES = {entry.name: tuple(entry.headline.values()) for entry in GRID}


@dataclass(frozen=True)
class Row:
    """A row of the front table.

    Attributes:
        title: The test set and the score.
        ours: The entry with our figure, from nothing but the training data.
        peers: The entries of others on the same data, by how they are called.
        richer: The entry with the most knowledge from outside, if there is one.
        known: What that knowledge is, in a few words.
    """

    title: str
    ours: str
    peers: dict[str, str] = field(default_factory=dict)
    richer: str = ""
    known: str = "clusters"


FRONT = (
    Row(
        "CoNLL-2000, chunks, F",
        "conll2000_all",
        {
            "CRFsuite ap": "conll2000_crfsuite_ap",
            "CRFsuite lbfgs": "conll2000_crfsuite_lbfgs",
        },
        "conll2000_all_lookups_own",
    ),
    Row(
        "CoNLL-2000, noun phrases, F",
        "conll2000_np",
        richer="conll2000_np_lookups_own",
    ),
    Row(
        "UD English EWT, 49 tags, accuracy",
        "ud_ewt",
        {
            "CRFsuite ap": "ud_ewt_crfsuite_ap",
            "NLTK": "ud_ewt_nltk",
            "spaCy": "ud_ewt_spacy",
        },
        "ud_ewt_lookups_frequency_tweets_own",
    ),
    Row("UD English EWT, dependency trees, LAS", "ud_trees_en"),
    Row("UD Afrikaans, dependency trees, LAS", "ud_trees_af"),
    Row(
        "CoNLL-2002 Spanish, entities from words alone, F",
        "conll2002_esp",
        {"spaCy": "conll2002_esp_spacy"},
        "conll2002_esp_lookups_two_pass",
        "clusters, second pass",
    ),
    Row(
        "CoNLL-2002 Spanish, entities, tags given, F",
        "conll2002_esp_tags",
        {
            "CRFsuite ap": "conll2002_esp_crfsuite_ap",
            "CRFsuite lbfgs": "conll2002_esp_crfsuite_lbfgs",
        },
    ),
    Row(
        "CoNLL-2002 Dutch, entities from words alone, F",
        "conll2002_ned",
        richer="conll2002_ned_two_pass",
        known="second pass",
    ),
    Row(
        "CoNLL-2002 Dutch, entities, tags given, F",
        "conll2002_ned_tags",
        {"CRFsuite lbfgs": "conll2002_ned_crfsuite_lbfgs"},
    ),
    Row(
        "JNLPBA, bio-entities, F",
        "jnlpba",
        richer="jnlpba_own_two_pass",
        known="clusters, second pass",
    ),
    Row(
        "W-NUT 2017, entities, F",
        "wnut17",
        {
            "CRFsuite ap": "wnut17_crfsuite_ap",
            "CRFsuite lbfgs": "wnut17_crfsuite_lbfgs",
        },
        "wnut17_lookups_tweets_own",
    ),
)


def our_figures(result: dict[str, Any]) -> tuple[float, float, float]:
    """Mean of the score, its standard deviation, and seconds of training."""
    figures = result["figures"]
    scores = figures["scores"]
    name = next(name for name in _SCORES[result["name"]] if name in scores)
    return scores[name]["mean"], scores[name]["sd"], figures["seconds"]


def peer_figures(result: dict[str, Any]) -> tuple[float, float]:
    """Score and seconds of training of another package."""
    figures = result["figures"]
    (score,) = figures["scores"].values()
    return score, figures["train_seconds"]
