"""n-gram models of plain text."""
