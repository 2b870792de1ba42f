from libc.stdint cimport int32_t, uint8_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector


cdef extern from "classifier/views.hh" namespace "latperc" nogil:
    const uint64_t kMostViews
    cdef cppclass ViewLabels:
        vector[int32_t] type
        vector[uint8_t] begins
        vector[uint8_t] finishes
        vector[int32_t] letter_at
        int letters


cdef extern from "classifier/classifier.hh" namespace "latperc" nogil:
    cdef enum class Combine(int):
        add
        vote
        cotrain
    cdef cppclass Combination:
        Combination(const vector[ViewLabels]&, Combine, double own_votes) except +
        Combination(const Combination&) except +
        cbool changes_paths()
        void apply(vector[vector[int32_t]]*) except +


cdef class ChunkViews:
    cdef vector[ViewLabels] labels
    cdef unique_ptr[Combination] combination

    cdef int check(self, int view) except -1
    cdef vector[int32_t] given(self, int view, const int32_t[::1] labels) except *
