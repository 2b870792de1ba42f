"""What many machines cost: computed from figures that were measured on one."""

from collections.abc import Iterator
from typing import Any

Results = dict[str, dict[str, Any]]  # by name

WORDS, CORES = 10e9, 100
PASSES = 10
NETWORK = 1e9  # bytes a second for each machine: 10 gigabits, less what is lost
LEARNER = "passive-aggressive"
CHUNKER = "nlp.pipe: chunker, default settings"


def cost_section(results: Results) -> str:
    """The cost model, as far as there are results that it is computed from."""
    parts = [
        "## What it costs",
        "All of this section is computed from measured figures: those of the sections "
        "below, and the rates of [Speed and memory](speed.md). A network of "
        f"{NETWORK / 1e9:g} GB a second for each machine is assumed, not measured.",
    ]
    if found := _measured(results, "shards"):
        parts += _mixing(found)
    rows = list(_large(results))
    if rows:
        parts.append(
            f"**{WORDS / 1e9:g} billion words on {CORES} cores**, if nothing but the "
            "cores is scarce:\n\n| work | time |\n| --- | --- |\n" + "\n".join(rows)
        )
    return "\n\n".join(parts)


def _measured(results: Results, name: str) -> dict[str, Any]:
    return (results.get(name) or {}).get("figures") or {}


def _mixing(found: dict[str, Any]) -> list[str]:
    """Where mixing stops paying, by the number of shards."""
    curve = found["learners"].get(LEARNER)
    if not curve:
        return []
    tokens = found["tokens"]
    rate = tokens / curve["1"]["learning"]
    lines = [
        "| shards | F, 10 passes | F, 20 passes | MB moved a pass | s to mix and move "
        "| tokens a shard that take as long |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for n, x in curve.items():
        if n == "1":
            lines.append(f"| 1 | {x['f after 10']:.2f} | {x['f after 20']:.2f} | | | |")
            continue
        moved = x["sent"] + x["got"]
        overhead = x["mixing"] + moved * 1e6 / NETWORK
        lines.append(
            f"| {n} | {x['f after 10']:.2f} | {x['f after 20']:.2f} | {moved:.1f} "
            f"| {overhead:.3f} | {overhead * rate:,.0f} |"
        )
    return [
        f"**Where mixing stops paying.** A core learns {rate / 1e6:.1f} million tokens "
        f"a second ({LEARNER}, base templates). Several times a pass, as often as "
        "there are shards and six times at most, a worker compares, mixes and moves "
        "weights: what that takes grows with the weights that change, and hardly with "
        "the number of shards. The last column says how many tokens a core learns from "
        "meanwhile: with fewer in a shard, a worker mixes more than it learns. And as "
        "more shards need more passes, they must be worth these too.",
        "\n".join(lines),
    ]


def _large(results: Results) -> Iterator[str]:
    curve = _measured(results, "shards").get("learners", {}).get(LEARNER)
    rate = _rate(results)
    if rate:
        seconds = WORDS / (rate * 1e6 * CORES)
        yield f"| annotate (default chunker) | {_time(seconds)} |"
    if curve:
        tokens = _measured(results, "shards")["tokens"]
        most = max(curve, key=int)
        learning = WORDS / CORES / (tokens / curve["1"]["learning"])
        x = curve[most]
        overhead = x["mixing"] + (x["sent"] + x["got"]) * 1e6 / NETWORK
        yield (
            f"| train, {PASSES} passes ({LEARNER}; mixing as with {most} shards and "
            f"the weights of this corpus) | {_time(PASSES * (learning + overhead))} |"
        )
    counted = _measured(results, "counting_on_ray")
    if counted:
        each = counted["words a second"] / counted["workers"]
        yield f"| count n-grams of up to five words | {_time(WORDS / (each * CORES))} |"


def _rate(results: Results) -> float:
    found = _measured(results, "bench").get("figures", [])
    return next((x["median"] for x in found if x["what"] == CHUNKER), 0.0)


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
