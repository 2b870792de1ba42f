"""Slow, obvious twins of the kernels: what the tests compare them with.

A twin says by definition what a kernel computes: it looks at every path, keeps features
in dictionaries, and shares no code with the package. Read a twin to see what is meant.

- `chain`: features, weights, searches and averages of a chain, and its learners
- `rules`, `steps`: rules and steps that keep more than weights
- `search`, `sums`, `likelihood`: the best paths, sums over them, the likelihood
- `classifier`: latent classifiers of sentences; `ngrams`: n-gram models
- `side_by_side`: a chain and its twin learn from the same sentences
"""
