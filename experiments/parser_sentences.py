"""Who finds the bounds of sentences: the file, full stops, or the parser itself?

    python -m experiments.parser_sentences --data ud_trees/en_ewt

A parser learns from whole documents, in which nobody has said where sentences begin;
words and tags are given. It then parses documents of the development part: with the
bounds of the file, with those that spaCy's sentencizer finds by full stops, and with
none. The scores are those of the CoNLL 2018 shared task.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from wasabi import msg

from spacy_latperc.data.corpus import conllu_corpus
from spacy_latperc.parser.scores import parser_score
from tools.corpora.locate import required_folder
from tools.sample import write_sample

BATCH = 8
SCORES = ("dep_uas", "dep_las", "dep_clas", "sents_p", "sents_r", "sents_f")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Bounds of sentences")
    parser.add_argument("--data", default="sample", help="or ud_trees/en_ewt")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--limit", type=int, default=0, help="Documents to learn from")
    parser.add_argument("--scratch", type=Path, help="Folder for the sample")
    parser.add_argument("--json", type=Path, help="File for the figures")
    options = parser.parse_args(arguments)
    nlp = spacy.blank("en")
    train, dev = (
        read(options.data, part, nlp, options.scratch) for part in ("train", "dev")
    )
    train = train[: options.limit or None]
    bare = [Example(copy(x.predicted), x.reference) for x in train]
    learn(nlp, bare, options.passes)
    figures = {}
    sentencizer = nlp.create_pipe("sentencizer")
    for name in ("of the file", "by full stops", "by the parser"):
        examples = []
        for example in dev:
            doc = copy(example.predicted, starts=name == "of the file")
            if name == "by full stops":
                doc = sentencizer(doc)
            examples.append(Example(doc, example.reference))
        list(nlp.get_pipe("latperc_parser").pipe(x.predicted for x in examples))
        found = parser_score(examples)
        figures[name] = {score: 100 * found[score] for score in SCORES}
    rows = [
        (name, *(f"{score:.2f}" for score in scores.values()))
        for name, scores in figures.items()
    ]
    header = ("bounds", "UAS", "LAS", "CLAS", "sents P", "sents R", "sents F")
    msg.table(rows, header=header, divider=True, aligns=("l", *"rrrrrr"))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def read(name: str, part: str, nlp: Language, scratch: Path | None) -> list[Example]:
    """Documents with gold tags given."""
    if name == "sample":
        assert scratch is not None
        write_sample(scratch)
        path = scratch / f"{part}.conllu"
    else:
        file = f"{name}-{part}.conllu.gz"
        path = required_folder(file) / file
    return list(conllu_corpus(path, inputs=["tag"], docs="document")(nlp))


def copy(doc: Doc, *, starts: bool = False) -> Doc:
    """Words and tags of a Doc, and where sentences start if that is wanted."""
    return Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        tags=[token.tag_ for token in doc],
        sent_starts=[token.is_sent_start is True for token in doc] if starts else None,
    )


def learn(nlp: Language, examples: Sequence[Example], passes: int) -> None:
    """Train a parser with the default settings."""
    nlp.add_pipe("latperc_parser")
    nlp.initialize(lambda: examples)
    order = np.random.default_rng(0)
    for _ in range(passes):
        shuffled = order.permutation(len(examples))
        for at in range(0, len(shuffled), BATCH):
            nlp.update([examples[i] for i in shuffled[at : at + BATCH]])


if __name__ == "__main__":
    main()
