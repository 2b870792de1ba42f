"""Training on arrays instead of Docs, and the meta data of a trained pipeline."""
