"""The recipes of the porting guide, on sequences with an I that follows no B."""

import gzip
import itertools
import random
from pathlib import Path

import pytest
import spacy

from .test_blocks import ROOT, blocks_of

PAGE = ROOT / "docs" / "porting.md"
# Fewer than each template, each feature and each call of a pass: made once.
CALLS = 3


@pytest.fixture
def recipes():
    """The code of both recipes, without the data of the page."""
    text = PAGE.read_text(encoding="utf-8")
    line = text.count("\n", 0, text.index("## fit and predict on lists"))
    python = [x.body for x in blocks_of(PAGE) if x.line > line and x.kind == "python"]
    data, recipe, lists, function = python[:4]
    assert "X = " in data and "word2features" in function
    return recipe, lists, function


def invalid_sequences(n: int) -> tuple[list, list]:
    """Sentences whose labels may begin with I, or go on with another type."""
    rng = random.Random(0)
    labels = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    tags = ["NNP", "VBZ", "IN"]
    X, y = [], []
    for _ in range(n):
        length = rng.randrange(1, 9)
        X.append([(rng.choice("abcdefgh"), rng.choice(tags)) for _ in range(length)])
        y.append([rng.choice(labels) for _ in range(length)])
    y[0][0] = "I-PER"
    return X, y


def run(recipes, X, y):
    names = {"spacy": spacy, "X": X, "y": y}
    for code in recipes:
        exec(compile(code, str(PAGE), "exec"), names)
        if "nlp" in names:
            assert [len(x) for x in names["predict"](names["nlp"], X)] == [*map(len, X)]
    return names


def test_porting_recipes_take_sequences_that_spacy_refuses(recipes, capsys):
    names = run(recipes, *invalid_sequences(50))
    assert names["nlp"].get_pipe("ner").labels


def test_porting_recipe_makes_the_features_of_a_sentence_once(recipes, capsys):
    X, y = invalid_sequences(30)
    recipe, _, function = recipes
    calls = itertools.count()
    counted = function.replace(
        "    word, tag = sentence[i]\n",
        "    next(calls)\n    word, tag = sentence[i]\n",
    )
    assert counted != function
    names = {"spacy": spacy, "X": X, "y": y, "calls": calls}
    exec(compile(recipe + counted, str(PAGE), "exec"), names)
    assert next(calls) <= CALLS * sum(map(len, X))  # ten epochs, and a prediction


def test_porting_recipes_learn_conll2002(recipes, data: Path, capsys):
    file = data / "conll2002" / "esp.train.gz"
    if not file.is_file():
        pytest.skip("CoNLL-2002 is not here")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        blocks = lines.read().split("\n\n")[6600:6900]
    rows = [[line.split() for line in block.splitlines()] for block in blocks]
    sentences = [[row for row in block if len(row) == 3] for block in rows]
    kept = [block for block in sentences if block]
    X = [[(word, tag) for word, tag, _ in block] for block in kept]
    y = [[label for *_, label in block] for block in kept]
    assert any(labels[0].startswith("I-") for labels in y)  # the only one of the file
    names = run(recipes, X, y)
    found = list(names["predict"](names["nlp"], X))
    pairs = zip(itertools.chain(*found), itertools.chain(*y), strict=True)
    assert sum(a == b for a, b in pairs) > 0.9 * sum(map(len, y))
