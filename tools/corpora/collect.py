"""Bring the files of a data set into the project, after the check of their sums.

    python -m tools.corpora.collect wnut17 --into corpus --downloads assets/real

It opens each workflow on real data, whose next steps then have paths that are the same
on every machine.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from wasabi import msg

from spacy_latperc.io.atomic import write_whole

from .datasets import DATASETS
from .locate import data_folder
from .verify import verify


def collect(name: str, into: Path, *, downloads: Path | None = None) -> int:
    """Check the files of a set and, if all are right, copy them. RETURNS: bad files.

    into: The folder under which the files keep their paths.
    downloads: Where to look when there is no data folder (LATPERC_DATA).
    """
    folder = data_folder() or downloads
    bad = verify([name], folder)
    if folder is None or bad:
        return bad
    for file in DATASETS[name].files:
        write_whole(into / file.path, (folder / file.path).read_bytes())
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.corpora.collect",
        description="Check the files of a data set and copy them into the project.",
    )
    parser.add_argument("name", help=f"the set: {', '.join(DATASETS)}")
    parser.add_argument("--into", type=Path, required=True, help="where to copy to")
    parser.add_argument(
        "--downloads",
        type=Path,
        help="where to look when LATPERC_DATA does not name a folder",
    )
    options = parser.parse_args(arguments)
    try:
        bad = collect(options.name, options.into, downloads=options.downloads)
    except (ValueError, OSError) as error:
        msg.fail(str(error))
        bad = 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
