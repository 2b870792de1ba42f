"""Incremental dependency parsing: a transition system, beam search over its states, and
learning from prefixes. Arrays in, arrays out; one call per batch, without the GIL.
"""
from cython.operator cimport dereference as deref
from libc.math cimport isinf
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr, unique_ptr
from libcpp.utility cimport pair
from libcpp.vector cimport vector

import numpy as np

from spacy_latperc.kernels.checks import (
    other_structure,
    whole,
    wrong_bound,
    wrong_number,
    wrong_shape,
)

include "common/shared.pxi"
include "parser/declarations.pxi"
include "parser/parser.pxi"
include "parser/frozen_parser.pxi"
include "parser/oracle.pxi"
include "parser/checks.pxi"
