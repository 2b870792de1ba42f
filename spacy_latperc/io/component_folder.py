"""The folder of a component in a saved pipeline: cfg and model of one save.

The folder changes in one step, and cfg has a checksum of the model, so that a mixture
of two saves (a copy that was interrupted) is detected.
"""

import json
import os
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import Errors
from .atomic import whole_file

CFG, MODEL = "cfg", "model"
CHECKSUM = "model_crc32"
OTHER_SAVE = "does not match the cfg next to it"


@contextmanager
def whole_component(folder: Path) -> Iterator[Path]:
    """Write the folder of a component in one step.

    Args:
        folder: The folder. Entries that are there and are not written stay.

    Returns:
        The folder to write to.
    """

    def kept(old: Path, new: Path) -> list[str]:
        return [x for x in os.listdir(old) if not os.path.lexists(new / x)]

    with whole_file(folder, kept=kept) as fresh:
        fresh.mkdir()
        yield fresh
        model = next((x for x in (fresh / MODEL, folder / MODEL) if x.is_file()), None)
        if model is not None:
            _stamp(fresh / CFG, model)


def _stamp(cfg: Path, model: Path) -> None:
    """Write the checksum of the model into cfg."""
    if cfg.is_file():
        settings = json.loads(cfg.read_bytes())
        settings[CHECKSUM] = zlib.crc32(model.read_bytes())
        cfg.write_text(json.dumps(settings, indent=2), encoding="utf-8")


def read_component(
    name: str, folder: Path, *, exclude: Collection[str] = ()
) -> tuple[dict[str, Any] | None, bytes | None]:
    """Read the files of a component.

    Returns:
        The content of cfg, without the checksum, and the bytes of the model; None for
        a file that is excluded.
    """
    settings: dict[str, Any] | None = None
    model: bytes | None = None
    checksum = None
    if CFG not in exclude:
        path = folder / CFG
        settings = parse_cfg(name, path, _content(name, path))
        checksum = settings.pop(CHECKSUM, None)
    if MODEL not in exclude:
        model = _content(name, folder / MODEL)
        if checksum not in (None, zlib.crc32(model)):
            place = {"name": name, "path": folder / MODEL}
            raise ValueError(Errors.LP563.format(**place, problem=OTHER_SAVE))
    return settings, model


def parse_cfg(name: str, path: object, data: bytes) -> dict[str, Any]:
    """Parse the content of a cfg file."""
    try:
        settings = json.loads(data)
        if not isinstance(settings, dict):
            raise ValueError("it is not a JSON object")
    except (ValueError, RecursionError) as error:
        problem = f"cannot be read: {error}"
        message = Errors.LP563.format(name=name, path=path, problem=problem)
        raise ValueError(message) from error
    return settings


def _content(name: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        problem = "is missing" if missing else f"cannot be read: {error}"
        message = Errors.LP563.format(name=name, path=path, problem=problem)
        raise ValueError(message) from error
