"""The scores that are shown, and their names."""

from spacy_latperc.cli import score_tables as tables

PRF = {"p": 0.5, "r": 0.25, "f": 1 / 3}


CHUNKS = {"p": 0.5, "r": 0.25, "f": 1 / 3, "per_type": {"NP": PRF}}
SCORES = {
    **{f"token_{name}": 1.0 for name in ("acc", "f", "p", "r")},
    **{"tagger_acc": 0.9, "tag_acc": 0.9},
    **{
        f"{key}_{x}": y for key in ("chunks", "spans_chunks") for x, y in CHUNKS.items()
    },
    **{f"ents_{name}": None for name in ("p", "r", "f", "per_type")},
    **{"speed": 12345.6, "docs": 3},
}


def test_score_tables_singles_and_spans_stand_once():
    assert tables.single_scores(SCORES) == {"tag_acc": 0.9}
    assert tables.single_scores({"cats_score": 0.5, "cats_macro_p": None}) == {
        "cats_score": 0.5,
        "cats_macro_p": None,
    }
    assert tables.span_scores(SCORES) == {
        "ents": {"p": None, "r": None, "f": None},
        "chunks": PRF,
        "chunks NP": PRF,
    }
    scores = {"chunks_p": 0.5, "chunks_r": 0.5, "chunks_f": 0.5}
    scores |= {f"spans_{key}_{x}": 0.5 for key in ("np", "vp") for x in "prf"}
    assert list(tables.span_scores(scores)) == ["np", "vp"]


def test_score_tables_are_printed(capsys):
    tables.show_scores(SCORES)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["tag_acc", "90.00"] in lines
    assert ["chunks", "NP", "50.00", "25.00", "33.33"] in lines
    assert ["ents", "-", "-", "-"] in lines
    assert (tables.percent(None), tables.percent(0.12345)) == ("-", "12.35")
    scores = {
        "dep_las": 0.5,
        "dep_las_per_type": {"nsubj": PRF},
        **{f"sents_{x}": 0.25 for x in "prf"},
    }
    tables.show_scores(scores)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["dep_las", "50.00"] in lines
    assert ["nsubj", "50.00", "25.00", "33.33"] in lines
    assert ["sents", *["25.00"] * 3] in lines


SENTENCES = {f"grammaticality_{name}": 0.5 for name in ("acc", "auc", "p", "r", "f")}
LENGTHS = {"1-9": {"docs": 2, "acc": 0.25, "auc": None, "p": 0.0, "r": 0.0, "f": 0.0}}


def test_score_tables_sentences_by_length(capsys):
    assert tables.sentence_scores(
        {**SENTENCES, "grammaticality_per_length": LENGTHS}
    ) == {
        "all": (0.5, 0.5, 0.5, 0.5, 0.5),
        "1-9 tokens": (0.25, None, 0.0, 0.0, 0.0),
    }
    assert tables.sentence_scores(SCORES) == {}
    tables.show_scores({**SENTENCES, "grammaticality_per_length": LENGTHS})
    output = capsys.readouterr().out
    assert ["all", *["50.00"] * 5] in [line.split() for line in output.splitlines()]
    assert "spans" not in output
