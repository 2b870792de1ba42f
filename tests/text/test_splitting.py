"""Sentences of running text."""

import pytest

from spacy_latperc.text.splitting import BREAK, with_breaks


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rains .", "Go !", "Where ?"],
        ['He said " go . "', "She went ( so ) ."],
        ["雨 です 。", "行く 。"],
        ["Mr. A paid .5 of it"],
        ["so ...", "yes"],
        [],
    ],
)
def test_with_breaks_divides_after_marks_and_what_closes(sentences):
    words = " ".join(sentences).split()
    found = " ".join(with_breaks(words)).split(BREAK) if words else with_breaks(words)
    assert [part.strip() for part in found] == sentences
