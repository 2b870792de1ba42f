"""Lists of values, for every registered learner and every answer.

The twin has no lists: what a list says is spread over three attributes, which three
templates with one seed read, so that a value which counts 2 is a feature met twice.
"""

from dataclasses import replace

import numpy as np
import pytest
from builders.registered_learners import LEARNERS, task
from reference.values import character_ngrams

from spacy_latperc.features.values import DenseColumn, ListedColumn, ValueLists

ITEMS = 3  # in every list
LISTED = ("w[0]", "_.a[0]", "_.a[0]|w[-1]")
SPREAD = ["w[0]", *(f"_.{x}[0]" for x in "abc"), *(f"_.{x}[0]|w[-1]" for x in "abc")]
# A step that just meets its margin leaves two paths equally good, and the last bit
# would choose between them: steps of one length do not.
SETTINGS = {"PassiveAggressive.v1": {"C": 2.0**-10}}
LEARNING = [
    replace(each, settings={**each.settings, **SETTINGS.get(each.name, {})})
    for each in LEARNERS
    if each.name != "HMM.v1" and not each.members
]

every_learner = pytest.mark.parametrize("learner", LEARNING, ids=str)


def both_batches(seed):
    """The same tokens with lists, and with three attributes."""
    batch, classes = task(seed)
    rng = np.random.default_rng(seed)
    n = len(batch.values)
    items = rng.integers(1, 6, size=(n, ITEMS)).astype(np.uint64)
    items[:, 0] = batch.values[:, 0] % np.uint64(7) + np.uint64(10)
    lists = {
        token: {key: float(row.count(key)) for key in row}
        for token, row in enumerate(items.tolist())
    }
    columns = batch.values[:, :2]
    marks = np.arange(n, dtype=np.uint64)
    listed = replace(
        batch,
        values=np.column_stack([columns, marks]),
        lists=ValueLists.join(n, {2: [(0, ListedColumn.of(marks, lists))]}),
    )
    return listed, replace(batch, values=np.column_stack([columns, items])), classes


def make_both(learner):
    """A learner that reads lists, and its twin."""
    listed, spread = learner.make(LISTED), learner.make(SPREAD)
    plan = spread.plan
    for number, name in enumerate(plan.observations):
        if name.startswith("_."):
            first = plan.observations.index(f"_.a{name[3:]}")
            plan.programs[number] = (plan.programs[first][0], plan.programs[number][1])
    spread.space = spread._make_space()
    return listed, spread


def learn(learner, made, batch, classes):
    if learner.is_chain:
        made.start(len(classes))
    else:
        made.start(int((classes > 0).sum()), int((classes < 0).sum()))
    for _ in range(3):
        gold = batch.gold if learner.is_chain else classes
        made.update(made.extract(batch), gold)


def answers(learner, made, batch):
    """All that can be asked."""
    read = made.read(batch)
    if not learner.is_chain:
        found = made.best(read)
        return [
            found.by_view,
            made.contributions(read, found.labels),
        ]
    labels = made.best(read)
    return [
        made.n_best(read, 3)[1],
        *made.marginals(read, 2.0),
        made.max_marginals(read),
        made.log_scores(read, labels),
        labels,
    ]


@every_learner
def test_values_are_learned_and_answered_as_by_the_twin(learner):
    made = make_both(learner)
    *batches, classes = both_batches(1)
    for each, batch in zip(made, batches, strict=True):
        learn(learner, each, batch, classes)
        assert (each.extract(batch)[0].n_weighted > 0) == (batch.lists is not None)
    *others, _ = both_batches(2)
    pairs = zip(made, others, strict=True)
    found, expected = (answers(learner, each, other) for each, other in pairs)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)


@every_learner
def test_ngrams_are_learned_and_answered_as_lists(learner):
    templates = ("w[0]", "ng3[0]", "suf2[0]|ng3[0]", "ng3[-1]|w[0]")
    twin_templates = [text.replace("ng3", "_.ng") for text in templates]
    made, twin = learner.make(templates), learner.make(twin_templates)
    twin.plan.programs = [
        (seed, program)
        for (seed, _), (_, program) in zip(
            made.plan.programs, twin.plan.programs, strict=True
        )
    ]
    twin.space = twin._make_space()
    found = []
    for seed in (1, 2):
        batch, classes = task(seed)
        batch = replace(batch, lookup=lambda orth: f"Ana{orth % 9}nas"[: 2 + orth % 7])
        words = [batch.lookup(orth) for orth in batch.values[:, 0].tolist()]
        lists = {i: dict(character_ngrams(word, 3)) for i, word in enumerate(words)}
        n = len(words)
        marks = np.arange(n, dtype=np.uint64)
        listed = replace(
            batch,
            values=np.column_stack([batch.values[:, :2], marks]),
            lists=ValueLists.join(n, {2: [(0, ListedColumn.of(marks, lists))]}),
        )
        if seed == 1:
            learn(learner, made, batch, classes)
            learn(learner, twin, listed, classes)
        else:
            found = [answers(learner, made, batch), answers(learner, twin, listed)]
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_values_are_saved(learner):
    if learner.name == "HMM.v1":
        pytest.skip("counts words alone")
    made = learner.make(LISTED)
    listed, _, classes = both_batches(1)
    learn(learner, made, listed, classes)
    again = learner.make(LISTED).from_bytes(made.to_bytes())
    found, expected = again.predict(listed), made.predict(listed)
    if not learner.is_chain:
        found, expected = found.scores, expected.scores
    assert found.tolist() == expected.tolist()


