"""Named sets of templates: registered functions, each a block of the config.

All of them take `sources`, the sources of attributes (sources.py), by name. With
`source_templates`, the recommended templates of these are added to the set.

The keys of papers are in learners/__init__.py.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import Errors
from ..errors.check import check_choice, check_count, check_flag, check_strings
from ..signatures import parameters_of, with_shared
from .sources import Source, check_sources
from .templates import (
    Template,
    parse_template,
    parse_templates,
    sources_of,
    with_standard,
)

# In a rich set, latent rows help on few templates only.
SIX_UNIGRAMS = ("w[-1]", "w[0]", "w[1]", "t[-1]", "t[0]", "t[1]")
LATENT_FORMS = ("tied", "full")


@dataclass(frozen=True)
class FeatureSet:
    """Templates, their cut-off, and the templates with rows for latent states.

    Attributes:
        templates: The list of templates.
        min_count: Features seen less often in training get no weights.
        latent_form: "full" as in LVP (one row per template and latent state), or "tied"
            (one row per template and label, and rows for latent states on
            `latent_templates`, by default on all).
        latent_templates: The templates with rows for latent states.
        sources: Blocks that add attributes, each under a name of your own: clusters,
            vectors, gazetteers, patterns, functions.
        fallback: Templates for a copy without any clusters.
    """

    templates: tuple[Template, ...]
    min_count: int = 1
    latent_form: str = "tied"
    latent_templates: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    fallback: tuple[Template, ...] = ()

    def blank(self) -> "FeatureSet":
        """A copy with untrained sources."""
        if not self.sources:
            return self
        fresh = {name: source.blank() for name, source in self.sources.items()}
        return replace(self, sources=fresh)

    def without(self, names: Collection[str]) -> "FeatureSet":
        """A copy without these sources and the templates that read them."""
        if not names:
            return self
        left = [x for x in self.templates if not sources_of(x).intersection(names)]
        if not left:
            raise ValueError(Errors.LP715.format(names=", ".join(sorted(names))))
        sources = {k: v for k, v in self.sources.items() if k not in names}
        if not _has_clusters(sources):
            left += self.fallback
        texts = {str(template) for template in left}
        return replace(
            self,
            templates=tuple(left),
            latent_templates=tuple(x for x in self.latent_templates if x in texts),
            sources=sources,
        )

    def of_kind(self, kind: str) -> list[Template]:
        """The templates of a kind ("state", "edge" or "tri")."""
        return [template for template in self.templates if template.kind == kind]


def _has_clusters(sources: Mapping[str, Source]) -> bool:
    return any(source.kind == "cl" for source in sources.values())


def unite_sets(sets: Sequence[FeatureSet]) -> FeatureSet:
    """Return a set with the templates and sources of several; of sources of one name
    the first, and the cut-off of the first."""
    templates = dict.fromkeys(x for each in sets for x in each.templates)
    sources = {k: v for each in reversed(sets) for k, v in each.sources.items()}
    return replace(sets[0], templates=tuple(templates), sources=sources)


def make_set(
    templates: Sequence[str],
    *,
    min_count: int = 1,
    latent_form: str = "tied",
    latent_templates: Sequence[str] | None = None,
    default_latent: Sequence[str] = (),
    sources: Mapping[str, Source] | None = None,
    source_templates: bool = False,
    with_clusters: Sequence[str] = (),
    without_clusters: Sequence[str] = (),
) -> FeatureSet:
    """Check and parse the settings of a config.

    Args:
        templates: The templates as strings.
        min_count: See FeatureSet.
        latent_form: See FeatureSet.
        latent_templates: See FeatureSet.
        default_latent: The default of latent_templates.
        sources: Blocks that turn external knowledge, such as word clusters, into
            attributes, each under a name of its own.
        source_templates: Add the recommended templates of these sources.
        with_clusters: Templates that this set also adds for each source of clusters,
            which they call `cl`.
        without_clusters: Templates that this set adds where there are no clusters.
    """
    known = check_sources(sources)
    check_flag("source_templates", source_templates)
    check_count("min_count", min_count, hint="1 keeps every feature")
    check_choice("latent_form", latent_form, LATENT_FORMS)
    for name, texts in (
        ("templates", templates),
        ("latent_templates", latent_templates or ()),
    ):
        check_strings(name, texts)
    fallback = [parse_template(text) for text in without_clusters]
    parsed = parse_templates(templates, known)
    if not _has_clusters(known):
        parsed += fallback
    if source_templates:
        parsed = with_standard(parsed, known, with_clusters)
    read = set().union(*map(sources_of, parsed))
    for name in known:
        if name not in read:
            raise ValueError(Errors.LP703.format(name=name))
    names = {str(template) for template in parsed}
    if latent_templates is None:
        latent = [str(parse_template(text)) for text in default_latent]
        latent = [name for name in latent if name in names]
    else:
        latent = [str(parse_template(text, known)) for text in latent_templates]
        for name in latent:
            if name not in names:
                raise ValueError(Errors.LP010.format(template=name))
    return FeatureSet(
        tuple(parsed), min_count, latent_form, tuple(latent), known, tuple(fallback)
    )


def with_history(
    observations: Sequence[str], *, edges: bool = False, tri: bool = False
) -> list[str]:
    """Add observations conjoined with longer label histories.

    Args:
        observations: Templates that see the current label.
        edges: Add each of them with the previous label.
        tri: Add each of them with the previous two labels.
    """
    templates = list(observations)
    if edges:
        templates += [f"edge:{observation}" for observation in observations]
    if tri:
        templates += [f"tri:{observation}" for observation in observations]
    return templates


def _window(name: str, low: int, high: int) -> list[str]:
    return [f"{name}[{i}]" for i in range(low, high + 1)]


def _ngrams(name: str, n: int, low: int, high: int) -> list[str]:
    """All n-grams of the attribute that lie within [low, high]."""
    return [
        "|".join(f"{name}[{j}]" for j in range(i, i + n))
        for i in range(low, high - n + 2)
    ]


def _second_pass(label: str) -> list[str]:
    """The templates of a second pass over the labels of a first one: those around, and
    those of the same words elsewhere in the document."""
    near = f"near.{label}"
    return [
        *_window(label, -2, 2),
        *_ngrams(label, 2, -1, 1),
        *_ngrams(label, 3, -1, 1),
        *_window(near, -1, 1),
        f"{label}[0]|{near}[0]",
        f"doc.{label}[0]",
        f"{label}[0]|w[0]",
    ]


_WORDS = _window("w", -2, 2) + ["w[-1]|w[0]", "w[0]|w[1]"]
_TAGS = _window("t", -2, 2) + _ngrams("t", 2, -2, 2) + _ngrams("t", 3, -2, 2)
_ORTHS = _window("o", -2, 2) + _ngrams("o", 2, -2, 2)
_CLUSTER_PAIRS = ["cl[-1]|cl[0]", "cl[0]|cl[1]"]
_CLUSTER_PAIRS += ["cl[0]|t[0]", "cl[-1]|t[0]", "t[0]|cl[1]"]
_WORD_TAG = ["w[0]|t[0]", "w[-1]|t[0]", "t[0]|w[1]", "t[-1]|w[0]", "w[0]|t[1]"]


def _shared(
    min_count: int = 1,
    latent_form: str = "tied",
    latent_templates: list[str] | None = None,
    sources: dict[str, Any] | None = None,
    source_templates: bool = True,
) -> None:
    """The names, types and defaults of the settings that all sets share (make_set)."""


LATENT = ("latent_form", "latent_templates")


def feature_set(
    *,
    default_latent: Sequence[str] = (),
    with_clusters: Sequence[str] = (),
    without_clusters: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    **defaults: Any,
) -> Callable[[Callable[..., list[str]]], Callable[..., FeatureSet]]:
    """Turn a function from settings to templates into a registered set of templates.
    The settings that all sets share are added and checked here.

    Args:
        default_latent: The default of latent_templates.
        with_clusters: See make_set.
        without_clusters: See make_set.
        leave_out: Shared settings that the set does not take.
        defaults: Other defaults of shared settings.
    """
    shared = parameters_of(_shared, leave_out=leave_out, **defaults)

    def finish(templates: list[str], values: dict[str, Any]) -> FeatureSet:
        return make_set(
            templates,
            default_latent=default_latent,
            with_clusters=with_clusters,
            without_clusters=without_clusters,
            **values,
        )

    return lambda templates: with_shared(templates, shared, finish, FeatureSet)


@feature_set(source_templates=False)
def custom_templates(templates: list[str]) -> list[str]:
    """A set of your own templates."""
    return templates


_SPELLING = [f"{kind}{n}[0]" for kind in ("pre", "suf") for n in range(1, 5)]
_TAGS_OF_TABLE_3 = [name for name in _TAGS if name not in ("t[-2]", "t[2]")]
# The observations of papers, by name.
PAPERS = {
    # The common baseline: nineteen templates over words and tags within two tokens.
    "base_chunking": _WORDS + _TAGS,
    # Table 3 of LVP, 17 observations.
    "np_chunking": _WORDS + _TAGS_OF_TABLE_3,
    # Table 1 of LVP: words, tags and orthography classes of bio-entities.
    "bio_ner": _WORDS + _TAGS + _ORTHS,
    # SL: the words around, and the spelling of the word.
    "slides_pos": _window("w", -2, 2) + _SPELLING + ["orth[0]"],
    # SL, after Sha and Pereira.
    "slides_chunking": _window("w", -2, 2) + _ngrams("w", 2, -2, 2) + _TAGS,
    # A hidden Markov model: the word, a fallback for unknown words, and the start of a
    # sentence (where is_space[-1] has no value).
    "hmm": ["bias", "w[0]", "is_space[-1]"],
}


@feature_set()
def paper_features(name: str, edges: bool = False, tri: bool = False) -> list[str]:
    """The observations of a paper.

    Args:
        name: `np_chunking` and `bio_ner` (Tables 3 and 1 of Sun et al. 2009, which also
            have `edges = true` and `latent_form = "full"`), `slides_pos` and
            `slides_chunking` (Huang's lecture), `base_chunking` (a baseline of words
            and tags) or `hmm` (for `HMM.v1`).
        edges: Add each template with the previous label.
        tri: Add each template with the previous two labels.
    """
    check_choice("name", name, PAPERS)
    return with_history(
        PAPERS[name],
        edges=check_flag("edges", edges),
        tri=check_flag("tri", tri),
    )


@feature_set(default_latent=SIX_UNIGRAMS, with_clusters=_CLUSTER_PAIRS)
def rich_chunking(
    edges: bool = False,
    second_pass: bool = False,
) -> list[str]:
    """The baseline with outer word bigrams, word-tag pairs, affixes and shapes; with
    `second_pass` also the chunks that a first chunker wrote to doc.spans["chunks"]."""
    observations = (
        _WORDS
        + _TAGS
        + ["w[-2]|w[-1]", "w[1]|w[2]"]
        + _WORD_TAG
        + ["suf1[0]", "suf2[0]", "suf3[0]", "suf4[0]", "pre2[0]", "pre3[0]"]
        + ["shape[-1]", "shape[0]", "shape[1]"]
        + ["shape[-1]|shape[0]", "shape[0]|shape[1]"]
    )
    if check_flag("second_pass", second_pass):
        observations += _second_pass("chunk")
    edge_templates = [f"edge:{name}" for name in SIX_UNIGRAMS] if edges else []
    return observations + edge_templates


@feature_set(default_latent=("w[-1]", "w[0]", "w[1]", "suf3[0]", "shape[0]"))
def tagging() -> list[str]:
    """A set for part-of-speech tagging of raw words, the best on UD English dev."""
    affixes = [f"{kind}{n}[0]" for kind in ("pre", "suf") for n in range(1, 6)]
    return (
        _window("w", -2, 2)
        + ["w[-1]|w[0]", "w[0]|w[1]", "w[-1]|w[1]"]
        + ["lower[-1]", "lower[0]", "lower[1]"]
        + affixes
        + ["suf3[-2]", "suf3[-1]", "suf3[1]", "suf3[2]", "suf2[-1]", "suf2[1]"]
        + ["suf3[-1]|suf3[0]", "suf3[0]|suf3[1]", "suf2[-1]|lower[0]"]
        + ["lower[0]|suf2[1]", "suf2[0]|shape[0]", "suf3[0]|shape[0]"]
        + ["shape[-1]", "shape[0]", "shape[1]", "orth[0]", "orth[-1]|orth[0]|orth[1]"]
    )


@feature_set(leave_out=LATENT)
def grammaticality(
    tags: bool = True,
) -> list[str]:
    """A set for latent chunkings (MV, 3.4): 1-, 2- and 3-grams of words, with `tags`
    also of tags, within two tokens. The value of w[-1] at the first word represents
    the bigram of a start label and the first label."""

    def around(name: str) -> list[str]:
        return _window(name, -2, 2) + _ngrams(name, 2, -1, 1) + _ngrams(name, 3, -2, 2)

    return around("w") + (around("t") if tags else [])


_CLUSTERS_OF_ERRORS = _ngrams("cl", 2, -2, 2) + _ngrams("cl", 3, -2, 2)
_CLUSTERS_OF_ERRORS += ["lower[0]|cl[-1]", "lower[0]|cl[1]", "cl[-1]|lower[0]|cl[1]"]
_CLUSTERS_OF_ERRORS += ["lower[-1]|cl[0]", "lower[1]|cl[0]"]


@feature_set(
    default_latent=("w[0]", "suf3[0]"), with_clusters=tuple(_CLUSTERS_OF_ERRORS)
)
def errors(tags: bool = False) -> list[str]:
    """A set for error detection: the words around and their endings, and with `tags`
    n-grams of tags and of clusters, if these are a source. Add n-gram evidence as a
    source, which helps most: templates over pairs of words overfit to the training
    text."""
    observations = _window("lower", -1, 1) + ["suf2[0]", "suf3[0]"]
    observations += ["shape[-1]", "shape[0]"]
    if check_flag("tags", tags):
        observations += _window("t", -2, 2)
        observations += _ngrams("t", 2, -2, 2) + _ngrams("t", 3, -2, 2)
        observations += ["lower[0]|t[-1]", "lower[0]|t[1]", "t[-1]|lower[0]|t[1]"]
        observations += ["lower[-1]|t[0]", "lower[1]|t[0]"]
    return observations


_ENTITY_TAGS = _window("t", -2, 2) + ["t[-1]|t[0]", "t[0]|t[1]", "w[0]|t[0]"]
_ENTITY_TAGS += _ngrams("w", 2, -1, 1)
_ENTITY_LATENT = ("w[-1]", "w[0]", "w[1]", "shape[0]")


# Beside clusters these add nothing.
_NGRAMS = ("ng3[0]", "ng4[0]")


@feature_set(default_latent=_ENTITY_LATENT, without_clusters=_NGRAMS)
def ner(
    tags: bool = False,
    second_pass: bool = False,
) -> list[str]:
    """A set for named entities: words and their spelling, without clusters also n-grams
    of characters, with `tags` also tags and pairs of words, with `second_pass` also the
    entities that a first recogniser wrote to doc.ents."""
    affixes = [f"{kind}{n}[0]" for kind in ("pre", "suf") for n in range(1, 6)]
    observations = (
        _window("w", -2, 2)
        + _window("lower", -1, 1)
        + affixes
        + _window("shape", -2, 2)
        + _ngrams("shape", 2, -1, 1)
        + ["shape[-1]|shape[0]|shape[1]"]
        + ["w[-2]|shape[-1]|shape[0]", "shape[0]|shape[1]|w[2]"]
        + ["w[-1]|shape[0]|shape[1]", "shape[-1]|shape[0]|w[1]"]
        + _window("orth", -1, 1)
        + ["orth[-1]|orth[0]", "orth[0]|orth[1]"]
    )
    if tags:
        observations += _ENTITY_TAGS
    if check_flag("second_pass", second_pass):
        observations += _second_pass("ent")
    return observations
