"""ChainClassifier: its contract, and its answers against a learner of the package."""

import copy
import doctest
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from reference.named_features import items

from spacy_latperc import sequence
from spacy_latperc.features.sets import make_set
from spacy_latperc.features.values import ListedColumn, ValueLists, read_column
from spacy_latperc.io import model_file
from spacy_latperc.learners import ChainLearner
from spacy_latperc.learners.base import Batch
from spacy_latperc.learners.learner_settings import viterbi
from spacy_latperc.learners.perceptron import perceptron
from spacy_latperc.sequence import ChainClassifier, read_features

SETTINGS = [
    {},
    {"learner": "crf", "epochs": 3},
    {"learner": "crf_batch"},
    {"learner": "passive_aggressive", "order": 2},
    {"learner": "mira", "min_count": 3},
    {"latent": 2, "epochs": 3},
]


def twin(X, y, **settings):
    """A chain that learned the features that the reference reads, and its batch."""
    tokens = [dict(items(token)) for sentence in X for token in sentence]
    column = read_column(tokens, "x", str)
    assert isinstance(column, ListedColumn)
    values = np.zeros((len(tokens), 3), np.uint64)
    lists = ValueLists.join(len(tokens), {2: [(0, column)]})
    batch = Batch(values, np.cumsum([0, *map(len, X)]), str, lists=lists)
    chain = ChainLearner(make_set(["_.x[0]"]), perceptron(**settings), viterbi())
    chain.set_labels(sorted({label for labels in y for label in labels}))
    chain.start(len(batch.bounds) - 1)
    gold = [chain.labels.index(label) for labels in y for label in labels]
    blocks = chain.extract(batch)
    for _ in range(4):
        chain.update(blocks, np.array(gold, np.int32))
    return chain, batch


def test_classifier_answers_as_a_learner_over_the_same_features(examples):
    X, y = examples
    settings = {"margin": 0.5}
    model = ChainClassifier("perceptron", settings, epochs=4).fit(X, y)
    chain, batch = twin(X, y, **settings)
    labels = [label for found in model.predict(X) for label in found]
    assert labels == [chain.labels[k] for k in chain.predict(batch)]
    table, _ = chain.marginals(chain.read(batch))
    rows = [
        list(token.values()) for found in model.predict_marginals(X) for token in found
    ]
    assert np.allclose(rows, table, atol=1e-5)
    scores = chain.n_best(chain.read(batch), 3)[1]
    found = [
        score
        for best, x in zip(model.predict_n_best(X, 3), X, strict=True)
        if x
        for _, score in best
    ]
    assert np.allclose(found, scores, atol=1e-4)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_classifier_learns_and_its_answers_agree(settings, examples):
    X, y = examples
    model = ChainClassifier(**settings).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.classes_ == ["D", "N", "V"]
    predicted = model.predict(X)
    assert [len(labels) for labels in predicted] == [*map(len, X)]
    for labels, table in zip(predicted, model.predict_marginals(X), strict=True):
        assert len(labels) == len(table)
        for row in table:
            assert sum(row.values()) == pytest.approx(1, abs=1e-4)
            assert [*row] == model.classes_
    for labels, best in zip(predicted, model.predict_n_best(X, 4), strict=True):
        scores = [score for _, score in best]
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(sequence) for sequence, _ in best}) == len(best)
        assert settings.get("latent") or best[0][0] == labels


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_classifier_is_the_same_after_saving(settings, examples, tmp_path):
    X, y = examples
    model = ChainClassifier(**settings).fit(X, y)
    model.save(tmp_path / "model")
    data = (tmp_path / "model").read_bytes()
    assert data == model.to_bytes()
    assert data in pickle.dumps(model)
    for loaded in (
        ChainClassifier.load(tmp_path / "model"),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
    ):
        assert loaded.to_bytes() == data
        assert loaded.get_params() == model.get_params()
        assert loaded.predict(X).tolist() == model.predict(X).tolist()
        assert loaded.state_features_ == model.state_features_
        assert loaded.transition_features_ == model.transition_features_
    unfitted = ChainClassifier(**settings)
    assert pickle.loads(pickle.dumps(unfitted)).get_params() == unfitted.get_params()


