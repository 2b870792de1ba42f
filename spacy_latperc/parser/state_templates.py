"""The templates of parsers: `t[s0]|w[b0]`, `relation[s0.l1]`, `gap[s0,b0]`.

A template joins attributes of tokens (features/attributes.py), as in chains. The tokens
are those that a state of the parser sees:

    s0 s1 s2         the top of the stack, and the tokens below
    b0 b1 b2 b3      the next tokens
    s0.l1 s0.l2      the leftmost child of s0, and the second one; also s1, s2 and b0
    s0.r1 s0.r2      the rightmost child, and the second one; also s1 and s2

A state has facts of its own: `relation[s0.l1]`, the relation of a child; `lefts[s0]`
and `rights[s0]`, the number of children so far; `gap[s0,b0]` and `gap[s1,s0]`, the
distance between two tokens.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..errors import Errors
from ..errors.check import check_flag, check_strings
from ..features.attributes import Attribute, find_attribute
from ..features.sets import FeatureSet
from ..features.sources import Source, check_sources, resolve, standard_templates
from ..features.templates import parse_each, sources_of
from ..kernels.parsing import FACTS, PLACES
from ..signatures import parameters_of, with_shared

_PART = re.compile(r"\s*(?P<name>[^\[\]|]+?)\s*\[\s*(?P<place>[^\[\]|]+?)\s*\]\s*")
_OWN = {name.partition("[")[0] for name in FACTS[len(PLACES) :]}
# The places in the default templates of a source of attributes.
_SOURCE_PLACES = ("s0", "s1", "b0", "b1")


@dataclass(frozen=True)
class StatePart:
    """An attribute of the token at a place, or a fact of the state itself.

    Attributes:
        attribute: The attribute of the token; a placeholder for facts.
        place: The place of the token, or the text in the brackets of the fact.
        is_fact: True for facts.
    """

    attribute: Attribute
    place: str
    is_fact: bool = False

    def __str__(self) -> str:
        return f"{self.attribute.name}[{self.place}]"


@dataclass(frozen=True)
class StateTemplate:
    """A parsed template over states."""

    parts: tuple[StatePart, ...]
    kind: str = "state"

    def __str__(self) -> str:
        return "|".join(str(part) for part in self.parts) if self.parts else "bias"


def parse_state_template(
    text: str, sources: Mapping[str, Source] | None = None
) -> StateTemplate:
    """Parse one template, which may name attributes of these sources."""
    if text.strip() == "bias":
        return StateTemplate(())
    parts = []
    for piece in text.split("|"):
        match = _PART.fullmatch(piece)
        if not match:
            raise ValueError(Errors.LP800.format(template=text, part=piece.strip()))
        name = match["name"]
        place = re.sub(r"\s", "", match["place"])
        if name in _OWN:
            if f"{name}[{place}]" not in FACTS:
                known = ", ".join(x for x in FACTS if x.startswith(f"{name}["))
                raise ValueError(
                    Errors.LP801.format(template=text, part=piece.strip(), known=known)
                )
            parts.append(StatePart(Attribute(name), place, is_fact=True))
            continue
        if place not in PLACES:
            known = ", ".join(PLACES)
            raise ValueError(
                Errors.LP801.format(template=text, part=piece.strip(), known=known)
            )
        attribute = resolve(find_attribute(name, text), text, sources or {})
        if attribute.affix == "ngrams":
            raise ValueError(Errors.LP805)
        parts.append(StatePart(attribute, place))
    return StateTemplate(tuple(parts))


def make_state_set(
    templates: Sequence[str],
    *,
    sources: Mapping[str, Source] | None = None,
    source_templates: bool = False,
) -> FeatureSet:
    """Check and parse the templates of a config.

    Args:
        templates: The templates as text.
        sources: Blocks that turn outside knowledge, such as word clusters, into
            attributes, each under a name of its own.
        source_templates: Add the templates that usually pay for these sources.
    """
    known = check_sources(sources)
    check_strings("templates", templates)
    texts = list(templates)
    if check_flag("source_templates", source_templates):
        texts += _standard(known)
    parse: Callable[[str], Any] = partial(parse_state_template, sources=known)
    parsed = parse_each(texts, parse)
    read = set().union(*map(sources_of, parsed))
    for name in known:
        if name not in read:
            raise ValueError(Errors.LP703.format(name=name))
    return FeatureSet(tuple(parsed), sources=known)


def _standard(sources: Mapping[str, Source]) -> list[str]:
    """Make the default templates of sources, alone and in pairs."""
    names = {text.partition("[")[0]: None for text in standard_templates(sources)}
    single = [f"{name}[{place}]" for name in names for place in _SOURCE_PLACES]
    pairs = [f"{name}[s0]|{name}[b0]" for name in names]
    return single + pairs + [f"{name}[s1]|{name}[s0]" for name in names]


def _shared(
    sources: dict[str, Any] | None = None,
    source_templates: bool = True,
) -> None:
    """Declare the names, types and defaults of shared settings: see make_state_set."""


def state_set(templates: Callable[..., list[str]]) -> Callable[..., FeatureSet]:
    """Turn a function from its own settings to templates into a registered set of
    templates."""

    def finish(templates: list[str], values: dict[str, Any]) -> FeatureSet:
        return make_state_set(templates, **values)

    return with_shared(templates, parameters_of(_shared), finish, FeatureSet)


def _word_and_tag(place: str, word: str, tag: str) -> list[str]:
    return [f"{word}[{place}]", f"{tag}[{place}]", f"{word}[{place}]|{tag}[{place}]"]


@state_set
def parser_features(
    word: str = "word",
    tag: str = "tag",
    second_tag: str | None = None,
    templates: list[str] | None = None,
) -> list[str]:
    """Use sixty templates over words and tags in the manner of Zhang and Nivre (2011),
    or your own.

    Args:
        word: The attribute for the word: "word", "lower" or "norm".
        tag: The attribute for its tag: "tag", "pos", or another.
        second_tag: A second tag, such as "morph", used alone and with the first.
        templates: Templates over states of a parser that replace these.
    """
    if templates is not None:
        return templates
    w, t = word, tag
    templates = [
        x
        for place in ("s0", "s1", "b0", "b1", "b2")
        for x in _word_and_tag(place, w, t)
    ]
    templates += [f"{t}[s2]", f"{w}[s2]"]
    for a, b in (
        ("s0", "b0"),
        ("s1", "s0"),
    ):
        templates += [
            f"{w}[{a}]|{t}[{a}]|{w}[{b}]|{t}[{b}]",
            f"{w}[{a}]|{t}[{a}]|{t}[{b}]",
            f"{t}[{a}]|{w}[{b}]|{t}[{b}]",
            f"{w}[{a}]|{w}[{b}]",
            f"{t}[{a}]|{t}[{b}]",
        ]
    templates += [
        f"{w}[s0]|{t}[s0]|{w}[b0]",
        f"{w}[s0]|{w}[b0]|{t}[b0]",
        f"{t}[b0]|{t}[b1]",
        f"{t}[b0]|{t}[b1]|{t}[b2]",
        f"{t}[s0]|{t}[b0]|{t}[b1]",
        f"{t}[s1]|{t}[s0]|{t}[b0]",
        f"{t}[s2]|{t}[s1]|{t}[s0]",
    ]
    for place, other in (
        ("s0.l1", "b0"),
        ("s0.r1", "b0"),
        ("s1.l1", "s0"),
        ("s1.r1", "s0"),
    ):
        parent = place[:2]
        templates.append(f"{t}[{parent}]|{t}[{place}]|{t}[{other}]")
    templates.append(f"{t}[s0]|{t}[b0]|{t}[b0.l1]")
    for seen in (f"{w}[s0]", f"{t}[s0]", f"{w}[b0]", f"{t}[b0]"):
        templates.append(f"{seen}|gap[s0,b0]")
    templates += [
        f"{w}[s0]|{w}[b0]|gap[s0,b0]",
        f"{t}[s0]|{t}[b0]|gap[s0,b0]",
        f"{t}[s1]|{t}[s0]|gap[s1,s0]",
    ]
    for place, counts in (("s0", ("rights", "lefts")), ("b0", ("lefts",))):
        for count in counts:
            templates += [f"{x}[{place}]|{count}[{place}]" for x in (w, t)]
    for child in ("s0.l1", "s0.r1", "b0.l1"):
        templates += [f"{w}[{child}]", f"{t}[{child}]", f"relation[{child}]"]
        templates.append(f"{t}[{child[:2]}]|relation[{child}]")
    for place, side in (("s0", "l"), ("s0", "r"), ("b0", "l")):
        templates.append(f"{t}[{place}]|{t}[{place}.{side}1]|{t}[{place}.{side}2]")
    if second_tag is not None:
        m = second_tag
        templates += [f"{m}[{place}]" for place in ("s0", "s1", "b0", "b1")]
        templates += [f"{t}[{p}]|{m}[{p}]" for p in ("s0", "s1", "b0")]
        templates += [f"{m}[s0]|{m}[b0]", f"{m}[s1]|{m}[s0]"]
    return templates
