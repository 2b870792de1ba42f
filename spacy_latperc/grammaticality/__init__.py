"""The grammaticality classifier of the papers.

`component` (latperc_grammaticality) reads the columns of a Doc, `classifier` scores its
sentences through latent chunkings in several views, and `annotations` writes the
scores. Training needs bad sentences: `negatives` makes them from `ngrams` (n-gram
models of real text) and from noise. `array_trainer` trains on arrays, and
`scorer` evaluates.

`classifier`, `ngrams` and `rng` do not import spaCy.
"""
