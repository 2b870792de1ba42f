"""The classifier of sentences: what it learns, what it writes, what it refuses."""

import copy

import numpy as np
import pytest
import spacy
from builders import grammaticality as small
from builders.grammaticality import (
    BAD,
    FACTORY,
    FIVE,
    GOOD,
    REAL,
    SHUFFLED,
    UNSEEN,
    make_examples,
    make_pipeline,
    make_trained,
    verdicts,
)
from builders.pipelines import QUICK_LEARNER, SENTENCES
from builders.pipelines import make_trained as make_chunker
from spacy.tokens import Doc

from spacy_latperc.calibration import Calibration
from spacy_latperc.compact import compact
from spacy_latperc.grammaticality.annotations import KEY
from spacy_latperc.pipeline.calibrator import calibrate, choose_calibrated


@pytest.fixture(scope="module")
def trained():
    return make_trained()


@pytest.fixture(scope="module")
def explaining():
    return make_trained(explain=True, chunks=True, views=["IOB2", "O+C"])


def is_right(nlp, texts, real):
    return [(doc.cats[GOOD] >= 0.5) == real for doc in nlp.pipe(texts)]


def test_grammaticality_tells_unseen_sentences_apart(trained):
    good, bad = trained.pipe(UNSEEN[:2])
    assert good.cats[GOOD] > 0.5 > bad.cats[GOOD]
    doc = trained.make_doc(REAL[0])
    doc.cats = {"SPORT": 0.25}
    assert trained(doc).cats["SPORT"] == 0.25
    scores = trained.evaluate(make_examples(trained))
    assert scores["grammaticality_acc"] == 1
    nlp = copy.deepcopy(trained)
    nlp.get_pipe(FACTORY).settings.threshold = 1.0
    assert nlp.evaluate(make_examples(nlp))["grammaticality_acc"] == 0.5


@pytest.mark.parametrize("combine", ("add", "vote", "cotrain"))
def test_grammaticality_learns_in_five_views(combine):
    nlp = make_trained(views=FIVE, combine=combine, passes=10)
    right = is_right(nlp, REAL, True) + is_right(nlp, SHUFFLED, False)
    assert np.mean(right) > 0.9


@pytest.mark.parametrize("fixed", (False, True))
def test_grammaticality_batch_learners_wait_for_a_pass(fixed):
    learner = {"@misc": "spacy_latperc.LCLR.v1", "fixed": fixed, "C": 0.1}
    nlp = make_pipeline(learner=learner)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    half = len(examples) // 2
    assert nlp.update(examples[:half])[FACTORY] == 0
    assert nlp.update(examples[half:])[FACTORY] > 0
    nlp.config["training"]["max_epochs"] = -1
    with pytest.raises(ValueError, match="LP060"):
        nlp.initialize(lambda: make_examples(nlp))


def test_grammaticality_learns_from_what_there_is():
    """Docs without the categories, with one of them, batches of one class."""
    nlp = make_pipeline()
    examples = make_examples(nlp)
    other = small.example_of(nlp, "who knows", True, labels=("X", "Y"))
    nlp.initialize(lambda: [*examples, other])
    assert nlp.get_pipe(FACTORY).learner.epoch_size == len(examples)
    assert nlp.update([other])[FACTORY] == 0
    assert nlp.update(examples[::2])[FACTORY] > 0
    assert nlp.update(examples[1::2])[FACTORY] > 0
    for example in examples:
        del example.reference.cats[BAD]
    small.train(nlp, examples)
    assert all(is_right(nlp, REAL, True))


@pytest.fixture(scope="module")
def chunker(tmp_path_factory):
    """A chunker in IOB2, and the latent types that it knows."""
    folder = tmp_path_factory.mktemp("chunker")
    settings = {"features": small.WORDS, "learner": QUICK_LEARNER, "scheme": "IOB2"}
    make_chunker("latperc_chunker", **settings).to_disk(folder)
    return folder, ["NP", "PP", "VP"]


