"""Whole pipelines: saved in one step, and loaded with an error that names the file."""

import copy
import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from spacy.language import Language
from spacy.util import SimpleFrozenList, load_model, load_model_from_config
from thinc.api import Config

from ..errors import Errors
from .atomic import check_place, whole_file


def choose_component(
    nlp: Language, name: str | None, fits: Callable[[Any], bool]
) -> tuple[str | None, str]:
    """The component that is meant, of those that fit.

    Args:
        nlp: The pipeline.
        name: Of the component; None for the only one that fits.
        fits: Whether a component may be meant.

    Returns:
        Its name, or None if there is no such one or are several, and the names of all
        that fit, for messages.
    """
    known = [each for each, pipe in nlp.pipeline if fits(pipe)]
    if name is None and len(known) == 1:
        name = known[0]
    return name if name in known else None, ", ".join(known) or "none"


def check_room(folder: Path) -> None:
    """Refuse a place for a pipeline before it takes time to make.

    Args:
        folder: That of the pipeline. What is there must be a pipeline, for it will be
            replaced.

    Raises:
        ValueError: There is a file, or a folder of other things.
    """
    for place in (folder, *folder.parents):
        if place.exists() and not place.is_dir():
            raise ValueError(Errors.LP349.format(path=place))
    if folder.is_dir() and any(folder.iterdir()) and not _is_pipeline(folder):
        raise ValueError(Errors.LP331.format(path=folder))
    check_place(folder)


def _is_pipeline(folder: Path) -> bool:
    return (folder / "config.cfg").is_file() and (folder / "meta.json").is_file()


def save_pipeline(
    nlp: Language, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
) -> None:
    """Save a pipeline: after a failure or a kill there is the old one or the new one.

    Args:
        nlp: The pipeline.
        path: Its folder. A pipeline that is there is replaced.
        exclude: Names of components and other parts that are not written.

    Raises:
        ValueError: There is a file, or a folder of other things.
        OSError: It cannot be written.
    """
    folder = Path(path)
    check_room(folder)
    with whole_file(folder) as fresh:
        type(nlp).to_disk(nlp, fresh, exclude=exclude)


def saved_whole(nlp: Language) -> Language:
    """The same pipeline, whose `to_disk` is `save_pipeline`."""
    view = copy.copy(nlp)
    view.to_disk = partial(save_pipeline, nlp)
    return view


def make_save_whole() -> Callable[[Language], Language]:
    """Registered as spacy_latperc.SaveWhole.v1, for [training] before_to_disk: what
    `spacy train` saves is the old pipeline or the new one, whatever happens."""
    return saved_whole


def load_pipeline(path: str | Path) -> Language:
    """Load a pipeline as `spacy.load` does; of a damaged one, name the damaged file.

    Args:
        path: Its folder, or the name of an installed package.

    Raises:
        ValueError: A file of the folder is missing or damaged.
    """
    try:
        return load_model(path)
    except Exception as error:
        if Path(path).is_dir() and not str(error).startswith("[LP"):
            _name_damage(Path(path), error)
        raise


def pipeline_to_bytes(nlp: Language) -> bytes:
    """All of a pipeline, to be sent elsewhere: `pipeline_from_bytes` makes it again."""
    content = {"config": nlp.config.to_str(), "pipeline": nlp.to_bytes()}
    return bytes(srsly.msgpack_dumps(content))


def pipeline_from_bytes(content: bytes) -> Language:
    """The pipeline that `pipeline_to_bytes` wrote.

    Raises:
        ValueError: These are not its bytes, or they are damaged.
    """
    try:
        found = srsly.msgpack_loads(content)
        config = Config().from_str(found["config"], interpolate=False)
        return load_model_from_config(config).from_bytes(found["pipeline"])
    except Exception as error:
        if str(error).startswith("[LP"):
            raise
        said = f"{type(error).__name__}: {error}"
        raise ValueError(Errors.LP567.format(error=said)) from error


def _name_damage(folder: Path, error: Exception) -> None:
    """Raise an error that names the first file of a pipeline that cannot be read, or
    the pipelines that are in the folder."""
    if not (folder / "config.cfg").exists():
        inside = sorted(path.parent.name for path in folder.glob("*/config.cfg"))
        if inside:
            message = Errors.LP574.format(path=folder, inside=", ".join(inside))
            raise ValueError(message) from error
    for name, read in _FILES.items():
        path = folder / name
        try:
            read(path)
        except FileNotFoundError:
            problem = "missing"
        except Exception:
            problem = "damaged"
        else:
            continue
        if not (problem == "missing" and name in _OPTIONAL):
            message = Errors.LP566.format(path=folder, file=name, problem=problem)
            raise ValueError(message) from error


def _read_config(path: Path) -> None:
    Config().from_str(path.read_text(encoding="utf-8"))


def _read_json(path: Path) -> Any:
    return json.loads(path.read_bytes())


def _read_msgpack(path: Path) -> Any:
    return srsly.msgpack_loads(path.read_bytes())


def _read_array(path: Path) -> Any:
    return np.load(path, allow_pickle=False)


# What spaCy writes and reads itself, in the order of reading.
_FILES: dict[str, Callable[[Path], Any]] = {
    "config.cfg": _read_config,
    "meta.json": _read_json,
    "vocab/strings.json": _read_json,
    "vocab/vectors.cfg": _read_json,
    "vocab/vectors": _read_array,
    "vocab/key2row": _read_msgpack,
    "vocab/lookups.bin": _read_msgpack,
    "tokenizer": _read_msgpack,
}
_OPTIONAL = ("vocab/vectors.cfg", "vocab/vectors", "vocab/key2row", "vocab/lookups.bin")
