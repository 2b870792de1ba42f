"""Features: templates over token attributes."""

from .sets import FeatureSet
from .templates import Template, parse_template

__all__ = ["FeatureSet", "Template", "parse_template"]
