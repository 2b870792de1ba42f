"""Vectors of tokens in their context, from an encoder whose weights never change."""
