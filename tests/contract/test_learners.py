"""The contract of every registered learner."""

import copy
import hashlib
import inspect
import os
import pickle
import re
import struct
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from builders.registered_learners import LEARNERS, Learner, digest
from hypothesis import given, settings
from hypothesis import strategies as st

every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)
CODE = r"^\[LP\d{3}\]"
CHAINS = [learner for learner in LEARNERS if learner.is_chain]


def trained(learner: Learner, **options):
    made = learner.make(**options)
    learner.learn(made)
    return made


@cache
def model_bytes(learner_name: str) -> bytes:
    learner = next(each for each in LEARNERS if str(each) == learner_name)
    return trained(learner).to_bytes()


def test_learners_are_found():
    assert len({learner.name for learner in LEARNERS}) >= 10
    assert len(CHAINS) < len(LEARNERS)


@every_learner
def test_learner_learns(learner):
    made = learner.make()
    learner.learn(made, passes=10)
    assert learner.share_right(made) > 0.6


@every_learner
def test_learner_is_saved_and_loaded(learner):
    made = trained(learner)
    data = made.to_bytes()
    loaded = learner.make().from_bytes(data)
    assert loaded.to_bytes() == data
    assert (learner.answers(loaded, seed=2) == learner.answers(made, seed=2)).all()


@every_learner
def test_learner_learns_on_after_loading(learner):
    data = trained(learner).to_bytes()
    first, second = (learner.make().from_bytes(data) for _ in range(2))
    for loaded in (first, second):
        learner.go_on(loaded, seed=2)
    assert first.to_bytes() == second.to_bytes()


@pytest.mark.parametrize("learner", [x for x in CHAINS if not x.members], ids=str)
def test_learner_with_state_learns_on_as_if_never_saved(learner):
    made = trained(learner, keep_state=True)
    if made.settings.epoch_trainer is not None:
        made.start(10**6)  # the next pass is not complete: nothing is learned
    loaded = learner.make(keep_state=True).from_bytes(made.to_bytes())
    for each in (made, loaded):
        learner.go_on(each, seed=2)
    if made.settings.epoch_trainer is None:
        assert loaded.examples == made.examples
    assert loaded.to_bytes() == made.to_bytes()


def through_pickle(learner):
    return pickle.loads(pickle.dumps(learner))


@every_learner
@pytest.mark.parametrize("copied", [copy.deepcopy, through_pickle])
def test_learner_is_copied(learner, copied):
    made = trained(learner)
    clone = copied(made)
    assert clone.to_bytes() == made.to_bytes()
    assert (learner.answers(clone, seed=2) == learner.answers(made, seed=2)).all()
    before = made.to_bytes()
    learner.go_on(clone, seed=2)
    assert made.to_bytes() == before


def sealed(data: bytes) -> bytes:
    """Write a file with a correct checksum, so that its contents are checked."""
    return data[:-4] + struct.pack("<I", zlib.crc32(data[:-4]))


@st.composite
def damages(draw):
    """Choose a damage of a file: a function of bytes."""
    kind = draw(st.sampled_from(["flip", "cut", "repeat", "drop"]))
    at, to = draw(st.floats(0, 1)), draw(st.floats(0, 1))
    bit, seal = draw(st.integers(0, 7)), draw(st.booleans())

    def damage(data: bytes) -> bytes:
        i, j = sorted((int(at * (len(data) - 1)), int(to * (len(data) - 1))))
        changed = {
            "flip": data[:i] + bytes([data[i] ^ 1 << bit]) + data[i + 1 :],
            "cut": data[:i],
            "repeat": data[:j] + data[i:],
            "drop": data[:i] + data[j:],
        }[kind]
        return sealed(changed) if seal and len(changed) > 4 else changed

    return damage


@every_learner
@settings(max_examples=60)
@given(damage=damages())
def test_learner_refuses_damaged_files_and_stays_as_it_is(learner, damage):
    data = model_bytes(str(learner))
    made = learner.make().from_bytes(data)
    answers = learner.answers(made)
    try:
        made.from_bytes(damage(data))
    except ValueError as error:
        assert re.match(CODE, str(error))
        assert made.to_bytes() == data
        assert (learner.answers(made) == answers).all()
    else:
        again = learner.make().from_bytes(made.to_bytes())
        assert again.to_bytes() == made.to_bytes()
        learner.answers(made)


@every_learner
def test_learner_refuses_files_of_other_kinds(learner):
    for other in LEARNERS:
        data = model_bytes(str(other))
        made = learner.make()
        before = made.to_bytes()
        try:
            made.from_bytes(data)
        except ValueError as error:
            assert re.match(CODE, str(error))
            assert made.to_bytes() == before
        else:
            learner.answers(made)


def bad_settings():
    for learner in LEARNERS:
        if learner.settings or learner.members:
            continue
        for name, parameter in inspect.signature(learner.factory).parameters.items():
            kind = str(parameter.annotation)
            if kind.startswith("<class 'bool"):
                continue
            values = []
            if "str" in kind:
                values = ["unheard of"]
            elif "float" in kind:
                values = [float("nan"), float("inf"), -1.0]
            elif "int" in kind:
                values = [-1]
            for value in values:
                yield pytest.param(learner, {name: value}, id=f"{learner}-{name}")


@pytest.mark.parametrize("learner, setting", list(bad_settings()))
def test_learner_refuses_bad_settings(learner, setting):
    with pytest.raises(ValueError, match=CODE):
        learner.factory(**setting)


@every_learner
def test_learner_is_deterministic(learner):
    assert digest(learner) == hashlib.sha256(model_bytes(str(learner))).hexdigest()


@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_learners_do_not_depend_on_hashes_of_the_process(hash_seed):
    found = subprocess.run(
        [sys.executable, "-m", "builders.registered_learners"],
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    digests = [hashlib.sha256(model_bytes(str(x))).hexdigest() for x in LEARNERS]
    wanted = zip(LEARNERS, digests, strict=True)
    assert found.splitlines() == [f"{each} {digest}" for each, digest in wanted]


@every_learner
@pytest.mark.parametrize("threads", [2, 8])
def test_learner_predicts_the_same_in_threads(learner, threads):
    made = trained(learner)
    seeds = range(2, 18)
    alone = [learner.answers(made, seed=seed) for seed in seeds]
    with ThreadPoolExecutor(threads) as pool:
        together = pool.map(lambda seed: learner.answers(made, seed=seed), seeds)
        for one, other in zip(alone, together, strict=True):
            assert (one == other).all()
