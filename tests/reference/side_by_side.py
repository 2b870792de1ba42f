"""A chain and its twin learn from the same sentences."""

import itertools

import numpy as np
from builders import chains as small
from numpy.typing import NDArray

from reference.chain import UNKNOWN, Learner

ROUNDING = 1e-5
# Orders, latent values, forms.
SHAPES = [
    (order, latent, form)
    for order, latent, form in itertools.product(range(3), (1, 2), small.FORMS)
    if latent > 1 or form == "label"
]

Corpus = list[tuple[NDArray[np.uint64], NDArray[np.int32]]]


def random_corpus(
    rng, labels, *, sentences, longest=4, values=2, unknown=0.0, listed=False
):
    """Sentences, and gold labels that no model can always get right."""
    corpus = []
    for _ in range(sentences):
        n = int(rng.integers(1, longest + 1))
        gold = rng.integers(0, labels, size=n)
        gold[rng.random(n) < unknown] = UNKNOWN
        sentence = small.random_sentence(rng, n, values=values, listed=listed)
        corpus.append((sentence, gold.astype(np.int32)))
    return corpus


def start_chain(shape, corpus, rng, **settings):
    """A chain with random weights of all features of the corpus."""
    start = small.dense_weights(rng, shape, [sentence for sentence, _ in corpus])
    return small.make_chain(shape, start, **settings)


def learn_one(chain, sentence, gold, rule, *, rate=1.0, sets=None):
    """One example. RETURNS: its loss; [0] if no path agrees with its gold labels."""
    return chain.update(
        [small.extract(chain.space, [sentence])],
        gold,
        rule,
        sets=sets,
        rates=np.array([rate], dtype=np.float32),
        shuffled=False,
    )


def learn_side_by_side(
    shape, corpus, fast_rule, slow_rule, *, passes, rate=1.0, beam=0, **averaging
):
    """One example at a time; weights are the same after each, averages at the end."""
    chain = small.make_chain(shape, beam=beam, **averaging)
    twin = Learner(shape, slow_rule, **averaging)
    for _ in range(passes):
        for sentence, gold in corpus:
            found = learn_one(chain, sentence, gold, fast_rule, rate=rate)
            loss = twin.learn(small.hashes_of(sentence), gold.tolist())
            assert found == ((0.0, [0]) if loss is None else (loss, []))
            small.assert_same_weights(
                small.read_weights(chain), twin.weights, within=0.0
            )
    averaged = small.read_weights(chain, average=True)
    small.assert_same_weights(averaged, twin.average(), within=ROUNDING)
    return chain, twin
