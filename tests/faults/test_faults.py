"""Whatever happens to a command that writes, there is the old result or the new one.

Every command is killed before each of its changes of a file system in turn (with
--slow; without it, at some), and at random moments. It meets a full disk, a folder that
is read-only, an input that vanishes, and a reader that has gone.
"""

import random
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import spacy
from builders import forked_commands as forked  # noqa: E402
from builders.grammaticality import REAL, SHUFFLED, make_trained
from builders.text import lines
from project_files import ROOT
from spacy.util import load_config

from spacy_latperc.io.pipelines import load_pipeline

SAMPLE = ROOT / "assets" / "sample"
FEW = 4  # points at which a command is killed without --slow
KILLS = 12  # at random moments, with --slow: of each command


@dataclass(frozen=True)
class Case:
    """A command that writes.

    arguments: from a version (0 or 1, which give other results), the folder of
        what it reads, and that of what it writes.
    targets: what it writes, of which each is old or new.
    source: what it reads.
    keeps: whether a target is a pipeline, beside whose parts other files stay.
    """

    arguments: Callable[[int, Path, Path], tuple]
    targets: tuple[str, ...]
    source: str
    keeps: bool = False


def fit(version, folder, out):
    config, epochs = folder / "config.cfg", version + 1
    return "fit", config, "-o", out, "--training.max_epochs", epochs


def train(version, folder, out):
    return "train", folder / f"train{version}.cfg", out


def calibrate(version, folder, out):
    return "calibrate", out / "model", folder / ("train.txt", "dev.txt")[version]


def calibrate_elsewhere(version, folder, out):
    data = folder / ("train.txt", "dev.txt")[version]
    return "calibrate", folder / "model", data, "-o", out / "model"


def compact(version, folder, out):
    model = folder / ("model", "other")[version]
    return "compact", model, folder / "dev.txt", out / "model"


def convert(version, folder, out):
    columns = "-c", "word,tag,chunk", "--chunk-key", f"chunks{version}"
    return "convert", folder / "dev.txt", out / "dev.spacy", *columns


def negatives(version, folder, out):
    how = "-n", 30, "--seed", version, "-c", ("kn_m", "paper")[version]
    paths = folder / "text.txt", out / "x.spacy", "--save-model", out / "lm"
    return "judge", "negatives", *paths, *how


def filter_lines(version, folder, out):
    paths = folder / "judge", folder / "good.txt", out / "kept.txt"
    return "filter", *paths, "--threshold", 0, *["--scores"] * version


PAIR = ("model-best", "model-last")
PARTS = ("x-train.spacy", "x-dev.spacy", "x-test.spacy", "lm")
CASES = {
    "fit": Case(fit, PAIR, "train.txt", keeps=True),
    "train": Case(train, ("model-last",), "train.txt"),
    "calibrate": Case(calibrate, ("model",), "dev.txt", keeps=True),
    "calibrate -o": Case(calibrate_elsewhere, ("model",), "dev.txt", keeps=True),
    "compact": Case(compact, ("model",), "dev.txt", keeps=True),
    "convert": Case(convert, ("dev.spacy",), "dev.txt"),
    "negatives": Case(negatives, PARTS, "text.txt"),
    "filter": Case(filter_lines, ("kept.txt",), "good.txt"),
}
cases = pytest.mark.parametrize("name", CASES)
FOREIGN = {".git/objects/ab": "commit", ".git/HEAD": "main", "notes.txt": "mine"}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> Path:
    """Write the input of the commands."""
    folder = tmp_path_factory.mktemp("inputs")
    for name in ("train", "dev"):
        sentences = (SAMPLE / f"{name}.txt").read_text().split("\n\n")[:60]
        (folder / f"{name}.txt").write_text("\n\n".join(sentences) + "\n")
    for name, text in (("good", REAL), ("bad", SHUFFLED), ("text", lines())):
        (folder / f"{name}.txt").write_text("".join(f"{x}\n" for x in text))
    few = {"training.eval_frequency": 1, "training.max_epochs": 1}
    config = load_config(ROOT / "configs" / "tagger.cfg", overrides=few)
    config.to_disk(folder / "config.cfg")
    return folder


