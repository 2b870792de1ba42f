"""Knowledge from outside the training data, as sources of attributes.

The interface of a source is in features/sources.py.
"""
