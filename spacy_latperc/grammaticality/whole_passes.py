"""Examples of a pass, for learners that want all of them at once."""

import numpy as np
from numpy.typing import NDArray

from ..kernels.features import FeatureBlock


class Gathered:
    """Examples of a pass, for learners that want all at once."""

    def __init__(self) -> None:
        self.features: list[FeatureBlock] = []
        self.classes: list[NDArray[np.int8]] = []
        self.examples = 0

    def add(
        self, features: list[FeatureBlock], classes: NDArray[np.int8]
    ) -> "Gathered":
        self.features += features
        self.classes.append(classes)
        self.examples += int(np.count_nonzero(classes))
        return self
