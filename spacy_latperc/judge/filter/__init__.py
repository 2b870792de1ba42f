"""Keeping the good lines of a text of any size, which is never in memory whole."""
