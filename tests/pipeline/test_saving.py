"""Components saved, loaded and copied: nothing changes."""

import copy
import hashlib
import json
import os
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import spacy
from builders import pipelines as small
from spacy.language import Language

pytestmark = pytest.mark.parametrize("factory", small.FACTORIES)

UNSEEN = [*small.TEXTS, "the king of Rome hired Paris", ""]


def saved(nlp: Language, factory: str) -> bytes:
    """The strings of a vocabulary depend on the texts that it saw."""
    return nlp.get_pipe(factory).to_bytes(exclude=["vocab"])


@cache
def trained(factory: str) -> Language:
    return small.make_trained(factory, passes=2)


@pytest.mark.parametrize("kind", ("disk", "bytes", "pickle", "copy"))
def test_saving_works_before_there_are_labels(factory, kind, tmp_path):
    nlp = small.make_pipeline(factory)
    nlp.to_disk(tmp_path)
    copies = {
        "disk": lambda: spacy.load(tmp_path),
        "bytes": lambda: type(nlp).from_config(nlp.config).from_bytes(nlp.to_bytes()),
        "pickle": lambda: pickle.loads(pickle.dumps(nlp)),
        "copy": lambda: copy.deepcopy(nlp),
    }
    other = small.train(copies[kind](), small.make_examples(nlp), 2)
    assert saved(other, factory) == saved(trained(factory), factory)


def test_saving_forgets_features_of_other_weights(factory, tmp_path):
    """Ids of features that were kept mean nothing once weights are loaded."""
    nlp = small.make_trained(factory, passes=2)
    nlp.to_disk(tmp_path)
    other = spacy.load(tmp_path)
    more = [
        small.example_of(nlp, words, tags=["NN"] * 2, chunks=[(0, 2, "NP")], ents=[])
        for words in (["brand", "new"], ["words", "here"])
    ]
    examples = [*more, *small.make_examples(nlp)]
    nlp.update(examples)
    nlp.from_disk(tmp_path)
    for pipeline in (nlp, other):
        pipeline.update(list(reversed(examples)))
    assert saved(nlp, factory) == saved(other, factory)


def test_saving_forgets_gold_of_other_labels(factory, tmp_path):
    """The same labels in another order have other numbers."""
    nlp = small.make_trained(factory, passes=2)
    other = small.make_pipeline(factory)
    examples = small.make_examples(nlp)
    labels = list(reversed(nlp.get_pipe(factory).labels))
    other.get_pipe(factory).initialize(lambda: examples, labels=labels)
    nlp.update(examples)
    nlp.from_bytes(other.to_bytes())
    for pipeline in (nlp, other):
        pipeline.update(examples)
    assert saved(nlp, factory) == saved(other, factory)


def test_saving_after_adding_a_label_and_not_under_other_templates(factory, tmp_path):
    nlp = small.make_trained(factory)
    nlp.get_pipe(factory).add_label("EXTRA")
    nlp.to_disk(tmp_path)
    other = spacy.load(tmp_path)
    assert "EXTRA" in other.get_pipe(factory).labels
    assert small.annotations(other.pipe(UNSEEN)) == small.annotations(nlp.pipe(UNSEEN))
    override = {f"components.{factory}.model.features.templates": ["w[0]"]}
    with pytest.raises(ValueError, match="LP026.*templates"):
        spacy.load(tmp_path, config=override)


# The same bytes -----------------------------------------------------------------------


def test_saving_other_seed_other_bytes(factory):
    first, second = (
        small.make_trained(factory, latent=2, passes=4, seed=seed) for seed in (1, 2)
    )
    assert saved(first, factory) != saved(second, factory)


def test_saving_bytes_do_not_depend_on_the_process(factory, digests):
    assert [found[factory] for found in digests] == [digest(factory)] * 2


@pytest.fixture(scope="module")
def digests() -> list[dict[str, str]]:
    """Hash models by factory, trained with two values of PYTHONHASHSEED."""
    here = Path(__file__).resolve()
    path = os.pathsep.join([str(here.parent), str(here.parent.parent)])
    code = (
        "import json, test_saving as t\n"
        "print(json.dumps({name: t.digest(name) for name in t.small.FACTORIES}))"
    )
    found = []
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        command = [sys.executable, "-c", code]
        found.append(json.loads(subprocess.check_output(command, env=env)))
    return found


def digest(factory: str) -> str:
    nlp = small.make_trained(factory, passes=3, latent=2)
    return hashlib.sha256(nlp.get_pipe(factory).model.to_bytes()).hexdigest()
