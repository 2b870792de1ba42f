"""`python -m benchmarks.peers CONFIG`: other packages on the corpora of a config.

Ours and the others are trained by turns in one run, from the same sentences and with
the same number of passes. What a package does by default stands in a row of its own. A
prediction is written to a Doc and scored as ours is, whoever made it.

CRFsuite has the features of its tutorials, widened to a window of two. NLTK's tagger is
as it comes, and so are UDPipe's tagger and parser. spaCy's components have their
default network; its parser shares it with a tagger and a morphologizer, so that it
learns from the columns that ours learns from.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, median, stdev
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import spacy
from spacy.cli._util import parse_config_overrides
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import fix_random_seed, load_config
from thinc.api import Config
from wasabi import msg

from spacy_latperc.autofit.grids import with_seed
from spacy_latperc.data.configured import block_examples, configured_examples
from spacy_latperc.io.jsonl import write_json
from spacy_latperc.schemes import read_spans
from spacy_latperc.training.fit import fit, prepare_to_save

from .tasks.spacy_own import learn as learn_spacy

Predict = Callable[[Doc], None]
HEADER = ("", "Passes", "Score", "SD", "Seconds", "Times ours")
NLTK_PASSES = 5  # its default
UDPIPE_PASSES = 10  # that of its parser; its tagger has its own
CRFSUITE_PASSES = {"ap": 100, "pa": 100, "lbfgs": None}  # its defaults
CHUNKS = "chunks"
ROOT = "ROOT"  # the relation of roots in spaCy


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Other packages on the same corpora")
    parser.add_argument("config", type=Path, help="as for `spacy latperc fit`")
    parser.add_argument("--score", required=True, help="tag_acc, chunks_f, ents_f, ...")
    parser.add_argument(
        "--peers",
        default="",
        help="some of ap, pa, lbfgs, nltk, spacy, udpipe, with commas",
    )
    parser.add_argument(
        "--no-defaults", action="store_true", help="equal passes only: much faster"
    )
    parser.add_argument(
        "--on", default="", help="a file to score on in place of the development corpus"
    )
    parser.add_argument("--seeds", type=int, default=3, help="of ours")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options, rest = parser.parse_known_args(arguments)
    overrides = parse_config_overrides(rest)
    config = load_config(options.config, overrides=overrides, interpolate=False)
    figures = compare(
        config,
        [name for name in options.peers.split(",") if name],
        options.score,
        on=options.on,
        seeds=options.seeds,
        defaults=not options.no_defaults,
    )
    msg.table(
        [_cells(row, figures["rows"][0]["seconds"]) for row in figures["rows"]],
        header=HEADER,
        divider=True,
        aligns=("l", *"rrrrr"),
        max_col=60,
    )
    if options.json:
        write_json(options.json, figures)


def compare(
    config: Config,
    peers: list[str],
    score: str,
    *,
    on: str,
    seeds: int,
    defaults: bool,
) -> dict[str, Any]:
    """
    Train ours and the peers on the training corpus, and score them on the other one.

    Returns:
        "rows", of which the first is ours: name, passes, score, sd and seconds; and
        "scores", "seconds" and "runs" of ours, as `spacy latperc compare` gives them.
    """
    passes = config["training"]["max_epochs"]
    runs: list[dict[str, Any]] = []
    for seed in range(seeds):
        start = process_time()
        nlp = fit(with_seed(config, seed))
        if on:
            nlp = prepare_to_save(nlp)
        seconds = process_time() - start
        found = nlp.evaluate(list(configured_examples(nlp, on)))
        scores = {score: found[score]}
        runs.append({"seed": seed, "seconds": seconds, "scores": scores})
        msg.text(f"ours, seed {seed}: {100 * found[score]:.2f} ({seconds:.1f} s)")
    values = [100 * run["scores"][score] for run in runs]
    average, sd = mean(values), stdev(values) if len(values) > 1 else 0.0
    ours = {"name": "spacy_latperc", "passes": passes, "score": average, "sd": sd}
    rows = [{**ours, "seconds": median(run["seconds"] for run in runs)}]
    train = training_examples(nlp)
    for name, title, count in _chosen(peers, passes, defaults):
        learn = _learner(name, nlp, score)
        start = process_time()
        predict = learn(train, count)
        seconds = process_time() - start
        examples = list(configured_examples(nlp, on))
        for example in examples:
            example.predicted = example.predicted.copy()
            predict(example.predicted)
        value = 100 * nlp.get_pipe(nlp.pipe_names[-1]).score(examples)[score]
        msg.text(f"{title}: {value:.2f} ({seconds:.1f} s)")
        rows.append(
            {"name": title, "passes": count, "score": value, "seconds": seconds}
        )
    return {
        "rows": rows,
        "scores": {score: {"mean": average, "sd": sd}},
        "seconds": rows[0]["seconds"],
        "runs": runs,
    }


def training_examples(nlp: Language) -> list[Example]:
    """The training corpus of a pipeline, without what is jackknifed on top of it."""
    config = nlp.config.interpolate()
    block = config["corpora"][config["training"]["train_corpus"].partition(".")[2]]
    while isinstance(block.get("corpus"), dict):
        block = block["corpus"]
    return list(block_examples(nlp, block))


def _chosen(
    peers: list[str], passes: int, defaults: bool
) -> Iterator[tuple[str, str, int | None]]:
    """Each peer with as many passes as ours, then with its own default; L-BFGS only
    until it converges."""
    for name in peers:
        if name in CRFSUITE_PASSES:
            title, default = f"CRFsuite {name}", CRFSUITE_PASSES[name]
        elif name == "nltk":
            title, default = "NLTK", NLTK_PASSES
        elif name == "udpipe":
            title, default = "UDPipe 1", UDPIPE_PASSES
        elif name == "spacy":
            title, default = "spaCy", passes  # its own end goes by development data
        else:
            raise SystemExit(f"There is no peer called '{name}'.")
        if default is None:  # its iterations are no passes of an online learner
            yield name, title, default
            continue
        yield name, title, passes
        if defaults and default != passes:
            yield name, f"{title}, its default", default


def _cells(row: dict[str, Any], ours: float) -> tuple[str, ...]:
    return (
        row["name"],
        str(row["passes"] or "to convergence"),
        f"{row['score']:.2f}",
        f"{row['sd']:.2f}" if "sd" in row else "",
        f"{row['seconds']:.1f}",
        f"{row['seconds'] / ours:.1f}",
    )


def _learner(
    name: str, nlp: Language, score: str
) -> Callable[[list[Example], int | None], Predict]:
    if name == "spacy":
        return lambda train, passes: _spacy(train, passes or 0, nlp, score)
    if name in ("nltk", "udpipe"):
        return _nltk if name == "nltk" else _udpipe
    return lambda train, passes: _crfsuite(train, passes, name, score)


# CRFsuite -----------------------------------------------------------------------------


def _crfsuite(
    train: list[Example], passes: int | None, algorithm: str, score: str
) -> Predict:
    import pycrfsuite

    settings = {} if passes is None else {"max_iterations": passes}
    trainer = pycrfsuite.Trainer(algorithm, settings, verbose=False)
    for example in train:
        labels = label_column(example.reference, score)
        for start, end in _sentences(example.reference):
            items = window_features(example.predicted[start:end], score)
            trainer.append(items, labels[start:end])
    with TemporaryDirectory() as folder:
        file = str(Path(folder) / "model")
        trainer.train(file)
        tagger = pycrfsuite.Tagger()
        tagger.open(file)

    def predict(doc: Doc) -> None:
        labels: list[str] = []
        for start, end in _sentences(doc):
            labels += tagger.tag(window_features(doc[start:end], score))
        write_labels(doc, labels, score)

    return predict


def _sentences(doc: Doc) -> list[tuple[int, int]]:
    if not doc.has_annotation("SENT_START"):
        return [(0, len(doc))] if len(doc) else []
    return [(sentence.start, sentence.end) for sentence in doc.sents]


def label_column(doc: Doc, score: str) -> list[str]:
    """The words of a Doc, or its gold labels: tags, or spans as IOB2."""
    if score == "word":
        return [token.text for token in doc]
    if score == "tag_acc":
        return [token.tag_ for token in doc]
    labels = ["O"] * len(doc)
    for span in doc.ents if score == "ents_f" else doc.spans[CHUNKS]:
        labels[span.start : span.end] = [f"I-{span.label_}"] * len(span)
        labels[span.start] = f"B-{span.label_}"
    return labels


def write_labels(doc: Doc, labels: list[str], score: str) -> None:
    """Annotate a Doc with predicted labels, read as the CoNLL script reads them."""
    if score == "tag_acc":
        for token, label in zip(doc, labels, strict=True):
            token.tag_ = label
        return
    spans = [Span(doc, start, end, label) for start, end, label in read_spans(labels)]
    if score == "ents_f":
        doc.set_ents(spans)
    else:
        doc.spans[CHUNKS] = spans


def window_features(sentence: Span, score: str) -> list[list[str]]:
    """The features of the tutorials, widened: words and tags in a window of two and
    their pairs, affixes of up to four letters, and shapes."""
    words = [token.text for token in sentence]
    given = score != "tag_acc" and all(token.tag for token in sentence)
    tags = [token.tag_ for token in sentence] if given else None
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


# UDPipe, NLTK and spaCy ---------------------------------------------------------------


def _nltk(train: list[Example], passes: int | None) -> Predict:
    from .tasks.nltk_tagger import learn

    docs = [example.reference for example in train]
    pairs = ((label_column(x, "word"), label_column(x, "tag_acc")) for x in docs)
    tagger = learn(pairs, passes or NLTK_PASSES)

    def predict(doc: Doc) -> None:
        tagged = tagger.tag(label_column(doc, "word"))
        write_labels(doc, [tag for _, tag in tagged], "tag_acc")

    return predict


def _udpipe(train: list[Example], passes: int | None) -> Predict:
    from ufal import udpipe

    sentences, none = udpipe.Sentences(), udpipe.Sentences()
    for example in train:
        for start, end in _sentences(example.reference):
            span = example.reference[start:end]
            sentence = _udpipe_words(span)
            for i, token in enumerate(span, 1):
                word = sentence.words[i]
                word.upostag, word.xpostag = token.pos_, token.tag_
                word.feats = str(token.morph)
                is_root = token.head == token
                head = 0 if is_root else token.head.i - start + 1
                sentence.setHead(i, head, "root" if is_root else token.dep_)
            sentences.push_back(sentence)
    error = udpipe.ProcessingError()
    data = udpipe.Trainer.train(
        "morphodita_parsito",
        *(sentences, none, "none", "", f"iterations={passes or UDPIPE_PASSES}", error),
    )
    if error.occurred():
        raise SystemExit(error.message)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "model"
        file.write_bytes(data)
        model = udpipe.Model.load(str(file))

    def predict(doc: Doc) -> None:
        for start, end in _sentences(doc):
            sentence = _udpipe_words(doc[start:end])
            model.tag(sentence, "")
            model.parse(sentence, "")
            for i, token in enumerate(doc[start:end], 1):
                word = sentence.words[i]
                token.dep_ = word.deprel if word.head else ROOT
                token.head = doc[start + word.head - 1] if word.head else token

    return predict


def _udpipe_words(span: Span) -> Any:
    from ufal import udpipe

    sentence = udpipe.Sentence()
    for token in span:
        sentence.addWord(token.text)
    return sentence


def _spacy(train: list[Example], passes: int, ours: Language, score: str) -> Predict:
    fix_random_seed(0)
    nlp = spacy.blank(ours.lang, vocab=ours.vocab)
    if score == "dep_las":
        width = nlp.add_pipe("tok2vec").model.get_dim("nO")
        shared = {"@architectures": "spacy.Tok2VecListener.v1", "width": width}
        for factory in ("tagger", "morphologizer", "parser"):
            nlp.add_pipe(factory, config={"model": {"tok2vec": shared}})
    else:
        nlp.add_pipe("ner" if score == "ents_f" else "tagger")
    learn_spacy(nlp, list(train), passes)

    def predict(doc: Doc) -> None:
        for _, pipe in nlp.pipeline:
            pipe(doc)

    return predict


if __name__ == "__main__":
    main()
