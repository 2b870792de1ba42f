"""Corpora: column files, CoNLL-U and .spacy files as examples; the bundled sample."""