def begun(nlp, examples, **settings):
    pipe = nlp.get_pipe(FACTORY)
    pipe.initialize(lambda: examples, nlp=nlp, **settings)
    return pipe


def test_calibration_is_saved_exactly_and_forgotten(tmp_path):
    """It used to be rounded to ten decimals, and probabilities with it."""
    nlp = make_trained(passes=2)
    pipe = nlp.get_pipe(FACTORY)
    wanted = Calibration(temperature=1e-4 / 3, bias=0.1 + 0.2)
    pipe.calibration = wanted
    nlp.to_disk(tmp_path)
    assert spacy.load(tmp_path).get_pipe(FACTORY).calibration == wanted
    other = make_trained(passes=1).get_pipe(FACTORY)
    assert other.from_bytes(pipe.to_bytes()).calibration == wanted
    nlp.initialize(lambda: make_examples(nlp))
    assert pipe.calibration == Calibration()


def test_grammaticality_begins_with_a_chunker(chunker):
    folder, types = chunker
    nlp = make_pipeline(types=types, views=["O+C", "IOB2"], chunks=True)
    pipe = begun(nlp, make_examples(nlp), init_from=folder)
    doc = nlp(" ".join(SENTENCES[0].words))
    found = [(x.start, x.end, x.label_) for x in doc.spans["latperc:IOB2"]]
    assert found == SENTENCES[0].chunks
    assert not doc.spans["latperc:O+C"]
    assert pipe.learner.n_rows[1][0] > 0


def test_grammaticality_begins_with_small_weights(chunker):
    folder, types = chunker
    nlp = make_pipeline(types=types)
    margins = []
    for limit in (0.01, 0.1):
        begun(nlp, make_examples(nlp), init_from=folder, init_limit=limit)
        margins.append(nlp(" ".join(SENTENCES[0].words))._.grammaticality_margin)
    assert margins[1] == pytest.approx(10 * margins[0], rel=1e-4)


def test_grammaticality_needs_both_classes_and_right_settings():
    nlp = make_pipeline()
    for first, missing in ((0, BAD), (1, GOOD)):
        with pytest.raises(ValueError, match=f"LP460.* is {missing},"):
            nlp.initialize(lambda first=first: make_examples(nlp)[first::2])
    for setting, value, code in (
        ("doc", "max", "LP085"),
        ("threshold", 1.5, "LP015"),
    ):
        with pytest.raises(ValueError, match=f"{code}.*{value}"):
            make_pipeline(**{setting: value})


def test_grammaticality_names_the_component_for_missing_tags():
    nlp = make_pipeline(features=small.TAGS)
    with pytest.warns(UserWarning, match="LP911.*TAG.*a tagger"):
        small.train(nlp, make_examples(nlp), passes=1)


def test_grammaticality_of_no_words_and_of_100_000(trained, explaining):
    doc = trained(Doc(trained.vocab, words=["a"] * 100_000))
    assert 0 <= doc.cats[GOOD] <= 1
    with pytest.raises(ValueError, match="LP459.*MAYBE"):
        trained.get_pipe(FACTORY).add_label("MAYBE")
    doc = explaining("")
    assert doc.cats == {GOOD: 0.0, BAD: 1.0}


def test_grammaticality_learns_from_odd_lengths_and_warns_of_several_bad_sentences():
    nlp = make_pipeline()
    odd = [small.example_of(nlp, *x) for x in (([], True), (["a"], False))]
    small.train(nlp, [*make_examples(nlp), *odd], passes=2)
    words = "a cat . the dog".split()
    starts = [True, False, False, True, False]
    example = small.example_of(nlp, words, False, sent_starts=starts)
    with pytest.warns(UserWarning, match="LP917.*a cat"):
        small.train(nlp, [*make_examples(nlp), example], passes=1)


def several(nlp):
    words = f"{REAL[0]} {SHUFFLED[0]}".split()
    starts = [i in (0, 6) for i in range(len(words))]
    return Doc(nlp.vocab, words=words, sent_starts=starts)


