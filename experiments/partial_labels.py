"""A tagger from a part of the labels: the rest is left open, or filled with guesses.

    python -m experiments.partial_labels

Each token of the training part keeps its tag with the chance `--share`. The rest is
left open (latent, as in Tsuboi et al. 2008), may be any tag seen with the word, or is
filled with the majority tag of all kept ones or of those of the word. Accuracy on test
after the last pass; mean and standard deviation over seeds.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.label_sets import allow

from .sequences import read_task
from .training import epochs, mean_and_sd, show

FILLERS = (
    "left open",
    "any tag of the word",
    "majority tag",
    "majority tag of the word",
)
# (word, tag or "") of each token of each sentence.
Tagged = Sequence[tuple[str, str]]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A tagger from a part of the labels")
    parser.add_argument("--limit", type=int, default=0, help="sentences; 0: all")
    parser.add_argument("--share", type=float, default=0.2, help="of labels kept")
    parser.add_argument("--seeds", type=int, default=3, help="seeds 0, 1, ...")
    parser.add_argument("--passes", type=int, default=10)
    options = parser.parse_args(arguments)
    task = read_task("tags", options.limit)
    nlp = spacy.blank("xx", vocab=task.train[0].reference.vocab)
    rows = []
    for name in ("all tags", *FILLERS):
        scores = []
        for seed in range(options.seeds):
            examples = task.train
            if name in FILLERS:
                kept = keep_some(examples, options.share, seed)
                examples = filled(nlp, kept, name)
            tagger = train_tagger(examples, options.passes, seed)
            scores.append(100 * tagger.evaluate(task.test)["tagger_acc"])
        rows.append((name, *mean_and_sd(scores)))
    show((f"{options.share:.0%} of the tags, the others", "Accuracy", "sd"), rows)


def keep_some(examples: Sequence[Example], share: float, seed: int) -> list[Tagged]:
    """The sentences with the tags of some tokens, chosen by chance."""
    rng = np.random.default_rng(seed)
    sentences: list[Tagged] = []
    for example in examples:
        chosen = rng.random(len(example.reference)) < share
        pairs = zip(example.reference, chosen, strict=True)
        sentences.append([(x.text, x.tag_ if kept else "") for x, kept in pairs])
    return sentences


def filled(nlp: Language, sentences: Sequence[Tagged], how: str) -> list[Example]:
    """Examples whose missing tags are filled, or left open."""
    by_word: defaultdict[str, Counter] = defaultdict(Counter)
    for word, tag in (pair for sentence in sentences for pair in sentence if pair[1]):
        by_word[word][tag] += 1
    ((most, _),) = sum(by_word.values(), Counter()).most_common(1)
    examples = []
    for sentence in sentences:
        words, tags = map(list, zip(*sentence, strict=True))
        sets = {}
        for i in (i for i, tag in enumerate(tags) if not tag):
            known = by_word.get(words[i])
            if how == "any tag of the word" and known:
                sets[i] = list(known)
            elif how.startswith("majority"):
                tags[i] = most
                if how.endswith("word") and known:
                    tags[i] = known.most_common(1)[0][0]
        reference = Doc(nlp.vocab, words=words, tags=tags)
        allow(reference, "tag", sets)
        examples.append(Example(Doc(nlp.vocab, words=words), reference))
    return examples


def train_tagger(examples: Sequence[Example], passes: int, seed: int) -> Language:
    nlp = spacy.blank("xx", vocab=examples[0].reference.vocab)
    learner = {"@misc": "spacy_latperc.PassiveAggressive.v1", "C": 0.1}
    model = {"seed": seed, "learner": learner}
    tagger = nlp.add_pipe("latperc_tagger", config={"model": model})
    nlp.initialize(lambda: examples)
    for _ in epochs(tagger, examples, passes, seed):
        pass
    return nlp


if __name__ == "__main__":
    main()
