"""Evaluate a judge on public corpora.

    python -m experiments.judge MODEL --arpa MODEL.arpa

The corpora are those that the folder LATPERC_DATA has: JFLEG (development part), UD
English EWT and CoNLL-2000 (tests), news of Reuters, and CoNLL-2002 (Spanish) as another
language.
"""

import argparse
import os
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from spacy_latperc.io.jsonl import write_json
from spacy_latperc.io.packed import open_unpacked
from spacy_latperc.io.pipelines import load_pipeline
from spacy_latperc.judge.commands.judge_evaluate import show_evaluation
from spacy_latperc.judge.error_injection.corrupt import Corrupter, CorruptSettings
from spacy_latperc.judge.training.evaluation import (
    Bools,
    EvaluationData,
    Rows,
    evaluate_judge,
)
from spacy_latperc.judge.training.evaluation_files import lexicon_of, rows_of

_MOST = 3000  # sentences of a set
_LOCAL = {"form": 0.4, "small": 0.35, "order": 0.15, "spelling": 0.1}
_AGREE = 2  # corrections that change a wrong token


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A judge on public corpora")
    parser.add_argument("model", help="name or path of the judge")
    parser.add_argument("--arpa", help="an n-gram model, which KenLM scores")
    parser.add_argument("--json", type=Path, help="file for all figures")
    options = parser.parse_args(arguments)
    folder = os.environ.get("LATPERC_DATA")
    if not folder:
        parser.error("LATPERC_DATA must name the folder of the corpora")
    nlp, others = load_pipeline(options.model), kenlm_scorer(options.arpa)
    figures = evaluate_judge(nlp, corpora(Path(folder)), others)
    if options.json:
        write_json(options.json, figures)
    show_evaluation(figures)


def kenlm_scorer(path: str | None) -> dict[str, Callable[[Sequence[str]], float]]:
    """Return KenLM as a function from words to their mean log probability, if there is
    a model for it, and it is installed.

    Args:
        path: The file of the model.
    """
    if path is None or find_spec("kenlm") is None:
        return {}
    score = import_module("kenlm").Model(path).score
    return {"KenLM": lambda words: score(" ".join(words)) / (len(words) + 1)}


def corpora(folder: Path) -> EvaluationData:
    """Read the corpora that a folder has."""
    data = EvaluationData()
    treebank, news = folder / "ud_ewt/test.tsv", folder / "conll2000/test.txt"
    if treebank.is_file():
        data.clean["EWT test"] = read_columns(treebank, 1, treebank=True)[:_MOST]
    if news.is_file():
        data.clean["CoNLL-2000 test"] = read_columns(news)[:_MOST]
    news = folder / "lm_text/domain_b.txt.gz"
    if news.is_file():
        data.clean["Reuters news"] = rows_of(news)[:_MOST]
    lexicon = lexicon_of([words for rows in data.clean.values() for words in rows])
    local = Corrupter(lexicon, CorruptSettings(shares=_LOCAL, most=1, seed=7))
    for name, rows in data.clean.items():
        data.add_errors(name, Corrupter(lexicon, CorruptSettings(seed=8)))
        one = f"{name}, one error"
        data.pairs[one] = _local_pairs(local, rows)
        data.wrong[one] = data.pairs[one][1]
    data.add_junk()
    learners = [folder / "jfleg/dev.src"]
    learners += [folder / f"jfleg/dev.ref{n}" for n in range(4)]
    if all(path.is_file() for path in learners):
        _add_learners(data, [parallel_rows(path) for path in learners])
    spanish = folder / "conll2002/esp.testa"
    if spanish.is_file():
        data.wrong["Spanish"] = read_columns(spanish)[:_MOST]
    return data


def _add_learners(data: EvaluationData, texts: Sequence[Rows]) -> None:
    source, *corrections = texts
    good, bad, sentences, wrong = [], [], [], []
    for number, words in enumerate(source):
        versions = [rows[number] for rows in corrections]
        for corrected in versions:
            if corrected != words and corrected and words:
                good.append(corrected)
                bad.append(words)
        if words:
            sentences.append(words)
            wrong.append(changed_tokens(words, versions))
    data.pairs["JFLEG dev"] = good, bad
    data.tokens["JFLEG dev"] = sentences, wrong


def changed_tokens(words: Sequence[str], corrections: Rows) -> Bools:
    """Find the tokens that at least two corrections change or insert words before."""
    changes = np.zeros(len(words), dtype=np.int64)
    for corrected in corrections:
        changed = np.zeros(len(words), dtype=bool)
        matched = SequenceMatcher(None, words, corrected, autojunk=False)
        for kind, start, end, _, _ in matched.get_opcodes():
            at = min(start, len(words) - 1)
            if kind != "equal":
                changed[at : max(end, at + 1)] = True
        changes += changed
    return np.asarray(changes >= _AGREE)


def _local_pairs(corrupter: Corrupter, rows: Rows) -> tuple[Rows, Rows]:
    good, bad = [], []
    for number, words in enumerate(rows):
        if 5 <= len(words) <= 50:
            made = corrupter.one(words, number)
            if made.marks and len(made.words) == len(words):
                good.append(list(words))
                bad.append(made.words)
    return good, bad


def parallel_rows(path: Path) -> Rows:
    """Read all lines, also empty ones."""
    return [line.split() for line in path.read_text(encoding="utf8").splitlines()]


def read_columns(path: Path, column: int = 0, *, treebank: bool = False) -> Rows:
    """Read the words of a column file. Treebanks have comments, and lines for several
    tokens together, which are left out."""
    found: list[list[str]] = [[]]
    with open_unpacked(path) as lines:
        for line in lines:
            text = line.decode("utf8")
            fields = text.split("\t" if treebank else None)
            if not text.strip():
                found.append([])
            elif treebank and (text.startswith("#") or not fields[0].isdecimal()):
                continue
            elif len(fields) > column and fields[0] != "-DOCSTART-":
                found[-1].append("".join(fields[column].split()))
    return [words for words in found if words]


if __name__ == "__main__":
    main()
