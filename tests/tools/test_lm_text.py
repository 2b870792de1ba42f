"""Sentences made from running text: splitting, tokens, filters, parts."""

import gzip
import io
import tarfile

import pytest

from tools.corpora import lm_text
from tools.corpora.lm_text import Named, choose, speech_sentences, story_sentences
from tools.corpora.sentences import Limits, is_complete, split_sentences, tokenize


@pytest.mark.parametrize(
    "text, sentences",
    [
        ("One came. Two went? Yes!", ["One came.", "Two went?", "Yes!"]),
        ("Mr. Hall met Dr. Lee.", ["Mr. Hall met Dr. Lee."]),
        ("The U.S. Congress met.", ["The U.S. Congress met."]),
        ("He left the U.S. The end.", ["He left the U.S.", "The end."]),
        ('"Go." He went.', ['"Go."', "He went."]),
        ("It is 3.5 or it is 4.", ["It is 3.5 or it is 4."]),
        ("No. 5 was first.", ["No. 5 was first."]),
        ("  ", []),
    ],
)
def test_sentences_are_split(text, sentences):
    assert list(split_sentences(text)) == sentences


@pytest.mark.parametrize(
    "sentence, tokens",
    [
        ("He can\u2019t go, can he?", "He ca n't go , can he ?"),
        ("\u201cYes,\u201d she said.", "`` Yes , '' she said ."),
        ("At 3:30 it cost 1,000 (net).", "At 3:30 it cost 1,000 ( net ) ."),
        ("It is ours\u2014and theirs", "It is ours -- and theirs"),
        ("I cannot say it's Ann's.", "I can not say it 's Ann 's ."),
        ("He lives in the U.S.", "He lives in the U.S. ."),
        ("the '80s and 'so on'", "the ` 80s and ` so on '"),
    ],
)
def test_sentences_are_tokenized(sentence, tokens):
    assert " ".join(tokenize(sentence)) == tokens


GOOD = "The delegation of my country is pleased with it ."


CHANGED = [
    *(" .", ""),
    *("The", "the"),
    *("country", "coun-"),
    *("country", "countryIs"),
    *("country", "countr\u00ec"),
    *("country", "( country"),
    *("country", "`` country"),
    *("country", "country ."),
    *("country is pleased", "COUNTRY IS PLEASED"),
    *("my country is pleased", "1 , 2 , 3 , 4 , 5"),
    *(GOOD, " ".join([GOOD] * 6)),
    *(GOOD, "The end ."),
    *(GOOD, "Delegations know people very seldom understand matters ."),
]


def test_sentences_that_are_complete_are_kept_and_others_left_out():
    assert is_complete(GOOD.split())
    assert is_complete("It was ( as we all know very well ) `` fine '' .".split())
    for old, new in zip(CHANGED[::2], CHANGED[1::2], strict=True):
        assert old in GOOD and not is_complete(GOOD.replace(old, new).split())
    tokens = "Shares of firms rose eleven percent early today .".split()
    assert not is_complete(tokens)
    assert is_complete(tokens, Limits(function_words=1))


def archive(path, files):
    with tarfile.open(path, "w:gz") as packed:
        for name, text in files.items():
            content = text.encode("utf-8")
            info = tarfile.TarInfo(f"top{name}")
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content))
    return path


def test_speeches_give_the_sentences_of_the_latest_first(tmp_path):
    folder = lm_text.TEXTS
    old, new = f"{GOOD}\nThe old unseen words are not in it .", f"1. {GOOD}\n12\n" * 3
    files = {
        f"{folder}Session 30 - 1975/AAA_30_1975.txt": f"{old} " * 3,
        f"{folder}Session 60 - 2005/BBB_60_2005.txt": new + " " * 200,
        f"{folder}Session 60 - 2005/._BBB_60_2005.txt": new,
        f"{folder}Session 10 - 1955/CCC_10_1955.txt": "We are of the past in it .",
        "/elsewhere/DDD_60_2005.txt": "We are of another folder in it .",
    }
    found = speech_sentences(archive(tmp_path / "a.tar.gz", files))
    # Of the old speech, what has only words that are known from later ones: repeated.
    assert found == [Named("BBB_60_2005.txt", GOOD)]


def test_words_broken_at_the_end_of_a_line_leave_no_sentence(tmp_path):
    text = "The first of all the lines is here. The sec-\nond of them is not whole."
    files = {f"{lm_text.TEXTS}Session 60 - 2005/A_60_2005.txt": text}
    (found,) = speech_sentences(archive(tmp_path / "a.tar.gz", files))
    assert found.sentence == "The first of all the lines is here ."


def test_stories_give_sentences_without_tables(tmp_path):
    story = '<REUTERS A="B" NEWID="{}"><BODY>{}</BODY></REUTERS>'
    text = (
        "    Shares of the firm rose by\na tenth &amp; more, it said.\n"
        "    Sales    12    15\n of the firm and of it were in a table.\n Reuter\n"
    )
    files = {
        "/reuters21578/reut2-000.sgm": story.format(7, text) + "<REUTERS></REUTERS>",
        "/other/reut2-001.sgm": story.format(8, "We have it in another folder ."),
    }
    found = story_sentences(archive(tmp_path / "b.tar.gz", files))
    wanted = "Shares of the firm rose by a tenth & more , it said ."
    assert found == [Named("7", wanted)]


def test_parts_share_no_document():
    sentences = [Named(f"doc{i // 5}", f"s{i}") for i in range(500)]
    parts = [choose(sentences, *share).split() for share in ((0, 30), (30, 100))]
    assert sorted(sum(parts, [])) == sorted(x.sentence.encode() for x in sentences)
    documents = [{int(x[1:]) // 5 for x in part} for part in parts]
    assert not documents[0] & documents[1]
    assert choose(sentences, 0, 100, 10) == choose(sentences, 0, 100, 10)
    assert len(choose(sentences, 0, 100, 10).split()) == 10


@pytest.mark.parametrize(
    "name, function_words", [("domain_a.test", 2), ("domain_b", 1)]
)
def test_published_sentences_pass_the_filters(data, name, function_words):
    lines = gzip.decompress((data / "lm_text" / f"{name}.txt.gz").read_bytes())
    limits = Limits(function_words=function_words)
    for line in lines.decode().splitlines()[::20]:
        assert is_complete(line.split(" "), limits), line
