"""Components whose chain is the sum of several: they can do what all others can."""

import pytest
import spacy
from builders import pipelines as small

from spacy_latperc.compact import compact
from spacy_latperc.label_sets import ALLOWED
from spacy_latperc.pipeline.calibrator import calibrate

NER = "latperc_ner"


def joined(passes=10, **settings):
    return small.make_trained(NER, passes=passes, members=small.MEMBERS, **settings)


@pytest.mark.filterwarnings("ignore:.*LP915")
def test_members_can_do_what_single_chains_can(tmp_path):
    nlp = joined(scores="marginal", n_best=2)
    for text, sentence in zip(small.TEXTS, small.SENTENCES, strict=True):
        assert small.triples(nlp(text).ents) == sentence.ents
    component = nlp.get_pipe(NER)
    calibrate(nlp, NER, small.make_examples(nlp))
    doc = nlp(small.TEXTS[0])
    assert all(0 < ent._.ent_score <= 1 for ent in doc.ents)
    first, second = component.n_best(nlp.make_doc(small.TEXTS[0]), 2)
    assert first.probability > second.probability
    found = component.explain(nlp.make_doc(small.TEXTS[0]), 0)
    assert found.margin > 0
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert small.annotations(loaded.pipe(small.TEXTS)) == small.annotations(
        nlp.pipe(small.TEXTS)
    )
    before = component.learner.to_bytes()
    compact(nlp, small.make_examples(nlp))
    assert len(nlp.get_pipe(NER).learner.to_bytes()) < len(before)
    assert small.triples(nlp(small.TEXTS[0]).ents) == small.SENTENCES[0].ents
    loaded.update(small.make_examples(loaded))
    assert loaded.get_pipe(NER).learner.examples > component.learner.examples


def test_members_keep_what_is_known():
    nlp = joined()
    doc = small.make_doc(nlp, small.SENTENCES[0].words, ents=[(3, 5, "ORG")])
    doc.user_data[ALLOWED, "ents"] = {7: ["O"]}
    assert small.triples(nlp(doc).ents) == [(0, 2, "PERSON"), (3, 5, "ORG")]


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"latent": 2}, "LP453.*latent"), ({"members": {"a": 1}}, "LP590.*members.a")],
)
def test_members_refuse_what_they_cannot_do(settings, message):
    with pytest.raises(ValueError, match=message):
        small.make_pipeline(NER, **{"members": small.MEMBERS, **settings})


def test_files_of_other_members_are_refused():
    data = joined(passes=1).to_bytes()
    other = {"another": small.MEMBERS["other"]}
    for nlp in (small.make_pipeline(NER, members=other), small.make_pipeline(NER)):
        with pytest.raises(ValueError, match="LP563|LP454"):
            nlp.from_bytes(data)
