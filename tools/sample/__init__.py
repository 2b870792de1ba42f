"""A generator of tagged, chunked sentences with names: the bundled sample.

Real corpora cannot be packaged with the library, and a sample must be hard enough to
be worth learning. So sentences are drawn from a small probabilistic grammar over a
lexicon with words of several classes, names that are people, places or firms by their
context, and words that are kept for the development and test parts. From the
derivations come dependency trees.

    python -m tools.sample assets/sample
"""

from .generate import SentenceMaker, sample_sentences, write_sample

__all__ = ["SentenceMaker", "sample_sentences", "write_sample"]
