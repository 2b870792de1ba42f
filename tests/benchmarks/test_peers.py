"""Other packages on the corpora of a config."""

import json

import pytest
import spacy
from project_files import ROOT
from spacy.tokens import Doc

from benchmarks.peers import label_column, main, window_features, write_labels

CONFIGS = ROOT / "configs"


def rows_of(tmp_path, *arguments):
    output = tmp_path / "figures.json"
    main([*arguments, "--seeds", "1", "--json", str(output)])
    return json.loads(output.read_text())["rows"]


def test_peers_have_as_many_passes_as_ours_and_then_their_default(tmp_path, capsys):
    pytest.importorskip("pycrfsuite")
    config = str(CONFIGS / "ner_tags.cfg")
    cut = ["--corpora.train.limit", "60", "--training.max_epochs", "2"]
    rows = rows_of(tmp_path, config, *cut, "--score", "ents_f", "--peers", "ap")
    names = ["spacy_latperc", "CRFsuite ap", "CRFsuite ap, its default"]
    assert [row["name"] for row in rows] == names
    assert [row["passes"] for row in rows] == [2, 2, 100]
    assert all(0 < row["score"] < 100 and row["seconds"] > 0 for row in rows)
    assert "Times ours" in capsys.readouterr().out


@pytest.mark.parametrize(("peer", "name"), [("spacy", "spaCy"), ("udpipe", "UDPipe 1")])
def test_peers_of_a_parser_learn_from_its_treebank(peer, name, tmp_path):
    if peer == "udpipe":
        pytest.importorskip("ufal.udpipe")
    config = str(CONFIGS / "parser-pipeline.cfg")
    cut = ["--corpora.train.corpus.limit", "50", "--training.max_epochs", "2"]
    rows = rows_of(
        tmp_path, config, *cut, "--score", "dep_las", "--peers", peer, "--no-defaults"
    )
    assert [row["name"] for row in rows] == ["spacy_latperc", name]
    assert rows[1]["score"] > 0


def test_peers_read_and_write_the_same_labels_and_see_tags_that_are_inputs():
    vocab = spacy.blank("en").vocab
    labels = ["B-PER", "I-PER", "O", "B-PER", "B-LOC"]
    for score in ("ents_f", "chunks_f"):
        doc = Doc(vocab, words=list("abcde"))
        write_labels(doc, labels, score)
        assert label_column(doc, score) == labels
    doc = Doc(spacy.blank("en").vocab, words=["A", "dog"], tags=["DT", "NN"])
    assert "t0=DT" in window_features(doc[:], "ents_f")[0]
    assert "t0=DT" not in window_features(doc[:], "tag_acc")[0]
