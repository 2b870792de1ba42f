"""`fit DATA`: from a file to a pipeline, its config and a report."""

import json
import re
from html.parser import HTMLParser

import pytest
import spacy
from builders.pipelines import TEXTS, make_trained
from builders.sample import SAMPLE
from spacy.cli.train import train
from spacy.tokens import DocBin
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_latperc.autofit.dataset import SKIPPED, UNLABELLED, read_dataset
from spacy_latperc.cli import latperc_cli
from spacy_latperc.data.configured import block_examples
from spacy_latperc.data.joined_corpus import joined_corpus
from spacy_latperc.io.docbin import read_docs
from spacy_latperc.pipeline.extensions import entity_score
from spacy_latperc.training.fit import fit_and_save

# The data is small, which calibration says.
pytestmark = pytest.mark.filterwarnings("ignore:.LP915")
WORDS = "Ada met Bob in London . Eve saw Tim near Paris .".split()
# Without clusters of words, whose table takes a second for each component.
QUICK = ("--lang", "en", "--for", "speed", "-q")


def write_jsonl(path, n=60):
    """A corpus in which names are persons, and <script> is a word."""
    names, places = ["Ada", "Bob", "Eve", "Tim"], ["London", "Paris", "Rome"]
    lines = []
    for i in range(n):
        who, where = names[i % 4], places[i % 3]
        text = f"{who} met the <b>{i}</b> people in {where} ."
        spans = [
            [0, len(who), "PERSON"],
            [len(text) - 2 - len(where), len(text) - 2, "GPE"],
        ]
        lines.append(json.dumps({"text": text, "label": spans}))
    path.write_text("\n".join(lines))
    return path


def run(*arguments, code=0):
    result = CliRunner().invoke(latperc_cli, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fit")
    data = write_jsonl(folder / "data.jsonl")
    return folder / "model", run("fit", data, "-o", folder / "model", "--lang", "en")


def test_what_was_detected_is_shown(fitted):
    _, shown = fitted
    text = " ".join(shown.split())
    assert "JSON records: 60 texts" in text
    assert "entities: PERSON 60, GPE 60" in text
    assert "en (as asked)" in text
    assert re.search(r"Division \d\d to train on, \d+ for development", text)
    assert "report.html" in text


def test_config_gives_the_same_bytes(fitted, tmp_path):
    model, _ = fitted
    fit_and_save(load_config(model / "config.cfg"), tmp_path / "again", quiet=True)
    for name in ("ner/model", "ner/cfg"):
        first, second = (x / "model-best" / name for x in (model, tmp_path / "again"))
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    "name, task, options",
    [
        ("data.jsonl", None, ("--lang", "en", "-q")),
        ("dev.txt", "tags", QUICK),
        ("dev.txt", "chunks", QUICK),
        ("dev.conllu", None, ("--lemmas", *QUICK)),
    ],
    ids=["entities", "tags", "chunks", "treebank"],
)
def test_spacy_train_gives_the_same_weights(tmp_path, name, task, options):
    data = tmp_path / name
    if name.endswith("jsonl"):
        write_jsonl(data, 40)
    else:
        sentences = (SAMPLE / name).read_text().split("\n\n")
        data.write_text("\n\n".join(sentences[:60]) + "\n\n")
    options = (*options, "--training.max_epochs", 1)
    options = ("--task", task, *options) if task else options
    shown = run("fit", data, "-o", tmp_path / "fit", *options)
    if "--lemmas" in options:
        check_all_that_a_treebank_has(shown, tmp_path / "fit" / "model-best")
    train(tmp_path / "fit" / "config.cfg", tmp_path / "train")
    for which in ("model-best", "model-last"):
        for first in (tmp_path / "fit" / which).glob("*/model"):
            again = tmp_path / "train" / which / first.relative_to(first.parents[1])
            assert first.read_bytes() == again.read_bytes(), first


def check_all_that_a_treebank_has(shown, model):
    names = ["sentencizer", "tagger", "pos", "morph", "parser", "trainable_lemmatizer"]
    assert f"Pipeline   {', '.join(names)}" in shown.replace("\n", " ")
    nlp = spacy.load(model)
    assert nlp.pipe_names == names
    doc = nlp("She likes it .")
    assert doc[1].lemma_ and doc[1].tag_ and doc.has_annotation("DEP")


def test_model_finds_entities(fitted):
    nlp = spacy.load(fitted[0] / "model-best")
    assert [ent.label_ for ent in nlp("Eve met the people in Rome .").ents] == [
        "PERSON",
        "GPE",
    ]


def test_saved_weights_have_16_bits_and_exact_ones_32(fitted, tmp_path):
    model, shown = fitted
    assert "Compact weights change ents_f" in shown
    config = load_config(model / "config.cfg")
    config["training"]["before_to_disk"]["bits"] = 32
    fit_and_save(config, tmp_path, quiet=True)
    compact, exact = (
        (x / "model-best" / "ner" / "model").stat().st_size for x in (model, tmp_path)
    )
    assert compact < exact


