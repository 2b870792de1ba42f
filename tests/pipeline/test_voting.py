"""Components with several representations, whose chains vote."""

from collections import Counter

import numpy as np
import pytest
import spacy
from builders import pipelines as small

from spacy_latperc.compact import compact
from spacy_latperc.io import model_file as storage
from spacy_latperc.label_sets import ALLOWED
from spacy_latperc.pipeline.calibrator import calibrate

CHUNKER = "latperc_chunker"
NER = "latperc_ner"
FIVE = ["IOB1", "IOB2", "IOE1", "IOE2", "O+C"]
LONG = "Alan met the old Paris king and Ada work in Rome with Acme slowly !"


def voting(schemes=FIVE, passes=30, **settings):
    return small.make_trained(CHUNKER, schemes=list(schemes), passes=passes, **settings)


@pytest.fixture(scope="module")
def trained():
    """Nobody may change it. After one pass the chains do not agree yet."""
    return voting(passes=1, scores="agreement")


def proposals(nlp, words, factory=CHUNKER):
    """The chunks of each voter."""
    component = nlp.get_pipe(factory)
    found = []
    for voter in component.voters:
        doc = small.make_doc(nlp, words)
        voter.set_annotations([doc], voter.predict([doc]))
        found.append(small.triples(doc.spans["chunks"]))
    return found


@pytest.mark.parametrize("factory", [CHUNKER, NER])
def test_voting_components_learn(factory):
    nlp = small.make_trained(factory, schemes=FIVE, scores="agreement", passes=30)
    for text, sentence in zip(small.TEXTS, small.SENTENCES, strict=True):
        doc = nlp(text)
        if factory == CHUNKER:
            assert small.triples(doc.spans["chunks"]) == sentence.chunks
        else:
            assert small.triples(doc.ents) == sentence.ents
            assert [ent._.ent_score for ent in doc.ents] == [1.0] * len(doc.ents)


# Learning -----------------------------------------------------------------------------


COUNTED = {
    "@misc": "spacy_latperc.Templates.v1",
    "templates": ["w[0]", "w[1]", "shape[0]"],
    "min_count": 2,
}


@pytest.mark.parametrize("settings", [{}, {"latent": 2}, {"features": COUNTED}])
def test_voting_chains_are_those_that_they_are_alone(settings):
    """They count features in the same pass, and have one index of them."""
    component = voting(passes=3, **settings).get_pipe(CHUNKER)
    spaces = [voter.learner.space for voter in component.voters]
    assert all(space is component.learner.space for space in spaces)
    for voter, scheme in zip(component.voters, FIVE, strict=True):
        alone = small.make_trained(CHUNKER, scheme=scheme, passes=3, **settings)
        learner = alone.get_pipe(CHUNKER).learner
        assert voter.learner.space.n_features == learner.space.n_features
        assert voter.learner.to_bytes() == learner.to_bytes()


def test_voting_gold_has_a_column_for_each_chain():
    nlp = small.make_pipeline(CHUNKER, schemes=["IOB2", "O+C"])
    component = nlp.get_pipe(CHUNKER)
    component.add_label("NP")
    example = small.example_of(nlp, list("abc"), chunks=[(0, 1, "NP")])
    ((_, gold),) = component.prepare([example])
    names = [voter.learner.labels for voter in component.voters]
    read = [[names[v][code] for v, code in enumerate(row)] for row in gold.tolist()]
    assert read == [["B-NP", "S-NP"], ["O", "O"], ["O", "O"]]


def test_voting_rehearses_and_new_labels_can_be_learned():
    nlp = voting()
    nlp.resume_training()

    def chunks(text):
        doc = nlp(text)
        return small.triples(doc.spans["chunks"])

    losses = nlp.rehearse(small.make_examples(nlp))
    assert losses[CHUNKER] >= 0
    assert chunks(small.TEXTS[0]) == small.SENTENCES[0].chunks
    assert nlp.get_pipe(CHUNKER).add_label("XP") == 1
    example = small.example_of(nlp, "brand new words".split(), chunks=[(0, 3, "XP")])
    for _ in range(20):
        nlp.update([example, *small.make_examples(nlp)])
    assert chunks("brand new words") == [(0, 3, "XP")]
    assert chunks(small.TEXTS[0]) == small.SENTENCES[0].chunks


# Votes --------------------------------------------------------------------------------


def test_voting_agreement_is_the_share_of_the_votes(trained):
    """Spans stay that most propose, and under a threshold those that enough do."""
    cut = voting(passes=1, scores="agreement", threshold=0.9)
    shares = set()
    for text in [*small.TEXTS, LONG]:
        votes = Counter(sum(proposals(trained, text.split()), []))
        doc = trained(text)
        scores = doc.spans["chunks"].attrs["scores"]
        found = dict(zip(small.triples(doc.spans["chunks"]), scores, strict=True))
        wanted = {chunk: n / 5 for chunk, n in votes.items() if n >= 3}
        assert found == pytest.approx(wanted)
        doc = cut(text)
        assert set(small.triples(doc.spans["chunks"])) == {
            x for x in found if votes[x] == 5
        }
        shares |= set(wanted.values())
    assert shares > {1.0}  # otherwise the test would say little


