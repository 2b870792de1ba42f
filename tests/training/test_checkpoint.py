"""Checkpoints that are damaged, or of another training."""

import pytest
from builders.learners import make_learner

from spacy_latperc.io.model_file import pack
from spacy_latperc.training.checkpoint import KIND, Checkpoint

GOOD = {"kind": KIND, "identity": "a", "epochs": 1, "chains": [{}]}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"identity": "b"}, "LP842.*another corpus"),
        ({"identity": None}, "LP842.*another corpus"),
        ({"epochs": "many"}, "LP842"),
        ({"chains": []}, "LP842"),
        ({"kind": "chain"}, "LP842.*not a checkpoint"),
    ],
)
def test_checkpoint_that_does_not_fit_is_refused(tmp_path, change, code):
    path = tmp_path / "checkpoint"
    path.write_bytes(pack({**GOOD, **change}, {}))
    with pytest.raises(ValueError, match=code):
        Checkpoint(path, "a").resume([make_learner()])
