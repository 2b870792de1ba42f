"""Where the real corpora are, on machines that have them."""

import os
from pathlib import Path

VARIABLE = "LATPERC_DATA"
DEFAULT = Path("../shared/data")


def data_folder() -> Path | None:
    """The folder of the corpora, or None when there is none.

    It is the one that LATPERC_DATA names, else the default beside the project.
    """
    named = os.environ.get(VARIABLE)
    if named:
        folders = [Path(named)]
    else:
        project = Path(__file__).resolve().parents[2]
        folders = [project / DEFAULT, DEFAULT]
    return next((folder.resolve() for folder in folders if folder.is_dir()), None)