def test_classifier_names_its_weights(examples):
    X, y = examples
    model = ChainClassifier().fit(X, y)
    weights = model.state_features_
    assert {name for name, _ in weights} == {
        *("w:a", "w:the", "w:cat", "w:Dog", "w:runs", "title", "n"),
        *("before:a", "before:the", "before:cat", "before:Dog", "before:runs"),
    }
    assert weights["w:runs", "V"] > 0 > weights["w:runs", "N"]
    assert {*model.transition_features_} <= {(a, b) for a in "DNV" for b in "DNV"}


def test_classifier_sums_the_weights_of_a_label_sequence(examples):
    X, y = examples
    model = ChainClassifier(boundaries=False).fit(X, y)
    weights, pairs = model.state_features_, model.transition_features_
    for sentence, best in zip(X, model.predict_n_best(X, 2), strict=True):
        for labels, score in best:
            total = sum(
                value * weights.get((name, label), 0)
                for token, label in zip(sentence, labels, strict=True)
                for name, value in items(token)
            )
            total += sum(
                pairs.get(pair, 0) for pair in zip(labels[:-1], labels[1:], strict=True)
            )
            assert score == pytest.approx(total, abs=1e-3)


def test_classifier_takes_features_that_were_read_before(examples):
    X, y = examples
    read = read_features(X)
    assert [len(x) for x in read] == [len(x) for x in X]
    for settings in ({}, {"min_count": 2}):
        model = ChainClassifier(**settings).fit(X, y)
        assert ChainClassifier(**settings).fit(read, y).to_bytes() == model.to_bytes()
        assert model.predict(read[:9]).tolist() == model.predict(X[:9]).tolist()
        again = pickle.loads(pickle.dumps(np.array(read, dtype=object)))
        assert model.predict(again).tolist() == model.predict(X).tolist()
    half = ChainClassifier().fit(read[::2], y[::2])
    assert (
        half.predict(read).tolist()
        == ChainClassifier().fit(X[::2], y[::2]).predict(X).tolist()
    )


def test_classifier_takes_lists_of_strings_and_numbers(examples):
    X, y = examples
    strings = [[[token["w"]] for token in sentence] for sentence in X]
    places = {"a": 0, "the": 1, "cat": 2, "Dog": 3, "runs": 4}
    rows = [[np.eye(5)[places[token["w"]]] for token in sentence] for sentence in X]
    for given in (
        strings,
        rows,
        [[x.tolist() for x in row] for row in rows],
        [np.array(x).reshape(-1, 5) for x in rows],
    ):
        for learner in ("perceptron", "crf_batch"):
            model = ChainClassifier(learner).fit(given, y)
            assert model.score(given, y) == 1
            loaded = pickle.loads(pickle.dumps(model))
            assert loaded.predict(given).tolist() == model.predict(given).tolist()
    assert {name for name, _ in model.state_features_} == set("01234")


def test_classifier_goes_on_learning(examples):
    X, y = examples
    model = ChainClassifier()
    for start in range(0, 60, 20):
        model.partial_fit(X[start : start + 20], y[start : start + 20], classes=["X"])
    assert model.classes_ == ["D", "N", "V", "X"]
    model.partial_fit([[{"w": "new"}]] * 9, [["Y"]] * 9)
    assert model.predict([[{"w": "new"}]]).tolist() == [["Y"]]
    assert model.score(X, y) > 0.9
    with pytest.raises(ValueError, match="LP887"):
        ChainClassifier("crf_batch").partial_fit(X, y)


def test_classifier_depends_on_its_seed_only(examples):
    X, y = examples
    model = ChainClassifier(epochs=2).fit(X, y)
    assert ChainClassifier(epochs=2).fit(X, y).to_bytes() == model.to_bytes()
    other = ChainClassifier(epochs=2, random_state=1).fit(X, y)
    assert other.state_features_ != model.state_features_


def test_classifier_parameters():
    model = ChainClassifier("crf", epochs=3)
    assert repr(model) == "ChainClassifier(learner='crf', epochs=3)"
    assert model.set_params(epochs=4).get_params()["epochs"] == 4
    with pytest.raises(ValueError, match="LP085.*Did you mean|LP085"):
        model.set_params(epoch=4)


