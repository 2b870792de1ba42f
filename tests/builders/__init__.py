"""Small data, models and pipelines for the tests. Nothing here checks anything.

- `text`, `chunkings`: sentences, and chunkings of sentences
- `chains`, `lattices`, `classifiers`: models with known weights
- `learners`, `registered_learners`: learners with sentences for them, as arrays
- `margins`: data with known margins, for theorems about mistakes
- `pipelines`, `grammaticality`: pipelines with Docs and Examples for them
- `web`: a local server in place of the net; `forked_commands`: commands that are killed
"""
