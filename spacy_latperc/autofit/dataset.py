"""Annotated data of any format as Docs, with what is wrong with it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import filter_spans, get_words_and_spaces

from ..data import configured, formats
from ..errors import Errors
from ..io.docbin import read_docs, unannotated
from ..io.lines import corpus_files
from .detect import (
    COLUMNS,
    CONLLU,
    DOCBIN,
    JSONL,
    detect_columns,
    detect_format,
    sample_rows,
)
from .exports import AnnotatedText, read_export

SPANS_KEY = "chunks"
ALIGN = {"skip": "strict", "contract": "contract", "expand": "expand"}
DEV_TENTHS = 1  # of the documents, for development
MISALIGNED, OVERLAPPING, DUPLICATE = "misaligned", "overlapping", "duplicate"
SKIPPED = "records were not accepted by their annotators"
UNLABELLED = "records have no annotation"
MOVED = "records had offsets in UTF-16 units, which were converted"
REPAIRED = "labels were invalid and were repaired"


class Problem(NamedTuple):
    """Annotation that cannot be learned as it is, with its place: MISALIGNED,
    OVERLAPPING or DUPLICATE."""

    kind: str
    path: Path
    line: int
    span: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.span}"


@dataclass
class Dataset:
    """Annotated Docs.

    Attributes:
        docs: The Docs.
        keys: A text for each Doc that tells its document; Docs of one document are
            never divided between training and development data.
        formats: A description of each format that was read.
        problems: Annotation that was left out.
        notes: What was left out or changed besides, in words, with its number.
    """

    docs: list[Doc] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    formats: dict[str, None] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)

    def add(self, docs: Sequence[Doc], keys: Sequence[str]) -> None:
        """Add Docs, but none without tokens."""
        for doc, key in zip(docs, keys, strict=True):
            if len(doc):
                self.docs.append(doc)
                self.keys.append(key)

    @property
    def annotation(self) -> Counter[str]:
        """The number of Docs with each kind of annotation."""
        found: Counter[str] = Counter()
        for doc in self.docs:
            found["ents"] += bool(doc.ents)
            found["chunks"] += bool(doc.spans.get(SPANS_KEY))
            found["classes"] += bool(doc.cats)
            for name, attribute in _ATTRIBUTES.items():
                found[name] += doc.has_annotation(attribute)
        return +found

    def split(self) -> tuple["Dataset", "Dataset"]:
        """Divide the documents into training and development data by a hash of their
        texts, so that every run agrees and equal texts are never on both sides."""
        rest, part = Dataset(), Dataset()
        for doc, key in zip(self.docs, self.keys, strict=True):
            digest = blake2b(key.encode("utf8", "replace"), digest_size=8).digest()
            wanted = int.from_bytes(digest, "big") % 10 < DEV_TENTHS
            (part if wanted else rest).add([doc], [key])
        return rest, part


_ATTRIBUTES = {
    **{"tag": "TAG", "pos": "POS", "morph": "MORPH"},
    **{"lemma": "LEMMA", "trees": "DEP"},
}


def sample_words(paths: Iterable[Path], most: int = 20_000) -> Iterator[str]:
    """Yield words of the data, to detect its language."""

    def words() -> Iterator[str]:
        blank = Language()
        for path in paths:
            kind = detect_format(path)
            if kind == JSONL:
                for record in read_export(path):
                    yield from record.text.split()
            elif kind == DOCBIN:
                for doc in read_docs(path, blank.vocab):
                    yield from (token.text for token in doc)
            else:
                format = formats.CONLLU if kind == CONLLU else detect_columns(path)
                place = format.columns.index("word")
                for row in sample_rows(path):
                    yield from row.split(format.separator)[place : place + 1]

    return islice(words(), most)


def read_dataset(
    nlp: Language, *paths: Path, align: str = "skip", partial: bool = False
) -> Dataset:
    """Read files, or all files below folders.

    Args:
        nlp: A pipeline with the tokenizer of the language.
        paths: The files or folders.
        align: The treatment of spans whose ends are inside of tokens: "skip" leaves
            their tokens without annotation, "contract" and "expand" move the ends.
        partial: Take what is not annotated in JSON records as unknown, not as outside.
    """
    found = Dataset()
    for file in (file for path in paths for file in corpus_files(path)):
        kind = detect_format(file)
        if kind == JSONL:
            found.formats[JSONL] = None
            for record in read_export(file):
                _add_record(nlp, found, record, align, partial)
        elif kind == DOCBIN:
            found.formats[DOCBIN] = None
            docs = list(read_docs(file, nlp.vocab))
            found.add(docs, [doc.text for doc in docs])
        else:
            _add_table(nlp, found, file, kind)
    if not found.docs:
        raise ValueError(Errors.LP324.format(path=" ".join(map(str, paths))))
    return found


def read_examples(nlp: Language, corpus: str) -> Iterable[Example]:
    """Return the examples of a corpus: as the reader of the config gives them where it
    can read the file, else by its format, as `read_dataset` does.

    Args:
        nlp: The pipeline.
        corpus: A file or folder, or a corpus of the config; "" for its development
            corpus.
    """
    if corpus and not corpus.startswith(configured.SECTION):
        kind = detect_format(next(iter(corpus_files(Path(corpus)))))
        block = configured.corpus_block(nlp.config.interpolate())
        docbin = block["@readers"] in configured.DOCBIN_READERS and not block.get(
            "inputs"
        )
        records = kind == JSONL and block["@readers"] != configured.JSONL
        if records or (docbin and kind != DOCBIN):
            docs = read_dataset(nlp, Path(corpus)).docs
            return [Example(unannotated(doc), doc) for doc in docs]
    return configured.configured_examples(nlp, corpus)


def _add_table(nlp: Language, found: Dataset, path: Path, kind: str) -> None:
    format = formats.CONLLU if kind == CONLLU else detect_columns(path)
    labelled = format.read(path)
    shown = f"columns {', '.join(format.columns)}" if kind == COLUMNS else kind
    found.formats[shown] = None
    found.notes[REPAIRED] += sum(column.repaired for column in labelled.spans.values())
    docs = list(format.maker(nlp.vocab, labelled).docs())
    documents = labelled.table.document_offsets.tolist()
    keys = [doc.text for doc in docs]
    if len(documents) > 10:  # and not one document, or a few long ones
        for start, end in pairwise(documents):
            keys[start:end] = [keys[start]] * (end - start)
    found.add(docs, keys)


def _add_record(
    nlp: Language, found: Dataset, record: AnnotatedText, align: str, partial: bool
) -> None:
    if record.skipped or (record.spans is None and record.classes is None):
        found.notes[SKIPPED if record.skipped else UNLABELLED] += 1
        return
    found.notes[MOVED] += record.moved
    doc = nlp.make_doc(record.text)
    if record.words is not None:
        with suppress(ValueError):  # tokens of another text
            words, spaces = get_words_and_spaces(record.words, record.text)
            doc = Doc(nlp.vocab, words=words, spaces=spaces)
    if record.classes is not None:
        doc.cats = record.classes
    if record.spans is not None:
        _add_spans(found, doc, record, align, partial)
    found.add([doc], [record.text])


def _add_spans(
    found: Dataset, doc: Doc, record: AnnotatedText, align: str, partial: bool
) -> None:
    def note(kind: str, start: int, end: int, label: str) -> None:
        text = f"{label} [{start}, {end}] {record.text[start:end]!r}"
        found.problems.append(Problem(kind, record.path, record.line, text))

    spans: list[Span] = []
    open_tokens: set[int] = set()
    for each, times in Counter(record.spans or ()).items():
        for _ in range(times - 1):
            note(DUPLICATE, *each)
        start, end, label = each
        span = doc.char_span(start, end, label, alignment_mode=ALIGN[align])
        if span is None or not len(span):
            note(MISALIGNED, *each)
            around = doc.char_span(start, end, alignment_mode="expand")
            open_tokens.update(token.i for token in around or ())
        else:
            spans.append(span)
    kept = filter_spans(spans)
    for span in spans:
        if span not in kept:
            note(OVERLAPPING, span.start_char, span.end_char, span.label_)
    if partial:
        doc.set_ents(kept, default="missing")
        return
    open_tokens.difference_update(i for x in kept for i in range(x.start, x.end))
    missing = [doc[i : i + 1] for i in sorted(open_tokens)]
    doc.set_ents(kept, missing=missing, default="outside")
