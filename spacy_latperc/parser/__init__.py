"""The dependency parser."""
