"""A signal is acted on between two sentences, and leaves everything sound."""

import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest
from builders.classifiers import begin, make_classifier, make_sentences
from builders.learners import make_batch, make_learner, predict, train

from spacy_latperc.grammaticality.classifier.lclr import lclr
from spacy_latperc.kernels.text import Exchange, NgramTable, merge_classes
from spacy_latperc.learners.batch.crf_batch import crf_batch
from spacy_latperc.learners.perceptron import perceptron

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="the system has no interval timers"
)
AFTER = 0.15
SOON = 1.0


@contextmanager
def interrupted():
    """Ctrl-C after a moment, by a real signal; the work must end soon after it."""

    def stop(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    start = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, AFTER)
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
        assert AFTER <= time.perf_counter() - start < AFTER + SOON
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def slow_learner(learner=None):
    """A hundred states of order 2: milliseconds a sentence."""
    labels = [f"L{n}" for n in range(50)]
    return make_learner(learner=learner, labels=labels, latent=2, order=2)


@pytest.fixture(scope="module")
def batch():
    return make_batch(3, docs=20_000)


def test_signals_end_an_update(batch):
    learner = slow_learner(perceptron())
    blocks = learner.extract(batch)
    before = learner.examples
    with interrupted():
        learner.update(blocks, batch.gold)
    # What was learned stays; learning, saving and loading go on from there.
    assert before < learner.examples < before + 20_000
    again = slow_learner(perceptron()).from_bytes(learner.to_bytes())
    assert again.to_bytes() == learner.to_bytes()
    few = make_batch(3, docs=2)
    learner.update(learner.extract(few), few.gold)


@pytest.mark.parametrize("ask", ["predict", "n_best", "marginals", "max_marginals"])
def test_signals_end_an_answer(batch, ask):
    learner = slow_learner(perceptron())
    few = make_batch(3, docs=4)
    train(learner, few, passes=1)
    learner.freeze()
    expected = predict(learner, few)
    more = {"n_best": (50,)}.get(ask, ())
    given = batch if ask == "predict" else learner.read(batch)
    with interrupted():
        getattr(learner, ask)(given, *more)
    assert predict(learner, few) == expected


def test_signals_end_an_answer_of_rows_that_learn(batch):
    learner = slow_learner(perceptron())
    few = make_batch(3, docs=4)
    train(learner, few, passes=1)
    block = learner.extract(batch)
    expected = [learner._chain.predict(part) for part in block[:3]]
    with interrupted():
        while True:
            for part in block:
                learner._chain.predict(part)
    found = [learner._chain.predict(part) for part in block[:3]]
    assert all(map(np.array_equal, expected, found))


def test_signals_end_the_objective_and_the_pass_can_be_learned_again():
    batch = make_batch(3, docs=60)
    bytes_of = []
    for interrupt in (True, False):
        learner = make_learner(learner=crf_batch(max_iterations=3), latent=1)
        learner.start(len(batch.bounds) - 1)
        blocks = learner.extract(batch)
        if interrupt:
            stopping = type(learner.settings.epoch_trainer)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(stopping, "__call__", stop)
                with pytest.raises(KeyboardInterrupt):
                    learner.update(blocks, batch.gold)
            assert learner.examples == 0
        learner.update(blocks, batch.gold)
        bytes_of.append(learner.to_bytes())
    assert bytes_of[0] == bytes_of[1]


def stop(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("settings", [None, lclr()], ids=str)
def test_signals_end_a_classifier(settings):
    batch, gold = make_sentences(5, docs=20_000)
    classifier = make_classifier(settings)
    blocks = begin(classifier, batch, gold)
    with interrupted():
        while True:
            classifier.update(blocks, gold)
    few, few_gold = make_sentences(6, docs=20)
    classifier.update(classifier.extract(few), few_gold)
    classifier.predict(few)


def test_signals_end_counting_scoring_and_sampling():
    rng = np.random.default_rng(1)
    ids = rng.integers(3, 30_000, size=3_000_000).astype(np.int32)
    bounds = np.arange(0, len(ids) + 1, 20)
    settings = {"words": 30_000}
    with interrupted():
        NgramTable.count(ids, bounds, order=5, least=[1] * 5, **settings)
    few = {"order": 3, "least": [1] * 3, **settings}
    table = NgramTable.count(ids[:100_000], bounds[:5001], **few)
    more = np.tile(ids, 10)
    with interrupted():
        table.score(more, np.arange(0, len(more) + 1, 20))
    with interrupted():
        table.sample(3_000_000, 1, longest=20)
    with interrupted():
        table.draw(np.zeros(0, np.int32), 100_000_000, 1)


def test_signals_end_merging_and_an_exchange_which_goes_on():
    rng = np.random.default_rng(1)
    words, tokens, classes = 60_000, 2_000_000, 4000
    ids = (rng.zipf(1.2, tokens) % words).astype(np.int32)
    bounds = np.arange(0, tokens + 1, 20, dtype=np.int64)
    start = rng.integers(0, classes, words).astype(np.int32)
    exchange = Exchange(ids, bounds, start, classes=classes, sides=2)
    before = exchange.objective
    with interrupted():
        exchange.propose(0, words)
    assert exchange.objective == before
    exchange.propose(0, 10)
    assert exchange.apply(0, 10)
    assert exchange.objective > before

    table = rng.integers(0, 9, (1000, 1000))
    with interrupted():
        merge_classes(table)
