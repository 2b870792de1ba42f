"""Bad sentences to tell from real ones, made so that only grammar gives them away."""
