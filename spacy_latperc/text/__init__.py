"""Sentences of plain text and of .spacy files, as numbers of words."""
