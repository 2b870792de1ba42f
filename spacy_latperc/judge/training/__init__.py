"""A judge of sentences: made of raw text in one go, and what it is worth."""
