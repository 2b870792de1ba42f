"""Knowledge from outside the training data, as sources of attributes.

What a source is stands in features/sources.py.
"""
