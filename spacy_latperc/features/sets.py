"""Named sets of templates: registered functions, each a block of the config.

All of them take `sources`, the sources of attributes (sources.py), by name. With
`source_templates` the templates that pay for these are added to the set.

The keys of papers are those of learners/__init__.py.
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

# Latent rows pay on few templates where the set is rich.
SIX_UNIGRAMS = ("w[-1]", "w[0]", "w[1]", "t[-1]", "t[0]", "t[1]")
LATENT_FORMS = ("tied", "full")


@dataclass(frozen=True)
class FeatureSet:
    """Templates, the cut-off, and which templates have rows of their latent states.

    Attributes:
        templates: The list of templates.
        min_count: Features seen less often in training get no weights.
        latent_form: "full" is that of LVP (every template is kept per latent state);
            "tied" shares a label row for every template and adds latent rows on
            `latent_templates` (none named: on all).
        latent_templates: The templates that have rows of latent states.
        sources: Blocks that give attributes, each under a name of your own: clusters,
            vectors, gazetteers, patterns, functions.
    """

    templates: tuple[Template, ...]
    min_count: int = 1
    latent_form: str = "tied"
    latent_templates: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)

    def blank(self) -> "FeatureSet":
        """The same, with sources that know nothing."""
        if not self.sources:
            return self
        fresh = {name: source.blank() for name, source in self.sources.items()}
        return replace(self, sources=fresh)

    def without(self, names: Collection[str]) -> "FeatureSet":
        """The same without these sources and the templates that read them."""
        if not names:
            return self
        left = [x for x in self.templates if not sources_of(x).intersection(names)]
        if not left:
            raise ValueError(Errors.LP715.format(names=", ".join(sorted(names))))
        texts = {str(template) for template in left}
        return replace(
            self,
            templates=tuple(left),
            latent_templates=tuple(x for x in self.latent_templates if x in texts),
            sources={k: v for k, v in self.sources.items() if k not in names},
        )

    def of_kind(self, kind: str) -> list[Template]:
        """The templates of a kind ("state", "edge" or "tri")."""
        return [template for template in self.templates if template.kind == kind]


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
) -> FeatureSet:
    """Check and parse what a config gave.

    Args:
        templates: As text.
        min_count: See FeatureSet.
        latent_form: See FeatureSet.
        latent_templates: See FeatureSet.
        default_latent: What latent_templates is where it is not given.
        sources: Blocks that turn knowledge from outside, such as word clusters, into
            attributes, each under a name of its own.
        source_templates: Add the templates that usually pay for these sources.
        with_clusters: Those that also pay in this set for each source of clusters,
            which are written `cl` there.
    """
    known = check_sources(sources)
    check_flag("source_templates", source_templates)
    check_count("min_count", min_count, advice="1 keeps every feature.")
    check_choice("latent_form", latent_form, LATENT_FORMS)
    for name, texts in (
        ("templates", templates),
        ("latent_templates", latent_templates or ()),
    ):
        check_strings(name, texts)
    parsed = parse_templates(templates, known)
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
    return FeatureSet(tuple(parsed), min_count, latent_form, tuple(latent), known)


def with_history(
    observations: Sequence[str], *, edges: bool = False, tri: bool = False
) -> list[str]:
    """The same observations conjoined with longer label histories.

    Args:
        observations: Templates that see the current label.
        edges: Each of them also with the label before.
        tri: Each of them also with the two labels before.
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
    """What a second pass reads of a first one: the labels around, and those that the
    same words got elsewhere in the document."""
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
    """The names, types and defaults of what all sets take: see make_set."""


LATENT = ("latent_form", "latent_templates")


def feature_set(
    *,
    default_latent: Sequence[str] = (),
    with_clusters: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    **defaults: Any,
) -> Callable[[Callable[..., list[str]]], Callable[..., FeatureSet]]:
    """Make a set of templates, as it is registered, of a function from its own settings
    to templates. The settings that sets share are added and checked here.

    Args:
        default_latent: What latent_templates is where it is not given.
        with_clusters: See make_set.
        leave_out: Shared settings that the set does not take.
        defaults: Those of shared settings, where they are other than usual.
    """
    shared = parameters_of(_shared, leave_out=leave_out, **defaults)

    def finish(templates: list[str], values: dict[str, Any]) -> FeatureSet:
        return make_set(
            templates,
            default_latent=default_latent,
            with_clusters=with_clusters,
            **values,
        )

    return lambda templates: with_shared(templates, shared, finish, FeatureSet)


