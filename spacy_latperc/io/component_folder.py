"""The folder of a component in a saved pipeline: cfg and model of one save.

The folder changes in one step, and cfg has a checksum of the model, so that a folder
whose files are of two saves (a copy that was interrupted) is not taken for one.
"""

import json
import shutil
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import Errors
from .atomic import whole_file

CFG, MODEL = "cfg", "model"
CHECKSUM = "model_crc32"


@contextmanager
def whole_component(folder: Path) -> Iterator[Path]:
    """Write the folder of a component; it becomes `folder` once all is written.

    Args:
        folder: That of the component. What is there and is not written stays.

    Returns:
        The folder to write to.
    """
    with whole_file(folder) as fresh:
        fresh.mkdir()
        yield fresh
        if folder.is_dir():
            for found in folder.iterdir():
                if not (fresh / found.name).exists():
                    copy = shutil.copytree if found.is_dir() else shutil.copy2
                    copy(found, fresh / found.name)
        _stamp(fresh)


def _stamp(folder: Path) -> None:
    """Write the checksum of the model into cfg."""
    cfg, model = folder / CFG, folder / MODEL
    if cfg.is_file() and model.is_file():
        settings = json.loads(cfg.read_bytes())
        settings[CHECKSUM] = zlib.crc32(model.read_bytes())
        cfg.write_text(json.dumps(settings, indent=2), encoding="utf-8")


def read_component(
    name: str, folder: Path, *, exclude: Collection[str] = ()
) -> tuple[dict[str, Any] | None, bytes | None]:
    """Read the files of a component.

    Args:
        name: Of the component, for messages.
        folder: Where its files are.
        exclude: "cfg" or "model": what is not to be read.

    Returns:
        What cfg says, without the checksum, and the bytes of the model; None for what
        is excluded.

    Raises:
        ValueError: A file is missing or damaged, or they are of two saves.
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
            raise ValueError(Errors.LP565.format(name=name, path=folder / MODEL))
    return settings, model


def parse_cfg(name: str, path: object, data: bytes) -> dict[str, Any]:
    """What a cfg file says.

    Raises:
        ValueError: It is no JSON object.
    """
    try:
        settings = json.loads(data)
        if not isinstance(settings, dict):
            raise ValueError("it is no JSON object")
    except (ValueError, RecursionError) as error:
        message = Errors.LP563.format(name=name, path=path, error=error)
        raise ValueError(message) from error
    return settings


def _content(name: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        message = Errors.LP562.format(name=name, path=path)
        raise ValueError(message) from None
    except OSError as error:
        message = Errors.LP563.format(name=name, path=path, error=error)
        raise ValueError(message) from error
