"""Import of a user's Python file, which registers functions for configs (--code)."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ..errors import Errors

_MODULE = "python_code"  # spaCy's name


class UserCode(NamedTuple):
    """An imported file, for import in other processes."""

    name: str
    source: bytes


_imported: list[UserCode] = []


def import_code(path: str | Path) -> None:
    """Import a file as the option --code of spaCy's commands does."""
    path = Path(path)
    try:
        code = UserCode(path.name, path.read_bytes())
        spec = spec_from_file_location(_MODULE, path)
        if spec is None or spec.loader is None:
            raise ImportError("the name of the file must end in .py")
        module = module_from_spec(spec)
        sys.modules[_MODULE] = module  # needed by dataclasses
        spec.loader.exec_module(module)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise ValueError(Errors.LP352.format(path=path, error=said)) from error
    if code not in _imported:
        _imported.append(code)


def imported_code() -> list[UserCode]:
    """The files imported so far."""
    return list(_imported)


def import_again(files: list[UserCode]) -> None:
    """Import the files of another process, perhaps on another machine."""
    for code in files:
        if code not in _imported:
            with TemporaryDirectory() as folder:
                path = Path(folder) / code.name
                path.write_bytes(code.source)
                import_code(path)
