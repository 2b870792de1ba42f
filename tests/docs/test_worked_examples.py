"""Following the pages of docs/dev word for word ends in something that works."""

from builders.worked_examples import follow, try_it


def test_adding_an_attribute(tmp_path):
    files = follow("adding-an-attribute.md", tmp_path)
    assert files == {"spacy_latperc/features/attributes.py"}
    assert try_it("adding-an-attribute.md", tmp_path).strip() == "vowels[-1]|vowels[0]"
