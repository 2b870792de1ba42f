"""Two domains in sequence: what is forgotten, and what keeps it.

    python -m experiments.two_domains

A tagger learns web text (UD EWT, five passes), is saved, loaded, and goes on with 500
abstract sentences of biology (GENIA, three passes); the tags are those of the Penn
Treebank in both. Accuracy on EWT dev and on 500 other sentences of GENIA.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from wasabi import msg

from spacy_latperc.data.corpus import column_corpus
from tools.corpora.locate import required_folder

NAME = "tagger"
BATCH = 32
RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("nothing", {}),
    ("pull = 10", {"pull": 10.0}),
    ("pull = 100", {"pull": 100.0}),
    ("pull = 1000", {"pull": 1000.0}),
    ("rehearsal", {"rehearse": True}),
    ("ten sentences, one pass", {"sentences": 10, "passes": 1}),
)


WEB = ("ud_ewt/train.tsv.gz", "ud_ewt/dev.tsv")
GENIA = "jnlpba/train.pos.iob2.gz"


def main() -> None:
    folder = required_folder(*WEB, GENIA)
    nlp = spacy.blank("en")
    nlp.add_pipe("latperc_tagger", name=NAME)
    web, web_dev = (_ewt(folder / x) for x in WEB)
    genia = _genia(folder / GENIA)
    bio, bio_dev = genia[:500], genia[-500:]
    nlp.initialize(lambda: _examples(nlp, [*web, *bio]))
    shuffler = random.Random(1)
    for _ in range(5):
        for batch in _batches(web, shuffler):
            nlp.update(list(_examples(nlp, batch)))
    rows = [("before", *(f"{_accuracy(nlp, x):.2f}" for x in (web_dev, bio_dev)))]
    with TemporaryDirectory() as saved:
        nlp.to_disk(saved)
        for name, settings in RUNS:
            later = go_on(Path(saved), web, bio, **settings)
            scores = (_accuracy(later, x) for x in (web_dev, bio_dev))
            rows.append((name, *(f"{score:.2f}" for score in scores)))
    header = ("Against forgetting", "EWT dev", "GENIA")
    msg.table(rows, header=header, divider=True, aligns=("l", "r", "r"))


def go_on(
    saved: Path,
    old: list[Doc],
    new: list[Doc],
    *,
    pull: float = 0.0,
    rehearse: bool = False,
    passes: int = 3,
    sentences: int = 500,
) -> Language:
    """Load, and learn the new domain; with rehearsal a batch of old texts, without
    their tags, goes with every batch."""
    learner = {"pull": pull}
    config = {"components": {NAME: {"model": {"learner": learner}}}}
    nlp = spacy.load(saved, config=config)
    nlp.resume_training()
    shuffler = random.Random(2)
    for _ in range(passes):
        for batch in _batches(new[:sentences], shuffler):
            nlp.update(list(_examples(nlp, batch)))
            if rehearse:
                texts = [_words(nlp, doc) for doc in shuffler.sample(old, BATCH)]
                nlp.rehearse([Example(doc, doc.copy()) for doc in texts])
    return nlp


def _ewt(path: Path) -> list[Doc]:
    columns = ["id", "word", "pos", "tag"]
    return _read(path, columns, separator="\t", doc_mark="# newdoc", comment="#")


def _genia(path: Path) -> list[Doc]:
    return _read(path, ["word", "tag", "-"], doc_mark="###", limit=4000)


def _read(path: Path, columns: list[str], **settings: Any) -> list[Doc]:
    reader = column_corpus(path, columns, **settings)
    docs = (example.reference for example in reader(spacy.blank("en")))
    return [doc for doc in docs if len(doc)]


def _batches(docs: list[Doc], shuffler: random.Random) -> Iterator[list[Doc]]:
    docs = list(docs)
    shuffler.shuffle(docs)
    for first in range(0, len(docs), BATCH):
        yield docs[first : first + BATCH]


def _examples(nlp: Language, docs: list[Doc]) -> Iterator[Example]:
    for doc in docs:
        yield Example(_words(nlp, doc), doc)


def _words(nlp: Language, doc: Doc) -> Doc:
    return Doc(nlp.vocab, words=[token.text for token in doc])


def _accuracy(nlp: Language, gold: list[Doc]) -> float:
    found = nlp.pipe(_words(nlp, doc) for doc in gold)
    right = [
        x.tag_ == y.tag_
        for doc, other in zip(found, gold, strict=True)
        for x, y in zip(doc, other, strict=True)
    ]
    return 100 * sum(right) / len(right)


if __name__ == "__main__":
    main()