@pytest.mark.parametrize("doc, merge", [("min", np.min), ("mean", np.mean)])
def test_grammaticality_of_a_doc_is_that_of_its_sentences(doc, merge):
    nlp = make_trained(doc=doc)
    found = nlp(several(nlp))
    first, second = (sent._.grammaticality for sent in found.sents)
    assert first > 0.5 > second
    assert found.cats[GOOD] == pytest.approx(merge([first, second]))
    assert found.cats[GOOD] + found.cats[BAD] == pytest.approx(1)
    assert found._.grammaticality == found.cats[GOOD]


def test_grammaticality_of_a_sentence_is_that_of_it_alone_until_tokens_merge(trained):
    found = trained(several(trained))
    for sent in found.sents:
        alone = trained(Doc(trained.vocab, words=[token.text for token in sent]))._
        assert sent._.grammaticality == pytest.approx(alone.grammaticality)
        margin = sent._.grammaticality_margin
        assert margin == pytest.approx(alone.grammaticality_margin)
    assert found[1:4]._.grammaticality is None
    assert found[0:5]._.grammaticality_margin is None
    assert trained.make_doc("a b")._.grammaticality is None
    with found.retokenize() as retokenizer:
        retokenizer.merge(found[0:2])
    assert found._.grammaticality is None


def test_grammaticality_contributions_add_up_and_are_there_when_asked_for(
    trained, explaining
):
    doc = explaining(REAL[3])
    total = sum(token._.grammaticality for token in doc)
    assert total == pytest.approx(doc._.grammaticality_margin, abs=1e-4)
    doc = trained(SHUFFLED[0])
    assert doc[0]._.grammaticality is None
    assert set(doc.spans) == {KEY}


def test_grammaticality_chunks_are_those_of_each_view(explaining):
    doc = explaining(several(explaining))
    for key in ("latperc:IOB2", "latperc:O+C"):
        ends = [(span.start, span.end) for span in doc.spans[key]]
        assert all(a[1] <= b[0] for a, b in zip(ends, ends[1:], strict=False))
        assert {span.label_ for span in doc.spans[key]} <= {"NP", "VP"}
        # Chunks stay within sentences.
        assert not any(start < 6 < end for start, end in ends)


def test_grammaticality_same_views_have_keys_of_their_own():
    learner = {**small.LEARNER, "noise": 1e-3}
    nlp = make_trained(views=["IOB2", "IOB2"], learner=learner, chunks=True, passes=2)
    assert {"latperc:IOB2:1", "latperc:IOB2:2"} <= set(nlp(REAL[0]).spans)


def test_grammaticality_is_calibrated_on_held_out_data():
    """Margins and the order of sentences stay."""
    nlp = make_trained(passes=2)
    before = list(nlp.pipe(REAL + SHUFFLED))
    margins = [doc._.grammaticality_margin for doc in before]
    assert choose_calibrated(nlp, None) == FACTORY
    report = calibrate(nlp, FACTORY, make_examples(nlp))
    assert report.after.log_loss < report.before.log_loss
    after = list(nlp.pipe(REAL + SHUFFLED))
    assert [doc._.grammaticality_margin for doc in after] == margins
    order = np.argsort([d.cats[GOOD] for d in before], kind="stable")
    assert (np.argsort([d.cats[GOOD] for d in after], kind="stable") == order).all()
    line = nlp.get_pipe(FACTORY).calibration
    log_odds = margins[0] / line.temperature + line.bias
    assert after[0].cats[GOOD] == pytest.approx(1 / (1 + np.exp(-log_odds)))


def test_grammaticality_begins_only_with_a_chunker_of_its_own(chunker):
    for types, views, message in (
        ("NP PP VP", ["IOE1", "IOE2"], "LP462.*IOB2.*IOE1"),
        ("NP", ["IOB2"], "LP432"),
    ):
        nlp = make_pipeline(types=types.split(), views=views)
        with pytest.raises(ValueError, match=message):
            begun(nlp, make_examples(nlp), init_from=chunker[0])