@pytest.mark.parametrize(
    "X, y, said",
    [
        ([], [], "LP886"),
        ([[], []], [[], []], "LP886"),
        ([[{"a": "b"}]], [], "LP884"),
        ([[{"a": "b"}]], [["A", "B"]], r"LP884.*X\[0\]"),
        ([[{"a": "b"}]], ["A"], "LP885"),
        ([[{"a": "b"}]], [[1]], "LP885"),
        ([[{"a": float("nan")}]], [["A"]], r"LP750.*X\[0\]\[0\]"),
        ([[[1.0, 2.0]], [[1.0]]], [["A"], ["A"]], r"LP882.*X\[1\]"),
        ([[[1.0], [2.0, 1.0]]], [["A", "A"]], r"LP882.*X\[0\]"),
        ([[[1.0], [float("nan")]]], [["A", "A"]], r"LP750.*X\[0\]\[1\]"),
        (["word"], [["A"] * 4], r"LP881.*X\[0\]\[0\]"),
    ],
)
def test_classifier_refuses_bad_examples(X, y, said):
    model = ChainClassifier()
    with pytest.raises(ValueError, match=said):
        model.fit(X, y)
    with pytest.raises(ValueError, match="LP880") as error:
        model.predict([[{"a": "b"}]])
    assert isinstance(error.value, AttributeError)  # as scikit-learn's own


def test_classifier_stays_as_it_was_after_a_bad_fit(examples):
    X, y = examples
    model = ChainClassifier().fit(X, y)
    before = model.to_bytes()
    with pytest.raises(ValueError):
        model.fit([[{"a": object()}]], [["A"]])
    assert model.to_bytes() == before


def test_classifier_answers_odd_sentences(examples):
    model = ChainClassifier().fit(*examples)
    odd = [[], [{}], [{"w": "\ud800"}], [{"unknown": 5}], [[]], [["unknown"]]]
    assert [len(x) for x in model.predict(odd)] == [0, 1, 1, 1, 1, 1]
    assert model.predict([]).tolist() == []
    assert model.predict_n_best([[]]) == [[([], 0.0)]]
    assert model.score([[], [{"w": "a"}]], [[], ["never seen"]]) == 0
    with pytest.raises(ValueError, match="LP884"):
        model.score([[{"w": "a"}]], [["D", "D"]])


def test_classifier_refuses_other_files(examples):
    from spacy_latperc.sequence import CRF

    model = ChainClassifier().fit(*examples)
    with pytest.raises(ValueError, match="LP888"):
        CRF.from_bytes(model.to_bytes())
    data = bytearray(model.to_bytes())
    data[len(data) // 2] ^= 1
    with pytest.raises(ValueError, match="LP0"):
        ChainClassifier.from_bytes(bytes(data))


@pytest.mark.parametrize(
    "change",
    [
        {"params": {"epoch": 1}},
        {"params": {"learner": "os.system"}},
        {"params": {"latent": 2}},
        {"params": None},
        {"width": "x"},
        {"width": -1},
        {"names": b"[[1], []]"},
        {"names": b"{"},
        {"chain": b"nothing"},
    ],
    ids=str,
)
def test_classifier_refuses_files_with_other_content(change, examples):
    header, arrays = model_file.unpack(ChainClassifier().fit(*examples).to_bytes())
    for name, value in change.items():
        if isinstance(value, bytes):
            arrays[name] = np.frombuffer(value, np.uint8)
        else:
            header[name] = value
    with pytest.raises(ValueError, match=r"\[LP0"):
        ChainClassifier.from_bytes(model_file.pack_tight(header, arrays))


def test_importing_estimators_needs_neither_spacy_nor_sklearn(tmp_path: Path):
    code = (
        "import sys\n"
        "from spacy_latperc.sequence import ChainClassifier\n"
        "X, y = [[{'w': 'a'}, {'w': 'b'}]], [['A', 'B']]\n"
        "model = ChainClassifier().fit(X, y)\n"
        "model.state_features_, model.save('model'), repr(model)\n"
        "assert ChainClassifier.load('model').score(X, y) == 1\n"
        "assert not {'spacy', 'thinc', 'sklearn'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_example_of_estimators_runs():
    found = doctest.testmod(sequence)
    assert found.attempted > 3
    assert found.failed == 0
