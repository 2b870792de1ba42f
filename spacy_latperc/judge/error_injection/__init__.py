"""Realistic errors put into clean sentences, with marks that say where and which."""
