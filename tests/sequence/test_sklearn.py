"""The estimators in scikit-learn's own tools."""

import numpy as np
import pytest

from spacy_latperc.sequence import CRF, ChainClassifier, read_features

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402
from sklearn.utils.validation import check_is_fitted  # noqa: E402

ESTIMATORS = [ChainClassifier(), CRF("ap", max_iterations=3)]
CHECKS = [
    estimator_checks.check_estimator_repr,
    estimator_checks.check_estimator_tags_renamed,
    estimator_checks.check_get_params_invariance,
    estimator_checks.check_no_attributes_set_in_init,
    estimator_checks.check_parameters_default_constructible,
    estimator_checks.check_set_params,
    estimator_checks.check_valid_tag_types,
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize("check", CHECKS, ids=lambda x: x.__name__)
def test_estimator_passes_checks_that_apply(check, estimator):
    check(type(estimator).__name__, clone(estimator))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_estimator_works_in_model_selection(estimator, examples):
    X, y = examples
    for given in (X, read_features(X)):
        found = cross_val_predict(estimator, given, y, cv=3)
        assert [len(x) for x in found] == [len(x) for x in X]
        assert cross_val_score(estimator, given, y, cv=3).mean() > 0.9


def test_estimator_works_in_searches(examples):
    X, y = examples
    grid = {"learner": ["perceptron", "crf"], "epochs": [1, 4], "latent": [1, 2]}
    for given in (X, read_features(X)):
        search = GridSearchCV(ChainClassifier(), grid, cv=3, n_jobs=2).fit(given, y)
        assert search.best_score_ > 0.9
    assert search.best_estimator_.predict(X).tolist() == search.predict(X).tolist()
    numbers = {"c2": np.linspace(0.1, 1, 3), "max_iterations": np.arange(5, 9)}
    found = RandomizedSearchCV(CRF(), numbers, n_iter=3, cv=3, random_state=0).fit(X, y)
    assert CRF.from_bytes(found.best_estimator_.to_bytes()).score(X, y) > 0.9


def test_estimator_works_in_a_pipeline(examples):
    X, y = examples
    model = make_pipeline(FunctionTransformer(), ChainClassifier())
    assert model.fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_estimator_clones_without_what_it_learned(estimator, examples):
    X, y = examples
    fitted = clone(estimator).fit(X, y)
    check_is_fitted(fitted)
    copied = clone(fitted)
    assert copied.get_params() == estimator.get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(copied)
    with pytest.raises(ValueError, match="LP880"):
        copied.predict(X)
