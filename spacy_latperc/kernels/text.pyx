"""Plain text: vocabularies, names of features, n-gram models, evidence, gazetteers,
clusters, contexts.

Docs and spans are read and written here too: one more extension would take longer to
compile.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.utility cimport move
from libcpp.vector cimport vector

import numpy as np

from spacy_latperc.kernels.checks import whole, wrong_bound, wrong_number, wrong_shape

include "common/arrays.pxi"
include "common/shared.pxi"
include "hashing/vocabulary.pxi"
include "ngrams/table.pxi"
include "gazetteer/gazetteer.pxi"
include "hashing/names.pxi"
include "ngrams/evidence.pxi"
include "clusters/clusters.pxi"
include "context/context.pxi"
include "spans/doc_rows.pxi"
include "spans/span_rows.pxi"
include "spans/span_cursor.pxi"
