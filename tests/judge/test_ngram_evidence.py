"""Counts of n-grams in files and models, and as attributes of tokens."""

import copy
import pickle

import numpy as np
import pytest
import spacy
from builders.pipelines import QUICK_LEARNER, make_examples, templates, train
from builders.text import lines, read_lines, text
from spacy.tokens import Doc
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.features.sources import Givens, Tokens
from spacy_latperc.grammaticality.ngrams.ngram_model import NgramModel
from spacy_latperc.io.docbin import MADE_FROM
from spacy_latperc.judge.evidence.ngram_counts import CountSettings, NgramCounts
from spacy_latperc.judge.evidence.ngram_evidence import ATTRIBUTES, ngram_evidence

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
    return {x: source.attribute(x).of_docs(tokens).tolist() for x in ATTRIBUTES}


def make(words, made_from=None):
    doc = Doc(VOCAB, words=words)
    if made_from:
        doc.user_data[MADE_FROM] = made_from
    return doc


def test_same_text_gives_the_same_bytes_also_from_a_file(counts, whole):
    made = NgramCounts.count(text(), CountSettings())
    assert made.to_bytes() == whole.to_bytes() == counts.read_bytes()
    asked = [KNOWN, SCRAMBLED, []]
    wanted = made.log_probability(asked).tolist()
    assert whole.log_probability(asked).tolist() == pytest.approx(wanted)
    good, bad, nothing = wanted
    assert bad < good < 0 == nothing


def test_settings_fold_words():
    text = read_lines("A b 12 .", "a B 34 .")
    plain = NgramCounts.count(text, CountSettings())
    folded = NgramCounts.count(text, CountSettings(lowercase=True, digits=True))
    asked = [["A", "B", "55", "."]]
    assert folded.log_probability(asked) > plain.log_probability(asked)
    assert folded.words < plain.words


def test_settings_that_cannot_be_are_refused():
    small = {"megabytes": 0.001}, "LP760"
    odd = ({"order": 1}, "LP"), ({"order": 6}, "LP"), ({"megabytes": 0}, "LP")
    for settings, code in (*odd, small):
        with pytest.raises(ValueError, match=code):
            NgramCounts.count(text(), CountSettings(**settings))


def test_mapped_files_say_the_same(tmp_path):
    settings = CountSettings()
    counts = NgramCounts.count(text(), settings)
    counts.to_disk(tmp_path / "counts")
    mapped = NgramCounts.from_disk(tmp_path / "counts")
    assert not any(table.flags.writeable for table in mapped.tables.values())
    wanted = counts.log_probability([KNOWN, SCRAMBLED])
    assert mapped.log_probability([KNOWN, SCRAMBLED]).tolist() == wanted.tolist()
    # Written again over itself: who has the old one keeps it.
    NgramCounts.count(read_lines("a b ."), settings).to_disk(tmp_path / "counts")
    assert mapped.log_probability([KNOWN, SCRAMBLED]).tolist() == wanted.tolist()


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


def test_attributes_tell_good_places_from_bad_ones(counts):
    source = ngram_evidence(counts, leave_out=False)
    source.fit(Givens("text"))
    good, bad = read(source, make(KNOWN)), read(source, make(SCRAMBLED))
    assert good["left"] == [2, 3, 4, *[5] * (len(KNOWN) - 3)]
    assert sum(bad["left"]) < sum(good["left"])
    assert sum(bad["prob"]) > sum(good["prob"])  # without their sign
    assert good["next"][:-1] == good["prob"][1:]


def test_a_sentence_of_the_text_does_not_count_for_itself(source, counts):
    """Nor do sentences that others were made from."""
    original = ["Nobody", "ever", "wrote", "such", "words", "."]
    one = read_lines(*lines(), " ".join(original))
    source.counts = NgramCounts.count(one, CountSettings())
    without = ngram_evidence(counts)
    without.fit(Givens("text"))
    alone = make(original)
    found, wanted = read(source, alone), read(without, alone)
    for name in ("left", "right", "count", "pair", "middle"):
        assert found[name] == wanted[name]
    assert found["left"][:-1] == [0] * 5
    made = ["ever", "Nobody", "wrote", "such", "words", "."]
    betrayed = read(source, make(made))["left"]
    assert max(betrayed[:-1]) > 1
    found = read(source, make(made, [original]), make(KNOWN))
    assert found["left"][:5] == [0] * 5
    assert found["left"][6:] == read(source, make(KNOWN))["left"]


def test_sentences_of_a_doc_are_read_one_by_one(source):
    both = make(KNOWN + SCRAMBLED)
    both[len(KNOWN)].is_sent_start = True
    together = read(source, both)
    apart = [read(source, make(words)) for words in (KNOWN, SCRAMBLED)]
    assert together == {k: apart[0][k] + apart[1][k] for k in together}
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
    sources = {"text": {"@misc": "spacy_latperc.NgramEvidence.v1", "path": str(file)}}
    features = templates("w[0]", source_templates=True, sources=sources)
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


def run(*arguments):
    command = ["knowledge", "ngrams", *map(str, arguments)]
    result = CliRunner().invoke(latperc_cli, command)
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
    near = counts.log_probability([KNOWN, SCRAMBLED])
    assert near == pytest.approx(wanted, abs=0.075 * (len(KNOWN) + 1))
