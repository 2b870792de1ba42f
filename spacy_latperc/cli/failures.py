"""What goes wrong in a command is said in a sentence, not in a traceback."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from click import UsageError
from spacy.cli._util import parse_config_overrides, show_validation_error
from thinc.api import ConfigValidationError
from wasabi import msg

from ..errors import Errors


@contextmanager
def failures_shown(config: Path | None = None) -> Iterator[None]:
    """Print errors of data, settings and files, and end the command.

    config: the file, where a config was given.
    """
    with show_validation_error(config, hint_fill=False):
        try:
            yield
        except (ConfigValidationError, BrokenPipeError):
            raise
        except (ValueError, OSError) as error:
            msg.fail(str(error), exits=1)


def config_overrides(context: typer.Context) -> dict[str, Any]:
    """Settings of a config that were given as options (--training.max_epochs 20)."""
    try:
        return parse_config_overrides(context.args)
    except UsageError as error:  # an option that is neither ours nor of a config
        message = Errors.LP348.format(error=error.format_message().rstrip("."))
        msg.fail(message, exits=1)
        raise
