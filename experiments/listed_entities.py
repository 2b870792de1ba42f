"""Raw text with entities from lists of names: the names of a labelled corpus.

    python -m experiments.listed_entities conll2002/esp.train.gz word,-,ent \
        lm_text/domain_b.txt.gz OUTPUT

The type of a name is its most frequent one; names have a capital letter or a digit. The
longest name that begins at a word is an entity. Such labels are as noisy as those of a
user's own lists.
"""

import gzip
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

import spacy
from spacy.training import Example

from spacy_latperc.data.corpus import column_corpus
from tools.corpora.locate import required_file

Name = tuple[str, ...]
MOST_WORDS = 6  # of a name
SENTENCES = 8000
MARK = "###MEDLINE:"


def names_of(examples: Iterable[Example]) -> dict[Name, str]:
    """The names of a corpus, with their types."""
    found: dict[Name, Counter[str]] = {}
    for example in examples:
        for ent in example.reference.ents:
            name = tuple(token.text for token in ent)
            if any(c.isupper() or c.isdigit() for c in ent.text):
                found.setdefault(name, Counter())[ent.label_] += 1
    return {name: types.most_common(1)[0][0] for name, types in found.items()}


def label(words: Sequence[str], names: Mapping[Name, str]) -> list[str]:
    """Label the longest names in a sentence, from left to right, in IOB2."""
    labels = ["O"] * len(words)
    at = 0
    while at < len(words):
        sizes = range(min(MOST_WORDS, len(words) - at), 0, -1)
        size = next((n for n in sizes if tuple(words[at : at + n]) in names), 0)
        if size:
            kind = names[tuple(words[at : at + size])]
            labels[at : at + size] = [f"B-{kind}"] + [f"I-{kind}"] * (size - 1)
        at += max(size, 1)
    return labels


def write(corpus: Path, columns: str, text: Path, output: Path) -> None:
    """Write sentences of a text with at least four words, labelled by the names of a
    corpus."""
    nlp = spacy.blank("xx")
    names = names_of(column_corpus(corpus, columns, repair=True, doc_mark=MARK)(nlp))
    with gzip.open(text, "rt", encoding="utf-8") as lines:
        sentences = (line.split() for line in lines)
        chosen = list(islice((x for x in sentences if len(x) > 3), SENTENCES))
    with output.open("w", encoding="utf-8") as file:
        for words in chosen:
            pairs = zip(words, label(words, names), strict=True)
            file.write("".join(f"{word}\t{tag}\n" for word, tag in pairs) + "\n")


if __name__ == "__main__":
    labelled, names, raw, written = sys.argv[1:]
    write(required_file(labelled), names, required_file(raw), Path(written))
