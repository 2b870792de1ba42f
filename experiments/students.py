"""Students without an encoder, which learn from gold and from the labels of a teacher.

    python -m experiments.students ENCODER entities

The teacher reads the vectors of an encoder, and labels raw text; the student has plain
features, or clusters too. Beside it are the same without a teacher, and self-training,
whose teacher has the features of the student. The gold counts twice.
"""

import argparse
import gzip
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_config

from spacy_latperc.data.configured import block_examples
from spacy_latperc.io.docbin import write_docs
from spacy_latperc.training.fit import fit, prepare_to_save
from tools.corpora.locate import required_folder

from .training import mean_and_sd, show

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
RAW, CLUSTERS = "raw_text/english.txt.gz", "clusters/ark_tweets_6mpaths.txt.gz"
LENGTHS = range(3, 60)  # words of a raw sentence
GOLD_TIMES = 2
Sources = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes:
        config: A file of configs/, whose component has the same name.
        files: The parts for training, development and testing.
        columns: The columns of the files.
        score: The score.
        teacher: C of a teacher, and the length of its vectors.
    """

    config: str
    files: tuple[str, str, str]
    columns: str
    score: str
    teacher: tuple[float, float]

    def train(
        self,
        sources: Sources,
        seed: int,
        silver: Path | None = None,
        teach: bool = False,
    ) -> Language:
        """Train with sources of attributes, on gold and on a file of silver if any."""
        config = load_config(CONFIGS / f"{self.config}.cfg", interpolate=False)
        config["paths"].update(zip(("train", "dev"), self._paths()[:2], strict=True))
        config["corpora"]["train"]["columns"] = self.columns.split(",")
        config["corpora"]["dev"]["columns"] = self.columns.split(",")
        config["system"]["seed"] = seed
        model = config["components"][self.config]["model"]
        model["features"]["sources"] = deepcopy(dict(sources))
        if teach:
            model["learner"]["C"] = self.teacher[0]
            model["features"]["sources"]["encoder"]["length"] = self.teacher[1]
            config["training"]["max_epochs"] = 10
        if silver and silver.exists():
            reader = "spacy_latperc.DocBinCorpus.v1"
            block = {"@readers": reader, "path": str(silver), "gold_tokens": True}
            config["corpora"]["train"] = {
                "@readers": "spacy_latperc.Joined.v1",
                "corpora": {"gold": config["corpora"]["train"], "silver": block},
                "times": {"gold": GOLD_TIMES},
            }
        return prepare_to_save(fit(config))

    def evaluate(self, nlp: Language) -> float:
        """Return the score on the test part."""
        return 100 * nlp.evaluate(list(self.examples(nlp, 2)))[self.score]

    def examples(self, nlp: Language, part: int) -> Iterator[Any]:
        """Read a part: 0 to 2 for training, development and testing."""
        block: dict[str, Any] = {"@readers": "spacy_latperc.ColumnCorpus.v1"}
        block |= {"path": self._paths()[part], "columns": self.columns.split(",")}
        return iter(block_examples(nlp, block))

    def _paths(self) -> list[str]:
        folder = required_folder(self.files[0])
        return [str(folder / file) for file in self.files]


TASKS = {
    "tags": Task(
        "tagger",
        ("ud_ewt/train.tsv.gz", "ud_ewt/dev.tsv", "ud_ewt/test.tsv"),
        "id,word,-,tag,space",
        "tag_acc",
        (0.03, 3.0),
    ),
    "entities": Task(
        "ner",
        ("wnut17/train.conll", "wnut17/dev.conll", "wnut17/test.conll"),
        "word,ent",
        "ents_f",
        (0.003, 6.0),
    ),
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Students without an encoder")
    parser.add_argument("encoder", help="a folder made by latperc knowledge encoder")
    parser.add_argument("task", choices=list(TASKS))
    parser.add_argument("--sentences", type=int, default=60_000, help="of raw text")
    parser.add_argument("--seeds", type=int, default=3, help="seeds 0, 1, ...")
    options = parser.parse_args(arguments)
    data = required_folder(RAW)
    clusters = {"@misc": "spacy_latperc.ClusterFile.v1", "path": str(data / CLUSTERS)}
    encoder = {"@misc": "spacy_latperc.Encoder.v1", "path": options.encoder}
    features: dict[str, Sources] = {"plain": {}, "clusters": {"tweets": clusters}}
    task, rows = TASKS[options.task], []
    with TemporaryDirectory() as folder:
        for name, sources in {**features, "encoder": {"encoder": encoder}}.items():
            teacher = task.train(sources, 0, teach=name == "encoder")
            docs = teacher.pipe(read_raw(teacher, data / RAW, options.sentences))
            write_docs(docs, Path(folder, f"{name}.spacy"))
        for name, sources in features.items():
            for teacher_name in ("none", name, "encoder"):
                silver = Path(folder, f"{teacher_name}.spacy")
                scores = [
                    task.evaluate(task.train(sources, seed, silver))
                    for seed in range(options.seeds)
                ]
                rows.append((name, teacher_name, *mean_and_sd(scores)))
    show(("student", "teacher", "score", "sd"), rows)


def read_raw(nlp: Language, path: Path, most: int) -> Iterator[Doc]:
    """Read sentences of neither few nor very many words."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        words = (line.split() for line in lines)
        for some in islice((x for x in words if len(x) in LENGTHS), most):
            yield Doc(nlp.vocab, words=some)


if __name__ == "__main__":
    main()
