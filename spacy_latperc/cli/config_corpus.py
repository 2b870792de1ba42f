"""Which corpus block of a config, and what changes in it for another file."""

from collections.abc import Sequence
from typing import Any

from thinc.api import Config

from ..errors import Errors

COLUMNS = "spacy_latperc.ColumnCorpus.v1"
DOCBIN = "spacy_latperc.DocBinCorpus.v1"
DOCBIN_READERS = (DOCBIN, "spacy.Corpus.v1")
SECTION = "corpora."

# They choose a part of the file that they were written for, not of another one.
_PARTIAL = ("part", "every", "limit")

Block = dict[str, Any]


def corpus_block(
    config: Config,
    corpus: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
) -> Block:
    """The reader block for a corpus of a config, or for another file.

    corpus: A name such as "corpora.test", or the path of a file or folder, which is
        then read as the development corpus is; that corpus by default.
    columns: Read the file as columns, called so.
    inputs: What is also put on the predicted Docs, in place of what the block says.
    """
    training = config.get("training", {})
    name = training.get("dev_corpus", f"{SECTION}dev")
    if corpus and corpus.startswith(SECTION):
        block = _named(config, corpus)
    elif corpus:
        block = _for_path(_named(config, name), corpus, columns=bool(columns))
    else:
        block = _named(config, name)
    if columns:
        block = {**_if_reader(block, COLUMNS), "columns": list(columns)}
    if inputs is not None:
        if block["@readers"] == "spacy.Corpus.v1":
            block = {"@readers": DOCBIN, "path": block["path"]}
        block = {**block, "inputs": list(inputs)}
    return block


def _named(config: Config, name: str) -> Block:
    corpora = config.get("corpora", {})
    key = name.removeprefix(SECTION)
    if key not in corpora:
        known = ", ".join(f"{SECTION}{key}" for key in corpora) or "none"
        raise ValueError(Errors.LP320.format(name=name, known=known))
    return dict(corpora[key])


def _for_path(block: Block, path: str, *, columns: bool) -> Block:
    if "path" not in block:
        raise ValueError(Errors.LP321.format(reader=block.get("@readers"), path=path))
    docbin = path.endswith(".spacy")
    if docbin and columns:
        raise ValueError(Errors.LP323.format(path=path))
    if docbin and block["@readers"] == COLUMNS:
        return {"@readers": DOCBIN, "path": path, "inputs": _docbin_inputs(block)}
    if not docbin and not columns and _is_text(path, block):
        raise ValueError(Errors.LP322.format(path=path, reader=block["@readers"]))
    whole = {key: value for key, value in block.items() if key not in _PARTIAL}
    return {**whole, "path": path}


def _is_text(path: str, block: Block) -> bool:
    """A file (not a folder) that a reader of .spacy files would stumble over."""
    return block["@readers"] in DOCBIN_READERS and "." in path.rpartition("/")[2]


def _docbin_inputs(block: Block) -> list[str]:
    spans = f"spans:{block.get('chunk_key', 'chunks')}"
    return [spans if name == "chunk" else name for name in block.get("inputs", [])]


def _if_reader(block: Block, reader: str) -> Block:
    """The block when it is of this reader, else one with nothing but the path."""
    if block["@readers"] == reader:
        return block
    return {"@readers": reader, "path": block.get("path")}
