"""The corpora that a config describes, and other files read in the same way."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.training import Example
from spacy.util import registry
from thinc.api import Config

from ..errors import Errors
from ..io.jsonl import SUFFIXES
from .formats import CONLLU_SUFFIXES

COLUMNS = "spacy_latperc.ColumnCorpus.v1"
CONLLU = "spacy_latperc.ConlluCorpus.v1"
DOCBIN = "spacy_latperc.DocBinCorpus.v1"
JSONL = "spacy_latperc.JsonlCorpus.v1"
DOCBIN_READERS = (DOCBIN, "spacy.Corpus.v1")
SECTION = "corpora."

# These settings select a part of one file, and do not apply to another.
_PARTIAL = ("part", "limit")

Block = dict[str, Any]


def configured_examples(nlp: Language, corpus: str | None = None) -> Iterable[Example]:
    """Examples of a corpus of the pipeline's config, or of another file (see
    `corpus_block`). The reader is the one of training, so input columns are there."""
    return block_examples(nlp, corpus_block(nlp.config.interpolate(), corpus))


def block_examples(nlp: Language, block: Block) -> Iterable[Example]:
    """Examples of the corpus that a reader block describes."""
    return registry.resolve({"corpus": block})["corpus"](nlp)


def corpus_block(
    config: Config,
    corpus: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
) -> Block:
    """The reader block for a corpus of a config, or for another file.

    Args:
        config: The config of a pipeline.
        corpus: A name such as "corpora.test", or the path of a file or folder, which is
            read like the development corpus. By default that corpus.
        columns: The names of the columns, to read the file as a column file.
        inputs: Annotation to copy to the predicted Docs, replacing the block's inputs.
    """
    dev = config.get("training", {}).get("dev_corpus", f"{SECTION}dev")
    if corpus and not corpus.startswith(SECTION):
        block = block_for_path(named_block(config, dev), corpus, columns=columns)
    else:
        block = named_block(config, corpus or dev)
        if columns:
            block = {**_of_reader(block, COLUMNS), "columns": list(columns)}
    if inputs is not None:
        if block["@readers"] not in (COLUMNS, CONLLU):
            block = _of_reader(block, DOCBIN)
        block = {**block, "inputs": list(inputs)}
    return block


def named_block(config: Config, name: str) -> Block:
    """The reader block [corpora.<name>], by its name with or without the section."""
    corpora = config.get("corpora", {})
    key = name.removeprefix(SECTION)
    if key not in corpora:
        known = ", ".join(f"{SECTION}{key}" for key in corpora) or "none"
        raise ValueError(Errors.LP320.format(name=f"{SECTION}{key}", known=known))
    return dict(corpora[key])


def block_for_path(
    block: Block, path: str, *, columns: Sequence[str] | None = None
) -> Block:
    """The block that reads the whole of another file or folder in the same way.

    A .spacy, .jsonl or .conllu file may stand for a column file and the other way
    round: for the latter the columns are needed.
    """
    docbin = path.endswith(".spacy")
    if docbin and columns:
        raise ValueError(Errors.LP323.format(path=path))
    if columns:
        block = {**_of_reader(block, COLUMNS), "columns": list(columns)}
    elif "path" not in block:
        raise ValueError(Errors.LP321.format(reader=block["@readers"], path=path))
    elif docbin and block["@readers"] in (COLUMNS, CONLLU, JSONL):
        block = {"@readers": DOCBIN, "inputs": _docbin_inputs(block)}
    elif path.endswith(SUFFIXES) and block["@readers"] != JSONL:
        block = {"@readers": JSONL, "inputs": _docbin_inputs(block)}
    elif path.endswith(CONLLU_SUFFIXES) and not _reads_conllu(block):
        block = {"@readers": CONLLU, "inputs": block.get("inputs", [])}
    elif block["@readers"] in DOCBIN_READERS and not docbin and not Path(path).is_dir():
        raise ValueError(Errors.LP322.format(path=path, reader=block["@readers"]))
    whole = {key: value for key, value in block.items() if key not in _PARTIAL}
    return {**whole, "path": path}


def _reads_conllu(block: Block) -> bool:
    """True if the reader, or the columns in the config, are those of CoNLL-U."""
    named = str(block["path"]).endswith(CONLLU_SUFFIXES)
    return block["@readers"] == CONLLU or (block["@readers"] == COLUMNS and named)


def _of_reader(block: Block, reader: str) -> Block:
    """The block if it has this reader, else one with only the path."""
    if block["@readers"] == reader:
        return block
    return {"@readers": reader, "path": block.get("path")}


def _docbin_inputs(block: Block) -> list[str]:
    spans = f"spans:{block.get('chunk_key', 'chunks')}"
    return [spans if name == "chunk" else name for name in block.get("inputs", [])]
