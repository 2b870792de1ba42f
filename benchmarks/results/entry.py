"""An entry of what is published: commands, and what they show.

In a command, {data} stands for the folder of the corpora (LATPERC_DATA), {json} for the
file that its figures go to, and {work} for a folder that entries share.
"""

from dataclasses import dataclass, field

LATPERC = "python -m spacy latperc"
PEERS = "python -m benchmarks.peers"
THREE = "--seeds 3 --json {json}"
CHUNKS = "--train {data}/conll2000/train.txt.gz --test {data}/conll2000/test.txt"


@dataclass(frozen=True)
class Entry:
    """One command whose output is published.

    Attributes:
        name: Of its file in results/.
        page: The page of the results that it is on.
        title: The question that it answers.
        commands: What is run, in this order; the output of the last one is kept.
        note: What a reader has to know to understand the figures.
        slow: More than some minutes, so it may be older than the rest.
        headline: What the front table shows: `score`, the name of a score.
        beside: The entry to compare with, where knowledge was added; the title is then
            the test set, a colon, and what was added.
    """

    name: str
    page: str
    title: str
    commands: tuple[str, ...]
    note: str = ""
    slow: bool = False
    headline: dict[str, str] = field(default_factory=dict)
    beside: str = ""


def accuracy(
    name: str, title: str, score: str, config: str, paths: str, note: str = ""
) -> Entry:
    """A config, trained with three seeds and scored on a test set."""
    command = f"{LATPERC} repeat configs/{config} {paths} {THREE}"
    return Entry(name, "accuracy", title, (command,), note, headline={"score": score})


def peer(name: str, title: str, score: str, command: str, slow: bool = False) -> Entry:
    """Another package on the same files."""
    full = f"{PEERS} {command} --json {{json}}"
    return Entry(name, "accuracy", title, (full,), slow=slow, headline={"score": score})


def trees(name: str, title: str, config: str, treebank: str, more: str = "") -> Entry:
    """A parser, trained with three seeds and scored on the test part of a treebank."""
    paths = (
        f"--paths.train {{data}}/ud_trees/{treebank}-train.conllu.gz "
        f"--paths.dev {{data}}/ud_trees/{treebank}-test.conllu.gz"
    )
    note = (
        "The scores are those of the CoNLL 2018 shared task, on the words of the file."
    )
    return accuracy(name, title, "dep_las", config, f"{paths} {more}".rstrip(), note)


def corpus_paths(train: str, test: str, columns: str, more: str = "") -> str:
    """The settings of a config that name a corpus."""
    parts = (
        f"--paths.train {{data}}/{train} --paths.dev {{data}}/{test}",
        f"--corpora.train.columns {columns}",
        more,
    )
    return " ".join(part for part in parts if part)


NP = "--corpora.train.keep_types '[\"NP\"]' --corpora.dev.keep_types '[\"NP\"]'"
REPAIR = "--corpora.train.repair true --corpora.dev.repair true"
MEDLINE = "--corpora.train.doc_mark '###MEDLINE:' --corpora.dev.doc_mark '###MEDLINE:'"
WNUT = " --components.ner.model.learner.C 0.03"
IOB2 = " --components.ner.scheme IOB2"
CRF = (
    "--components.ner.model.learner.@misc spacy_latperc.CRFBatch.v1 "
    "--training.max_epochs 2"
)
CONLL2000 = corpus_paths(
    "conll2000/train.txt.gz", "conll2000/test.txt", "word,tag,chunk"
)
EWT = corpus_paths(
    "ud_ewt/train.tsv.gz",
    "ud_ewt/test.tsv",
    "id,word,-,tag,space",
    "--corpora.train.comment '#' --corpora.dev.comment '#'",
)
ESP = corpus_paths("conll2002/esp.train.gz", "conll2002/esp.testb", "word,{columns}")
NED = corpus_paths("conll2002/ned.train.gz", "conll2002/ned.testb", "word,{columns}")
ESP_PEER = (
    "--train {data}/conll2002/esp.train.gz --test {data}/conll2002/esp.testb "
    "--columns word,tag,ent"
)
NED_PEER = (
    "--train {data}/conll2002/ned.train.gz --test {data}/conll2002/ned.testb "
    "--columns word,tag,ent"
)
WNUT_PEER = (
    "--train {data}/wnut17/train.conll --test {data}/wnut17/test.conll "
    "--columns word,ent"
)
EWT_PEER = (
    "--train {data}/ud_ewt/train.tsv.gz --test {data}/ud_ewt/test.tsv "
    "--columns id,word,-,tag --comment '#'"
)
