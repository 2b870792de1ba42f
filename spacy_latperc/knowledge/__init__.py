"""Knowledge from outside the training data."""
