"""Sentences for n-gram models and for the grammaticality task, from two public corpora.

Domain a are speeches of the United Nations General Debate, domain b is newswire. No
document gives sentences to two parts: a hash of its name decides. Within a domain no
sentence occurs twice, whatever its case.
"""

import hashlib
import html
import random
import re
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from .sentences import Limits, is_complete, split_sentences, tokenize

SPEECHES = "https://github.com/jradius/un-general-debates/archive/d1f2d6f54e0e.tar.gz"
STORIES = "https://github.com/colibri17/TextCategorization/archive/b6c2ca3d46a2.tar.gz"
TEXTS = "/data/UNGDC_1946-2022/TXT/"

SEED = 20120401
FIRST_YEAR = 1970
# Older records were scanned from paper: of these only sentences of known words count.
DIGITAL_SINCE = 1994
SEEN_ENOUGH = 3

_BROKEN = "\x01"  # stands where a line broke after a hyphen
_speech_name = re.compile(r"[A-Z]+_[0-9]+_([0-9]+)\.txt").fullmatch
_is_page_head = re.compile(
    r"\s*([0-9]{1,4}"
    r"|([0-9]+\s+)?[0-9]{2}-[0-9]{5}(\s*\(E\))?"
    r"|[0-9]{2}-[0-9]{5}\s+[0-9]+(\s*\(E\))?"
    r"|A/[0-9]+/PV\.?\s*[0-9]+.*"
    r"|General Assembly\b.*\bmeeting.*"
    r"|.{0,40}\bplenary meeting\b.{0,20}"
    r"|.{0,20}\bsession\s*[—-].{0,60})\s*"
).fullmatch
_story = re.compile(r'<REUTERS [^>]*NEWID="([0-9]+)">(.*?)</REUTERS>', re.DOTALL)
_body = re.compile("<BODY>(.*?)</BODY>", re.DOTALL)
_is_no_line = re.compile(r"reuters?\W*|\W+|\x03", re.IGNORECASE).fullmatch


class Named(NamedTuple):
    """A sentence, and the document that it is from."""

    document: str
    sentence: str


class Speech(NamedTuple):
    name: str
    year: int
    sentences: list[list[str]]


def speech_sentences(archive: Path) -> list[Named]:
    """All different sentences of the speeches, those of the latest first."""
    speeches = sorted(_speeches(archive), key=lambda x: (-x.year, x.name))
    counts: Counter[str] = Counter()
    for speech in speeches:
        if speech.year >= DIGITAL_SINCE:
            for tokens in speech.sentences:
                counts.update(token.lower() for token in tokens)
    known = {word for word, n in counts.items() if n >= SEEN_ENOUGH}
    return _without_repeats(
        Named(speech.name, " ".join(tokens))
        for speech in speeches
        for tokens in speech.sentences
        if speech.year >= DIGITAL_SINCE or known.issuperset(map(str.lower, tokens))
    )


def _speeches(archive: Path) -> Iterator[Speech]:
    for path, content in _members(archive, ".txt"):
        found = _speech_name(path.name)
        if found is None or TEXTS not in path.as_posix():
            continue
        if (year := int(found[1])) < FIRST_YEAR:
            continue
        tokens = [
            tokenize(sentence)
            for paragraph in _paragraphs(content.decode("utf-8", "replace"))
            for sentence in split_sentences(paragraph)
            if not any(x in sentence for x in (_BROKEN, "\ufffd", "spoke in"))
        ]
        yield Speech(path.name, year, [x for x in tokens if is_complete(x)])


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a speech: its lines, or one where all lines are short."""
    lines = [x.replace("\t", " ").strip() for x in text.replace("\r", "\n").split("\n")]
    lines = [x for x in lines if x and not _is_page_head(x)]
    if not lines:
        return []
    if sorted(map(len, lines))[len(lines) // 2] > 100:
        return [re.sub(r"^\d+\.\s+", "", x) for x in lines]
    joined = ""
    for line in lines:
        is_broken = joined.endswith("-") and not joined.endswith(" -")
        joined += (_BROKEN if is_broken else " ") + line
    return [joined.strip()]


def story_sentences(archive: Path) -> list[Named]:
    """All different sentences of the stories, in their order."""
    return _without_repeats(
        Named(name, sentence)
        for path, content in _members(archive, ".sgm")
        if path.parent.name == "reuters21578"
        for name, body in _stories(content.decode("latin-1"))
        for sentence in _of_story(body)
    )


def _stories(text: str) -> Iterator[tuple[str, str]]:
    for name, story in _story.findall(text):
        if body := _body.search(story):
            yield name, html.unescape(body[1])


def _of_story(body: str) -> Iterator[str]:
    paragraphs: list[list[str]] = [[]]
    for line in body.split("\n"):
        if not line.strip() or line.startswith("    "):
            paragraphs.append([])
        if line.strip() and not _is_no_line(line.strip()):
            paragraphs[-1].append(line.strip())
    for lines in paragraphs:
        # Tables, and words broken at the end of a line
        if any("   " in x or x.endswith("-") for x in lines):
            continue
        for sentence in split_sentences(" ".join(lines)):
            tokens = tokenize(sentence)
            if not any(x in sentence for x in ("<", ">", "Reuter")) and is_complete(
                tokens, Limits(function_words=1)
            ):
                yield " ".join(tokens)


def choose(
    sentences: Iterable[Named], first: int, end: int, size: int | None = None
) -> bytes:
    """Lines: the sentences of a share of the documents, shuffled.

    Args:
        sentences: The sentences to choose from.
        first: The share begins at this percentile of the documents...
        end: ... and ends before this one.
        size: The number of sentences, all by default.
    """
    chosen = [x.sentence for x in sentences if first <= _percentile(x.document) < end]
    random.Random(SEED).shuffle(chosen)
    return ("\n".join(chosen[:size]) + "\n").encode()


def _percentile(name: str) -> int:
    digest = hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()
    return int(digest, 16) % 100


def _without_repeats(sentences: Iterable[Named]) -> list[Named]:
    first: dict[str, Named] = {}
    for found in sentences:
        first.setdefault(found.sentence.lower(), found)
    return list(first.values())


def _members(archive: Path, suffix: str) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files of a packed archive, in the order of their paths."""
    with tarfile.open(archive) as files:
        found = {x.name: x for x in files if x.isfile() and x.name.endswith(suffix)}
        for name in sorted(found):
            file = files.extractfile(found[name])
            assert file is not None
            yield PurePosixPath(name), file.read()
