"""The predictions of frozen chains for a batch, against all paths."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from builders import chains as small
from builders.lattices import SHAPES, random_case, random_given
from builders.values import token_values
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.chain import gold_mask, path_scores
from reference.sums import best_by_label, by_label, log_sum, marginal, probabilities

from spacy_latperc.kernels.chains import NO_PATH, FrozenChain, Question
from spacy_latperc.schemes import SCHEMES, LabelInventory


class Asked:
    """A case, the arguments of a question, and the scores of all paths by sentence."""

    def __init__(self, rng, shape, sentences, weights, *, mask=False):
        space = small.make_space()
        self.shape, self.sentences = shape, sentences
        values = token_values(space, sentences)
        structure = small.make_structure(
            space, shape, group_size=2 if values is None else 1
        )
        self.frozen = small.freeze_weights(structure, weights)
        attrs, self.bounds = small.in_a_row(sentences)
        self.n = len(attrs)
        self.allowed = None
        if mask:
            allowed = rng.random((self.n, shape.labels)) < rng.choice([0.5, 0.8])
            self.allowed = allowed.astype(np.uint8)
        self.given = random_given(rng, shape, self.n) if rng.integers(2) else None
        # Known to be the same as a score of the first label at every token.
        constant = float(rng.integers(-8, 9) / 8) if rng.integers(2) else 0.0
        self.question = partial(
            Question,
            space,
            attrs,
            self.bounds,
            self.allowed,
            self.given,
            values=values,
            recall_constant=constant,
        )
        self.costs = self.given
        if constant:
            zero = np.zeros((self.n, shape.states), np.float32)
            self.costs = (zero if self.given is None else self.given).copy()
            self.costs[:, : self.costs.shape[1] // shape.labels] += constant
        self.scores = [
            self.scores_of(s, small.hashes_of(x), weights)
            for s, x in enumerate(sentences)
        ]

    def scores_of(self, s, hashes, weights):
        mask, costs = self.part(self.allowed, s), self.part(self.costs, s)
        return path_scores(self.shape, hashes, weights, allowed=mask, costs=costs)

    def part(self, table, s):
        if table is None:
            return None
        return table[self.bounds[s] : self.bounds[s + 1]]

    def possible(self, s):
        return log_sum(self.scores[s].reshape(-1)) > -np.inf


def ask(seed, order, latent, form, *, rules):
    """Make a question; with odd seeds the sentences have lists of values."""
    rng = np.random.default_rng(seed)
    how = {"steps": int(rng.choice([1, 20])), "listed": seed % 2 == 1}
    case = random_case(rng, order, latent, form, rules=rules, **how)
    return Asked(rng, *case, mask=rules), rng


def every_case(test):
    """The test of an answer, for cases of every shape."""

    @pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
    @settings(max_examples=10)
    @given(seed=st.integers(0, 2**32), rules=st.booleans())
    def of_every_case(order, latent, form, seed, rules):
        test(*ask(seed, order, latent, form, rules=rules))

    return of_every_case


@every_case
def test_answers_marginals_are_shares_of_all_paths(asked, rng):
    latent, temperature = asked.shape.latent, float(rng.choice([0.5, 1.0, 4.0]))
    table, log_z = asked.frozen.marginals(asked.question(temperature=temperature))
    assert table.shape == (asked.n, asked.shape.labels)
    for s, scores in enumerate(asked.scores):
        rows = asked.part(table, s)
        expected = log_sum(scores.reshape(-1) / temperature)
        assert log_z[s] == pytest.approx(expected, rel=1e-5, abs=1e-5)
        if not asked.possible(s):
            assert np.isnan(rows).all()
            continue
        p = by_label(probabilities(scores, temperature=temperature), latent)
        for i, row in enumerate(rows):
            np.testing.assert_allclose(row, marginal(p, i), atol=2e-5)


@every_case
def test_answers_max_marginals_are_those_of_the_best_paths(asked, _):
    table = asked.frozen.max_marginals(asked.question())
    for s, scores in enumerate(asked.scores):
        if scores.ndim:
            expected = best_by_label(scores, asked.shape.latent)
            np.testing.assert_array_equal(asked.part(table, s), expected)


@every_case
def test_answers_log_scores_sum_over_the_paths_of_a_labelling(asked, rng):
    shape = asked.shape
    sets = (rng.random((2, shape.labels)) < 0.7).astype(np.uint8)
    gold = rng.integers(-3, shape.labels, size=asked.n).astype(np.int32)
    found = asked.frozen.log_scores(asked.question(), gold, sets)
    for s, scores in enumerate(asked.scores):
        codes = asked.part(gold, s)
        mask = gold_mask(shape, np.maximum(codes, -1))
        for i, code in enumerate(codes):
            if code < -1:
                mask[i] = sets[-2 - code]
        inside = scores.copy()
        for i in range(len(codes)):
            closed = np.repeat(mask[i] == 0, shape.latent)
            np.moveaxis(inside, i, 0)[closed] = -np.inf
        if not asked.possible(s):
            assert np.isnan(found[s])
            continue
        expected = log_sum(inside.reshape(-1)) - log_sum(scores.reshape(-1))
        assert found[s] == pytest.approx(expected, rel=1e-5, abs=5e-5)


def chunk_case(scheme, order, latent, seed):
    rng = np.random.default_rng(seed)
    inventory = LabelInventory(scheme, ["X"] if len(scheme) > 4 else ["X", "Y"])
    if len(inventory) * latent > 8:
        inventory = LabelInventory(scheme, ["X"])
    form = "tied" if latent > 1 else "label"
    shape = small.make_shape(form, labels=len(inventory), latent=latent, order=order)
    if rng.random() < 0.8:
        names = ("transitions", "starts", "ends")
        shape = replace(shape, **{name: getattr(inventory, name) for name in names})
    longest = int(np.log(1500) / np.log(shape.states))
    lengths = rng.integers(0, longest + 1, size=3)
    sentences = [small.random_sentence(rng, n, listed=seed % 2 == 1) for n in lengths]
    weights = small.random_weights(rng, shape, sentences, steps=12, grain=1 / 8)
    asked = Asked(rng, shape, sentences, weights, mask=bool(rng.integers(2)))
    return asked, inventory, rng


@pytest.mark.parametrize("latent", [1, 2])
@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("scheme", sorted(SCHEMES))
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32))
def test_answers_span_probabilities_are_shares_of_the_paths_with_the_chunk(
    scheme, order, latent, seed
):
    asked, inventory, rng = chunk_case(scheme, order, latent, seed)
    spans = [
        (first + a, first + b, t)
        for first, sentence in zip(asked.bounds[:-1], asked.sentences, strict=True)
        for a in range(len(sentence))
        for b in range(a + 1, len(sentence) + 1)
        for t in range(len(inventory.types))
    ]
    rng.shuffle(spans)
    start, end, types = np.array(spans, dtype=np.int64).reshape(-1, 3).T.copy()
    tables = inventory.type_of, inventory.boundary.astype(np.uint8)
    found = asked.frozen.span_probabilities(
        asked.question(), start, end, types.astype(np.int32), *tables
    )
    for s, scores in enumerate(asked.scores):
        first, last = asked.bounds[s], asked.bounds[s + 1]
        if first == last:
            continue
        p = by_label(probabilities(scores), latent) if asked.possible(s) else None
        expected = dict.fromkeys(spans, 0.0)
        for path in () if p is None else np.ndindex(p.shape):
            ids = np.array(path, dtype=np.int32)
            chunks = inventory.decode_ids(ids, np.array([0, last - first]))
            for a, b, t in zip(*(c.tolist() for c in chunks), strict=True):
                expected[first + a, first + b, t] += p[path]
        for span, probability in zip(spans, found, strict=True):
            if first <= span[0] < last:
                if p is None:
                    assert np.isnan(probability)
                else:
                    assert probability == pytest.approx(expected[span], abs=5e-5)


def best_sum(asked, s):
    """The largest sum of marginals among the label sequences that the rules allow."""
    shape = asked.shape
    p = by_label(probabilities(asked.scores[s]), shape.latent)
    tables = [marginal(p, i) for i in range(p.ndim)]
    total = np.zeros(p.shape)
    for path in np.ndindex(p.shape):
        steps = list(zip(tables, path, strict=True))
        total[path] = sum(table[label] for table, label in steps)
        allowed = all(table[label] for table, label in steps)
        if shape.transitions is not None:
            allowed &= bool(shape.transitions[path[:-1], path[1:]].all())
        if shape.starts is not None:
            allowed &= bool(shape.starts[path[0]])
        if shape.ends is not None:
            allowed &= bool(shape.ends[path[-1]])
        if not allowed:
            total[path] = -np.inf
    return total


@every_case
def test_answers_decode_by_the_largest_sum_of_marginals(asked, _):
    labels = asked.frozen.decode_marginals(asked.question())
    for s, scores in enumerate(asked.scores):
        found = asked.part(labels, s)
        if not asked.possible(s):
            assert (found == NO_PATH).all()
        elif scores.ndim:
            total = best_sum(asked, s)
            assert total[tuple(found)] == pytest.approx(total.max(), abs=1e-4)


@every_case
def test_answers_decode_the_most_probable_of_all_sequences(asked, _):
    # With more sequences asked for than there are, the choice is among all.
    labels = asked.frozen.decode_sequences(asked.question(), 4000)
    for s, scores in enumerate(asked.scores):
        found = asked.part(labels, s)
        if not asked.possible(s):
            assert (found == NO_PATH).all()
        elif scores.ndim:
            p = by_label(probabilities(scores), asked.shape.latent)
            assert p[tuple(found)] == pytest.approx(p.max(), abs=1e-4)


def test_answers_the_best_sequence_need_not_be_that_of_the_best_path():
    # One path of label 0 is best, but the two of label 1 together are more probable.
    space = small.make_space()
    shape = small.make_shape("full", labels=2, latent=2, order=0)
    sentence = np.ones((1, 2), dtype=np.uint64)
    key = int(small.hashes_of(sentence)[0][0])
    weights = {(0, key): np.array([1.0, -9.0, 0.75, 0.75])}
    frozen = small.freeze_weights(small.make_structure(space, shape), weights)
    asked = Question(space, *small.in_a_row([sentence]))
    assert frozen.decode(asked).tolist() == [0]
    assert frozen.decode_sequences(asked, 1).tolist() == [0]
    assert frozen.decode_sequences(asked, 2).tolist() == [1]
    assert frozen.decode_marginals(asked).tolist() == [1]


def many_sentences(labels=5):
    rng = np.random.default_rng(5)
    space = small.make_space()
    shape = small.make_shape("label", labels=labels, order=1)
    sentences = [small.random_sentence(rng, 30, values=3) for _ in range(40)]
    weights = small.random_weights(rng, shape, sentences, steps=20, grain=1 / 8)
    frozen = small.freeze_weights(small.make_structure(space, shape), weights)
    return frozen, (space, *small.in_a_row(sentences))


def test_answers_are_the_same_for_many_threads_at_once():
    frozen, batch = many_sentences()
    asked, cooler = Question(*batch), Question(*batch, temperature=2.0)
    gold = np.zeros(1200, dtype=np.int32)
    questions = [
        lambda: frozen.marginals(asked)[0].tolist(),
        lambda: frozen.marginals(cooler)[0].tolist(),
        lambda: frozen.max_marginals(asked).tolist(),
        lambda: frozen.log_scores(asked, gold).tolist(),
        lambda: frozen.decode_marginals(asked).tolist(),
        lambda: frozen.decode(asked).tolist(),
    ]
    expected = [question() for question in questions]
    start = threading.Barrier(len(questions))

    def answer(question):
        start.wait()
        return [question() for _ in range(10)]

    with ThreadPoolExecutor(len(questions)) as pool:
        found = list(pool.map(answer, questions))
    assert found == [[answer] * 10 for answer in expected]


def test_answers_do_not_depend_on_the_batch():
    frozen, (space, attrs, bounds) = many_sentences()
    together, _ = frozen.marginals(Question(space, attrs, bounds))
    for s in (0, 7, 39):
        part = attrs[bounds[s] : bounds[s + 1]]
        alone, _ = frozen.marginals(Question(space, part, np.array([0, len(part)])))
        assert (alone == together[bounds[s] : bounds[s + 1]]).all()


@pytest.mark.parametrize("bounds", [[], [0], [0, 0, 0]])
def test_answers_to_nothing_are_empty(bounds):
    space = small.make_space()
    frozen = FrozenChain(
        small.make_structure(space, small.make_shape("label", labels=2))
    )
    nothing = np.empty(0, dtype=np.int64)
    asked = Question(space, np.empty((0, 2), np.uint64), np.array(bounds, np.int64))
    table, log_z = frozen.marginals(asked)
    sentences = max(len(bounds) - 1, 0)
    assert table.shape == (0, 2)
    assert log_z.tolist() == [0.0] * sentences
    assert frozen.max_marginals(asked).shape == (0, 2)
    none = np.empty(0, dtype=np.int32)
    assert frozen.log_scores(asked, none).tolist() == [0.0] * sentences
    type_of, boundary = np.array([-1, 0], np.int32), np.zeros((2, 2), np.uint8)
    found = frozen.span_probabilities(asked, nothing, nothing, none, type_of, boundary)
    assert found.shape == (0,)
    assert frozen.decode_marginals(asked).shape == (0,)
    assert frozen.decode_sequences(asked, 3).shape == (0,)


def test_answers_refuse_chunks_that_are_not_within_a_sentence():
    space = small.make_space()
    frozen = FrozenChain(
        small.make_structure(space, small.make_shape("label", labels=2))
    )
    tables = np.array([-1, 0], np.int32), np.zeros((2, 2), np.uint8)
    batch = space, np.ones((5, 2), np.uint64), np.array([0, 3, 5])
    for span in ((0, 0), (1, 4), (-1, 1), (4, 6), (2, 1)):
        start, end = (np.array([x], dtype=np.int64) for x in span)
        spans = start, end, np.zeros(1, np.int32)
        with pytest.raises(IndexError):
            frozen.span_probabilities(Question(*batch), *spans, *tables)
    for temperature in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError):
            Question(*batch, temperature=temperature)