def test_values_cannot_be_counted():
    learner = next(each for each in LEARNERS if each.name == "HMM.v1")
    made = learner.make(("bias", "_.a[0]", "is_space[-1]"))
    listed, _, classes = both_batches(1)
    values = np.column_stack([listed.values, listed.values[:, 2]])
    listed = replace(listed, values=values)
    column = made.plan.columns.index("_.a")
    lists = replace(listed.lists, columns=[column])
    with pytest.raises(ValueError, match=r"LP064.*'_\.a\[0\]'"):
        learn(learner, made, replace(listed, lists=lists), classes)


# Vectors ------------------------------------------------------------------------------

WIDTH = 20
VECTOR_TEMPLATES = ("w[0]", "_.a[0]", "_.a[1]", "w[-1]|w[0]")


def with_vectors(seed, dense, *, one_hot=False):
    """A batch whose third column has vectors, as such or as lists."""
    batch, classes = task(seed)
    n = len(batch.values)
    if one_hot:
        rows = np.eye(WIDTH, dtype=np.float32)[batch.values[:, 0] % WIDTH]
    else:
        rows = np.random.default_rng(seed).normal(size=(n, WIDTH)).astype(np.float32)
        rows[::5] = 0
        rows *= 0.25
    column = DenseColumn.of(rows)
    lists = (
        ValueLists.join(n, {}, {2: column})
        if dense
        else ValueLists.join(n, {2: [(0, column.listed())]})
    )
    values = np.column_stack([batch.values[:, :2], column.hashes])
    return replace(batch, values=values, lists=lists), classes


WITH_MEMBERS = [*LEARNING, *(each for each in LEARNERS if each.members)]


@pytest.mark.parametrize("learner", WITH_MEMBERS, ids=str)
@pytest.mark.parametrize("one_hot", [False, True], ids=["numbers", "one-hot"])
def test_vectors_are_learned_and_answered_as_lists(learner, one_hot):
    answered, bytes_again = [], []
    for dense in (True, False):
        made = learner.make(VECTOR_TEMPLATES)
        batch, classes = with_vectors(1, dense, one_hot=one_hot)
        learn(learner, made, batch, classes)
        other, _ = with_vectors(2, dense, one_hot=one_hot)
        answered.append(answers(learner, made, other))
        again = made.blank().from_bytes(made.to_bytes())
        learn_on = answers(learner, again, other)
        for one, two in zip(answered[-1], learn_on, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-5)
        bytes_again.append(again.to_bytes() == made.to_bytes())
    assert all(bytes_again)
    for one, two in zip(*answered, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-3)


def test_vectors_of_one_place_are_the_sparse_chain():
    """A network that gives one-hot vectors is a table of words."""
    learner = next(x for x in LEARNING if x.name == "PassiveAggressive.v1")
    found = []
    for templates in (("_.a[0]",), ("w[0]",)):
        made = learner.make(templates)
        batch, classes = with_vectors(1, True, one_hot=True)
        if templates == ("w[0]",):
            words = batch.values[:, 0] % np.uint64(WIDTH) + np.uint64(1)
            values = np.column_stack([words, batch.values[:, 1:]])
            batch = replace(batch, lists=None, values=values[:, :2].copy())
        learn(learner, made, batch, classes)
        found.append(made.best(made.read(batch)))
    assert found[0].tolist() == found[1].tolist()


def test_vectors_in_conjunctions_and_pairs_become_lists():
    learner = next(x for x in LEARNING if x.name == "PassiveAggressive.v1")
    templates = ("_.a[0]|w[0]", "edge:_.a[0]", "w[0]")
    found = []
    for dense in (True, False):
        made = learner.make(templates)
        batch, classes = with_vectors(1, dense)
        learn(learner, made, batch, classes)
        found.append(made.to_bytes())
    assert found[0] == found[1]
    assert 2 not in made.plan.dense_columns


def test_a_part_of_a_batch_has_its_vectors():
    learner = next(x for x in LEARNING if x.name == "PassiveAggressive.v1")
    made = learner.make(VECTOR_TEMPLATES)
    batch, _ = with_vectors(1, True)
    part = batch.some_docs([len(batch.docs) - 2])
    first = int(batch.docs[-2])
    _, rows = batch.lists.dense[2]
    np.testing.assert_array_equal(part.lists.dense[2][1], rows[first:])
    alone = made.extract(part)[0]
    assert alone.n_tokens == len(rows) - first
    assert alone.nbytes > 4 * rows[first:].size
