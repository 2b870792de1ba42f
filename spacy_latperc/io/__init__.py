"""Input and output: whole files, lines, JSON lines, .spacy files."""
