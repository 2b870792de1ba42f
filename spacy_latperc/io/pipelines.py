"""Saving pipelines atomically, and loading them with errors that name the file."""

import copy
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import SimpleFrozenList, load_model, load_model_from_config
from thinc.api import Config

from ..errors import Errors
from .atomic import check_place, is_left, whole_files
from .component_folder import CFG, MODEL
from .outputs import check_suffix

CONFIG, META = "config.cfg", "meta.json"
_SHOWN = 5  # entries of a folder in a message


def choose_component(
    nlp: Language, name: str | None, fits: Callable[[Any], bool]
) -> tuple[str | None, str]:
    """Choose a component by name, or the only suitable one.

    Args:
        nlp: The pipeline.
        name: The name of the component; None for the only suitable one.
        fits: A function that is true for suitable components.

    Returns:
        The name, or None if there is none or several, and the names of all suitable
        components, for messages.
    """
    known = [each for each, pipe in nlp.pipeline if fits(pipe)]
    if name is None and len(known) == 1:
        name = known[0]
    return name if name in known else None, ", ".join(known) or "none"


def annotate_before(nlp: Language, component: str, doc: Doc) -> Doc:
    """Annotate a Doc with the components before one of a pipeline."""
    for name, earlier in nlp.pipeline:
        if name == component:
            break
        doc = earlier(doc)
    return doc


def check_room(folder: Path) -> None:
    """Check the output folder of a pipeline before training.

    Args:
        folder: The folder. An older pipeline there will be replaced.

    Raises:
        ValueError: The path is a file, a mount point or a folder that is not a
            pipeline, or its suffix is that of a file format.
        OSError: The folder cannot be written.
    """
    check_suffix(folder)
    for place in (folder, *folder.parents):
        if place.exists() and not place.is_dir():
            raise ValueError(Errors.LP349.format(path=place))
    if folder.is_dir():
        names = sorted(os.listdir(folder))
        if names and not _is_pipeline(folder):
            more = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
            listed = ", ".join(names[:_SHOWN] + more)
            raise ValueError(Errors.LP331.format(path=folder, names=listed))
        if os.path.ismount(os.path.realpath(folder)):
            raise ValueError(Errors.LP586.format(path=folder))
        for name in names:
            if (folder / name).is_symlink():
                continue
            for inner, _, _ in os.walk(folder / name):
                if os.path.ismount(inner):
                    error = "it is a mount point"
                    raise ValueError(Errors.LP578.format(path=inner, error=error))
    check_place(folder)


def _is_pipeline(folder: Path) -> bool:
    return (folder / CONFIG).is_file() and (folder / META).is_file()


def _parts_of(folder: Path) -> set[str]:
    """The names of the files and folders that are part of a saved pipeline."""
    parts = {CONFIG, META, "tokenizer", "vocab"}
    # Of a damaged pipeline, unreadable parts are not known.
    with suppress(Exception):
        meta = _read_json(folder / META)
        parts.update(meta["components"])
    with suppress(Exception):
        config = Config().from_str(_text(folder / CONFIG), interpolate=False)
        for name, component in config["components"].items():
            parts.add(name)
            if component.get("factory") == "sentencizer":  # a file instead of a folder
                parts.add(str(Path(name).with_suffix(".json")))
    return parts


def _foreign_in_components(old: Path, new: Path) -> Iterator[str]:
    """Find the files in the folders of our components that no component writes."""
    components: dict[str, Any] = {}
    with suppress(Exception):
        config = Config().from_str(_text(old / CONFIG), interpolate=False)
        components = config["components"]
    for part, component in components.items():
        own = str(component.get("factory", "")).startswith("latperc_")
        if own and (old / part).is_dir():
            for name in sorted(os.listdir(old / part)):
                if name in (CFG, MODEL, "vocab") or is_left(name):
                    continue
                (new / part).mkdir(exist_ok=True)
                if not os.path.lexists(new / part / name):
                    yield f"{part}/{name}"


