"""The likelihood of a corpus with its slope, for the optimisers that see all of it at
once."""
from cython.operator cimport dereference as deref
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

from spacy_latperc.kernels.chains cimport (
    BlockShape,
    FeatureBlock,
    FeatureSpace,
    Ids,
    Layout,
    Structure,
    WeightedIds,
    kEndKey,
    kFirstSet,
    kStartKey,
)

import numpy as np

from spacy_latperc.kernels.checks import (
    other_features, wrong_number, wrong_shape,
)

include "batch/objective.pxi"
