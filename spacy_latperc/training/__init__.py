"""Training without the host's loop, and what is said of a trained pipeline."""
