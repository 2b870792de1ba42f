from libc.stdint cimport int32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr
from libcpp.vector cimport vector

from spacy_latperc.kernels.features cimport Hashes, Program
from spacy_latperc.kernels.structure cimport (
    BlockShape,
    Bounds,
    Labels,
    Layout,
    Mask,
    Plane,
    Structure,
)
from spacy_latperc.kernels.trainer cimport Trainer


cdef extern from "frozen.hh" namespace "latperc" nogil:
    cdef cppclass FrozenRows:
        vector[uint64_t] keys
        Plane w
        void start(const BlockShape&, size_t rows) except +
        float* append(const BlockShape&, uint64_t key) except +
    cdef cppclass CFrozen "latperc::Frozen":
        CFrozen(
            const Layout&, const vector[BlockShape]&, const vector[int32_t]&,
            const vector[Program]&,
        ) except +
        const BlockShape& shape(size_t b)
        FrozenRows& rows(size_t b)
        size_t n_blocks()
        void take(Trainer&, const vector[uint64_t]&) except +
        void decode(
            const Program&, Hashes, Bounds, size_t first, size_t last, Mask,
            cbool masked, Labels,
        ) except +


cdef class FrozenChain:
    cdef shared_ptr[CFrozen] frozen
    cdef readonly Structure structure
