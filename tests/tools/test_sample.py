"""The bundled sample: what it promises, and that it is what its generator writes."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from project_files import ROOT
from spacy.vocab import Vocab

from spacy_latperc.data.column_files import read_columns
from spacy_latperc.data.formats import CONLLU
from spacy_latperc.data.label_spans import label_spans
from spacy_latperc.io.docbin import read_docs
from spacy_latperc.parser.projective import is_projective
from tools.sample import SentenceMaker, write_sample
from tools.sample.grammar import RULES, read_rules
from tools.sample.morphology import (
    adverb,
    comparative,
    gerund,
    participle,
    past,
    with_s,
)
from tools.sample.real_and_false import write_real_and_false
from tools.sample.trees import tree_of
from tools.sample.with_errors import write_with_errors

COLUMNS = ["word", "tag", "chunk", "ent"]
PARTS = ("train", "dev", "test")
BUNDLED = Path(__file__).parents[2] / "assets" / "sample"

bundled = pytest.mark.skipif(
    not BUNDLED.is_dir(), reason="the installed package is tested without its assets"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder)
    write_real_and_false(folder)
    write_with_errors(folder)
    return folder


@pytest.fixture(scope="module")
def tables(folder):
    return {part: read_columns(folder / f"{part}.txt", COLUMNS) for part in PARTS}


@bundled
def test_sample_that_is_bundled_is_what_the_generator_writes(folder):
    for name in ("{}.txt", "grammaticality-{}.jsonl", "{}.conllu"):
        for file in map(name.format, PARTS):
            found = (BUNDLED / file).read_bytes().replace(b"\r\n", b"\n")
            assert found == (folder / file).read_bytes(), file
    for file in ("errors-train.spacy", "errors-dev.spacy"):
        # Not the bytes: libraries of compression have their own.
        assert errors_of(BUNDLED / file) == errors_of(folder / file)
    assert sum(file.stat().st_size for file in BUNDLED.iterdir()) < 1_500_000


@pytest.mark.parametrize(
    ("inflect", "words"),
    [
        (with_s, "city cities boy boys watch watches go goes"),
        (past, "stop stopped carry carried move moved"),
        (participle, "write written"),
        (gerund, "make making see seeing"),
        (adverb, "happy happily possible possibly historic historically"),
        (comparative, "big bigger busy busier"),
    ],
)
def test_sample_morphology_inflects(inflect, words):
    words = words.split()
    assert list(map(inflect, words[::2])) == words[1::2]


@pytest.mark.parametrize("part", PARTS)
def test_sample_real_and_false_sentences_match(folder, part):
    """They are as long, and only the real ones have gold."""
    lines = (folder / f"grammaticality-{part}.jsonl").read_text().splitlines()
    lengths: dict[bool, Counter[int]] = {False: Counter(), True: Counter()}
    for fields in map(json.loads, lines):
        real = fields["cats"]["GRAMMATICAL"] == 1
        words = len(fields["text"].split())
        assert ("tags" in fields, "chunks" in fields) == (real, real)
        assert len(fields["simple_tags"].split()) == words
        lengths[real][words] += 1
    assert lengths[False] == lengths[True]
    assert sum(lengths[True].values()) > 190


def errors_of(path):
    return [
        ([t.text for t in doc], [(x.start, x.label_) for x in doc.spans["errors"]])
        for doc in read_docs(path, Vocab())
    ]


@pytest.mark.parametrize("part", ["train", "dev"])
def test_sample_half_of_the_sentences_have_errors(folder, part):
    found = errors_of(folder / f"errors-{part}.spacy")
    assert len(found) == {"train": 1000, "dev": 200}[part]
    assert 0.4 < sum(bool(errors) for _, errors in found) / len(found) < 0.6
    assert len({label for _, errors in found for _, label in errors}) > 5


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_sample_does_not_depend_on_the_hash_seed(tmp_path, hash_seed):
    few = {"train": 20, "dev": 5, "test": 5}
    command = [sys.executable, "-m", "tools.sample", str(tmp_path)]
    command += [word for name, n in few.items() for word in (f"--{name}", str(n))]
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    subprocess.run(command, check=True, cwd=ROOT, env=env)
    write_sample(tmp_path / "here", **few)
    write_sample(tmp_path / "other", seed=1, **few)
    for part in PARTS:
        here, there, other = (
            (tmp_path / name / f"{part}.txt").read_bytes()
            for name in ("here", ".", "other")
        )
        assert here == there != other


def test_sample_has_the_wanted_sizes_labels_and_unseen_words(tables):
    assert [tables[part].n_sentences for part in PARTS] == [1200, 200, 200]
    for table in tables.values():
        for column in ("chunk", "ent"):
            assert label_spans(table, column).repaired == 0
    chunks = label_spans(tables["dev"], "chunk").types
    assert set(chunks) >= {"NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT"}
    assert set(label_spans(tables["dev"], "ent").types) == {"PER", "LOC", "ORG", "MISC"}
    known = set(tables["train"].columns["word"].strings)
    for part in ("dev", "test"):
        words = tables[part].columns["word"]
        unseen = sum(words.strings[i] not in known for i in words.ids)
        assert 0.08 <= unseen / len(words.ids) <= 0.16


@pytest.mark.parametrize("column, share", [("tag", 0.15), ("ent", 0.05)])
def test_sample_words_are_ambiguous(tables, column, share):
    columns = tables["train"].columns
    words = columns["word"].ids.tolist()
    readings = set(zip(words, columns[column].ids.tolist(), strict=True))
    labels = Counter(word for word, _ in readings)
    assert sum(labels[word] > 1 for word in words) / len(words) > share


def test_sample_sentences_occur_once(folder):
    sentences = []
    for part in PARTS:
        sentences += (folder / f"{part}.txt").read_text().strip().split("\n\n")
    assert len(set(sentences)) == len(sentences) == 1600


def test_sample_grammar_uses_known_symbols_only():
    rules = read_rules(RULES)
    known = {*rules, *SentenceMaker().lexicon, "DIGITS", "YEAR", "]", ">"}
    for symbol in (
        s for group in rules.values() for rule in group for s in rule.symbols
    ):
        assert symbol in known or symbol[0] in "[<"


# Trees --------------------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
def test_sample_trees_are_of_the_first_sentences(folder, tables, part):
    # Reading checks that they are trees.
    found = CONLLU.read(folder / f"{part}.conllu").table
    assert found.n_sentences == {"train": 600}.get(part, 200)
    for name in ("word", "tag"):
        mine, theirs = found.columns[name], tables[part].columns[name]
        assert [mine.strings[i] for i in mine.ids] == [
            theirs.strings[i] for i in theirs.ids[: found.n_tokens]
        ]
    assert {"UNKNOWN", "_", ""}.isdisjoint(found.columns["lemma"].strings)


def test_sample_trees_never_cross_and_hang_words_where_they_belong():
    maker = SentenceMaker(seed=3)
    relations = Counter()
    determined = {("DT", "NN"), ("DT", "VB"), ("DT", "JJ")}
    for _ in range(300):
        sentence = maker.sentence()
        heads, names = tree_of(sentence.derivation, [token.word for token in sentence])
        assert is_projective(heads)
        relations.update(names)
        for head, token, name in zip(heads, sentence, names, strict=True):
            above = sentence[head].tag
            if name == "det":
                assert (token.tag, above[:2]) in determined
            elif token.tag == "MD":
                assert name == "aux" and above.startswith("VB")
            elif token.tag == "PRP$":
                assert name == "nmod:poss" and above.startswith("NN")
    assert len(relations) > 25 and "" not in relations
