"""Features of a component: rare ones, and templates over columns that are empty."""

import warnings

import pytest
from builders import pipelines as small
from spacy.training import Example

pytestmark = pytest.mark.parametrize("factory", small.FACTORIES)


@pytest.mark.parametrize("complete", (True, False))
def test_features_rare_features_get_no_rows(factory, complete):
    """Counted in initialize when the columns are complete then, in update otherwise."""
    features = small.templates("w[0]", "t[0]", min_count=2)
    nlp = small.make_pipeline(factory, features=features)
    tagged = tagged_examples(nlp)
    first = tagged if complete else small.make_examples(nlp)
    nlp.initialize(lambda: first)
    component = nlp.get_pipe(factory)
    for _ in range(3):
        component.update(tagged)
    # "London", "work" and five tags (one of them in two spellings) are seen twice; the
    # start and the end of a sentence are always there.
    rows = component.learner.freeze().n_rows[0]
    assert 2 < rows <= 9 + 2


def tagged_examples(nlp):
    return [
        Example(small.make_doc(nlp, s.words, tags=s.tags), example.reference)
        for s, example in zip(small.SENTENCES, small.make_examples(nlp), strict=True)
    ]


@pytest.mark.parametrize("when", ("training", "prediction"))
def test_features_empty_tag_columns_warn_once(factory, when):
    nlp = small.make_pipeline(factory, features=small.templates("w[0]", "t[0]"))
    untagged = small.make_examples(nlp)
    examples = untagged if when == "training" else tagged_examples(nlp)
    nlp.initialize(lambda: examples)
    if when == "prediction":
        nlp.update(examples)
    with pytest.warns(UserWarning, match=f"LP911.*'{factory}'.*TAG") as found:
        nlp.update(examples) if when == "training" else list(nlp.pipe(small.TEXTS))
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlp.update(untagged)
        nlp(small.TEXTS[0])
