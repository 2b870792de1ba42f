"""What a second worker is worth, and how much memory counting takes.

    python -m experiments.many_machines train
    python -m experiments.many_machines count

Two nodes of Ray on this machine, each like a machine of its own. `train`: CoNLL-2000 so
many times over, on one core and then with workers; the seconds of reading and of
learning. `count`: the n-grams of generated text, and the memory of each worker.
"""

import argparse
import json
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
from spacy.util import load_config
from wasabi import msg

from benchmarks.ray_nodes import local_nodes, processes_of_nodes
from spacy_latperc.distributed.counting import TextCounting
from spacy_latperc.distributed.ngrams import count_ngrams, reading_of
from spacy_latperc.distributed.training import RayWorkers
from spacy_latperc.knowledge.ngram_counts import CountSettings
from spacy_latperc.training.fit import fit
from spacy_latperc.training.shards import Workers
from tools.corpora.locate import required_file

ROOT = Path(__file__).resolve().parent.parent
WORDS = 400_000  # different ones in generated text
MEGABYTE = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description="Work on two local nodes of Ray")
    parser.add_argument("task", choices=["train", "count"])
    parser.add_argument("--times", type=int, default=16, help="Copies of CoNLL-2000")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--config", type=Path, default=ROOT / "configs" / "chunker.cfg")
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--json", type=Path, help="File for the figures")
    options = parser.parse_args()
    logging.disable(logging.INFO)
    found = train(options) if options.task == "train" else count(options)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def train(options: argparse.Namespace) -> dict[str, Any]:
    """Seconds with one core and with workers."""
    text = required_file("conll2000/train.txt.gz")
    with TemporaryDirectory() as work:
        corpus = Path(work) / "train"
        corpus.mkdir()
        for number in range(options.times):
            link = corpus / f"{number:03}.txt.gz"
            link.symlink_to(text)
        settings = {
            "paths.train": str(corpus),
            "training.max_epochs": options.passes,
        }
        config = load_config(options.config, overrides=settings)
        found = {"one core": timed(config, None)}
        with local_nodes(options.workers):
            name = f"{options.workers} workers"
            found[name] = timed(config, RayWorkers(options.workers, options.workers))
    alone = found["one core"]
    rows = [
        (
            name,
            f"{times['before learning']:.1f}",
            f"{times['a pass']:.2f}",
            f"{times['all']:.1f}",
            f"{alone['a pass'] / times['a pass']:.2f}",
            f"{alone['all'] / times['all']:.2f}",
        )
        for name, times in found.items()
    ]
    header = ("", "s before", "s a pass", "s in all", "pass, times", "all, times")
    msg.table(rows, header=header, divider=True, aligns=["l", *"rrrrr"])
    return found


def timed(config: Any, workers: Workers | None) -> dict[str, float]:
    """Seconds until learning begins, of a pass (the median), and in all."""
    at = [perf_counter()]
    begun: list[float] = []

    def told(*_: object) -> None:
        at.append(perf_counter())

    with first_call(begun):
        fit(config, progress=told, workers=workers)
    begin = begun[0]
    passes = np.diff([begin, *at[1:]])
    return {
        "before learning": begin - at[0],
        "a pass": float(np.median(passes)),
        "all": perf_counter() - at[0],
    }


@contextmanager
def first_call(begun: list[float]) -> Iterator[None]:
    """Note when learning begins."""
    from spacy_latperc.training import fit as module

    steps = module._steps

    def noted(*given: Any) -> Any:
        begun.append(perf_counter())
        return steps(*given)

    module._steps = noted  # type: ignore[assignment]
    try:
        yield
    finally:
        module._steps = steps


def count(options: argparse.Namespace) -> dict[str, Any]:
    """Seconds and memory of counting generated text."""
    with TemporaryDirectory() as work:
        text = Path(work) / "text.txt"
        size = int(options.gigabytes * 1e9)
        generate(text, size)
        settings = CountSettings(megabytes=100.0, sentences=False)
        with local_nodes(options.workers, store=400 * MEGABYTE):
            import ray

            counting = TextCounting(ray, reading_of(settings), quiet=False)
            with peak_memory() as peaks:
                start = perf_counter()
                counts, counted = count_ngrams(counting, [str(text)], settings)
                seconds = perf_counter() - start
    driver = peaks.pop("driver", 0)
    figures = {
        "workers": options.workers,
        "bytes": size,
        "words": counted.tokens,
        "different words": counted.vocabulary.size,
        "seconds": seconds,
        "words a second": counted.tokens / seconds,
        "largest worker, MB": max(peaks.values(), default=0) / 1e6,
        "driver, MB": driver / 1e6,
        "entries": counts.entries,
        "least counts": list(counts.least),
    }
    rows = [
        (name, f"{value:,.0f}" if isinstance(value, (int, float)) else str(value))
        for name, value in figures.items()
    ]
    msg.table(rows, divider=False, aligns=["l", "r"])
    return figures


def generate(path: Path, size: int) -> None:
    """Sentences of words by Zipf's law, each beside words that it likes."""
    rng = np.random.Generator(np.random.PCG64(0))
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    lengths = rng.integers(2, 10, WORDS)
    words = np.array(["".join(rng.choice(letters, n)) for n in lengths])
    chances = 1.0 / np.arange(1, WORDS + 1)
    ends = np.cumsum(chances / chances.sum())
    written = 0
    with path.open("w", encoding="utf8") as file:
        while written < size:
            drawn = np.searchsorted(ends, rng.random(1 << 20))
            # Every other word is one of a few that follow the word before.
            liked = (drawn[:-1] * 31 + rng.integers(0, 8, len(drawn) - 1)) % 5000
            drawn[1::2] = liked[0::2][: len(drawn[1::2])]
            for row in np.array_split(words[np.minimum(drawn, WORDS - 1)], 50_000):
                line = " ".join(row) + "\n"
                file.write(line)
                written += len(line)


@contextmanager
def peak_memory(pause: float = 0.2) -> Iterator[dict[str, int]]:
    """The highest memory of each process of Ray that works, and of this one: what it
    has for itself, without what all processes share of the object store."""
    peaks: dict[str, int] = {}
    over = threading.Event()

    def look() -> None:
        while not over.wait(pause):
            for pid, command in processes_of_nodes().items():
                if command.startswith("ray::"):
                    raise_to(peaks, f"{pid}", memory_of(pid))
            raise_to(peaks, "driver", memory_of(os.getpid()))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield peaks
    finally:
        over.set()
        thread.join()


def raise_to(peaks: dict[str, int], name: str, size: int) -> None:
    peaks[name] = max(peaks.get(name, 0), size)


def memory_of(pid: int) -> int:
    """Bytes that a process has for itself; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return int(lines.get("RssAnon", "0 kB").split()[0]) * 1024


if __name__ == "__main__":
    main()