def placed(inputs: Path, folder: Path) -> Path:
    """The inputs in another folder, with configs that name them there."""
    if not folder.exists():
        shutil.copytree(inputs, folder)
    paths = {f"paths.{x}": str(folder / f"{x}.txt") for x in ("train", "dev")}
    for version in (0, 1):
        config = load_config(inputs / "config.cfg", overrides=paths)
        config.to_disk(folder / "config.cfg")
        config["training"]["max_epochs"] = version + 1
        callback = {"@callbacks": "spacy_latperc.SaveWhole.v1"}
        config["training"]["before_to_disk"] = callback
        config.to_disk(folder / f"train{version}.cfg")
    return folder


@pytest.fixture(scope="module")
def stage(inputs, tmp_path_factory) -> Path:
    """Inputs and models to work on."""
    folder = placed(inputs, tmp_path_factory.mktemp("stages") / "stage")
    for version, name in enumerate(("model", "other")):
        arguments = map(str, fit(version, folder, folder / "out"))
        assert forked.run_in_child([*arguments]).code == 0
        shutil.move(folder / "out" / "model-last", folder / name)
    make_trained(1).to_disk(folder / "judge")
    return folder


class Scene:
    """A command, its old result, and its new one."""

    def __init__(self, name: str, stage: Path):
        self.case = CASES[name]
        self.folder = stage
        self.out = stage / f"out-{name.replace(' ', '')}"
        self.kept = stage / f"old-{name.replace(' ', '')}"
        self.out.mkdir()
        if name == "calibrate":
            shutil.copytree(stage / "model", self.out / "model")
        start = time.perf_counter()
        self.run(0)
        self.seconds = time.perf_counter() - start
        if self.case.keeps:
            for target in self.case.targets:
                add_foreign(self.out / target)
        shutil.copytree(self.out, self.kept)
        self.old = self.state()
        self.run(1)
        self.new = self.state()
        assert all(self.old[x] != self.new[x] for x in self.case.targets)

    def run(self, version: int = 1) -> None:
        ended = self.attempt(version)
        assert ended.code == 0, ended.printed

    def attempt(self, version: int = 1, **how) -> forked.Ended:
        arguments = self.case.arguments(version, self.folder, self.out)
        return forked.run_in_child([*map(str, arguments)], **how)

    def restore(self) -> None:
        """Make the old result the current one."""
        shutil.rmtree(self.out)
        shutil.copytree(self.kept, self.out)

    def state(self) -> dict[str, dict[str, bytes] | None]:
        """Read the state of each target."""
        return {name: _content(self.out / name) for name in self.case.targets}

    def check(self) -> bool:
        """Old or new, target by target. RETURNS: whether all is old."""
        state = self.state()
        for name in self.case.targets:
            if self.case is CASES["train"]:
                _check_what_spacy_left(self.out / name)
            else:
                assert state[name] in (self.old[name], self.new[name]), name
            if self.case.keeps:
                assert foreign_of(self.out / name) == FOREIGN
        return state == self.old or self.case is CASES["train"]

    def check_that_it_works_again(self) -> None:
        """The next run gives the new result, and nothing else is left."""
        self.run()
        assert self.state() == self.new
        hidden = {path.name for path in self.out.rglob(".*")}
        assert hidden == ({".git"} if self.case.keeps else set())


def _check_what_spacy_left(path: Path) -> None:
    """spaCy begins by removing the old pipeline, file by file; then it saves often."""
    if path.exists():
        try:
            load_pipeline(path)
        except Exception as error:
            assert "[E" in str(error) or "[LP" in str(error)


def _content(path: Path) -> dict[str, bytes] | None:
    """The files of a target. What is hidden was being written."""
    if path.is_file():
        return {"": path.read_bytes()}
    if not path.is_dir():
        return None
    files = (found for found in sorted(path.rglob("*")) if found.is_file())
    names = {str(found.relative_to(path)): found for found in files}
    return {
        name: found.read_bytes()
        for name, found in names.items()
        if not any(part.startswith(".") for part in Path(name).parts)
    }


