"""Messages with codes: what happened, the likely cause, the next step.

Each room of the package has its own module here. Shared messages are in the module of
the room that the others import. A released code keeps its meaning.
"""

from . import (
    autofit,
    cli,
    data,
    distributed,
    features,
    grammaticality,
    io,
    kernels,
    knowledge,
    learners,
    parser,
    pipeline,
    schemes,
    sequence,
    settings,
    training,
)


class _Coded(type):
    """A metaclass that prefixes each message with its code, as in spaCy."""

    def __getattribute__(cls, code: str) -> str:
        message = super().__getattribute__(code)
        return message if code.startswith("__") else f"[{code}] {message}"


class Errors(
    settings.Errors,
    features.Errors,
    schemes.Errors,
    kernels.Errors,
    io.Errors,
    data.Errors,
    learners.Errors,
    pipeline.Errors,
    grammaticality.Errors,
    parser.Errors,
    knowledge.Errors,
    training.Errors,
    autofit.Errors,
    distributed.Errors,
    cli.Errors,
    sequence.Errors,
    metaclass=_Coded,
):
    """All error messages, by code."""


class Warnings(
    autofit.Warnings,
    kernels.Warnings,
    data.Warnings,
    pipeline.Warnings,
    grammaticality.Warnings,
    knowledge.Warnings,
    training.Warnings,
    learners.Warnings,
    sequence.Warnings,
    metaclass=_Coded,
):
    """All warnings, by code."""
