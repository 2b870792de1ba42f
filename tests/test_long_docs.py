"""A Doc of 200,000 tokens is annotated within bounded memory.

The test runs this file as a script: the peak of memory belongs to a process.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from builders.pipelines import FACTORIES, SENTENCES, annotation, make_doc, make_trained
from spacy.training import Example

N_TOKENS = 200_000
BOUND = 400  # megabytes above what importing and training take


@pytest.fixture(scope="module")
def report() -> dict[str, float]:
    pytest.importorskip("resource", reason="this system does not say how much is used")
    run = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(run.stdout)


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("sentences", ("one", "many", "learning"))
def test_long_docs_need_bounded_memory(factory, sentences, report):
    assert report[f"{factory}, {sentences}"] < BOUND


def megabytes() -> float:
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def main() -> None:
    words = [word for sentence in SENTENCES for word in sentence.words]
    starts = [i == 0 for sentence in SENTENCES for i in range(len(sentence.words))]
    times = -(-N_TOKENS // len(words))
    pipelines = {factory: make_trained(factory) for factory in FACTORIES}
    before = megabytes()
    found = {}
    for factory, nlp in pipelines.items():
        for sentences in ("one", "many"):
            sent_starts = starts * times if sentences == "many" else None
            doc = make_doc(nlp, words * times, sent_starts=sent_starts)
            nlp.max_length = len(doc.text)
            nlp(doc)
            found[f"{factory}, {sentences}"] = megabytes() - before
            if sentences == "many":  # every repetition is annotated alike
                short = annotation(nlp(make_doc(nlp, words, sent_starts=starts)))
                last = annotation(doc[-len(words) :].as_doc())
                assert last["tags"] == short["tags"]
                assert last["ents"] == short["ents"]
                assert len(doc.spans.get("chunks", [])) == times * len(
                    short["spans"].get("chunks", [])
                )
        gold = doc.copy()
        nlp.update([Example(make_doc(nlp, words * times), gold)])
        found[f"{factory}, learning"] = megabytes() - before
    print(json.dumps(found))


if __name__ == "__main__":
    main()
