from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector


cdef extern from "common/checked.hh" namespace "latperc" nogil:
    const cbool kChecked
    cdef cppclass Hashes "latperc::View<const uint64_t>":
        Hashes()
        Hashes(const uint64_t* p, size_t n)
        uint64_t operator[](size_t i) except +


cdef extern from "hashing/index.hh" namespace "latperc" nogil:
    cdef cppclass KeyMap:
        size_t size()
        size_t bytes()
        void clear()
        void reserve(size_t n, double load) except +
        int32_t find(uint64_t key)
        int32_t insert(uint64_t key, int32_t fresh) except +


cdef extern from "hashing/templates.hh" namespace "latperc" nogil:
    const int kTile
    const int kReach
    cdef cppclass Program:
        vector[uint64_t] seed
        vector[int32_t] begin
        vector[int32_t] column
        vector[int32_t] offset
        vector[uint64_t] kept
        int columns
        int size()
        cbool constant(int t)
    cdef cppclass Tile:
        Tile(const Program& program) except +
        Hashes hash(
            Hashes attrs, int64_t n, int64_t first, int count
        ) except +
    uint64_t constant_hash(const Program& program, int t)


cdef class FeatureBlock:
    cdef vector[int32_t] ids
    cdef vector[int64_t] sentences
    cdef readonly int templates
    cdef readonly object generation


cdef class FeatureSpace:
    cdef Program program
    cdef KeyMap index
    cdef vector[uint64_t] keys      # feature id -> hash; id 0 is "no feature"
    cdef vector[int32_t] counts     # occurrences counted, empty without a cut-off
    cdef readonly int min_count
    cdef readonly int bits          # of a hash that tell features apart
    cdef readonly object generation  # of the ids: a new one whenever they are forgotten
    cdef list _sources
    cdef list _functions
    cdef vector[int32_t] lexical_kinds
    cdef vector[int32_t] lexical_lengths
    cdef KeyMap lexemes
    cdef vector[uint64_t] lexeme_values
    cdef readonly Py_ssize_t lexeme_limit

    cdef int32_t grow_feature(self, uint64_t key) except -1
