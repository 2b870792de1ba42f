"""Files of earlier versions are read: one of each format, as its version wrote it.

`python tests/io/test_formats.py` writes those that are missing. A file that is there is
never written anew.
"""

from pathlib import Path

import numpy as np
import pytest

from spacy_latperc import __version__
from spacy_latperc.io import model_file
from spacy_latperc.learners.serialization.cutting import cut_weights, tightened
from spacy_latperc.sequence import ChainClassifier

FOLDER = Path(__file__).parent / "formats"
DEPLOY = Path(__file__).resolve().parents[2] / "docs" / "guides" / "deploy.md"
X = [[{"w": "the"}, {"w": "cat"}], [{"w": "cats", "n": 0.5}]]
Y = [["DT", "NN"], ["NNS"]]
HEADER = {"kind": "fixture", "name": "é"}
ARRAYS = {
    "keys": np.array([1, 2, 2**63], np.uint64),
    "values": np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3),
}
PACKERS = {1: model_file.pack, 2: model_file.pack_mapped, 3: model_file.pack_tight}


def files() -> dict[str, bytes]:
    """A file of each kind, by name, as this version writes it."""
    model = ChainClassifier("passive_aggressive").fit(X, Y)
    chain = model._model.chain
    found = {f"format{n}": pack(HEADER, ARRAYS) for n, pack in PACKERS.items()}
    found["chain"] = chain.to_bytes()
    found["compact"] = tightened(cut_weights(chain.to_bytes(bits=16), 0.0))
    found["estimator"] = model.to_bytes()
    return {f"{name}-{__version__}": data for name, data in found.items()}


def written(kind: str) -> list[bytes]:
    found = [path.read_bytes() for path in sorted(FOLDER.glob(f"{kind}-*"))]
    assert found, kind
    return found


@pytest.mark.parametrize("number", PACKERS)
def test_formats_of_files_are_read(number):
    for data in written(f"format{number}"):
        header, arrays = model_file.unpack(data)
        assert header == HEADER
        assert arrays.keys() == ARRAYS.keys()
        for name, array in arrays.items():
            assert array.dtype == ARRAYS[name].dtype
            assert np.array_equal(array, ARRAYS[name])


@pytest.mark.parametrize("kind", ["chain", "compact"])
def test_formats_of_chains_are_read(kind):
    for data in written(kind):
        model = ChainClassifier("passive_aggressive").fit(X, Y)
        model._model.chain.from_bytes(data)
        assert model.predict(X).tolist() == Y


def test_formats_of_estimators_are_read():
    for data in written("estimator"):
        model = ChainClassifier.from_bytes(data)
        assert model.predict(X).tolist() == Y
        assert max(model.state_features_.values()) > 0


def test_formats_are_in_the_table_of_versions():
    rows = DEPLOY.read_text(encoding="utf-8").split("| version |")[1].splitlines()
    assert any(row.startswith(f"| {__version__} |") for row in rows)


def test_formats_newer_than_this_version_are_refused():
    data = bytearray(model_file.pack(HEADER, ARRAYS))
    data[8] = max(PACKERS) + 1
    with pytest.raises(ValueError, match="LP022"):
        model_file.unpack(bytes(data))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, data in files().items():
        if not (FOLDER / name).exists():
            (FOLDER / name).write_bytes(data)
