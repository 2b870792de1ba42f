"""Features of raw text: n-grams, their classes, and contexts."""
