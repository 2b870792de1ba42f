"""`python -m benchmarks.peers`: other packages on the same files.

CRFsuite has the features of its tutorials, widened to a window of two. NLTK's tagger is
as it comes, and spaCy's components have their default network.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import typer
from wasabi import msg

from spacy_latperc.schemes import read_spans, repair

from .tasks.evaluation import chunk_f1, tag_accuracy

app = typer.Typer(no_args_is_help=True, help=__doc__)
Sentence = dict[str, list[str]]

TRAIN = typer.Option(..., "--train", exists=True)
TEST = typer.Option(..., "--test", exists=True)
COLUMNS = typer.Option(..., "--columns", help="word, tag, chunk, ent, or - to skip")
COMMENT = typer.Option("", "--comment", help="Lines that start with it are skipped")
JSON = typer.Option(None, "--json", help="File for the figures")


@app.command()
def crfsuite(
    train: Path = TRAIN,
    test: Path = TEST,
    columns: str = COLUMNS,
    comment: str = COMMENT,
    algorithm: str = typer.Option("ap", help="ap, pa, lbfgs, l2sgd, arow"),
    output: Path | None = JSON,
) -> None:
    """CRFsuite, with its default parameters but for the algorithm."""
    import pycrfsuite

    names = columns.split(",")
    label = names[-1]
    start = process_time()
    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    for sentence in read(train, names, comment):
        trainer.append(window_features(sentence, label), sentence[label])
    file = Path(f"{output or test.name}.crfsuite")
    try:
        trainer.train(str(file))
        seconds = process_time() - start
        tagger = pycrfsuite.Tagger()
        tagger.open(str(file))
        sentences = list(read(test, names, comment))
        found = [tagger.tag(window_features(s, label)) for s in sentences]
    finally:
        file.unlink(missing_ok=True)
    report(sentences, found, label, seconds, output)


@app.command()
def nltk(
    train: Path = TRAIN,
    test: Path = TEST,
    columns: str = COLUMNS,
    comment: str = COMMENT,
    output: Path | None = JSON,
) -> None:
    """The averaged perceptron tagger of NLTK, 5 passes."""
    from .tasks.nltk_tagger import learn

    names = columns.split(",")
    start = process_time()
    pairs = ((s["word"], s["tag"]) for s in read(train, names, comment))
    tagger = learn(pairs, passes=5)
    seconds = process_time() - start
    sentences = list(read(test, names, comment))
    found = [[tag for _, tag in tagger.tag(s["word"])] for s in sentences]
    report(sentences, found, "tag", seconds, output)


@app.command()
def spacy(
    train: Path = TRAIN,
    test: Path = TEST,
    columns: str = COLUMNS,
    comment: str = COMMENT,
    lang: str = "en",
    epochs: int = 10,
    output: Path | None = JSON,
) -> None:
    """spaCy's own tagger or ner with its default network, on the CPU."""
    import spacy as package
    from spacy.tokens import Doc
    from spacy.training import Example
    from spacy.util import fix_random_seed

    from .tasks.spacy_own import learn

    fix_random_seed(0)
    names = columns.split(",")
    label = names[-1]
    nlp = package.blank(lang)
    nlp.add_pipe("ner" if label == "ent" else "tagger")

    def example(sentence: Sentence) -> Example:
        words = sentence["word"]
        if label == "ent":  # spaCy refuses the invalid label of esp.train
            entities, _ = repair(sentence["ent"], "IOB2")
            gold = Doc(nlp.vocab, words=words, ents=entities)
        else:
            gold = Doc(nlp.vocab, words=words, tags=sentence["tag"])
        return Example(Doc(nlp.vocab, words=words), gold)

    examples = [example(sentence) for sentence in read(train, names, comment)]
    start = process_time()
    learn(nlp, examples, epochs)
    seconds = process_time() - start
    sentences = list(read(test, names, comment))
    docs = nlp.pipe(Doc(nlp.vocab, words=s["word"]) for s in sentences)
    found = [[_iob(t) if label == "ent" else t.tag_ for t in doc] for doc in docs]
    report(sentences, found, label, seconds, output)


def _iob(token: Any) -> str:
    return f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else "O"


def read(path: Path, names: list[str], comment: str) -> Iterator[Sentence]:
    """The sentences of a column file, column by column."""
    opened = gzip.open if path.suffix == ".gz" else open
    rows: list[list[str]] = []
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in [*lines, ""]:
            cells = line.split()
            if comment and line.startswith(comment):
                continue
            if cells and not cells[0].startswith("-DOCSTART-"):
                if "id" not in names or cells[0].isdecimal():
                    rows.append(cells)
            elif rows:
                columns = zip(*(row[: len(names)] for row in rows), strict=True)
                yield {
                    name: list(column)
                    for name, column in zip(names, columns, strict=True)
                    if name != "-"
                }
                rows = []


def window_features(sentence: Sentence, label: str) -> list[list[str]]:
    """The features of the tutorials, widened: words and tags in a window of two and
    their pairs, affixes of up to four letters, and shapes."""
    words = sentence["word"]
    given = label != "tag" and "tag" in sentence
    tags = sentence["tag"] if given else None
    sides = range(-2, 3)
    items = []
    for i, word in enumerate(words):
        features = ["bias"]
        features += [f"p{n}={word[:n]}" for n in range(1, 5)]
        features += [f"s{n}={word[-n:]}" for n in range(1, 5)]
        for side in sides:
            other = _at(words, i + side)
            features += [f"w{side}={other}", f"l{side}={other.lower()}"]
            if abs(side) < 2:
                features.append(f"shape{side}={_shape(other)}")
        for rows, name in ((words, "w"), *(((tags, "t"),) if tags else ())):
            around = [_at(rows, i + side) for side in sides]
            features += [
                f"{name}{k}|{a}|{b}"
                for k, (a, b) in enumerate(zip(around, around[1:], strict=False))
            ]
        if tags:
            features += [f"t{side}={_at(tags, i + side)}" for side in sides]
        items.append(features)
    return items


def _at(rows: list[str], i: int) -> str:
    return rows[i] if 0 <= i < len(rows) else ("BOS" if i < 0 else "EOS")


def _shape(word: str) -> str:
    kinds = ("d" if c.isdigit() else "X" if c.isupper() else "x" for c in word)
    return "".join(kinds)[:6]


def report(
    sentences: list[Sentence],
    found: list[list[str]],
    label: str,
    seconds: float,
    output: Path | None,
) -> None:
    """Accuracy of tags, F of chunks and entities, and the seconds of training."""
    gold = [sentence[label] for sentence in sentences]
    if label == "tag":
        scores = {"acc": tag_accuracy(gold, found)}
    else:
        scores = {"f": chunk_f1(gold, [read_spans(labels) for labels in found])}
    for name, score in scores.items():
        msg.text(f"{name} {score:.2f}, training {seconds:.1f} s of CPU time")
    if output is not None:
        text = json.dumps({"scores": scores, "train_seconds": seconds}, indent=2)
        output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    app()
