"""The component that does nothing."""

import spacy
from spacy.tokens import Doc
from spacy.training import Example

from benchmarks.tasks import idle  # noqa: F401 - registers its factory


def test_idle_takes_part_in_training_and_changes_nothing():
    nlp = spacy.blank("en")
    nlp.add_pipe("latperc_bench_idle", name="idle")
    doc = Doc(nlp.vocab, words=["a", "b"])
    example = Example(doc, doc.copy())
    nlp.initialize(lambda: [example])
    before = doc.to_bytes()
    assert nlp.update([example]) == {"idle": 0.0}
    assert nlp(doc).to_bytes() == before