def test_grammaticality_refuses_one_class_and_other_views(trained, tmp_path):
    with pytest.raises(ValueError, match="LP461"):
        calibrate(trained, FACTORY, make_examples(trained)[::2])
    trained.to_disk(tmp_path)
    override = {f"components.{FACTORY}.model.views": ["IOE2"]}
    with pytest.raises(ValueError, match="LP026.*schemes"):
        spacy.load(tmp_path, config=override)


def test_grammaticality_sourced_and_in_memory_zones_says_the_same(explaining, tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe(FACTORY, name="guest", source=explaining)
    expected = verdicts(explaining.pipe(UNSEEN))
    assert verdicts(nlp.pipe(UNSEEN)) == expected
    nlp.to_disk(tmp_path)
    assert verdicts(spacy.load(tmp_path).pipe(UNSEEN)) == expected
    for _ in range(2):
        with explaining.memory_zone():
            assert verdicts(explaining.pipe(UNSEEN)) == expected


def test_grammaticality_reads_tags_of_an_annotating_tagger():
    nlp = spacy.blank("xx")
    nlp.add_pipe("latperc_tagger")
    nlp.add_pipe(FACTORY, config=small.make_config(features=small.TAGS))
    examples = make_examples(nlp)
    for example in examples:
        for token in example.reference:
            token.tag_ = token.text[0].upper()
    with pytest.warns(UserWarning, match="LP911"):  # there are none before training
        nlp.initialize(lambda: examples)
        nlp.update(examples)
    for _ in range(6):
        nlp.update(examples, annotates=["latperc_tagger"])
    assert all(is_right(nlp, REAL, True))


def test_grammaticality_survives_rounding():
    nlp = make_trained(passes=3)
    found = compact(nlp, make_examples(nlp))
    (report,), before, after = found.components, found.before, found.after
    assert (report.tokens, report.changed) == (len(REAL) + len(SHUFFLED), 0)
    assert report.after < report.before
    assert after["grammaticality_acc"] == before["grammaticality_acc"] == 1


def test_grammaticality_forgets_words_after_a_zone(monkeypatch):
    monkeypatch.setattr("spacy_latperc.pipeline.model_pipe.ZONE_WORDS", 8)
    nlp = make_trained(passes=1)
    with nlp.memory_zone():
        list(nlp.pipe(f"word{i}" for i in range(50)))
    assert nlp.get_pipe(FACTORY).learner.space.n_lexemes <= 8


@pytest.mark.parametrize("factory", [FACTORY, "latperc_errors", "latperc_judge"])
def test_a_threshold_that_is_assigned_is_saved(factory, tmp_path):
    """Unless the config has another one than when it was assigned."""
    nlp = spacy.blank("xx")
    pipe = nlp.add_pipe(factory, name="judge")
    assert "threshold" not in pipe.cfg
    pipe.threshold = 0.75
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    assert loaded.get_pipe("judge").threshold == 0.75
    again = spacy.blank("xx")
    again.add_pipe(factory, name="judge")
    again.from_bytes(loaded.to_bytes())
    assert again.get_pipe("judge").threshold == 0.75
    config = {"components.judge.threshold": 0.25}
    other = spacy.load(tmp_path / "model", config=config)
    assert other.get_pipe("judge").threshold == 0.25
    again.from_bytes(other.to_bytes())
    assert again.get_pipe("judge").threshold == 0.5
    for bad in (-0.1, 1.5, "x", float("nan")):
        with pytest.raises(ValueError, match="LP015"):
            pipe.threshold = bad
    assert pipe.threshold == 0.75
    pipe.cfg["threshold"] = [0.5, 7]
    with pytest.raises(ValueError, match="LP521.*threshold"):
        again.from_bytes(nlp.to_bytes())
