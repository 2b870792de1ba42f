"""Scores as tables for the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from wasabi import msg

Scores = dict[str, Any]

_PRF = ("p", "r", "f")
_SENTENCES = "grammaticality"
# Of no interest where the tokens are given.
_HIDDEN = ("token_acc", "token_p", "token_r", "token_f", "speed", "tokens_per_second")


def show_scores(scores: Scores) -> None:
    """Print accuracies, then precision, recall and F of spans, overall and by type,
    and of relations, then what is said of whole sentences."""
    of_sentences = sentence_scores(scores)
    scores = {
        name: value
        for name, value in scores.items()
        if not name.startswith(f"{_SENTENCES}_")
    }
    singles = single_scores(scores)
    if singles:
        show_table(
            ("score", "%"), [(x, percent(value)) for x, value in singles.items()]
        )
    _show_families("spans", span_scores(scores))
    _show_families("relations", scores.get("dep_las_per_type") or {})

    if of_sentences:
        header = ("sentences", "accuracy", "AUC", "bad: P", "bad: R", "bad: F")
        rows = [(name, *map(percent, row)) for name, row in of_sentences.items()]
        show_table(header, rows)


def show_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows of a name and figures."""
    aligns = ("l", *"r" * (len(header) - 1))
    msg.table(rows, header=header, divider=True, aligns=aligns, max_col=60)


def _show_families(title: str, families: Mapping[str, Mapping]) -> None:
    if not families:
        return
    rows = [
        (name, *(percent(values.get(key)) for key in _PRF))
        for name, values in families.items()
    ]
    show_table((title, *(key.upper() for key in _PRF)), rows)


def sentence_scores(scores: Scores) -> dict[str, tuple[float | None, ...]]:
    """Return accuracy, area under the curve, and precision, recall and F of the bad
    sentences, for all sentences and by length."""
    names = ("acc", "auc", *_PRF)
    if f"{_SENTENCES}_acc" not in scores:
        return {}
    found = {"all": tuple(scores[f"{_SENTENCES}_{name}"] for name in names)}
    for length, values in (scores.get(f"{_SENTENCES}_per_length") or {}).items():
        found[f"{length} tokens"] = tuple(values[name] for name in names)
    return found


def single_scores(scores: Scores) -> dict[str, float | None]:
    """Scores that stand alone, such as accuracies."""
    families = _families(scores)
    found = {}
    for name, value in scores.items():
        prefix, _, last = name.rpartition("_")
        of_family = prefix in families and last in _PRF
        hidden = of_family or name in _HIDDEN or "_per_" in name
        if not hidden and isinstance(value, float | None):
            found[name] = value
    if found.keys() & {"tag_acc", "pos_acc", "morph_acc"}:
        found.pop("tagger_acc", None)  # the same under a name of our own
    return found


def span_scores(scores: Scores) -> dict[str, dict[str, float | None]]:
    """Precision, recall and F: `chunks`, then its types as `chunks NP` and so on."""
    families = _families(scores)
    keyed = [name for name in families if name.startswith("spans_")]
    if keyed and "chunks" in families:
        families.remove("chunks")  # the same under a name without the key
    found = {}
    for family in families:
        name = family.removeprefix("spans_")
        found[name] = {key: scores[f"{family}_{key}"] for key in _PRF}
        per_type = scores.get(f"{family}_per_type") or {}
        for type_, values in per_type.items():
            found[f"{name} {type_}"] = values
    return found


def percent(value: float | None) -> str:
    """A share as a table shows it."""
    return "-" if value is None else f"{100 * value:.2f}"


def _families(scores: Scores) -> list[str]:
    """The prefixes of scores that come as precision, recall and F."""
    prefixes = [name[:-2] for name in scores if name.endswith("_f")]
    return [
        prefix
        for prefix in prefixes
        if all(f"{prefix}_{key}" in scores for key in _PRF)
        and f"{prefix}_f" not in _HIDDEN
    ]
