"""Make the files of the corpora from public downloads.

Each function is given `fetch`, which downloads an address (once) and tells the path,
and yields the names and contents of the files.
"""

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from . import lm_text as text
from . import raw_text as raw

Fetch = Callable[[str], Path]
Files = Iterator[tuple[str, bytes]]
Make = Callable[[Fetch], Files]

NLTK = "https://github.com/nltk/nltk_data/raw/5db857e6f7df/packages/corpora"
EWT = "https://github.com/UniversalDependencies/UD_English-EWT/raw/15d613d8447b"
# No revision is known to have the files of the sums, which tell whether they are right.
AFRIBOOMS = "https://github.com/UniversalDependencies/UD_Afrikaans-AfriBooms/raw/master"
WNUT17 = "https://github.com/leondz/emerging_entities_17/raw/e52a2d2a71ac"
JNLPBA = (
    "https://github.com/spyysalo/jnlpba/raw/"
    "4455122de861c6e448e2e8c7f19ef8f49dbc32b2/original-data"
)
ABSTRACT = b"###MEDLINE:"
HELD_OUT_ABSTRACTS = 200


def conll2000(fetch: Fetch) -> Files:
    """The two files of NLTK's archive."""
    yield from _unzipped(fetch, "conll2000", ("train.txt", "test.txt"))


def conll2002(fetch: Fetch) -> Files:
    """The six files of NLTK's archive."""
    names = [
        f"{x}.{part}" for x in ("esp", "ned") for part in ("train", "testa", "testb")
    ]
    yield from _unzipped(fetch, "conll2002", names)


def _unzipped(fetch: Fetch, folder: str, names: list[str] | tuple[str, ...]) -> Files:
    with zipfile.ZipFile(fetch(f"{NLTK}/{folder}.zip")) as archive:
        for name in names:
            yield name, archive.read(f"{folder}/{name}")


def wnut17(fetch: Fetch) -> Files:
    """Three files, under shorter names."""
    for name, original in (
        ("train.conll", "wnut17train.conll"),
        ("dev.conll", "emerging.dev.conll"),
        ("test.conll", "emerging.test.annotated"),
    ):
        yield name, fetch(f"{WNUT17}/{original}").read_bytes()


def ud_ewt(fetch: Fetch) -> Files:
    """The columns ID, FORM, UPOS, XPOS and SpaceAfter of the treebank."""
    for part in ("train", "dev", "test"):
        path = fetch(f"{EWT}/en_ewt-ud-{part}.conllu")
        lines = path.read_text(encoding="utf-8").splitlines()
        kept = [_tagged_row(line) for line in lines if _is_kept(line)]
        yield f"{part}.tsv", ("\n".join(kept) + "\n").encode()


def ud_trees(fetch: Fetch) -> Files:
    """Two treebanks, as they are."""
    for name, address in (("en_ewt", EWT), ("af_afribooms", AFRIBOOMS)):
        for part in ("train", "dev", "test"):
            path = fetch(f"{address}/{name}-ud-{part}.conllu")
            yield f"{name}-{part}.conllu", path.read_bytes()


def _is_kept(line: str) -> bool:
    """Not the empty nodes (8.1), and of the comments only the ids of sentences."""
    if line.startswith("#"):
        return line.startswith("# sent_id")
    return "." not in line.partition("\t")[0]


def _tagged_row(line: str) -> str:
    cells = line.split("\t")
    if len(cells) < 10:
        return line
    space = "SpaceAfter=No" if "SpaceAfter=No" in cells[9].split("|") else "_"
    return "\t".join([cells[0], cells[1], cells[3], cells[4], space])


def jnlpba(fetch: Fetch) -> Files:
    """The files of the task; the last abstracts of the training part are held out."""
    train = fetch(f"{JNLPBA}/train/Genia4ERtask2.iob2").read_bytes()
    yield "train.iob2", train
    abstracts = [ABSTRACT + x for x in train.split(ABSTRACT)[1:]]
    yield "train_first1800.iob2", b"".join(abstracts[:-HELD_OUT_ABSTRACTS])
    yield "dev_last200.iob2", b"".join(abstracts[-HELD_OUT_ABSTRACTS:])
    yield "test.iob2", fetch(f"{JNLPBA}/test/Genia4EReval2.iob2").read_bytes()


def lm_text(fetch: Fetch) -> Files:
    """Speeches to train and to test on, and news of another domain."""
    speeches = text.speech_sentences(fetch(text.SPEECHES))
    yield "domain_a.train.txt", text.choose(speeches, 10, 100, 500_000)
    yield "domain_a.test.txt", text.choose(speeches, 0, 3, 10_000)
    stories = text.story_sentences(fetch(text.STORIES))
    yield "domain_b.txt", text.choose(stories, 20, 100, 30_000)


def raw_text(fetch: Fetch) -> Files:
    """Sentences of NLTK's corpora, and of biomedical ones."""
    archives = [fetch(f"{NLTK}/{name}.zip") for name in raw.ENGLISH]
    yield "english.txt", raw.english(archives)
    addresses = [
        raw.MTL.format(corpus=corpus, part=part)
        for corpus in raw.BIOMEDICAL
        for part in raw.PARTS
    ]
    yield "biomedical.txt", raw.biomedical(map(fetch, addresses))
