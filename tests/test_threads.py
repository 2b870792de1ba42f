"""Many threads may predict at once."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from builders import grammaticality
from builders import pipelines as small
from spacy.language import Language
from spacy.tokens import Doc

from spacy_latperc.learners import threads
from spacy_latperc.pipeline.learner_pipe import use_threads

THREADS = 8

Batches = Sequence[Sequence[Doc]]


def batches(nlp: Language) -> Batches:
    """Docs of known and of unknown words, another order in each batch."""
    found = []
    for number in range(4 * THREADS):
        docs = [
            small.make_doc(nlp, [*sentence.words, f"word{number}x{i}", f"{i}{number}"])
            for i, sentence in enumerate(small.SENTENCES * 5)
        ]
        found.append(docs[number % 7 :] + docs[: number % 7])
    return found


@pytest.mark.parametrize("factory", small.FACTORIES)
@pytest.mark.parametrize("case", ["loaded", "just learned", "one Doc", "entities"])
def test_threads_predict_the_same(factory, case):
    """Right after learning no average is written out: threads meet in doing so."""
    alone, together = small.make_trained(factory), small.make_trained(factory)
    if case == "loaded":
        together.from_bytes(alone.to_bytes())
    found = []
    with ThreadPoolExecutor(THREADS) as pool:
        for nlp, run in ((alone, map), (together, pool.map)):
            work = batches(nlp)
            if case == "one Doc":  # new words are met together
                work = [[work[0][0]]] * (4 * THREADS)
            for docs in work if case == "entities" else ():
                for doc in docs[::3]:
                    doc.ents = [doc.char_span(0, len(doc[0].text), "ORG")]
            predictions = run(nlp.get_pipe(factory).predict, work)
            found.append([prediction.labels.tolist() for prediction in predictions])
    assert found[0] == found[1]


@pytest.mark.parametrize("factory", small.FACTORIES)
def test_one_batch_by_several_threads(factory, monkeypatch):
    monkeypatch.setattr(threads, "LEAST_TOKENS", 1)
    nlp = small.make_trained(factory)
    work = [doc for docs in batches(nlp) for doc in docs]
    component = nlp.get_pipe(nlp.pipe_names[0])
    alone = component.predict(work).labels
    for n in (2, 5):
        component.n_threads = n
        assert (component.predict(work).labels == alone).all()


def test_the_classifier_answers_one_batch_by_several_threads(monkeypatch):
    monkeypatch.setattr(threads, "LEAST_TOKENS", 1)
    nlp = grammaticality.make_pipeline(explain=True, views=["IOB2", "IOE1"])
    small.train(nlp, grammaticality.make_examples(nlp), passes=2)
    component = nlp.get_pipe(nlp.pipe_names[0])
    texts = [*grammaticality.REAL, *grammaticality.SHUFFLED]
    work = [nlp.make_doc(text) for text in texts]
    found = []
    for n in (1, 2, 5):
        component.n_threads = n
        docs = [doc.copy() for doc in work]
        found.append([doc.cats for doc in component.pipe(docs)])
    assert found == found[:1] * 3
    nlp = small.make_trained("latperc_tagger", n_threads=2)
    assert nlp.get_pipe(nlp.pipe_names[0]).n_threads == 2
    with pytest.raises(ValueError, match="n_threads"):
        use_threads(nlp, 0)
