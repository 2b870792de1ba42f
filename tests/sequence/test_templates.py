"""Templates over raw tokens, and template files."""

import pytest

from spacy_latperc.sequence import ChainClassifier, read_templates

CRFPP = """# Unigram
U00:%x[-1,0]
U02:%x[-1,0]/%x[0,0]
U10:%x[0,1]
U11:%x[+1,2]

# Bigram
B
B01:%x[0,1]
"""
WAPITI = """
*
u:wrd X=%x[ 0,0]
u:wrd-1 LL=%X[-1,0]
*:pos X=%x[ 0,1]/%x[1,1]
u:pre-2 X=%m[ 0,0,"^.?.?"]
u:suf-3 X=%m[ 1,0,".?.?.?$"]
b
"""


def test_templates_of_crfpp(tmp_path):
    (tmp_path / "template").write_text(CRFPP)
    assert read_templates(tmp_path / "template") == [
        *("word[-1]", "word[-1]|word[0]", "tag[0]", "_.column2[1]", "edge:tag[0]"),
    ]
    named = read_templates(tmp_path / "template", columns="form,word,lemma")
    assert named[0] == "_.form[-1]" and named[2:4] == ["word[0]", "lemma[1]"]


def test_templates_of_wapiti(tmp_path):
    (tmp_path / "patterns").write_text(WAPITI)
    assert read_templates(tmp_path / "patterns") == [
        *("bias", "word[0]", "lower[-1]", "tag[0]|tag[1]", "edge:tag[0]|tag[1]"),
        *("pre2[0]", "suf3[1]"),
    ]


@pytest.mark.parametrize(
    "line", ['u:%t[0,0,"x"]', "X:%x[0,0]", "U:%x[a,0]", "U:%X[0,1]"]
)
def test_templates_refuse_other_lines(line, tmp_path):
    (tmp_path / "bad").write_text(f"U:%x[0,0]\n{line}\n")
    with pytest.raises(ValueError, match="LP890.*line 2"):
        read_templates(tmp_path / "bad")


def test_templates_read_words_and_columns(examples, tmp_path):
    y = examples[1]
    words = [[token["w"] for token in sentence] for sentence in examples[0]]
    model = ChainClassifier(templates=["w[0]", "shape[-1]"], columns="word").fit(
        words, y
    )
    assert model.score(words, y) == 1
    loaded = ChainClassifier.from_bytes(model.to_bytes())
    assert loaded.predict(words).tolist() == model.predict(words).tolist()
    rows = [[("x", "T", word) for word in sentence] for sentence in words]
    templates = ["word[0]", "tag[0]", "_.column2[0]", "_.column2[-1]|tag[0]"]
    columns = "word,tag,column2"
    model = ChainClassifier(templates=templates, columns=columns).fit(rows, y)
    assert model.score(rows, y) == 1
    with pytest.raises(ValueError, match="LP889"):
        model.state_features_  # noqa: B018
    with pytest.raises(ValueError, match=r"LP883.*X\[0\]\[0\]"):
        model.predict([["word"]])
