"""The folder of the real corpora, on machines that have them."""

import os
from pathlib import Path

VARIABLE = "LATPERC_DATA"
DEFAULT = Path("../shared/data")
PROJECT = Path(__file__).resolve().parents[2]


def required_folder(*files: str) -> Path:
    """Find the folder of these files; end the program when there is none.

    Args:
        files: Paths below the data folder, or below the folder `corpus` of the project.

    Returns:
        The folder that has all of them.
    """
    for folder in (data_folder(), PROJECT / "corpus"):
        if folder is not None and all((folder / x).is_file() for x in files):
            return folder
    raise SystemExit(
        f"{' and '.join(files)} cannot be found. Set {VARIABLE} to the folder that "
        "holds the corpora, or bring them to this project: python -m tools.corpora."
    )


def required_file(name: str) -> Path:
    """A file of the corpora; ends the program when it is nowhere."""
    return required_folder(name) / name


def data_folder() -> Path | None:
    """The folder of the corpora, or None when there is none.

    It is the one that LATPERC_DATA names, else the default beside the project.
    """
    named = os.environ.get(VARIABLE)
    if named:
        folders = [Path(named)]
    else:
        folders = [PROJECT / DEFAULT, DEFAULT]
    return next((folder.resolve() for folder in folders if folder.is_dir()), None)
