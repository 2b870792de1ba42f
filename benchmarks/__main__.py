"""`python -m benchmarks`: speed, memory and accuracy beside other packages."""

from pathlib import Path
from time import perf_counter

import typer
from wasabi import msg

from .run import SECTIONS, run_bench


def main(
    data: str = typer.Option(
        "auto", "--data", "-d", help="conll2000, sample, or auto: what is there"
    ),
    runs: int = typer.Option(3, "--runs", "-r", min=1, help="Runs of each measurement"),
    quick: bool = typer.Option(
        False, "--quick", help="See that it works: a few sentences, one run"
    ),
    only: str = typer.Option(
        "", "--only", help=f"Sections, separated by commas, of {', '.join(SECTIONS)}"
    ),
    output: Path = typer.Option(
        Path("metrics/bench.json"), "--output", "-o", help="The figures as JSON"
    ),
) -> None:
    """
    Measure training and tagging, pinned to one core, beside CRFsuite's averaged
    perceptron on the same templates, beside spaCy's own components and NLTK's tagger,
    and beside a spaCy component that does nothing.

    CoNLL-2000 is used where LATPERC_DATA names the folder that holds it, else the
    bundled sample. All of it takes some minutes.
    """
    start = perf_counter()

    def progress(line: str) -> None:
        msg.text(f"{perf_counter() - start:5.0f} s  {line}")

    try:
        report = run_bench(
            data=data,
            runs=runs,
            quick=quick,
            only=[name.strip() for name in only.split(",") if name.strip()],
            progress=progress,
            keep=lambda report: report.write(output),
        )
    except (ValueError, RuntimeError) as error:
        msg.fail(str(error), exits=1)
    report.show()
    msg.good(f"Wrote {output} after {perf_counter() - start:.0f} s")


if __name__ == "__main__":
    typer.run(main)
