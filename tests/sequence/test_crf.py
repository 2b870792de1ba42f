"""CRF: the estimator of sklearn-crfsuite under the same names."""

import inspect
import warnings

import pytest

from spacy_latperc.sequence import CRF

ALGORITHMS = ("lbfgs", "l2sgd", "ap", "pa", "arow")


@pytest.mark.filterwarnings("ignore:.*LP941")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_crf_learns_by_every_algorithm(algorithm, examples):
    X, y = examples
    model = CRF(algorithm=algorithm).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.predict_single(X[5]) == model.predict(X)[5]
    marginals = model.predict_marginals_single(X[5])
    assert marginals == model.predict_marginals(X)[5]
    assert sum(marginals[0].values()) == pytest.approx(1, abs=1e-4)
    assert {name for name, _ in model.state_features_} <= set(model.attributes_)


@pytest.mark.parametrize("transitions", [False, True])
def test_crf_has_the_arguments_and_attributes_of_sklearn_crfsuite(
    examples, transitions
):
    theirs = pytest.importorskip("sklearn_crfsuite").CRF
    wanted = inspect.signature(theirs.__init__).parameters
    found = inspect.signature(CRF.__init__).parameters
    assert list(found)[: len(wanted)] == list(wanted)
    assert all(found[name].default == x.default for name, x in wanted.items())
    X, y = examples
    # A feature of value 0 has weights there for the labels of its tokens.
    X = [[{k: v for k, v in token.items() if v} for token in x] for x in X]
    params = {"c1": 0.1, "c2": 0.1, "all_possible_transitions": transitions}
    ours = CRF(**params).fit(X, y)
    peer = theirs(**params).fit(X, y)
    assert set(ours.classes_) == set(peer.classes_)
    assert ours.predict(X).tolist() == peer.predict(X).tolist()
    assert type(ours.predict(X)) is type(peer.predict(X))
    assert ours.score(X, y) == pytest.approx(peer.score(X, y))
    for name in ("state_features_", "transition_features_"):
        mine, other = getattr(ours, name), getattr(peer, name)
        assert {k for k, v in other.items() if abs(v) > 0.1} <= mine.keys()
        for key, weight in mine.items():
            assert weight == pytest.approx(other.get(key, 0), abs=0.05)
    for mine, other in zip(
        ours.predict_marginals(X), peer.predict_marginals(X), strict=True
    ):
        for row, reference in zip(mine, other, strict=True):
            assert row == pytest.approx(reference, abs=0.02)


def test_crf_warns_of_arguments_without_a_meaning(examples):
    X, y = examples
    with pytest.warns(UserWarning, match="LP940.*epsilon"):
        CRF(epsilon=0.1).fit(X, y)
    with pytest.warns(UserWarning, match="LP940.*c1.*'ap'"):
        CRF("ap", c1=0.1).fit(X, y)
    with pytest.warns(UserWarning, match="LP941"):
        CRF("arow").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CRF(
            "lbfgs",
            c1=0.1,
            c2=0.1,
            max_iterations=20,
            all_possible_transitions=True,
            verbose=True,
        ).fit(X, y)
    with pytest.raises(ValueError, match="LP085"):
        CRF("sgd").fit(X, y)
    with pytest.raises(ValueError, match="LP086"):
        CRF("pa", pa_type=3).fit(X, y)
