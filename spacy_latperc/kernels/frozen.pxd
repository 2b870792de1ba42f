from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr
from libcpp.vector cimport vector

from spacy_latperc.kernels.features cimport FeatureSpace, Hashes, Program
from spacy_latperc.kernels.structure cimport (
    BlockShape,
    Bounds,
    Ids,
    Labels,
    Layout,
    Mask,
    Plane,
    Structure,
)
from spacy_latperc.kernels.trainer cimport Trainer


cdef extern from "weights/frozen.hh" namespace "latperc" nogil:
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
        void kbest(
            const Program&, Hashes, Bounds, size_t first, size_t last, Mask,
            cbool masked, size_t k, vector[int32_t]*, vector[float]*, Labels,
        ) except +


cdef extern from "common/checked.hh" namespace "latperc" nogil:
    cdef cppclass Floats "latperc::View<float>":
        Floats()
        Floats(float* p, size_t n)
    cdef cppclass Doubles "latperc::View<double>":
        Doubles()
        Doubles(double* p, size_t n)


cdef extern from "sums/span_marginals.hh" namespace "latperc" nogil:
    cdef cppclass ChunkTables:
        Ids type_of
        Mask boundary


cdef extern from "weights/answers.hh" namespace "latperc" nogil:
    cdef cppclass Query:
        const Program* program
        Hashes attrs
        Bounds bounds
        size_t sentences
        Mask allowed
        cbool masked
        double inverse_temperature
    cdef cppclass Chunks:
        Bounds starts
        Bounds ends
        Ids types
        size_t count
    void marginals(const CFrozen&, const Query&, Floats, Doubles) except +
    void max_marginals(const CFrozen&, const Query&, Floats) except +
    void log_scores(const CFrozen&, const Query&, Ids, Mask, Doubles) except +
    void span_probabilities(
        const CFrozen&, const Query&, const ChunkTables&, const Chunks&, Doubles
    ) except +
    void decode_marginals(const CFrozen&, const Query&, Labels) except +
    void decode_sequences(const CFrozen&, const Query&, size_t k, Labels) except +


# A batch of sentences, checked, as the kernels take it. Views die with their arrays.
cdef struct Batch:
    Hashes rows
    Bounds bounds
    Mask allowed
    cbool masked
    size_t sentences


cdef class FrozenChain:
    cdef shared_ptr[CFrozen] frozen
    cdef readonly Structure structure

    cdef Batch batch(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, const uint8_t[:, ::1] allowed,
    )
    cdef Query query(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, const uint8_t[:, ::1] allowed, double temperature,
    )
