"""Commands of the judge, which the command line imports on first use."""
