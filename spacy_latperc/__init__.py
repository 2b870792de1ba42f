"""Latent-chain taggers, chunkers and entity recognisers for spaCy."""

from importlib.machinery import EXTENSION_SUFFIXES as _SUFFIXES
from pathlib import Path as _Path

__version__ = "0.1.0"


def _is_compiled(package: _Path) -> bool:
    """Return True if the folder holds kernels that this Python can load."""
    return any(
        "." + path.name.partition(".")[2] in _SUFFIXES
        for path in (package / "kernels").rglob("*.*")
    )


def _is_copy(sources: _Path, installed: _Path) -> bool:
    """Return True if the Python files of two packages are equal."""

    def files(package: _Path) -> dict[_Path, bytes]:
        return {p.relative_to(package): p.read_bytes() for p in package.rglob("*.py")}

    return files(sources) == files(installed)


def _use_installed_copy() -> None:
    """Let an installed copy take the place of these sources, or say what to do.

    Python looks first into the folder where it was started. In a clone it finds these
    sources there, which nothing can run before they are compiled.
    """
    import sys
    import warnings
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    here = _Path(__file__).resolve().parent
    found = [PathFinder.find_spec(__name__, [entry or "."]) for entry in sys.path]
    for finder in sys.meta_path:  # an editable install has a finder of its own
        if finder is not PathFinder:
            found.append(finder.find_spec(__name__, None))
    for spec in found:
        if spec is None or spec.origin is None or spec.loader is None:
            continue
        folder = _Path(spec.origin).resolve().parent
        if folder != here and _is_compiled(folder):
            if not _is_copy(here, folder):
                warnings.warn(
                    f"[LP581] {here} is not compiled: the installed copy in {folder}, "
                    "which differs, is used. To use these sources: pip install -e . "
                    "in the folder above.",
                    stacklevel=2,
                )
            module = module_from_spec(spec)
            sys.modules[__name__] = module
            spec.loader.exec_module(module)
            return
    version = ".".join(map(str, sys.version_info[:3]))
    raise ImportError(
        f"[LP580] The sources in {here} are not compiled for Python {version}. Run "
        "pip install -e . (or: make install) in the folder above."
    )


if not _is_compiled(_Path(__file__).resolve().parent):
    _use_installed_copy()
