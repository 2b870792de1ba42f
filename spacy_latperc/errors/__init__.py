"""Coded, friendly messages: what happened, the likely cause, the next step.

Each room of the package has its own module here; rooms that share a message find it
with the one that the others build on. A code keeps its meaning for ever.
"""

from . import (
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
    settings,
    training,
)


class _Coded(type):
    """Prefixes every message with its own code, as spaCy's errors do."""

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
    distributed.Errors,
    cli.Errors,
    metaclass=_Coded,
):
    """All messages of errors, by code."""


class Warnings(
    kernels.Warnings,
    data.Warnings,
    pipeline.Warnings,
    grammaticality.Warnings,
    knowledge.Warnings,
    training.Warnings,
    metaclass=_Coded,
):
    """All messages of warnings, by code."""
