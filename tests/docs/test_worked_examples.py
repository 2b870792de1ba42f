"""Following the pages of docs/dev word for word ends in something that works."""

import pytest
from builders.worked_examples import follow, try_it
from project_files import ROOT

pytestmark = pytest.mark.skipif(
    not (ROOT / "setup.py").exists(), reason="a wheel is tested: there is no tree"
)


def test_adding_an_attribute(tmp_path):
    files = follow("adding-an-attribute.md", tmp_path)
    assert files == {"spacy_latperc/features/attributes.py"}
    assert try_it("adding-an-attribute.md", tmp_path).strip() == "vowels[-1]|vowels[0]"


def test_adding_a_component(tmp_path):
    files = follow("adding-a-component.md", tmp_path)
    assert files == {"spacy_latperc/pipeline/morph.py", "pyproject.toml"}
    assert try_it("adding-a-component.md", tmp_path).strip() == (
        "['Number=Sing', 'Number=Plur', 'Tense=Pres'] 1.0"
    )


@pytest.mark.parametrize(
    "page, most", [("adding-a-learner.md", 5), ("adding-a-probability.md", 3)]
)
def test_pages_that_change_kernels_fit_the_files_as_they_are(page, most, tmp_path):
    assert len(follow(page, tmp_path)) <= most


@pytest.mark.slow  # it compiles the kernels, once for both pages
def test_adding_a_learner_and_a_probability(tmp_path):
    follow("adding-a-learner.md", tmp_path)
    follow("adding-a-probability.md", tmp_path, copy=False)
    learned = try_it("adding-a-learner.md", tmp_path, build=True)
    assert learned.splitlines()[-1] == "['NN', 'VBZ', 'IN', 'NNS']"
    assert try_it("adding-a-probability.md", tmp_path).splitlines()[-1] == "True"
