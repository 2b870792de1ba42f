"""The bench from beginning to end: measure, report."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from .context import Bench
from .corpora import find_corpora
from .machine import describe_machine, pin_to_one_core
from .process import Measurements
from .report import Report, Row, Section
from .sections.memory import memory
from .sections.parsing import parsing
from .sections.peers import peers
from .sections.sums import sums
from .sections.tagging import tagging
from .sections.training import training

SECTIONS: dict[str, tuple[str, Callable[[Bench], list[Row]]]] = {
    "training": ("training, averaged perceptron, {epochs} epochs", training),
    "tagging": ("tagging", tagging),
    "peers": ("other packages, words alone given", peers),
    "parsing": ("dependency trees, gold tags", parsing),
    "memory": ("memory and model", memory),
    "sums": ("probabilities", sums),
}
NO_PEER = (
    "python-crfsuite is not installed, so there is nothing to compare with: "
    "pip install 'spacy-latperc[bench]'"
)
NO_NLTK = (
    "nltk is not installed, so its tagger is not among other packages: "
    "pip install 'spacy-latperc[bench]'"
)
TIMES = "Times are seconds of CPU time on one core, but for those called wall times."


def run_bench(
    *,
    data: str = "auto",
    runs: int = 3,
    quick: bool = False,
    only: Sequence[str] = (),
    progress: Callable[[str], None],
    keep: Callable[[Report], None] = lambda _: None,
) -> Report:
    """Measure everything, each thing in a process of its own on one core.

    data: "conll2000", "sample", or "auto" for the first that is there.
    runs: of each measurement; the report gives medians.
    quick: a few sentences, to see that all works: the figures mean nothing.
    only: names of SECTIONS; all when empty.
    keep: given the report so far after each section, which may have taken minutes.
    """
    for name in only:
        if name not in SECTIONS:
            known = ", ".join(SECTIONS)
            raise ValueError(f"Unknown section '{name}'. Choose among: {known}.")
    core = pin_to_one_core()
    peer, nltk = (find_spec(name) is not None for name in ("pycrfsuite", "nltk"))
    with TemporaryDirectory() as scratch:
        corpora = find_corpora(data)
        bench = Bench(
            corpora=corpora,
            measurements=Measurements(runs=1 if quick else runs, progress=progress),
            scratch=Path(scratch),
            peer=peer,
            nltk=nltk,
            epochs=2 if quick else 10,
            limit=80 if quick else 0,
            passes=1 if quick else 7,
        )
        sections: list[Section] = []
        for name, (title, figures) in SECTIONS.items():
            if not only or name in only:
                rows = figures(bench)
                sections.append(Section(name, title.format(epochs=bench.epochs), rows))
                report = _report(bench, sections, pinned=core is not None)
                keep(report)
    return report


def _report(bench: Bench, sections: Sequence[Section], *, pinned: bool) -> Report:
    entities = bench.corpora.entities
    return Report(
        machine=describe_machine(),
        settings={
            "chunks_and_tags": bench.corpora.chunks.name,
            "entities": entities.name if entities else None,
            "runs": bench.measurements.runs,
            "epochs": bench.epochs,
            "sentences": bench.limit or "all",
            "pinned": pinned,
            "least_cpu_share": bench.measurements.least_cpu_share,
        },
        sections=list(sections),
        notes=_notes(bench),
    )


def _notes(bench: Bench) -> list[str]:
    notes = [*([] if bench.peer else [NO_PEER]), *([] if bench.nltk else [NO_NLTK])]
    notes.append(TIMES)
    share = bench.measurements.least_cpu_share
    if share < 0.9:
        notes.append(
            f"A measurement had only {share:.0%} of its core, the rest was taken: "
            "wall times say little, and look at the least of the others."
        )
    return notes
