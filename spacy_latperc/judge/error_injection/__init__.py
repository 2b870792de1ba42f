"""Injection of realistic errors into clean sentences, with marks that undo them."""
