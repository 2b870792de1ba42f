"""The wing of grammaticality: good sentences told from bad ones.

`component` reads the columns of a Doc, `classifier` scores its sentences through latent
chunkings in several views, and `annotations` writes what was found. To learn, it
needs bad sentences: `negatives` makes them from `ngrams` (n-gram models of real text)
and from noise. `training` learns from arrays. `filter` keeps the good lines of a large
text. `scorer` says how well all that works.

`classifier`, `ngrams` and `rng` know nothing of spaCy.
"""
