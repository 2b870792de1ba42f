"""Dependency trees: crossing arcs, scores."""