def add_foreign(folder: Path) -> None:
    """Add a repository and notes to a folder."""
    for name, text in FOREIGN.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def foreign_of(folder: Path) -> dict[str, str]:
    """List the remains of a target."""
    found = {name: folder / name for name in FOREIGN}
    return {name: path.read_text() for name, path in found.items() if path.exists()}


@pytest.fixture(scope="module")
def scenes() -> dict[str, Scene]:
    return {}


@pytest.fixture
def scene(name, stage, scenes) -> Scene:
    if name not in scenes:
        scenes[name] = Scene(name, stage)
    return scenes[name]


@cases
def test_faults_killed_before_each_step(name, scene, tmp_path, request):
    scene.restore()
    record = tmp_path / "steps"
    assert scene.attempt(arm=forked.count_steps(scene.out, record)).code == 0
    steps = record.stat().st_size
    assert steps
    points = range(steps)
    if not request.config.getoption("--slow"):
        points = sorted({*range(0, steps, max(1, steps // FEW)), steps - 1})
    for point in points:
        scene.restore()
        arm = forked.die_at_step(scene.out, point)
        assert scene.attempt(arm=arm).code == forked.KILLED
        scene.check()
    scene.check_that_it_works_again()


@pytest.mark.slow
@cases
def test_faults_killed_at_random_moments(name, scene):
    moments = random.Random(name)
    for _ in range(KILLS):
        scene.restore()
        scene.attempt(kill_after=moments.uniform(0, 1.2 * scene.seconds))
        scene.check()
    scene.check_that_it_works_again()


@cases
def test_faults_full_disk(name, scene):
    for left in (0, 50):
        scene.restore()
        ended = scene.attempt(arm=forked.fill_disk(left))
        assert scene.check()
        _check_failure(name, ended)
        assert str(scene.out) in "".join(ended.printed.split())
    scene.check_that_it_works_again()


@cases
def test_faults_read_only_folder(name, scene):
    arm = forked.make_read_only(scene.out)
    if arm is None:
        pytest.skip("the system lets nobody but root make a folder read-only for root")
    scene.restore()
    ended = scene.attempt(arm=arm)
    scene.out.chmod(0o755)
    assert scene.check()
    _check_failure(name, ended)
    assert str(scene.out) in "".join(ended.printed.split())


@cases
def test_faults_input_that_vanishes(name, scene):
    source = scene.folder / scene.case.source
    content = source.read_bytes()
    scene.restore()
    ended = scene.attempt(arm=forked.lose_input(source))
    source.write_bytes(content)
    assert scene.check()
    _check_failure(name, ended)
    assert str(source) in "".join(ended.printed.split())


@cases
def test_faults_nobody_reads_what_is_printed(name, scene):
    scene.restore()
    ended = scene.attempt(closed_output=True)
    scene.check()
    assert ended.code >= 0
    assert name == "train" or "Traceback" not in ended.printed
    scene.check_that_it_works_again()


def _check_failure(name: str, ended: forked.Ended) -> None:
    """A sentence, not a traceback; what spaCy itself prints is spaCy's."""
    assert ended.code != 0
    if name != "train":
        assert ended.code == 1
        assert "Traceback" not in ended.printed


def test_faults_of_spacy_alone_are_named(stage, tmp_path):
    """`nlp.to_disk` writes as spaCy does: a damaged file is named on loading."""
    files = [path for path in (stage / "model").rglob("*") if path.is_file()]
    assert len(files) > 8
    names, folder = spacy.load(stage / "model").pipe_names, tmp_path / "model"
    shutil.copytree(stage / "model", folder)
    for path in files:
        damaged, content = folder / path.relative_to(stage / "model"), path.read_bytes()
        for keep in (0, 1, len(content) // 2, None):
            if keep is None:
                damaged.unlink()
            else:
                damaged.write_bytes(content[:keep])
                if len(content) <= keep:
                    continue
            try:
                nlp = load_pipeline(folder)
            except Exception as error:
                assert "[LP" in str(error) or "[E" in str(error), damaged
            else:  # spaCy can do without it
                assert nlp.pipe_names == names
        damaged.write_bytes(content)
