"""Bring real corpora into the project, from the data folder or from the net.

    python -m tools.corpora wnut17 conll2000
    python -m tools.corpora --check

Each workflow on real data begins with it.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from wasabi import msg

from .collect import CorpusError, check, collect
from .datasets import DATASETS
from .locate import VARIABLE, data_folder

MIRROR = "LATPERC_MIRROR"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the return value is its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.corpora",
        description="Bring real corpora into the project, each file checked. They are "
        f"taken from the folder that {VARIABLE} names, else downloaded.",
    )
    parser.add_argument("names", nargs="*", help=f"of {', '.join(DATASETS)}; else all")
    parser.add_argument("--into", type=Path, default=Path("corpus"), help="where to")
    parser.add_argument(
        "--downloads",
        type=Path,
        default=Path("assets/real"),
        help="where what is downloaded stays",
    )
    parser.add_argument(
        "--mirror",
        default=os.environ.get(MIRROR),
        help=f"an address that stands before the host of each address ({MIRROR})",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help=f"only check the files in the folder that {VARIABLE} names",
    )
    options = parser.parse_args(arguments)
    names = options.names or list(DATASETS)
    try:
        if options.check:
            check(names, data_folder())
        else:
            for name in names:
                collect(
                    name,
                    options.into,
                    downloads=options.downloads,
                    mirror=options.mirror,
                )
    except (CorpusError, OSError) as error:
        msg.fail(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
