"""Knowledge for a plan: an encoder, and clusters of words."""

from collections.abc import Callable

from thinc.api import Config

from ..io.outputs import write_output
from ..knowledge.clustering import cluster_text
from ..knowledge.encoder.build_encoder import (
    INSTALL_WEIGHTS,
    WEIGHTS_PACKAGE,
    has_weights,
    make_encoder,
)
from ..knowledge.encoder.open_encoder import INSTALL, EncoderFiles, open_encoder
from ..knowledge.lookups import CLUSTERS as LEXEMES
from ..knowledge.lookups import package_table
from .grids import System
from .make_config import LENGTHS, LOOKUPS_PACKAGE, Plan
from .systems import Task, run

CLUSTERS = "clusters.tsv"


def find_knowledge(plan: Plan) -> str:
    """Set the sources of knowledge of a plan, and describe them."""
    if plan.base is not None:
        return f"that of {plan.base}"
    if plan.purpose == "speed" and plan.raw is None:
        return "none, for speed"
    found = []
    if plan.encoder is None and plan.purpose == "accuracy" and has_weights(plan.lang):
        plan.encoder = plan.output / "encoder"
        make_encoder(WEIGHTS_PACKAGE, plan.encoder)
    if plan.encoder is not None:
        found.append(f"the encoder {plan.encoder}")
    # Clusters of words add nothing to vectors of words in context.
    if plan.purpose != "speed" and plan.encoder is None:
        plan.lookups = len(package_table(LEXEMES, plan.lang)[0]) > 0
    if plan.lookups:
        found.append(f"clusters of {LOOKUPS_PACKAGE}")
    if plan.raw is not None:
        clusters = cluster_text(plan.raw, plan.lang)
        plan.clusters = plan.output / CLUSTERS
        write_output(plan.clusters, clusters.to_bytes())
        found.append(f"clusters of {len(clusters.words):,} words of {plan.raw.name}")
    known = ", ".join(found) or "none"
    if plan.lang == "en" and plan.purpose == "accuracy" and plan.encoder is None:
        return f"{known}; `{INSTALL}` and `{INSTALL_WEIGHTS}` add an encoder"
    if found:
        return known
    if plan.lang in ("en", "de", "es"):
        return f"none; `pip install {LOOKUPS_PACKAGE}` adds clusters of words"
    return "none; --raw TEXT makes clusters of words from text like yours"


def choose_length(plan: Plan, make: Callable[[], Config]) -> str:
    """Set the length of an encoder's vectors to the best one on the development data,
    and describe it."""
    assert plan.encoder is not None
    plan.opened = open_encoder(EncoderFiles.read(plan.encoder), str(plan.encoder))
    found = {}
    for plan.length in LENGTHS:
        result = run(Task(System("", make().to_str()), plan.seed))
        found[plan.length] = 100 * result.scores[result.score]
    plan.length = max(found, key=lambda length: found[length])
    tried = ", ".join(f"{score:.2f} with {k:g}" for k, score in found.items())
    return f"of length {plan.length:g}, chosen on the development data (F: {tried})"
