"""Counts of n-grams in files and models, and as attributes of tokens."""

import copy
import pickle

import numpy as np
import pytest
import spacy
from builders.pipelines import QUICK_LEARNER, make_examples, train
from builders.text import lines, read_lines, text
from spacy.tokens import Doc
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.features.sources import Givens, Tokens
from spacy_latperc.grammaticality.ngrams.ngram_model import NgramModel
from spacy_latperc.judge.evidence.ngram_counts import CountSettings, NgramCounts
from spacy_latperc.judge.evidence.ngram_evidence import NgramEvidence, ngram_evidence
from spacy_latperc.kernels.chains import text_hash

VOCAB = spacy.blank("xx").vocab
KNOWN = lines()[5].split()
SCRAMBLED = [KNOWN[1], KNOWN[0], *KNOWN[2:]]


@pytest.fixture(scope="module")
def whole(counts):
    return NgramCounts.from_disk(counts)


@pytest.fixture
def source(counts):
    source = ngram_evidence(counts)
    source.fit(Givens("text"))
    return source


def tokens_of(*docs):
    words = np.concatenate([doc.to_array("ORTH") for doc in docs])
    offsets = np.cumsum([0, *map(len, docs)], dtype=np.int64)
    return Tokens(docs, words, offsets, docs[0].vocab.strings.__getitem__)


def read(source, *docs):
    tokens = tokens_of(*docs)
    return {
        name: source.attribute(name).of_docs(tokens).tolist()
        for name in NgramEvidence.buckets
    }


def log_probability(counts, sentences):
    found = []
    for words in sentences:
        keys = np.array([text_hash(word) for word in words], dtype=np.uint64)
        values = counts.look_up(keys, np.array([0, len(keys)]))
        found.append(float(values["prob"][:1].sum() + values["next"].sum()))
    return found


def make(words):
    return Doc(VOCAB, words=words)


def test_same_text_gives_the_same_bytes_also_from_a_file(counts, whole):
    made = NgramCounts.count(text(), CountSettings())
    assert made.to_bytes() == whole.to_bytes() == counts.read_bytes()
    asked = [KNOWN, SCRAMBLED, []]
    wanted = log_probability(made, asked)
    assert log_probability(whole, asked) == pytest.approx(wanted)
    good, bad, nothing = wanted
    assert bad < good < 0 == nothing


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"order": 1}, "LP"),
        ({"order": 6}, "LP"),
        ({"megabytes": 0}, "LP"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_are_refused(settings, code):
    with pytest.raises(ValueError, match=code):
        NgramCounts.count(text(), CountSettings(**settings))


def test_table_that_is_too_small_is_refused():
    with pytest.raises(ValueError, match="LP760"):
        NgramCounts.count(
            read_lines(" ".join(f"w{n}" for n in range(400))),
            CountSettings(megabytes=0.001),
        )


def test_mapped_files_say_the_same(tmp_path):
    settings = CountSettings()
    counts = NgramCounts.count(text(), settings)
    counts.to_disk(tmp_path / "counts")
    mapped = NgramCounts.from_disk(tmp_path / "counts")
    assert not any(table.flags.writeable for table in mapped.tables.values())
    wanted = log_probability(counts, [KNOWN, SCRAMBLED])
    assert log_probability(mapped, [KNOWN, SCRAMBLED]) == wanted
    # Written again over itself: who has the old one keeps it.
    NgramCounts.count(read_lines("a b ."), settings).to_disk(tmp_path / "counts")
    assert log_probability(mapped, [KNOWN, SCRAMBLED]) == wanted


def test_damaged_files_are_refused_by_their_size_and_header(tmp_path, counts):
    whole = counts.read_bytes()
    bad = tmp_path / "bad"
    header = int.from_bytes(whole[12:16], "little")
    for damaged in (
        *(whole[:size] for size in (0, 7, 8, 15, 20, 100, header + 20, len(whole) - 1)),
        whole + b"x",
        whole[:30] + b"!" + whole[31:],
        b"no" + whole,
        whole[:12] + b"\xff\xff\xff\xff" + whole[16:],
    ):
        bad.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"LP764.*bad"):
            NgramCounts.from_disk(bad)
    # The content is compared with the checksum where it is read as a whole.
    with pytest.raises(ValueError, match="checksum"):
        NgramCounts.from_bytes(whole[:-100] + b"????" + whole[-96:])
    with pytest.raises(FileNotFoundError, match="none"):
        NgramCounts.from_disk(tmp_path / "none")


# As a source --------------------------------------------------------------------------