@feature_set(source_templates=False)
def custom_templates(templates: list[str]) -> list[str]:
    """Your own templates."""
    return templates


@feature_set()
def base_chunking(
    edges: bool = False,
) -> list[str]:
    """Nineteen templates over words and tags, window of two: the common baseline."""
    return with_history(_WORDS + _TAGS, edges=edges)


@feature_set(default_latent=SIX_UNIGRAMS, with_clusters=_CLUSTER_PAIRS)
def rich_chunking(
    edges: bool = False,
    second_pass: bool = False,
) -> list[str]:
    """The nineteen plus outer word bigrams, word-tag pairs, affixes and shapes. With
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


@feature_set(latent_form="full")
def np_chunking(
    edges: bool = True,
    tri: bool = False,
) -> list[str]:
    """Table 3 of LVP: 17 observations.

    With h_i, h_{i-1}h_i and, with `tri`, h_{i-2}h_{i-1}h_i. (The table leaves out t[-2]
    and t[2].)
    """
    tags = _window("t", -1, 1) + _ngrams("t", 2, -2, 2) + _ngrams("t", 3, -2, 2)
    return with_history(_WORDS + tags, edges=edges, tri=tri)


@feature_set(min_count=2, latent_form="full")
def bio_ner(
    edges: bool = True,
    tri: bool = False,
) -> list[str]:
    """Table 1 of LVP (bio-entities): words, tags, orthography classes."""
    return with_history(_WORDS + _TAGS + _ORTHS, edges=edges, tri=tri)


@feature_set()
def slides_pos() -> list[str]:
    """The tagging features of SL: words around, spelling of the word."""
    affixes = [f"{kind}{n}[0]" for kind in ("pre", "suf") for n in range(1, 5)]
    return _window("w", -2, 2) + affixes + ["orth[0]"]


@feature_set()
def slides_chunking() -> list[str]:
    """The NP-chunking table of SL (after Sha and Pereira)."""
    return _window("w", -2, 2) + _ngrams("w", 2, -2, 2) + _TAGS


@feature_set(leave_out=(*LATENT, "sources", "source_templates"))
def hidden_markov() -> list[str]:
    """What a hidden Markov model sees: the word, with something for words that were
    never seen, and whether it is the first (is_space[-1] sees nothing there)."""
    return ["bias", "w[0]", "is_space[-1]"]


@feature_set(default_latent=("w[-1]", "w[0]", "w[1]", "suf3[0]", "shape[0]"))
def tagging() -> list[str]:
    """Part-of-speech tagging from raw words: the best set on UD English dev."""
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
    """For latent chunkings (MV, 3.4): 1-, 2- and 3-grams within two tokens. With `tags`
    of words and of tags, else of words. What w[-1] sees before the first word stands
    for the bigram of a start label and the first one."""

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
    """Tokens that are wrong: the words around and their endings. Give them n-gram
    evidence as a source, which tells most: pairs of words as templates only learn the
    training text by heart. With `tags` also n-grams of tags, and of clusters, if these
    are a source."""
    observations = _window("lower", -1, 1) + ["suf2[0]", "suf3[0]"]
    observations += ["shape[-1]", "shape[0]"]
    if check_flag("tags", tags):
        observations += _window("t", -2, 2)
        observations += _ngrams("t", 2, -2, 2) + _ngrams("t", 3, -2, 2)
        observations += ["lower[0]|t[-1]", "lower[0]|t[1]", "t[-1]|lower[0]|t[1]"]
        observations += ["lower[-1]|t[0]", "lower[1]|t[0]"]
    return observations


_ENTITY_TAGS = _window("t", -1, 1) + ["t[-1]|t[0]", "t[0]|t[1]", "w[0]|t[0]"]
_ENTITY_LATENT = ("w[-1]", "w[0]", "w[1]", "shape[0]")


@feature_set(default_latent=_ENTITY_LATENT)
def ner(
    tags: bool = False,
    second_pass: bool = False,
) -> list[str]:
    """Named entities from words and their spelling. With `tags` also from tags, with
    `second_pass` also from the entities that a first recogniser wrote to doc.ents."""
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
