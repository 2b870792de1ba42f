"""n-gram models of plain text, and false sentences to tell from real ones."""
