"""Many threads predict at once, also while a learner learns."""

import os
import sys
import threading
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from builders.learners import make_batch, make_learner, predict, train
from hypothesis import given
from hypothesis import strategies as st
from reference.chain import text_hash

from spacy_latperc.kernels.chains import COMPUTED, SUFFIX, FeatureSpace
from spacy_latperc.learners import threads

THREADS = 8
TEMPLATES = ("w[0]", "w[-1]|w[0]", "suf1[0]", "suf2[1]", "shape[0]", "t[0]")


@pytest.fixture(autouse=True)
def _eager_switches():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*jobs):
    """Run the jobs at once. RETURNS: what each returned; errors are raised."""
    results: list = [None] * len(jobs)
    start = threading.Barrier(len(jobs))

    def run(number, job):
        start.wait()
        try:
            results[number] = job()
        except Exception as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=job) for job in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


def trained(seed, **settings):
    learner = make_learner(TEMPLATES, **settings)
    train(learner, make_batch(seed, columns=4, noise=0.2))
    return learner


def test_threads_predict_while_another_learner_learns():
    learner = trained(2, latent=2)
    batches = [make_batch(20 + n, docs=100, columns=4) for n in range(THREADS)]
    expected = [predict(learner, batch) for batch in batches]
    alone = trained(3, latent=2)

    jobs = [lambda x=x: [predict(learner, x) for _ in range(10)] for x in batches]
    *found, busy = together(*jobs, lambda: trained(3, latent=2))
    assert found == [[labels] * 10 for labels in expected]
    assert busy.to_bytes() == alone.to_bytes()


def test_threads_learn_one_after_the_other_and_predict_before_or_after():
    batch, small = make_batch(4, columns=4, noise=0.3), make_batch(5, docs=4, columns=4)

    def steps(learner):
        blocks = learner.extract(batch)
        for _ in range(30):
            learner.update(blocks, batch.gold)
            yield

    alone = make_learner(TEMPLATES)
    states = {tuple(predict(alone, small))}
    states.update(tuple(predict(alone, small)) for _ in steps(alone))
    learner = make_learner(TEMPLATES)

    def ask():
        return {tuple(predict(learner, small)) for _ in range(40)}

    *found, _ = together(*[ask] * 4, lambda: list(steps(learner)))
    assert set.union(*found) <= states
    assert learner.to_bytes() == alone.to_bytes()
    learner = make_learner(TEMPLATES)  # learns from all, whatever the order
    batches = [make_batch(n, columns=4) for n in range(THREADS)]
    together(*(lambda x=x: learner.update(learner.extract(x), x.gold) for x in batches))
    assert learner.examples == sum(len(batch.bounds) - 1 for batch in batches)


def test_threads_share_the_table_of_words():
    # All threads meet the same new words, and the interpreter switches inside look-ups.
    words = [f"word{number}" for number in range(3000)]
    sources = [("lexical", SUFFIX, 3, None), ("lexical", COMPUTED, 0, str.upper)]
    space = FeatureSpace([(7, [(0, 0)])], sources)
    orths = np.arange(2, 2 + len(words), dtype=np.uint64).reshape(-1, 1)
    expected = [[text_hash(word[-3:]), text_hash(word.upper())] for word in words]

    def job():
        return space.assemble(orths, lambda orth: words[orth - 2]).tolist()

    assert together(*[job] * THREADS) == [expected] * THREADS


def test_threads_save_while_others_predict():
    learner = trained(6)
    data, batch = learner.to_bytes(), make_batch(7, docs=50, columns=4)
    expected = predict(learner, batch)
    found = together(
        *[lambda: [predict(learner, batch) for _ in range(10)]] * 4,
        *[lambda: [learner.to_bytes(bits=bits) for bits in (32, 16) * 5]] * 2,
    )
    assert found[:4] == [[expected] * 10] * 4
    assert all(saved[::2] == [data] * 5 for saved in found[4:])


