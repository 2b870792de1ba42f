"""n-gram models of plain text, and the many sentences they are counted from."""
