"""The corpora that a config describes, and other files read in the same way."""

from collections.abc import Iterable
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


def corpus_block(config: Config, corpus: str | None = None) -> Block:
    """The reader block for a corpus of a config, or for another file.

    Args:
        config: The config of a pipeline.
        corpus: A name such as "corpora.test", or the path of a file or folder, which is
            read like the development corpus. By default that corpus.
    """
    dev = config.get("training", {}).get("dev_corpus", f"{SECTION}dev")
    if corpus and not corpus.startswith(SECTION):
        return block_for_path(named_block(config, dev), corpus)
    return named_block(config, corpus or dev)


def named_block(config: Config, name: str) -> Block:
    """The reader block [corpora.<name>], by its name with or without the section."""
    corpora = config.get("corpora", {})
    key = name.removeprefix(SECTION)
    if key not in corpora:
        known = ", ".join(f"{SECTION}{key}" for key in corpora) or "none"
        raise ValueError(Errors.LP320.format(name=f"{SECTION}{key}", known=known))
    return dict(corpora[key])


def block_for_path(block: Block, path: str) -> Block:
    """The block that reads the whole of another file or folder in the same way.

    A .spacy, .jsonl or .conllu file may stand for a column file.
    """
    docbin = path.endswith(".spacy")
    if "path" not in block:
        raise ValueError(Errors.LP321.format(reader=block["@readers"], path=path))
    if docbin and block["@readers"] in (COLUMNS, CONLLU, JSONL):
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


def _docbin_inputs(block: Block) -> list[str]:
    spans = f"spans:{block.get('chunk_key', 'chunks')}"
    return [spans if name == "chunk" else name for name in block.get("inputs", [])]
