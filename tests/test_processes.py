"""The same output from several processes, forked and spawned.

The tests run this file as a script: a spawned process imports its main module anew.
"""

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from builders.pipelines import FACTORIES, TEXTS, annotations, make_trained

MANY_TEXTS = [*TEXTS, "", " ", "the king of Rome hired Paris"] * 20


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pipeline")
    make_trained(*FACTORIES, passes=20).to_disk(folder)
    return folder


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes_give_the_same_output(method, saved):
    run = subprocess.run(
        [sys.executable, __file__, method, str(saved)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        stdout=subprocess.PIPE,
        check=True,
    )
    expected = annotations(spacy.load(saved).pipe(MANY_TEXTS))
    # Through JSON, as what comes back is: tuples become lists.
    assert json.loads(run.stdout) == json.loads(json.dumps(expected))


def main(method: str, folder: str) -> None:
    multiprocessing.set_start_method(method)
    nlp = spacy.load(folder)
    docs = nlp.pipe(MANY_TEXTS, n_process=2, batch_size=9)
    print(json.dumps(annotations(docs)))


if __name__ == "__main__":
    main(*sys.argv[1:])
