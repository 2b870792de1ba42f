"""The surface of real sentences."""

import pytest
from builders.text import lines, read_lines

from spacy_latperc.grammaticality.negatives import surface_checks as module
from spacy_latperc.grammaticality.negatives.surface_checks import SurfaceChecks

GOOD = "The dog sees a bird ."


def accepts(*sentences):
    """Run the checks of the toy text over one vocabulary."""
    both = read_lines(*lines(), *sentences)
    real = both.slice(0, len(lines()))
    return SurfaceChecks.of(real).accepts(both.slice(len(lines()), len(both))).tolist()


def test_form_of_the_toy_text_has_every_check():
    assert len(SurfaceChecks.of(read_lines(*lines())).checks) == 6
    good = [GOOD, "The man ( cat ) hears a tree .", "`` The dog sees a bird . ''"]
    assert accepts(*good) == [True] * 3


@pytest.mark.parametrize(
    "bad",
    [
        "The dog sees a bird",
        "The dog . sees a bird .",
        "the dog sees a bird .",
        "The dog ( sees a bird .",
        "The dog ) sees ( a bird .",
        "The ( dog ( sees ) a ) bird .",
        "The dog `` sees a bird .",
        'The dog " sees a bird .',
        "The - - - - - dog sees a bird .",
        "Zzz yyy xxx www vvv uuu ttt sss .",
    ],
)
def test_form_refuses(bad):
    assert accepts(bad, GOOD) == [False, True]


def test_form_drops_checks_that_the_text_itself_fails():
    lower = read_lines(*[line.lower().rstrip(" .") for line in lines()])
    checks = SurfaceChecks.of(lower).checks
    assert "begins with a capital" not in checks
    assert "ends with a mark" not in checks
    assert "has balanced pairs" in checks
    sentences = read_lines("x", ") . )")
    assert SurfaceChecks.nothing(sentences).accepts(sentences).all()


def test_form_is_the_same_in_blocks(monkeypatch):
    sentences = [GOOD, "no", "The dog ( sees ."] * 4
    whole = accepts(*sentences)
    monkeypatch.setattr(module, "BLOCK", 5)
    assert accepts(*sentences) == whole
