"""Explanations: the features behind a decision, and the weights of a model by label."""