def test_attributes_tell_good_places_from_bad_ones(source):
    good, bad = read(source, make(KNOWN)), read(source, make(SCRAMBLED))
    assert good["left"] == [2, 3, 4, *[5] * (len(KNOWN) - 3)]
    assert sum(bad["left"]) < sum(good["left"])
    assert sum(bad["prob"]) > sum(good["prob"])  # without their sign
    assert good["next"][:-1] == good["prob"][1:]


def test_sentences_of_a_doc_are_read_one_by_one(source):
    both = make(KNOWN + SCRAMBLED)
    both[len(KNOWN)].is_sent_start = True
    together = read(source, both)
    apart = [read(source, make(words)) for words in (KNOWN, SCRAMBLED)]
    assert together == {k: apart[0][k] + apart[1][k] for k in together}


def test_docs_without_tokens(source):
    assert read(source, make([]), make(KNOWN), make([])) == read(source, make(KNOWN))


def test_what_a_source_cannot_say_is_refused(source, counts):
    for argument in ("", "up"):
        with pytest.raises(ValueError, match="LP713"):
            source.attribute(argument)
    with pytest.raises(ValueError, match="LP766"):
        read(ngram_evidence(counts), make(KNOWN))
    with pytest.raises(ValueError, match="LP767"):
        ngram_evidence("").fit(Givens("text"))


def test_copies_know_the_same(source):
    wanted = read(source, make(SCRAMBLED))
    blank = source.blank()
    blank.from_bytes(source.to_bytes())
    for twin in (blank, copy.deepcopy(source), pickle.loads(pickle.dumps(source))):
        assert read(twin, make(SCRAMBLED)) == wanted


@pytest.mark.parametrize("factory", ["latperc_tagger", "latperc_chunker"])
def test_components_carry_the_counts(factory, counts, tmp_path):
    file = tmp_path / "text.ngrams"
    file.write_bytes(counts.read_bytes())
    nlp = spacy.blank("en")
    features = {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": ["w[0]"],
        "source_templates": True,
        "sources": {
            "text": {"@misc": "spacy_latperc.NgramEvidence.v1", "path": str(file)}
        },
    }
    model = {"features": features, "learner": QUICK_LEARNER}
    nlp.add_pipe(factory, name="pipe", config={"model": model})
    train(nlp, make_examples(nlp), passes=3)
    file.unlink()
    nlp.to_disk(tmp_path / "model")
    other = spacy.load(tmp_path / "model")
    assert other.get_pipe("pipe").to_bytes() == nlp.get_pipe("pipe").to_bytes()
    doc = Doc(nlp.vocab, words=KNOWN)
    one, two = (n.get_pipe("pipe").decisions([doc]).tolist() for n in (nlp, other))
    assert one == two


# As a command -------------------------------------------------------------------------


def run(*arguments):
    result = CliRunner().invoke(
        latperc_cli, ["knowledge", "ngrams", *map(str, arguments)]
    )
    return result.exit_code, " ".join(result.output.split())


def test_command_counts_files(tmp_path, counts):
    part = len(lines()) // 2
    texts = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for file, some in zip(texts, (lines()[:part], lines()[part:]), strict=True):
        file.write_text("\n".join(some), encoding="utf8")
    code, printed = run(*texts, "-o", tmp_path / "out")
    assert code == 0, printed
    assert (tmp_path / "out").read_bytes() == counts.read_bytes()
    assert f"read {len(lines())} sentences" in printed
    assert "counting takes about 0 s and 40 MB" in printed


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (b"a b\nc \xff d", [], "line 2"),
        (b"\n\n", [], "LP405"),
        (b"a b c", ["--order", 9], "LP086"),
    ],
)
def test_command_names_bad_input(content, options, said, tmp_path):
    (tmp_path / "text.txt").write_bytes(content)
    out = tmp_path / "out"
    code, printed = run(tmp_path / "text.txt", "-o", out, *options)
    assert code == 1
    assert said in printed
    assert not out.exists()


def test_command_writes_the_arpa_format(tmp_path):
    (tmp_path / "text.txt").write_text("\n".join(lines()), encoding="utf8")
    code, printed = run(tmp_path / "text.txt", "-o", tmp_path / "out", "--arpa")
    assert code == 0, printed
    found = NgramModel.from_disk(tmp_path / "out")
    wanted = NgramModel.train(text(), order=5).score_sentences([KNOWN, SCRAMBLED])
    assert found.score_sentences([KNOWN, SCRAMBLED]) == pytest.approx(wanted, abs=1e-4)
    # The counts give the same probabilities, but for rounding.
    counts = NgramCounts.count(text(), CountSettings())
    near = log_probability(counts, [KNOWN, SCRAMBLED])
    assert near == pytest.approx(wanted, abs=0.075 * (len(KNOWN) + 1))
