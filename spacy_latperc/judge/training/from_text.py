"""Training a judge on raw text, from Python."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ...errors import Errors
from ...kernels.text import Vocabulary
from ...text.sentence_files import Tokenize, read_blocks, read_sentences
from ...text.sentences import Sentences
from ...text.splitting import with_breaks
from .text_parts import JudgeSettings, split_text
from .train_judge import make_judge

# A file, sentences that were read from one, or sentences: strings, words or Docs.
RawText = str | Path | Sentences | Iterable[str | Sequence[str] | Doc]

_DEFAULT = JudgeSettings()


def train_judge(
    *texts: RawText,
    lang: str = "en",
    sentences: bool = False,
    tokenised: bool = False,
    field: str = "text",
    good: Sequence[RawText] = (),
    keep: float = 1 - _DEFAULT.share,
    sample: int = _DEFAULT.sentences,
    seed: int = _DEFAULT.seed,
    done: Callable[[str], None] = lambda what: None,
    progress: Callable[[int], None] | None = None,
) -> Language:
    """Train a grammaticality judge on good text.

    Args:
        texts: One or several texts, each of another domain: a file (plain text, .gz,
            .jsonl, .spacy), or the sentences as strings, lists of words, or Docs.
        lang: The language, whose tokenizer splits strings into words.
        sentences: True if each string or line is one sentence.
        tokenised: True if each string or line is one sentence with spaces between its
            words.
        field: The field of JSONL with the text.
        good: Good texts of the domains that will be judged. The threshold lets them
            pass.
        keep: The share of good sentences above the threshold.
        sample: The largest number of sentences that errors are injected into.
        seed: The seed. The same text and seed give the same judge.
        done: Called with a description of each completed step.
        progress: Called with numbers of sentences that were learned from.

    Returns:
        A pipeline of latperc_errors and latperc_judge.

    Example:
        >>> from itertools import product
        >>> from spacy_latperc.api import filter_texts, train_judge
        >>> nouns = "dog cat child horse teacher doctor farmer king sister".split()
        >>> verbs = "sees finds likes helps meets follows calls".split()
        >>> text = [f"The {a} {v} a {b} ." for a, v, b in product(nouns, verbs, nouns)]
        >>> text += [f"We like the {a} of the {b} ." for a, b in product(nouns, nouns)]
        >>> nlp = train_judge(text, tokenised=True)
        >>> nlp.pipe_names
        ['errors', 'judge']
        >>> list(filter_texts(nlp, ["The dog likes a cat .", "dog the likes cat a ."]))
        ['The dog likes a cat .']
    """
    split = None if tokenised else words_of(blank(lang), split=not sentences)
    vocabulary = Vocabulary()
    settings = JudgeSettings(sentences=sample, share=round(1 - keep, 12), seed=seed)
    parts = split_text([_read(x, vocabulary, split, field) for x in texts], settings)
    others = [_read(text, vocabulary, split, field) for text in good]
    return make_judge(blank(lang), parts, settings, others, done, progress)


def blank(lang: str) -> Language:
    """Create a pipeline without components."""
    try:
        return spacy.blank(lang)
    except (ImportError, ValueError) as error:
        raise ValueError(Errors.LP721.format(lang=lang, error=error)) from error


def words_of(nlp: Language, *, split: bool) -> Tokenize:
    """Return a function from strings to words.

    Args:
        nlp: The pipeline with the tokenizer.
        split: Also insert line breaks between sentences.
    """

    def words(text: str) -> list[str]:
        found = [token.text for token in nlp.tokenizer(text) if not token.is_space]
        return with_breaks(found) if split else found

    return words


def _read(
    text: RawText, vocabulary: Vocabulary, split: Tokenize | None, field: str
) -> Sentences:
    if isinstance(text, Sentences):
        return text
    if isinstance(text, str | Path):
        return read_sentences(text, vocabulary=vocabulary, field=field, tokenize=split)[
            0
        ]
    blocks = (f"{line}\n".encode() for line in _lines(text, split or str.split))
    return read_blocks(blocks, "the text", vocabulary=vocabulary)[0]


def _lines(text: Iterable[str | Sequence[str] | Doc], split: Tokenize) -> Iterator[str]:
    for item in text:
        if isinstance(item, str):
            # Line breaks between sentences become lines.
            yield " ".join(split(" ".join(item.split())))
            continue
        parts: Iterable[Iterable[Any]] = [item]
        if isinstance(item, Doc) and item.has_annotation("SENT_START"):
            parts = item.sents
        for words in parts:
            yield " ".join("".join(str(word).split()) for word in words)
