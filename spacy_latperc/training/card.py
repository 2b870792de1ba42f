"""The meta data of a pipeline, from which `spacy package` writes the card (README) of a
package."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.util import get_minor_version_range

PACKAGE = "spacy-latperc"
_TASKS = {
    "latperc_tagger": "tags tokens",
    "latperc_chunker": "finds chunks",
    "latperc_ner": "finds entities",
    "latperc_grammaticality": "tells grammatical sentences from others",
}


def complete_card(nlp: Language) -> None:
    """Fill in missing meta data: description, sources, requirements.

    Args:
        nlp: A pipeline, with the config of its training.
    """
    meta = nlp.meta
    if not meta.get("description"):
        meta["description"] = _description(nlp)
    if not meta.get("sources"):
        path = nlp.config.get("paths", {}).get("train")
        # A full path means nothing to others.
        meta["sources"] = [{"name": Path(path).name}] if path else []
    needed = [f"{PACKAGE}{get_minor_version_range(version(PACKAGE))}"]
    if "spacy_latperc.Encoder.v1" in str(nlp.config["components"]):
        needed += ["onnxruntime", "tokenizers"]
    others = {x for x in meta.get("requirements", []) if not _is_ours(x)}
    meta["requirements"] = sorted(others.union(needed))


def _is_ours(requirement: str) -> bool:
    return requirement.replace("_", "-").startswith(PACKAGE)


def _description(nlp: Language) -> str:
    parts = []
    for name in nlp.pipe_names:
        factory = nlp.get_pipe_meta(name).factory
        if factory in _TASKS:
            learner = _learner(nlp.config["components"][name])
            parts.append(f"`{name}` {_TASKS[factory]}{learner}")
    return f"{'; '.join(parts)}." if parts else ""


def _learner(block: dict[str, Any]) -> str:
    """Describe the learner of a component."""
    learner = block.get("model", {}).get("learner") or {}
    name = learner.get("@misc", "").removeprefix("spacy_latperc.").rpartition(".")[0]
    return f" ({name})" if name else ""
