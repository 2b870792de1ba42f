"""The meta data of a pipeline, from which `spacy package` writes the card (README) of a
package."""

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.util import get_minor_version_range

from ..errors import Errors

PACKAGE = "spacy-latperc"
_TASKS = {
    "latperc_tagger": "tags tokens",
    "latperc_chunker": "finds chunks",
    "latperc_ner": "finds entities",
    "latperc_grammaticality": "tells grammatical sentences from others",
}


def make_card(
    description: str = "",
    license: str = "",
    author: str = "",
    email: str = "",
    url: str = "",
    notes: str = "",
    sources: list[Any] = [],  # noqa: B006
) -> Callable[[Language], Language]:
    """Registered as spacy_latperc.Card.v1, for [initialize] after_init: the description
    of the pipeline in meta.json and in the card of its package.

    Args:
        description: The purpose of the pipeline; its components, if empty.
        license: The license of the pipeline.
        author: The name of the author.
        email: The email address of the author.
        url: The web page of the pipeline.
        notes: The end of the card, in Markdown.
        sources: The training data: names, or blocks with name, url, author and license;
            the name of the training file, if empty.
    """
    given = {
        "description": description,
        "license": license,
        "author": author,
        "email": email,
        "url": url,
        "notes": notes,
        "sources": [_read_source(source) for source in sources],
    }

    def after_init(nlp: Language) -> Language:
        nlp.meta.update({key: value for key, value in given.items() if value})
        complete_card(nlp)
        return nlp

    return after_init


def _read_source(source: Any) -> dict[str, str]:
    if isinstance(source, str):
        return {"name": source}
    if not isinstance(source, dict) or not source.get("name"):
        raise ValueError(Errors.LP569.format(source=source))
    return source


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
    needed = f"{PACKAGE}{get_minor_version_range(version(PACKAGE))}"
    requirements = [x for x in meta.get("requirements", []) if not _is_ours(x)]
    meta["requirements"] = [*requirements, needed]


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
    learner = block.get("model", {}).get("learner", {}).get("@misc", "")
    name = learner.removeprefix("spacy_latperc.").rpartition(".")[0]
    return f" ({name})" if name else ""