@pytest.mark.parametrize("purpose", ["accuracy", "speed", "size"])
def test_purposes(fitted, tmp_path, purpose):
    data = fitted[0].parent / "data.jsonl"
    run("fit", data, "-o", tmp_path, "--lang", "en", "--for", purpose, "-q")
    nlp = spacy.load(tmp_path / "model-best")
    assert len(nlp("Eve met the people in Rome .").ents) == 2


def test_training_goes_on_with_new_labels(fitted, tmp_path):
    data = tmp_path / "data.jsonl"
    text = "Ada met the {} in Rome {} times ."
    kinds = [("Thai", "NORP"), ("dogs", "ANIMAL")]
    lines = []
    for i in range(80):
        word, label = kinds[i % 2]
        spans = [[0, 3, "PERSON"], [12, 16, label]]
        lines.append(json.dumps({"text": text.format(word, i), "label": spans}))
    data.write_text("\n".join(lines))
    model, _ = fitted
    shown = run("fit", data, "-o", tmp_path / "m", "--from", model / "model-best", "-q")
    assert re.search(r"ents_f +\d+\.\d\d +\d+\.\d\d", shown)
    nlp = spacy.load(tmp_path / "m" / "model-best")
    assert set(nlp.get_pipe("ner").labels) == {"PERSON", "GPE", "NORP", "ANIMAL"}
    fit_and_save(load_config(tmp_path / "m" / "config.cfg"), tmp_path / "n", quiet=True)
    first, again = (tmp_path / x / "model-best" / "ner" / "model" for x in "mn")
    assert first.read_bytes() == again.read_bytes()


