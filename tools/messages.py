"""The messages of the package by code, for the page of errors and warnings."""

import re
from dataclasses import dataclass
from importlib import import_module

# Where the documentation treats what the messages of a room are about.
PAGES: dict[str, tuple[str, ...]] = {
    "settings": ("reference/components.html", "reference/config.html"),
    "features": ("reference/templates.html",),
    "schemes": ("guides/data.html",),
    "kernels": ("reference/config.html", "guides/scores.html"),
    "io": ("guides/deploy.html",),
    "knowledge": ("reference/templates.html", "reference/cli.html"),
    "data": ("guides/data.html", "guides/teach.html"),
    "learners": ("reference/config.html", "reference/learners/index.html"),
    "sequence": ("porting.html", "reference/python.html"),
    "pipeline": ("reference/components.html", "guides/scores.html"),
    "grammaticality": (
        "papers/grammaticality.html",
        "guides/judge.html",
    ),
    "parser": ("reference/components.html", "reference/templates.html"),
    "autofit": ("quickstart.html", "guides/data.html"),
    "training": ("quickstart.html", "guides/teach.html"),
    "distributed": ("guides/deploy.html",),
    "cli": ("reference/cli.html",),
}


@dataclass(frozen=True)
class Message:
    """A message and what belongs to it.

    Attributes:
        code: Such as LP104.
        kind: "error" or "warning".
        text: The text; a name in braces stands for what was found.
        topic: What it is about, in a few words.
        pages: Of the documentation.
    """

    code: str
    kind: str
    text: str
    topic: str
    pages: tuple[str, ...]


def messages_by_code() -> dict[str, Message]:
    """Every message by its code, room by room."""
    found = {}
    for room, pages in PAGES.items():
        module = import_module(f"spacy_latperc.errors.{room}")
        topic = (module.__doc__ or "").splitlines()[0].rstrip(".")
        topic = re.sub("^Messages (about|of) ", "", topic)
        for name, kind in (("Errors", "error"), ("Warnings", "warning")):
            for code, text in sorted(vars(getattr(module, name, object)).items()):
                if re.fullmatch(r"LP\d+", code):
                    found[code] = Message(code, kind, text, topic, pages)
    return found
