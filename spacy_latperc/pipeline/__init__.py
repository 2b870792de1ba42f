"""Components around chains: tagger, chunker, recogniser (parts.py has the map)."""
