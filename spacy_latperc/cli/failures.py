"""Errors and warnings of commands as sentences, not as tracebacks."""

import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from configparser import Error as ConfigParserError
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, entry_points, metadata
from pathlib import Path
from typing import Any

import typer
from click import UsageError
from spacy.cli._util import parse_config_overrides, show_validation_error
from thinc.api import ConfigValidationError

from ..errors import Errors
from ..errors.check import did_you_mean

# Of a command that takes settings of a config too, for `config_overrides` to read.
WITH_OVERRIDES = {"allow_extra_args": True, "ignore_unknown_options": True}

# What spaCy says of a function or a factory that nobody registered.
_UNKNOWN_NAME = re.compile(r"'(\S+)'.*\n\nAvailable (?:names|factories): (.*)", re.S)
_UNSAID = ("nlp", "name")  # arguments of factories that no config gives
_CODE = re.compile(r"\[(LP\d+)\]")


@contextmanager
def failures_shown(config: Path | None = None) -> Iterator[None]:
    """Print errors of data, settings and files (of this config, if there is one) to the
    standard error, and end the command. Warnings are printed there too, and the command
    goes on."""
    with _warnings_shown(), show_validation_error(config, hint_fill=False):
        try:
            yield
        except BrokenPipeError:  # the reader of the output has seen enough
            # Else Python complains at its end that the last of it cannot be written.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        # spaCy reports languages that it does not have as what cannot be imported.
        except (ValueError, OSError, ImportError, ConfigParserError) as error:
            message = _sentence(error)
            typer.secho(message, fg=typer.colors.RED, err=True)
            if link := page_of(message):
                typer.echo(link, err=True)
            raise typer.Exit(1) from error


def page_of(message: str) -> str:
    """Return the address of the page about a message, if it has a code and the package
    says where its documentation is (`Documentation` in its metadata)."""
    try:
        urls = metadata("spacy-latperc").get_all("Project-URL") or ()
    except PackageNotFoundError:  # not installed
        return ""
    found = dict(url.split(", ", 1) for url in urls).get("Documentation")
    code = _CODE.match(message)
    if not (found and code):
        return ""
    return f"{found.rstrip('/')}/reference/errors.html#{code[1].lower()}"


def _sentence(error: Exception) -> str:
    """The message of an error. To those of spaCy about unknown names it adds which name
    may be meant, and it leaves out the whole section of the config."""
    if isinstance(error, ConfigValidationError):
        problems = [_problem(each, error.config or {}) for each in error.errors or ()]
        return Errors.LP350.format(
            title=error.title or error.desc,
            problems=" ".join(problems) or _on_one_line(error.desc),
        )
    if isinstance(error, ConfigParserError):
        problem = _on_one_line(error)
        return Errors.LP350.format(title="Config validation error", problems=problem)
    if found := _UNKNOWN_NAME.search(str(error)):
        # spaCy lists no factories that it has not loaded.
        factories = entry_points(group="spacy_factories").names
        known = {*found[2].split(", "), *factories}
        return f"{error}\n{did_you_mean(found[1], known, 0.8)}".rstrip()
    return str(error)


def _on_one_line(problem: object) -> str:
    """Return the problem with a whole config as a sentence."""
    return " ".join(f"{problem}.".split())


def _problem(error: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """One of the things that are wrong with these settings."""
    *section, name = map(str, error["loc"])
    place = " -> ".join([*section, name])
    known = [key for key in settings if key[0] != "@" and key not in _UNSAID]
    others = [key for key in known if key != name]
    unknown = re.search("unexpected|not permitted", error["msg"])
    return f"{place}: {error['msg']}.{did_you_mean(name, others) if unknown else ''}"


@contextmanager
def _warnings_shown() -> Iterator[None]:
    """Show a warning with a code as an error is shown: without the line of code."""
    shown = warnings.formatwarning

    def format_warning(message: Warning | str, *place: Any, **more: Any) -> str:
        if _CODE.match(str(message)):
            return f"{message}\n"
        return shown(message, *place, **more)

    warnings.formatwarning = format_warning
    try:
        yield
    finally:
        warnings.formatwarning = shown


def config_overrides(arguments: Sequence[str]) -> dict[str, Any]:
    """Settings of a config that were given as options (--training.max_epochs 20)."""
    if arguments and not arguments[0].startswith("--"):
        message = f"Unexpected argument '{arguments[0]}'"
        raise ValueError(Errors.LP348.format(error=message))
    try:
        return parse_config_overrides([*arguments])
    except UsageError as error:  # an option that is neither ours nor of a config
        message = error.format_message().rstrip(".")
        raise ValueError(Errors.LP348.format(error=message)) from error
