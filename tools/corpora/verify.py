"""Check that the corpora are there and are the right ones.

    python -m tools.corpora.verify conll2000 ud_ewt
    python -m tools.corpora.verify FILE=SHA256 ...

Each workflow opens with it, because a wrong asset is no error to `spacy project`.
"""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from wasabi import msg

from spacy_latperc.errors import Errors

from .datasets import DATASETS, DataFile
from .locate import data_folder


def verify(names: Sequence[str], folder: Path | None = None) -> int:
    """Print a line for each file of the named sets; the number of bad files.

    folder: The data folder; by default the one that LATPERC_DATA names.
    """
    folder = folder or data_folder()
    if folder is None:
        raise FileNotFoundError(Errors.LP121.format(names=" ".join(names)))
    bad = 0
    for name in names:
        if name not in DATASETS:
            known = ", ".join(DATASETS)
            raise ValueError(Errors.LP122.format(name=name, known=known))
        dataset = DATASETS[name]
        msg.info(f"{name}: {dataset.description}. Licence: {dataset.licence}")
        bad += verify_files(dataset.files, folder)
    return bad


def verify_files(files: Sequence[DataFile], folder: Path) -> int:
    """Print a line for each file; the number of bad files."""
    bad = 0
    for file in files:
        path = folder / file.path
        if not path.is_file():
            msg.fail(Errors.LP123.format(path=path))
        elif (found := _sha256(path)) != file.sha256:
            msg.fail(Errors.LP124.format(path=path, found=found, wanted=file.sha256))
        else:
            msg.good(f"{path} is right")
            continue
        bad += 1
    return bad


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.corpora.verify",
        description="Check that data files are there and are the right ones.",
    )
    parser.add_argument(
        "what", nargs="+", help=f"FILE=SHA256, or a set: {', '.join(DATASETS)}"
    )
    parser.add_argument("--folder", type=Path, help="where the sets are (LATPERC_DATA)")
    options = parser.parse_args(arguments)
    pairs = [what.rpartition("=")[::2] for what in options.what if "=" in what]
    names = [what for what in options.what if "=" not in what]
    bad = verify_files([DataFile(*pair) for pair in pairs], Path())
    try:
        bad += verify(names, options.folder) if names else 0
    except (ValueError, FileNotFoundError) as error:
        msg.fail(str(error))
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
