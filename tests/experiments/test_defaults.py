"""Sets of entities from lists of names, and the table of a cross-validation."""

from experiments.defaults import cells, table
from experiments.listed_entities import label


def test_names_are_labelled_longest_first():
    names = {("New", "York"): "LOC", ("New", "York", "Times"): "ORG", ("Ada",): "PER"}
    words = "Ada left New York Times in New York".split()
    assert " ".join(label(words, names)) == ("B-PER O B-ORG I-ORG I-ORG O B-LOC I-LOC")


def test_gains_are_over_the_first_row_run_by_run():
    figures = [
        {"variant": name, "epochs": 20, "set": "es", "scores": scores}
        for name, scores in (("plain", [70.0, 80.0]), ("more", [71.0, 83.0]))
    ]
    header, rows = table(["es", "nl"], figures)
    assert header == ["", "epochs", "es", "nl", "gain", "error"]
    assert rows[0] == ["plain", "20", "75.00", "", "+0.00", "0.00"]
    assert rows[1] == ["more", "20", "77.00", "", "+2.00", "1.00"]


def test_a_loss_is_more_than_a_tenth_and_two_standard_errors():
    def loses(change):
        now = [70.0 + change + x for x in (-0.1, 0.0, 0.1)]
        row = {"set": "es", "before": [69.9, 70.0, 70.1], "now": now, "recall": []}
        return cells(row)[-3:]

    assert loses(-0.25) == ["0.16", "", "no"]
    assert loses(-0.27) == ["0.16", "", "yes"]
