"""Chunks made of trees: the rules one by one, and that they are chunks at all."""

import pytest
import spacy
from builders.trees import trees
from hypothesis import given
from hypothesis import strategies as st
from project_files import ROOT

from spacy_latperc.data.corpus import column_corpus, conllu_corpus
from spacy_latperc.data.tree_chunks import TYPES, tree_chunks

SAMPLE = ROOT / "assets" / "sample"
POS = ("NOUN", "VERB", "AUX", "ADP", "ADJ", "DET", "PRON", "PART", "PUNCT", "ADV")
RELATIONS = ("nsubj", "obj", "det", "amod", "case", "aux", "nmod:poss", "xcomp")
RELATIONS += ("advmod", "mark", "punct", "compound", "fixed", "conj", "cop")


def chunks(*rows):
    """Find the chunks of words with part of speech, head from 1, and relation."""
    words, pos, numbers, relations = zip(*(row.split("/") for row in rows), strict=True)
    heads = [i if n == "0" else int(n) - 1 for i, n in enumerate(numbers)]
    found = tree_chunks(pos, heads, relations)
    return [f"{type_}: {' '.join(words[start:end])}" for start, end, type_ in found]


def cases(text):
    """Words with part of speech, number of the head and relation, then the chunks."""
    rows = []
    for line in text.strip().splitlines():
        if "/" in line:
            rows += line.split()
        else:
            yield rows, line.split("; ")
            rows = []


# A possessor that is a noun is a chunk, and its mark opens the next one. What modifiers
# have below them may be short only. Adjectives may follow, conjuncts are chunks of
# their own. Verbs that govern one another are together, if nothing stands between.
# Quotes at the edge of a chunk are not in it.
RULES = """
the/DET/4/det very/ADV/3/advmod old/ADJ/4/amod king/NOUN/7/nsubj has/AUX/7/aux
never/ADV/7/advmod lived/VERB/0/root out/ADP/10/case of/ADP/10/case town/NOUN/7/obl
./PUNCT/7/punct
NP: the very old king; VP: has never lived; PP: out of; NP: town
the/DET/2/det man/NOUN/4/nmod:poss 's/PART/2/case dog/NOUN/0/root
NP: the man; NP: 's dog
his/PRON/2/nmod:poss dog/NOUN/0/root
NP: his dog
die/DET/4/det dort/ADV/3/advmod gebaute/VERB/4/amod Stadt/NOUN/0/root
NP: die dort gebaute Stadt
die/DET/5/det von/ADP/3/case uns/PRON/4/obl gebaute/VERB/5/amod Stadt/NOUN/0/root
PP: von; NP: uns; VP: gebaute; NP: Stadt
la/DET/2/det casa/NOUN/0/root blanca/ADJ/2/amod y/CCONJ/5/cc tú/PRON/2/conj
NP: la casa blanca; NP: tú
Ada/PROPN/0/root Lovelace/PROPN/1/flat
NP: Ada Lovelace
the/DET/2/det rich/ADJ/3/nsubj win/VERB/0/root
NP: the rich; VP: win
wants/VERB/0/root to/PART/3/mark go/VERB/1/xcomp
VP: wants to go
let/VERB/0/root us/PRON/1/obj go/VERB/1/xcomp
VP: let; NP: us; VP: go
did/AUX/4/aux he/PRON/4/nsubj not/PART/4/advmod go/VERB/0/root
VP: did; NP: he; VP: not go
is/AUX/3/cop so/ADV/3/advmod old/ADJ/0/root
VP: is
the/DET/4/det "/PUNCT/4/punct old/ADJ/4/amod man/NOUN/0/root "/PUNCT/4/punct
NP: the " old man
"""


@pytest.mark.parametrize("rows, expected", list(cases(RULES)))
def test_tree_chunks_rules(rows, expected):
    assert chunks(*rows) == expected


@given(trees(), st.data())
def test_tree_chunks_are_chunks_whatever_the_tree(heads, data):
    n = len(heads)
    pos = data.draw(st.lists(st.sampled_from(POS), min_size=n, max_size=n))
    relations = data.draw(st.lists(st.sampled_from(RELATIONS), min_size=n, max_size=n))
    end = 0
    covered = set()
    for start, stop, type_ in tree_chunks(pos, heads, relations):
        assert end <= start < stop <= n
        assert type_ in TYPES
        end = stop
        covered |= set(range(start, stop))
    nouns = {i for i, x in enumerate(pos) if x == "NOUN"}
    assert nouns <= covered


def keys(doc):
    return {
        (s.start, s.end, s.label_) for s in doc.spans["chunks"] if s.label_ in TYPES
    }


def test_tree_chunks_are_those_of_the_sample():
    """Its grammar says both, each in its own way."""
    nlp = spacy.blank("en")
    trees = conllu_corpus(SAMPLE / "dev.conllu", chunks_from_ud=True)(nlp)
    gold = column_corpus(SAMPLE / "dev.txt", ["word", "tag", "chunk", "ent"])(nlp)
    right = found = wanted = 0
    for mine, theirs in zip(trees, gold, strict=True):
        a, b = keys(mine.reference), keys(theirs.reference)
        right, found, wanted = right + len(a & b), found + len(a), wanted + len(b)
    assert 2 * right / (found + wanted) > 0.96


@pytest.mark.parametrize("name", ["en_ewt-dev", "af_afribooms-dev"])
def test_tree_chunks_of_treebanks(data, name):
    """Three quarters of the words are in chunks, as in CoNLL-2000 without its other
    types; half of the chunks are noun phrases."""
    path = data / "ud_trees" / f"{name}.conllu.gz"
    chunks, tokens = [], 0
    for example in conllu_corpus(path, chunks_from_ud=True)(spacy.blank("xx")):
        tokens += len(example.reference)
        chunks += example.reference.spans["chunks"]
    assert 0.7 < sum(map(len, chunks)) / tokens < 0.85
    types = [chunk.label_ for chunk in chunks]
    assert 0.5 < types.count("NP") / len(chunks) < 0.65
    assert types.count("VP") > types.count("PP") > 0.15 * len(chunks)
