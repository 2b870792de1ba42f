"""The real corpora: what they hold, licences, checksums, how they are made.

None of them comes with the package. SHA256SUMS beside this file is the one place of
their checksums, which are those of the contents: a file.gz may be packed in other ways.

Two experiments also read jnlpba/train.pos.iob2.gz, which has no public place: it lays
the tags of the GENIA POS corpus over the tokens of jnlpba/train.iob2.gz.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from . import build

SUMS = Path(__file__).with_name("SHA256SUMS")


@dataclass(frozen=True)
class Dataset:
    """A set of files below the data folder.

    Attributes:
        description: The contents.
        licence: The licence, in a few words.
        make: Makes the contents of the files, by name, from what `fetch` downloads;
            None for a set that can be had nowhere in this form.
        files: By name, the SHA-256 of what each file holds once unpacked.
    """

    description: str
    licence: str
    make: build.Make | None = None
    files: Mapping[str, str] = field(default_factory=dict)


def _read_sums() -> dict[str, dict[str, str]]:
    """By set and file: the sums, in the format of the command sha256sum."""
    sums: dict[str, dict[str, str]] = {}
    for line in SUMS.read_text(encoding="utf-8").splitlines():
        digest, path = line.split()
        name, _, file = path.partition("/")
        sums.setdefault(name, {})[file] = digest
    return sums


_TABLE: dict[str, tuple[str, str, build.Make | None]] = {
    "conll2000": (
        "Phrase chunks and automatic Penn tags, English news (CoNLL-2000 shared task)",
        "none stated; derived from the WSJ part of the Penn Treebank",
        build.conll2000,
    ),
    "ud_ewt": (
        "Universal and Penn tags, English web (Universal Dependencies, EWT)",
        "CC BY-SA 4.0",
        build.ud_ewt,
    ),
    "ud_trees": (
        "Dependency trees, English web and Afrikaans (Universal Dependencies)",
        "CC BY-SA 4.0",
        build.ud_trees,
    ),
    "wnut17": (
        "Emerging entities, English user-generated text (W-NUT 2017)",
        "CC BY 4.0",
        build.wnut17,
    ),
    "conll2002": (
        "Entities and automatic tags, Spanish and Dutch news (CoNLL-2002 shared task)",
        "for research in the context of the shared task only",
        build.conll2002,
    ),
    "jnlpba": (
        "Biomedical entities, MEDLINE abstracts (BioNLP/JNLPBA 2004)",
        "annotation CC BY 3.0 (GENIA project); abstracts under the PubMed terms",
        build.jnlpba,
    ),
    "lm_text": (
        "Plain sentences, English: speeches (domain a), news (domain b)",
        "domain a: CC0 1.0; domain b: research use only",
        build.lm_text,
    ),
    "raw_text": (
        "Plain sentences, English: web, reviews, speeches, chat, plays; biomedical",
        "mixed, of many corpora: for measurements only",
        build.raw_text,
    ),
}
_SUMS = _read_sums()
DATASETS = {name: Dataset(*entry, _SUMS[name]) for name, entry in _TABLE.items()}
