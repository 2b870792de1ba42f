"""Latent-chain taggers, chunkers and entity recognisers for spaCy."""

__version__ = "0.1.0"
