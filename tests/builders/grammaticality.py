"""A small classifier of sentences, for the tests of the component and its commands."""

from random import Random
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from builders.pipelines import templates

FACTORY = "latperc_grammaticality"
GOOD, BAD = "GRAMMATICAL", "UNGRAMMATICAL"
WORDS = templates("w[-1]", "w[0]", "w[1]", "w[-1]|w[0]", "w[0]|w[1]")
TAGS = templates("w[0]", "t[-1]|t[0]", "t[0]|t[1]")
LEARNER = {"@misc": "spacy_latperc.LatentPA.v1", "C": 0.1}
FIVE = ["IOB1", "IOB2", "IOE1", "IOE2", "O+C"]
REAL = [
    f"{first} {noun} {verb} {second} {other} ."
    for first in ("the", "a")
    for noun in ("cat", "dog", "man")
    for verb in ("sees", "likes")
    for second in ("the", "this")
    for other in ("house", "tree")
]
SHUFFLED = []
for sentence in REAL:
    words = sentence.split()
    Random(len(SHUFFLED)).shuffle(words)
    SHUFFLED.append(" ".join(words))
UNSEEN = ["the dog likes this man .", ". man this likes dog the", "unheard of", ""]


def make_config(**settings: Any) -> dict[str, Any]:
    """Settings of the model may be given directly."""
    model = {"features": WORDS, "learner": LEARNER, "types": ["NP", "VP"]}
    for name in (*model, "views", "combine", "hash_bits", "seed"):
        if name in settings:
            model[name] = settings.pop(name)
    return {"model": model, **settings}


def make_pipeline(**settings: Any) -> Language:
    nlp = spacy.blank("xx")
    nlp.add_pipe(FACTORY, config=make_config(**settings))
    return nlp


def example_of(nlp, words, real, labels=(GOOD, BAD), **annotation):
    words = words.split() if isinstance(words, str) else words
    predicted, reference = (Doc(nlp.vocab, words=words, **annotation) for _ in "pr")
    good, bad = labels
    reference.cats = {good: float(real), bad: float(not real)}
    return Example(predicted, reference)


def make_examples(nlp: Language, **settings: Any) -> list[Example]:
    return [
        example_of(nlp, words, real, **settings)
        for pair in zip(REAL, SHUFFLED, strict=True)
        for words, real in zip(pair, (True, False), strict=True)
    ]


def make_trained(passes: int = 6, **settings: Any) -> Language:
    nlp = make_pipeline(**settings)
    return train(nlp, make_examples(nlp), passes)


def train(nlp: Language, examples: list[Example], passes: int = 6) -> Language:
    nlp.initialize(lambda: examples)
    for _ in range(passes):
        nlp.update(examples)
    return nlp


def verdicts(docs: Any) -> list[tuple]:
    """All that the component writes, to be compared."""
    return [
        (
            dict(doc.cats),
            doc._.grammaticality_margin,
            [token._.grammaticality for token in doc],
            {
                key: [(s.start, s.end, s.label_) for s in doc.spans[key]]
                for key in doc.spans
            },
        )
        for doc in docs
    ]
