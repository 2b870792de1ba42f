"""The corpora that a trained pipeline's own config describes."""

from collections.abc import Iterable
from pathlib import Path

from spacy.language import Language
from spacy.training import Example
from spacy.util import registry

from ..errors import Errors


def configured_examples(
    nlp: Language, name: str = "dev", *, path: Path | None = None
) -> Iterable[Example]:
    """Examples of [corpora.<name>] of the pipeline's config, from another file if one is
    given. The reader is the one of training, so input columns are there."""
    blocks = nlp.config.interpolate().get("corpora", {})
    if name not in blocks:
        raise ValueError(Errors.LP121.format(name=name, known=", ".join(blocks)))
    block = dict(blocks[name])
    if path is not None:
        block["path"] = str(path)
    corpus = registry.resolve({"corpus": block})["corpus"]
    return corpus(nlp)
