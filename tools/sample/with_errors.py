"""Sentences of the sample with errors put in, for the detector of errors.

They are what `judge corrupt` makes, without what each was made from: this would
double the files.
"""

from pathlib import Path

from spacy.vocab import Vocab

from spacy_latperc.io.docbin import write_docs
from spacy_latperc.judge.error_injection.corrupt import Corrupter, CorruptSettings
from spacy_latperc.judge.error_injection.error_files import to_doc
from spacy_latperc.judge.evidence.lexicon import Lexicon
from spacy_latperc.kernels.text import Vocabulary

from .generate import sample_sentences
from .real_and_false import sentences_of, words_of

CLEAN = 0.5  # the share of sentences that stay as they are


def write_with_errors(
    folder: Path, *, seed: int = 0, train: int = 1000, dev: int = 200, test: int = 0
) -> None:
    """Write errors-train.spacy and errors-dev.spacy: about half of the sentences have
    errors."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = dict(sample_sentences(seed=seed, train=train, dev=dev, test=test))
    words = [words_of(tokens) for part in ("train", "dev") for tokens in parts[part]]
    text = sentences_of(Vocabulary(), words)
    settings = CorruptSettings(clean=CLEAN, seed=seed)
    made = list(Corrupter(Lexicon(text), settings).all_of(text))
    for part, sentences in (("train", made[:train]), ("dev", made[train:])):
        vocab = Vocab()
        docs = (to_doc(sentence, vocab) for sentence in sentences if sentence.words)
        write_docs(docs, folder / f"errors-{part}.spacy", attributes=[])
