"""CRFsuite gets exactly the features of our base chunker."""

import re

import pytest
import spacy

from benchmarks.corpora import find_corpora, read_sentences
from benchmarks.tasks.base_items import base_items
from spacy_latperc.features.sets import paper_features


def test_base_items_are_the_base_templates():
    items = base_items(["A", "dog"], ["DT", "NN"])
    names = [re.split("(?<=])=", item)[0] for item in items[0]]
    assert names == [
        str(template) for template in paper_features("base_chunking").templates
    ]


def test_base_items_tell_how_far_the_border_is():
    (item,) = base_items(["Yes"], ["UH"])
    assert {"word[-2]=<-2>", "word[1]=<+1>", "tag[0]|tag[1]=UH|<+1>"} <= set(item)


@pytest.mark.parametrize("template", range(19))
def test_base_items_have_as_many_values_as_our_features(template, tmp_path):
    corpus = find_corpora("sample").chunks
    sentences = read_sentences(corpus.train, limit=200)
    strings = {
        item[template]
        for words, tags, _ in sentences
        for item in base_items(words, tags)
    }
    name = str(paper_features("base_chunking").templates[template])
    nlp = spacy.blank("en")
    features = {"@misc": "spacy_latperc.Templates.v1", "templates": [name]}
    pipe = nlp.add_pipe("latperc_chunker", config={"model": {"features": features}})
    docs = [
        spacy.tokens.Doc(nlp.vocab, words=words, tags=tags)
        for words, tags, _ in sentences
    ]
    batch = pipe.reader.read(docs)
    blocks = pipe.learner.extract(batch)
    assert len({f for block in blocks for f in block.to_array()[:, 0]}) == len(strings)