@pytest.fixture
def _any_size(monkeypatch):
    """Also a few tokens are worth a thread."""
    monkeypatch.setattr(threads, "LEAST_TOKENS", 1)


def flat(answer):
    """An answer as bytes, to be compared."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    return [np.ascontiguousarray(part).tobytes() for part in parts]


def spans_of(batch):
    """Every other token of a batch as a span, and the labels that such spans have."""
    starts = np.arange(len(batch.attrs), dtype=np.int64)[::-2]
    types = (starts % 2).astype(np.int32)
    return starts, starts + 1, types


SPANS = {
    "type_of": np.array([0, 1, -1], dtype=np.int32),
    "boundary": np.ones((3, 3), dtype=bool),
}
QUESTIONS = {
    "best": lambda learner, batch: learner.best(batch),
    "n best": lambda learner, batch: learner.n_best(batch, 3),
    "marginals": lambda learner, batch: learner.marginals(batch, 2.0),
    "max-marginals": lambda learner, batch: learner.max_marginals(batch),
    "log scores": lambda x, batch: x.log_scores(
        batch, np.zeros(len(batch.attrs), "i4")
    ),
    "spans": lambda x, batch: x.span_probabilities(batch, *spans_of(batch), **SPANS),
}


@pytest.mark.usefixtures("_any_size")
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("docs", [0, 1, 37])
def test_answers_do_not_depend_on_the_number_of_threads(question, docs):
    learner = trained(8, latent=2)
    batch = learner.read(make_batch(9, docs=docs, columns=4))
    rng = np.random.default_rng(0)
    allowed = (rng.random((len(batch.attrs), 3)) < 0.8).astype(np.uint8)
    given = rng.normal(size=(len(batch.attrs), 3)).astype(np.float32)
    for asked in (batch, batch.within(allowed), batch.starting_from(given)):
        alone = flat(QUESTIONS[question](learner, asked))
        for n in (2, 3, 16):
            found = QUESTIONS[question](learner, replace(asked, n_threads=n))
            assert flat(found) == alone


@pytest.mark.usefixtures("_any_size")
def test_threads_that_answer_one_batch_meet_others():
    learner = trained(10)
    batch = learner.read(make_batch(11, docs=200, columns=4))
    expected = learner.best(batch).tolist()

    def job():
        return [learner.best(replace(batch, n_threads=3)).tolist() for _ in range(10)]

    assert together(*[job] * THREADS) == [[expected] * 10] * THREADS


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 12), st.integers(1, 20))
def test_parts_are_all_sentences_once_and_in_order(lengths, n, least):
    bounds = np.cumsum([7, *lengths], dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "LEAST_TOKENS", least)
        parts = threads.parts_of(bounds, n)
    found = [i for first, last in parts for i in range(first, last)]
    assert found == list(range(len(lengths)))
    assert len(parts) <= n
    sizes = [bounds[last] - bounds[first] for first, last in parts]
    longest = max(lengths, default=0)
    assert max(sizes) <= sum(lengths) / len(parts) + 2 * longest


def test_errors_of_any_thread_are_raised_when_all_have_ended():
    ended = []

    def works(number):
        ended.append(number)

    def fails():
        raise ValueError("refused")

    jobs = [partial(works, 0), fails, partial(works, 2)]
    for turn in range(3):
        ended.clear()
        with pytest.raises(ValueError, match="refused"):
            threads.together(jobs[turn:] + jobs[:turn])
        assert sorted(ended) == [0, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.skipif(
    "tsan" in os.environ.get("LD_PRELOAD", ""),
    reason="the sanitizer lets no forked process make threads",
)
@pytest.mark.usefixtures("_any_size")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    learner = trained(12)
    batch = learner.read(make_batch(13, docs=50, columns=4), n_threads=2)
    expected = learner.best(batch).tolist()
    child = os.fork()
    if not child:
        os._exit(0 if learner.best(batch).tolist() == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
