"""Chains: their features, their weights in training and frozen, the rules that update
them, and classifiers of several chains.

Arrays in, arrays out; one call per batch, with the GIL released. One module, since all
of it is compiled from the same headers.
"""
cimport cython
from cython.operator cimport dereference as deref
from libc.math cimport isfinite, isinf, isnan
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport make_shared, shared_ptr, unique_ptr
from libcpp.utility cimport pair
from libcpp.vector cimport vector


import numpy as np

from spacy_latperc.errors import Errors
from spacy_latperc.kernels.checks import (
    check_chain_size,
    other_features,
    other_structure,
    path_count,
    too_little_memory,
    whole,
    wrong_bound,
    wrong_number,
    wrong_shape,
    wrong_value,
)

include "common/shared.pxi"
include "common/declarations.pxi"

# Codes beside labels. In predictions: NO_PATH for every token of a sentence without a
# path. In gold: ANY_LABEL, and FIRST_SET - s for one of label set s.
NO_PATH = kNoPath
ANY_LABEL = kAnyLabel
FIRST_SET = kFirstSet

# The features of the first and the last token of a sentence.
START, END = kStartKey, kEndKey

include "common/arrays.pxi"
include "hashing/lexemes.pxi"
include "hashing/features.pxi"
include "lattice/structure.pxi"
include "weights/trainer.pxi"
include "rules/rules.pxi"
include "weights/frozen.pxi"
include "weights/chain.pxi"
include "batch/objective.pxi"
include "classifier/classifier.pxi"
include "classifier/frozen_classifier.pxi"
