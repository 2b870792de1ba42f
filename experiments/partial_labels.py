"""A tagger from a part of the labels: the rest is left open, or filled with guesses.

    python -m experiments.partial_labels --data ud_ewt

Each token of the training part keeps its tag with the chance `--share`. The rest is
left open (latent, as in Tsuboi et al. 2008), may be any tag seen with the word, or is
filled with the majority tag of all kept ones or of those of the word. Accuracy on test
after the last pass; mean and standard deviation over seeds.
"""

import argparse
import random
import statistics
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch
from wasabi import msg

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.label_sets import allow
from tools.corpora.locate import required_folder
from tools.sample import write_sample

DATA = ("sample", "ud_ewt")
BATCH = 32
# (word, tag or "") of each token of each sentence.
Tagged = Sequence[tuple[str, str]]
# What stands in for a tag that was taken away: a tag, tags, or nothing.
Filler = Callable[[str], str | list[str] | None]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A tagger from a part of the labels")
    parser.add_argument("--data", choices=DATA, default="sample")
    parser.add_argument("--share", type=float, default=0.2, help="of labels kept")
    parser.add_argument("--seeds", type=int, default=3, help="seeds 0, 1, ...")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--learner", default="PassiveAggressive.v1")
    options = parser.parse_args(arguments)
    nlp = spacy.blank("xx")
    train, test = read_data(options.data, nlp)
    rows = []
    for name in ("all tags", *FILLERS):
        scores = []
        for seed in range(options.seeds):
            examples = train
            if name in FILLERS:
                kept = keep_some(train, options.share, seed)
                filler = FILLERS[name](kept)
                examples = [filled(nlp, sentence, filler) for sentence in kept]
            tagger = train_tagger(examples, options.learner, options.passes, seed)
            scores.append(100 * tagger.evaluate(copies(tagger, test))["tagger_acc"])
        deviation = statistics.stdev(scores) if len(scores) > 1 else 0.0
        rows.append((name, f"{statistics.mean(scores):.2f}", f"{deviation:.2f}"))
    header = (f"{options.share:.0%} of the tags, the others", "Accuracy", "sd")
    msg.table(rows, header=header, divider=True, aligns=("l", "r", "r"))


def read_data(name: str, nlp: Language) -> tuple[list[Example], list[Example]]:
    """The training and the test part."""
    if name == "sample":
        with tempfile.TemporaryDirectory() as scratch:
            write_sample(Path(scratch))
            files = (Path(scratch, "train.txt"), Path(scratch, "test.txt"))
            train, test = (column_corpus(x, ["word", "tag"]) for x in files)
            return list(train(nlp)), list(test(nlp))
    columns = ["id", "word", "-", "tag", "space"]
    names = (f"{name}/train.tsv.gz", f"{name}/test.tsv")
    folder = required_folder(*names)
    train, test = (column_corpus(folder / x, columns, comment="#") for x in names)
    return list(train(nlp)), list(test(nlp))


def keep_some(examples: Sequence[Example], share: float, seed: int) -> list[Tagged]:
    """The sentences with the tags of some tokens, chosen by chance."""
    rng = np.random.default_rng(seed)
    sentences: list[Tagged] = []
    for example in examples:
        chosen = rng.random(len(example.reference)) < share
        sentences.append(
            [
                (token.text, token.tag_ if kept else "")
                for token, kept in zip(example.reference, chosen, strict=True)
            ]
        )
    return sentences


def filled(nlp: Language, sentence: Tagged, filler: Filler) -> Example:
    """An example whose missing tags are filled, or left open."""
    words = [word for word, _ in sentence]
    tags = [tag for _, tag in sentence]
    sets: dict[int, list[str]] = {}
    for i, word in enumerate(words):
        if not tags[i]:
            found = filler(word)
            if isinstance(found, str):
                tags[i] = found
            elif found:
                sets[i] = found
    reference = Doc(nlp.vocab, words=words, tags=tags)
    allow(reference, "tag", sets)
    return Example(Doc(nlp.vocab, words=words), reference)


def train_tagger(
    examples: Sequence[Example], learner: str, passes: int, seed: int
) -> Language:
    nlp = spacy.blank("xx", vocab=examples[0].reference.vocab)
    model: dict[str, Any] = {
        "seed": seed,
        "learner": {"@misc": f"spacy_latperc.{learner}"},
    }
    if learner == "PassiveAggressive.v1":
        model["learner"]["C"] = 0.1
    nlp.add_pipe("latperc_tagger", config={"model": model})
    nlp.initialize(lambda: examples)
    order = list(examples)
    shuffler = random.Random(seed)
    for _ in range(passes):
        shuffler.shuffle(order)
        for batch in minibatch(order, BATCH):
            nlp.update(batch)
    return nlp


def copies(nlp: Language, examples: Sequence[Example]) -> list[Example]:
    """The examples with predicted Docs that nothing was written to."""
    return [
        Example(Doc(nlp.vocab, words=[t.text for t in x.reference]), x.reference)
        for x in examples
    ]


# Ways to fill -------------------------------------------------------------------------


def counted(sentences: Sequence[Tagged]) -> tuple[Counter, Mapping[str, Counter]]:
    """How often each tag is there, in all and by word."""
    total: Counter = Counter()
    by_word: defaultdict[str, Counter] = defaultdict(Counter)
    for sentence in sentences:
        for word, tag in sentence:
            if tag:
                total[tag] += 1
                by_word[word][tag] += 1
    return total, by_word


def left_open(sentences: Sequence[Tagged]) -> Filler:
    return lambda word: None


def any_tag_of_word(sentences: Sequence[Tagged]) -> Filler:
    _, by_word = counted(sentences)
    return lambda word: list(by_word[word]) if word in by_word else None


def majority(sentences: Sequence[Tagged]) -> Filler:
    total, _ = counted(sentences)
    ((tag, _),) = total.most_common(1)
    return lambda word: tag


def majority_of_word(sentences: Sequence[Tagged]) -> Filler:
    total, by_word = counted(sentences)
    ((tag, _),) = total.most_common(1)
    best = {word: counts.most_common(1)[0][0] for word, counts in by_word.items()}
    return lambda word: best.get(word, tag)


FILLERS: dict[str, Callable[[Sequence[Tagged]], Filler]] = {
    "left open": left_open,
    "any tag of the word": any_tag_of_word,
    "majority tag": majority,
    "majority tag of the word": majority_of_word,
}


if __name__ == "__main__":
    main()
