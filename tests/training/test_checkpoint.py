"""Checkpoints that are damaged, or of another training."""

import pytest
from builders.learners import make_learner

from spacy_latperc.io.model_file import pack
from spacy_latperc.training.checkpoint import KIND, Checkpoint

GOOD = {"kind": KIND, "identity": {"seed": "0"}, "epochs": 1, "chains": [{}]}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"identity": {"seed": 3}}, "LP841.*seed was 3, and is 0"),
        ({"identity": ["seed"]}, "LP842"),
        ({"epochs": "many"}, "LP842"),
        ({"chains": []}, "LP842"),
        ({"kind": "chain"}, "LP842.*not a checkpoint"),
    ],
)
def test_checkpoint_that_does_not_fit_is_refused(tmp_path, change, code):
    path = tmp_path / "checkpoint"
    path.write_bytes(pack({**GOOD, **change}, {}))
    with pytest.raises(ValueError, match=code):
        Checkpoint(path, {"seed": "0"}).resume([make_learner()])