@pytest.mark.filterwarnings("ignore:.*LP915")
def test_voting_marginal_is_the_mean_of_the_chains_and_can_be_calibrated():
    nlp = voting(passes=1, scores="marginal")
    component = nlp.get_pipe(CHUNKER)
    docs = [small.make_doc(nlp, LONG.split())]
    prediction = component.predict(docs)
    answers = component.coder.answers(prediction.labels, prediction.sentences)
    _, batch = component.read_docs(docs)
    each = [x.probabilities(batch, answers, 1.0) for x in component.coder.voters]
    scores = nlp(LONG).spans["chunks"].attrs["scores"]
    np.testing.assert_allclose(scores, np.mean(each, axis=0), atol=1e-5)
    report = calibrate(nlp, CHUNKER, small.make_examples(nlp))
    assert report.calibration == component.calibration
    assert report.answers > 0


# What is known before -----------------------------------------------------------------


def test_voting_kept_chunks_stay_as_they_are():
    nlp = voting(passes=1, keep_spans=True, scores="agreement")
    for kept in ([(0, 1, "NP")], [(3, 5, "NP"), (5, 6, "NP")], [(0, 9, "PP")]):
        doc = nlp(small.make_doc(nlp, small.SENTENCES[0].words, chunks=kept))
        found = small.triples(doc.spans["chunks"])
        assert set(kept) <= set(found)
        assert found == sorted(found)


def test_voting_label_sets_hold_for_every_chain_or_name_the_place():
    nlp = voting(passes=1)
    doc = small.make_doc(nlp, small.SENTENCES[0].words)
    doc.user_data[(ALLOWED, "chunks")] = {2: ["O"]}
    doc = nlp(doc)
    assert all(
        not start <= 2 < end for start, end, _ in small.triples(doc.spans["chunks"])
    )
    nlp = voting(["IOB2", "O+C"], passes=1)
    doc = small.make_doc(nlp, small.SENTENCES[0].words)
    doc.user_data[(ALLOWED, "chunks")] = {"scheme": "IOB2", 0: ["I-NP"]}
    with pytest.raises(ValueError, match="LP0(33|73).*oken 0"):
        nlp(doc)


# Saving -------------------------------------------------------------------------------


def test_voting_models_can_be_rounded():
    nlp = voting()
    found = compact(nlp, small.make_examples(nlp))
    (report,), before, after = found.components, found.before, found.after
    assert report.after < report.before
    assert after["chunks_f"] == before["chunks_f"] == 1.0


def test_voting_files_of_other_schemes_or_with_odd_names_are_refused():
    model = voting(["IOB2", "O+C"], passes=1).get_pipe(CHUNKER).model
    data = model.to_bytes()
    for schemes, found in (
        (["O+C", "IOB2"], "IOB2, O\\+C, but.*O\\+C, IOB2"),
        (["IOB2", "IOE2", "O+C"], "IOB2, O\\+C, but.*IOE2"),
    ):
        other = small.make_pipeline(CHUNKER, schemes=schemes).get_pipe(CHUNKER)
        with pytest.raises(ValueError, match=f"LP454.*{found}"):
            other.model.from_bytes(data)
    (shim,) = model.shims
    header, arrays = storage.unpack(shim.to_bytes())
    odd = [storage.pack(header, {"0": arrays["0"], "x": arrays["1"]})]
    for names in (1, None, "ab", [["IOB2"]], {"IOB2": 1}):
        odd.append(storage.pack({**header, "names": names}, arrays))
    for content in odd:
        with pytest.raises(ValueError, match="LP454"):
            shim.from_bytes(content)
    one = small.make_trained(CHUNKER, passes=1).get_pipe(CHUNKER).model
    with pytest.raises(ValueError, match="LP454.*a single chain"):
        model.from_bytes(one.to_bytes())
    with pytest.raises(ValueError, match="LP025.*voting"):
        one.from_bytes(data)


# Settings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"scheme": "O+C", "schemes": FIVE}, "LP450.*scheme = 'O\\+C'"),
        ({"schemes": ["O+C"]}, "LP452.*O\\+C"),
        ({"schemes": ["O+C", "IOBES"]}, "LP452.*two or more different"),
        ({"schemes": ["O+C", "IOB9"]}, "LP201.*IOB9"),
        ({"schemes": 7}, "schemes"),
        ({"schemes": "IOB2"}, "schemes"),
        ({"schemes": ["IOB2", 3]}, "schemes"),
        ({"schemes": FIVE, "vote": "letter"}, "LP085.*span, pool"),
        ({"schemes": FIVE, "n_best": 3}, "LP453.*n_best"),
        ({"schemes": FIVE, "model": {"keep_state": True}}, "LP453.*keep_state"),
        ({"scores": "agreement"}, "LP085.*marginal"),
    ],
)
def test_voting_settings_are_checked(settings, message):
    for factory in (CHUNKER, NER):
        with pytest.raises(ValueError, match=message):
            spacy.blank("xx").add_pipe(factory, config=settings)


def test_voting_has_no_list_of_analyses(trained):
    component = trained.get_pipe(CHUNKER)
    doc = small.make_doc(trained, small.SENTENCES[0].words)
    with pytest.raises(NotImplementedError, match="LP453.*n_best"):
        component.n_best(doc)
    with pytest.raises(NotImplementedError, match="LP453.*log_probability"):
        component.log_probability(doc)
