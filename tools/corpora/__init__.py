"""The real corpora: where they come from, their checksums, and how they are built."""