def _is_like(name: str, parts: Iterable[str]) -> bool:
    """True if a component may have written a file with this name next to its folder."""
    return Path(name).stem in {Path(part).stem for part in parts}


def copy_pipeline(folder: Path, fresh: Path, target: Path) -> None:
    """Copy a saved pipeline, without hidden files such as those of git.

    Args:
        folder: The pipeline.
        fresh: The new folder, which will become `target`.
        target: A folder whose other files (README.md) stay as they are.
    """
    parts = _parts_of(folder)
    fresh.mkdir()
    for path in folder.iterdir():
        known = path.name in parts or _is_like(path.name, parts)
        if known or not (path.name[0] == "." or os.path.lexists(target / path.name)):
            copy = shutil.copytree if path.is_dir() else shutil.copy2
            copy(path, fresh / path.name)


@contextmanager
def whole_pipelines(folders: Sequence[Path]) -> Iterator[list[Path]]:
    """Write pipelines atomically, as all commands do.

    After a failure, the folders have the old pipelines or the new ones. Files that are
    not part of an old pipeline stay (.git, notes, data).

    Returns:
        The folders to write to.

    Raises:
        ValueError: A folder is not a pipeline, or another file in it has the name of a
            part of the new pipeline.
        OSError: A file cannot be written or kept.
    """
    for folder in folders:
        check_room(folder)

    def kept(old: Path, new: Path) -> Iterator[str]:
        if not _is_pipeline(old):
            return
        parts = _parts_of(old)
        for name in sorted(os.listdir(old)):
            if name in parts or is_left(name):
                continue
            if os.path.lexists(new / name):
                if _is_like(name, parts):
                    continue
                error = "the new pipeline has a file of this name"
                raise ValueError(Errors.LP578.format(path=old / name, error=error))
            yield name
        yield from _foreign_in_components(old, new)

    with whole_files(folders, kept=kept) as fresh:
        yield fresh


def save_pipeline(
    nlp: Language, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
) -> None:
    """Save a pipeline atomically (see whole_pipelines for errors).

    Args:
        nlp: The pipeline.
        path: The folder. An older pipeline there is replaced; other files stay.
        exclude: Names of components and other parts that are not written.
    """
    with whole_pipelines([Path(path)]) as (fresh,):
        type(nlp).to_disk(nlp, fresh, exclude=exclude)


def saved_whole(nlp: Language) -> Language:
    """A view of the pipeline with `save_pipeline` as its `to_disk`."""
    view = copy.copy(nlp)
    view.to_disk = partial(save_pipeline, nlp)
    return view


def make_save_whole() -> Callable[[Language], Language]:
    """Registered as spacy_latperc.SaveWhole.v1, for [training] before_to_disk: make
    `spacy train` save pipelines atomically."""
    return saved_whole


def load_pipeline(path: str | Path) -> Language:
    """Load a pipeline as `spacy.load` does, but name the damaged file in errors.

    Args:
        path: The folder, or the name of an installed package.
    """
    try:
        return load_model(path)
    except Exception as error:
        if Path(path).is_dir() and not str(error).startswith("[LP"):
            _name_damage(Path(path), error)
        raise


def pipeline_to_bytes(nlp: Language) -> bytes:
    """Serialize a pipeline with its config (see `pipeline_from_bytes`)."""
    content = {"config": nlp.config.to_str(), "pipeline": nlp.to_bytes()}
    return bytes(srsly.msgpack_dumps(content))


def pipeline_from_bytes(content: bytes) -> Language:
    """Load the pipeline that `pipeline_to_bytes` wrote. Damaged bytes are an error."""
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
    """Raise an error that names the first unreadable file of a pipeline, or the
    pipelines inside the folder."""
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


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _read_config(path: Path) -> None:
    Config().from_str(_text(path))


def _read_json(path: Path) -> Any:
    return json.loads(path.read_bytes())


def _read_msgpack(path: Path) -> Any:
    return srsly.msgpack_loads(path.read_bytes())


def _read_array(path: Path) -> Any:
    return np.load(path, allow_pickle=False)


# The files of spaCy, in the order of reading.
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
