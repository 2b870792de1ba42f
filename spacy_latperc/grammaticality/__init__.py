"""The wing of grammaticality: good sentences told from bad ones.

`component` (latperc_grammaticality) reads the columns of a Doc, `classifier` scores its
sentences through latent chunkings in several views, and `annotations` writes what was
found. To learn, it needs bad sentences: `negatives` makes them from `ngrams` (n-gram
models of real text) and from noise. `array_trainer` learns from arrays. `filter` keeps
the good lines of a large text. `scorer` says how well all that works.

Other evidence can stand beside the chunkings, or in their place. `token_errors`
(latperc_errors) finds wrong words; it learns from errors that `corruption` puts into
sentences. It leaves its `evidence` on Docs, from where `gathering` takes it, and
`joined` makes one score of all. `judge` makes a pipeline of both
components from raw text.

`classifier`, `ngrams` and `rng` know nothing of spaCy.
"""
