"""CRFsuite gets exactly the features of our base chunker."""

import re

import spacy

from benchmarks.corpora import find_corpora, read_sentences
from benchmarks.tasks.base_items import base_items
from spacy_latperc.features.sets import paper_features


def test_base_items_are_the_base_templates_and_tell_how_far_the_border_is():
    items = base_items(["A", "dog"], ["DT", "NN"])
    names = [re.split("(?<=])=", item)[0] for item in items[0]]
    assert names == [str(x) for x in paper_features("base_chunking").templates]
    (item,) = base_items(["Yes"], ["UH"])
    assert {"word[-2]=<-2>", "word[1]=<+1>", "tag[0]|tag[1]=UH|<+1>"} <= set(item)


def test_base_items_have_as_many_values_as_our_features():
    sentences = read_sentences(find_corpora("sample").chunks.train, limit=200)
    items = [item for words, tags, _ in sentences for item in base_items(words, tags)]
    for number, template in enumerate(paper_features("base_chunking").templates):
        nlp = spacy.blank("en")
        features = {"@misc": "spacy_latperc.Templates.v1", "templates": [str(template)]}
        pipe = nlp.add_pipe("latperc_chunker", config={"model": {"features": features}})
        docs = [
            spacy.tokens.Doc(nlp.vocab, words=words, tags=tags)
            for words, tags, _ in sentences
        ]
        blocks = pipe.learner.extract(pipe.reader.read(docs))
        found = {value for block in blocks for value in block.to_array()[:, 0].tolist()}
        assert len(found) == len({item[number] for item in items})
