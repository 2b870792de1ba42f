"""Following the pages of docs/dev word for word ends in something that works."""

from builders.worked_examples import follow, try_it


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
