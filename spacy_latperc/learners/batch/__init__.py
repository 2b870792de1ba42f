"""Learners that see all examples together before they change any weight."""
