"""The template language: `w[-1]|w[0]`, `edge:t[0]`, `tri:bias`, `_.in_list[0]`.

A template joins attributes at offsets from the current token. Without a prefix it is
conjoined with h[i]; with `edge:` with (h[i-1], h[i]); with `tri:` with (h[i-2], h[i-1],
h[i]). `bias` has no parts: as an edge template it is the plain transition.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from ..errors import Errors
from .attributes import Attribute, find_attribute
from .sources import Sources, resolve, standard_templates

T = TypeVar("T")
MAX_OFFSET = 5
NO_SOURCES: Sources = {}
KINDS = ("state", "edge", "tri")
_PART = re.compile(r"\s*(?P<name>[^\[\]|]+?)\s*\[\s*(?P<offset>[+-]?\d+)\s*\]\s*")


@dataclass(frozen=True)
class Part:
    """An attribute at an offset."""

    attribute: Attribute
    offset: int

    def __str__(self) -> str:
        return f"{self.attribute.name}[{self.offset}]"


@dataclass(frozen=True)
class Template:
    """A parsed template. Its `observation` is its name without the kind."""

    kind: str
    parts: tuple[Part, ...]

    @property
    def observation(self) -> str:
        """The name without the kind."""
        return "|".join(str(part) for part in self.parts) if self.parts else "bias"

    def __str__(self) -> str:
        return (
            self.observation
            if self.kind == "state"
            else f"{self.kind}:{self.observation}"
        )


def sources_of(template: Template) -> set[str]:
    """The names of the sources that a template reads."""
    attributes = [part.attribute for part in template.parts]
    return {attribute.source[1] for attribute in attributes if attribute.source}


def parse_template(text: str, sources: Sources = NO_SOURCES) -> Template:
    """Parse one template string, which may name attributes of these sources."""
    kind = "state"
    body = text.strip()
    prefix, colon, rest = body.partition(":")
    if colon and "[" not in prefix and "." not in prefix:
        kind, body = prefix.strip(), rest.strip()
        if kind not in KINDS:
            raise ValueError(Errors.LP003.format(template=text, prefix=kind))
    if body == "bias":
        return Template(kind, ())
    parts = []
    for piece in body.split("|"):
        match = _PART.fullmatch(piece)
        if not match or match["name"] == "bias":
            raise ValueError(Errors.LP004.format(template=text, part=piece.strip()))
        offset = int(match["offset"])
        if abs(offset) > MAX_OFFSET:
            raise ValueError(
                Errors.LP005.format(template=text, offset=offset, n=MAX_OFFSET)
            )
        attribute = resolve(find_attribute(match["name"], text), text, sources)
        parts.append(Part(attribute, offset))
    return Template(kind, tuple(parts))


def parse_templates(
    texts: Sequence[str], sources: Sources = NO_SOURCES
) -> list[Template]:
    """Parse a list of templates. Duplicates are an error."""
    return parse_each(texts, partial(parse_template, sources=sources))


def parse_each(texts: Iterable[str], parse: Callable[[str], T]) -> list[T]:
    """Parse templates. An empty list and duplicates are errors."""
    found: dict[str, T] = {}
    for text in texts:
        template = parse(text)
        if str(template) in found:
            raise ValueError(Errors.LP006.format(template=text))
        found[str(template)] = template
    if not found:
        raise ValueError(Errors.LP007)
    return list(found.values())


def with_standard(
    templates: Sequence[Template], sources: Sources, with_clusters: Sequence[str] = ()
) -> list[Template]:
    """Add the recommended templates of sources that are still missing."""
    names = [name for name, source in sources.items() if source.kind == "cl"]
    texts = standard_templates(sources) + [
        text.replace("cl[", f"cl.{name}[") for name in names for text in with_clusters
    ]
    added = [parse_template(text, sources) for text in texts]
    return list({str(template): template for template in [*templates, *added]}.values())
