"""Experiments over configs and seeds."""
