"""A report on a trained pipeline: scores, errors, explanations, calibration, data."""
