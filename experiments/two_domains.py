"""Two domains in sequence: what is forgotten, and what prevents it.

    python -m experiments.two_domains

A tagger learns web text (UD EWT, five passes), is saved, loaded, and goes on with 500
abstract sentences of biology (GENIA, three passes); the tags are those of the Penn
Treebank in both. Accuracy on EWT dev and on 500 other sentences of GENIA.
"""

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from spacy_latperc.data.corpus import column_corpus
from tools.corpora.locate import required_folder

from .training import BATCH, show

NAME = "tagger"
RUNS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "C = 0.001": {"C": 0.001},
    "C = 0.0003": {"C": 0.0003},
    "rehearsal": {"rehearsed": 1},
    "rehearsal, two batches": {"rehearsed": 2},
    "ten sentences, one pass": {"sentences": 10, "passes": 1},
}
WEB = ("ud_ewt/train.tsv.gz", "ud_ewt/dev.tsv")
GENIA = "jnlpba/train.pos.iob2.gz"


def main() -> None:
    folder = required_folder(*WEB, GENIA)
    nlp = spacy.blank("en")
    nlp.add_pipe("latperc_tagger", name=NAME)
    columns = ["id", "word", "pos", "tag"]
    marks = {"separator": "\t", "doc_mark": "# newdoc"}
    web, web_dev = (_read(folder / x, columns, **marks) for x in WEB)
    genia = _read(folder / GENIA, ["word", "tag", "-"], doc_mark="###", limit=4000)
    bio, bio_dev = genia[:500], genia[-500:]
    nlp.initialize(lambda: [_example(nlp, doc) for doc in [*web, *bio]])
    _update(nlp, web, random.Random(1), passes=5)

    def row(name: str, nlp: Language) -> tuple[str, ...]:
        parts = ([_example(nlp, doc) for doc in part] for part in (web_dev, bio_dev))
        return name, *(f"{100 * nlp.evaluate(x)['tag_acc']:.2f}" for x in parts)

    rows = [row("before", nlp)]
    with TemporaryDirectory() as saved:
        nlp.to_disk(saved)
        for name, settings in RUNS.items():
            rows.append(row(name, go_on(Path(saved), web, bio, **settings)))
    show(("Against forgetting", "EWT dev", "GENIA"), rows)


def go_on(
    saved: Path,
    old: list[Doc],
    new: list[Doc],
    *,
    C: float = 0.01,
    rehearsed: int = 0,
    passes: int = 3,
    sentences: int = 500,
) -> Language:
    """Load, and learn the new domain; with rehearsal some batches of old texts, without
    their tags, go with every batch."""
    config = {"components": {NAME: {"model": {"learner": {"C": C}}}}}
    nlp = spacy.load(saved, config=config)
    nlp.resume_training()
    shuffler = random.Random(2)
    _update(nlp, new[:sentences], shuffler, passes=passes, old=old, rehearsed=rehearsed)
    return nlp


def _update(
    nlp: Language,
    docs: list[Doc],
    shuffler: random.Random,
    *,
    passes: int,
    old: list[Doc] | None = None,
    rehearsed: int = 0,
) -> None:
    for _ in range(passes):
        order = list(docs)
        shuffler.shuffle(order)
        for batch in minibatch(order, BATCH):
            nlp.update([_example(nlp, doc) for doc in batch])
            for _ in range(rehearsed):
                texts = [_words(nlp, doc) for doc in shuffler.sample(old or [], BATCH)]
                nlp.rehearse([Example(doc, doc.copy()) for doc in texts])


def _read(path: Path, columns: list[str], **settings: Any) -> list[Doc]:
    reader = column_corpus(path, columns, **settings)
    docs = (example.reference for example in reader(spacy.blank("en")))
    return [doc for doc in docs if len(doc)]


def _example(nlp: Language, doc: Doc) -> Example:
    return Example(_words(nlp, doc), doc)


def _words(nlp: Language, doc: Doc) -> Doc:
    return Doc(nlp.vocab, words=[token.text for token in doc])


if __name__ == "__main__":
    main()
