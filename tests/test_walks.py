"""The walk of a Doc and of a `fit` through the package: calls, folders, files.

Every Python function of the package that is called counts, generators and properties
too. The numbers may fall; whoever raises one says why.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from builders.pipelines import make_examples
from spacy.tokens import Doc
from thinc.api import Config

import spacy_latperc
from spacy_latperc.training.fit import fit

PACKAGE = Path(spacy_latperc.__file__).parent
WORDS = "Ada met Alan in Paris .".split()


def walk(action: Callable[[], Any]) -> list[Path]:
    """Return the file of each call of a function of the package, in order."""
    files: list[Path] = []

    def profile(frame: Any, event: str, arg: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and PACKAGE in path.parents:
            files.append(path)

    sys.setprofile(profile)
    try:
        action()
    finally:
        sys.setprofile(None)
    return files


def folder_changes(files: list[Path]) -> int:
    """Return how often a call is in another folder than the one before."""
    folders = [path.parent for path in files]
    return sum(x != y for x, y in zip(folders, folders[1:], strict=False))


@pytest.mark.filterwarnings("ignore:.*LP911")
@pytest.mark.parametrize(
    ("factory", "calls", "changes"),
    [("latperc_ner", 40, 10), ("latperc_chunker", 40, 10), ("latperc_tagger", 40, 10)],
)
def test_a_doc_takes_few_calls(factory, calls, changes):
    nlp = spacy.blank("en")
    nlp.add_pipe(factory)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    # The second Doc: the first one brings what is remembered afterwards.
    for doc in (Doc(nlp.vocab, words=WORDS) for _ in range(2)):
        files = walk(lambda doc=doc: list(nlp.pipe([doc])))
    found = len(files), folder_changes(files)
    assert found[0] <= calls and found[1] <= changes, found


def test_fit_takes_few_files(tmp_path):
    rows = [("Ada", "B-PER"), ("met", "O"), ("Alan", "B-PER"), (".", "O")]
    sentence = "".join(f"{word}\t{label}\n" for word, label in rows)
    path = tmp_path / "train.txt"
    path.write_text("\n".join([sentence] * 20), encoding="utf-8")
    corpus = {"@readers": "spacy_latperc.ColumnCorpus.v1", "path": str(path)}
    corpus["columns"] = ["word", "ent"]
    optimizer = {"@optimizers": "spacy_latperc.NoOptimizer.v1"}
    config = {
        "nlp": {"lang": "en", "pipeline": ["ner"]},
        "components": {"ner": {"factory": "latperc_ner"}},
        "corpora": {"train": corpus, "dev": corpus},
        "training": {"max_epochs": 2, "max_steps": 0, "patience": 0},
    }
    config["training"]["optimizer"] = optimizer
    files = walk(lambda: fit(Config(config)))
    names = {path.relative_to(PACKAGE).as_posix() for path in files}
    assert len(names) <= 45, sorted(names)
