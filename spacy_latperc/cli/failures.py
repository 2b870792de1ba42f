"""What goes wrong in a command is said in a sentence, not in a traceback."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from click import UsageError
from spacy.cli._util import parse_config_overrides, show_validation_error
from thinc.api import ConfigValidationError

from ..errors import Errors

# Of a command that takes settings of a config too, for `config_overrides` to read.
WITH_OVERRIDES = {"allow_extra_args": True, "ignore_unknown_options": True}

_CODE = re.compile(r"\[(LP\d+)\]")


@contextmanager
def failures_shown(config: Path | None = None) -> Iterator[None]:
    """Print errors of data, settings and files to the standard error, and end the
    command.

    Args:
        config: The file, where a config was given.
    """
    with show_validation_error(config, hint_fill=False):
        try:
            yield
        except ConfigValidationError:
            raise
        except BrokenPipeError:  # whoever read the output has seen enough
            # Else Python complains at its end that the last of it cannot be written.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except (ValueError, OSError) as error:
            typer.secho(str(error), fg=typer.colors.RED, err=True)
            if code := _CODE.match(str(error)):
                more = f"More: python -m spacy latperc explain {code[1]}"
                typer.secho(more, dim=True, err=True)
            raise typer.Exit(1) from error


def config_overrides(context: typer.Context) -> dict[str, Any]:
    """Settings of a config that were given as options (--training.max_epochs 20)."""
    try:
        return parse_config_overrides(context.args)
    except UsageError as error:  # an option that is neither ours nor of a config
        message = error.format_message().rstrip(".")
        raise ValueError(Errors.LP348.format(error=message)) from error
