"""The grammaticality classifier of the papers.

`grammaticality_component` (latperc_grammaticality) reads the columns of a Doc,
`classifier` scores its sentences through latent chunkings in several views, and
`annotations` writes the scores. Training (`sentence_learner`) needs bad sentences:
`negatives` samples them from `ngrams` (n-gram models of real text). `scorer` evaluates.

`classifier`, `ngrams` and `rng` do not import spaCy.
"""
