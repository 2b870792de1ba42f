"""The published results: a grid of commands, their figures as JSON, and the pages."""