class Page(HTMLParser):
    """Checks that tags match and nothing is loaded from elsewhere."""

    VOID = ("meta", "path", "polyline", "br")

    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "link", "img", "iframe")
        assert not any(name in ("src", "onload") for name, _ in attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_report_is_one_page_with_escaped_text(fitted):
    content = (fitted[0] / "report.html").read_text()
    page = Page()
    page.feed(content)
    assert not page.open
    text = " ".join("".join(page.text).split())
    assert "texts of development data" in text
    assert "PERSON" in text
    assert "<b>" not in content.replace("<b>PERSON", "").replace("<b>GPE", "")


def test_report_without_text(tmp_path):
    data = write_jsonl(tmp_path / "data.jsonl", 40)
    shown = run("fit", data, "-o", tmp_path / "out", "--no-text", *QUICK[:-1])
    content = (tmp_path / "out" / "report.html").read_text()
    for word in ("London", "people", "Ada"):
        assert word not in content
        assert word not in shown


def test_the_last_step_of_other_epochs_is_evaluated(tmp_path):
    data = write_jsonl(tmp_path / "data.jsonl", 90)
    run("fit", data, "-o", tmp_path, *QUICK, "--training.max_epochs", 4)
    frequency = spacy.load(tmp_path / "model-best").config["training"]["eval_frequency"]
    steps = 4 * -(-len(DocBin().from_disk(tmp_path / "train.spacy")) // 32)
    assert (steps - 1) % frequency == 0


@pytest.mark.parametrize(
    "name, task, component, test",
    [
        ("dev.txt", None, "ner", "test.txt"),
        ("dev.txt", "chunks", "chunker", "test.txt"),
        ("dev.txt", "tags", "tagger", None),
        ("dev.conllu", "tags", "morph", None),
    ],
)
def test_tasks(tmp_path, name, task, component, test):
    options = QUICK[2:] if task else ["-q"]
    arguments = ["fit", SAMPLE / name, "-o", tmp_path / "out", *options]
    arguments += ["--task", task] if task else []
    arguments += ["--test", SAMPLE / test] if test else []
    run(*arguments)
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert component in nlp.pipe_names
    assert (tmp_path / "out" / "report.html").exists()
    assert (tmp_path / "out" / "test.spacy").exists() == bool(test)


def test_names_of_files_divide_a_folder(tmp_path):
    folder = tmp_path / "UD"
    folder.mkdir()
    sentences = (SAMPLE / "dev.conllu").read_text().split("\n\n")
    for i, name in enumerate(("a-ud-train", "a-ud-dev", "a-ud-test")):
        text = "\n\n".join(sentences[20 * i : 20 * i + 20])
        (folder / f"{name}.conllu").write_text(f"{text}\n\n")
    options = ("--task", "tags", *QUICK, "--training.max_epochs", 1)
    for given in ((), ("--dev", folder / "a-ud-dev.conllu")):
        shown = run("fit", folder, "-o", tmp_path / "out", *given, *options)
        shown = " ".join(shown.split())
        assert "20 to train on, 20 for development (from a-ud-dev.conllu), 20" in shown


@pytest.mark.parametrize(
    "content, options, error",
    [
        ('{"text": "x"}', (), "LP324"),
        ('{"text": "good one", "label": ["pos"]}', (), "LP863"),
        ('{"text": "no span", "label": []}', (), "LP863"),
        ('{"text": "no span", "spans": []}', (), "LP863"),
        ('{"text": "Ada", "label": [[0, 3, "P"]]}', (), "LP864"),
        ('{"text": "Ada", "label": [[0, 3, "P"]]}', ("--task", "chunks"), "LP862"),
        ('{"text": "Ada", "label": [[0, 3, "P"]]}', ("--task", "nerd"), "nerd"),
        ('{"text": "Ada", "label": [[0, 3, "P"]]}', ("--lang", "qq"), "LP721"),
        ('{"text": "Ada", "label": [[0, 3, "P"]]}\n' * 2, ("--lemmas",), "LP86"),
        ('{"text": "Ada", "label": [[0, 3, "P"]]}', ("--align", "x"), "align"),
    ],
)
def test_what_cannot_be_learned_is_refused(tmp_path, content, options, error):
    path = tmp_path / "data.jsonl"
    path.write_text(content)
    shown = run("fit", path, "-o", tmp_path / "out", *options, code=1)
    assert error in shown
    assert not (tmp_path / "out" / "model-best").exists()


def test_clusters_of_raw_text_become_features(tmp_path):
    data = write_jsonl(tmp_path / "data.jsonl")
    raw = tmp_path / "raw.txt"
    raw.write_text("\n".join([" ".join(WORDS)] * 60))
    shown = run("fit", data, "-o", tmp_path / "out", "--raw", raw, "--lang", "en", "-q")
    assert "raw.txt" in shown
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert "raw" in nlp.get_pipe("ner").learner.features.sources


def test_a_student_learns_what_its_teacher_is_sure_of(tmp_path):
    """Between the lowest and the highest probability some names are not labelled."""
    nlp = make_trained("latperc_ner", passes=2)
    teacher = tmp_path / "teacher"
    nlp.to_disk(teacher)
    raw, silver = tmp_path / "raw.txt", tmp_path / "silver.spacy"
    raw.write_text("\n".join(TEXTS[:2]))
    nlp.get_pipe("latperc_ner").scores = "marginal"
    scores = [entity_score(ent) for doc in nlp.pipe(TEXTS[:2]) for ent in doc.ents]
    least = (min(scores) + max(scores)) / 2
    command = ["annotate", teacher, "-f", raw, "-o", silver]
    run(*command, "--min-score", least)
    docs = list(read_docs(silver, spacy.blank("en").vocab))
    assert sum(len(doc.ents) for doc in docs) == sum(x >= least for x in scores)
    assert {token.ent_iob for doc in docs for token in doc} == {0, 2, 3}
    data = write_jsonl(tmp_path / "gold.jsonl")
    options = ("-o", tmp_path / "out", "--no-evaluation", *QUICK)
    shown = run("fit", data, "--silver", silver, *options)
    assert "2 texts of silver.spacy; times that yours are read: 2" in shown
    nlp = spacy.load(tmp_path / "out" / "model-last")
    read = block_examples(nlp, nlp.config.interpolate()["corpora"]["train"])
    gold = len(list(read_docs(tmp_path / "out" / "train.spacy", nlp.vocab)))
    assert len(list(read)) == 2 * gold + 2
    with pytest.raises(ValueError, match="LP777.*'silver'.*gold"):
        joined_corpus({"gold": read}, {"silver": 2})
    shown = run(*command[:4], "-o", "x.jsonl", "--min-score", 0.5, code=1)
    assert "LP328" in shown
    spacy.blank("en").to_disk(tmp_path / "blank")
    shown = run("annotate", tmp_path / "blank", "Ada", "--min-score", 0.5, code=1)
    assert "LP323" in shown


def test_what_is_not_annotated_may_be_unknown(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text('{"text": "Ada met Bob", "label": [[0, 3, "P"]]}\n')
    for partial, rest in ((False, "O"), (True, "")):
        (doc,) = read_dataset(spacy.blank("en"), path, partial=partial).docs
        assert [token.ent_iob_ for token in doc] == ["B", rest, rest]


def test_dataset_keeps_its_counts(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text(
        '{"text": "Ada met Bob", "label": [[0, 3, "P"]], "answer": "reject"}\n'
        '{"text": "Ada met Bob"}\n{"text": "Ada", "label": [[0, 3, "P"]]}\n'
        '{"text": "", "label": []}\n'
    )
    data = read_dataset(spacy.blank("en"), path)
    assert (len(data.docs), data.notes[SKIPPED], data.notes[UNLABELLED]) == (1, 1, 1)
