from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from spacy_latperc.kernels.features cimport FeatureSpace, Program


cdef extern from "common/checked.hh" namespace "latperc" nogil:
    cdef cppclass Ids "latperc::View<const int32_t>":
        Ids()
        Ids(const int32_t* p, size_t n)
    cdef cppclass Bounds "latperc::View<const int64_t>":
        Bounds()
        Bounds(const int64_t* p, size_t n)
    cdef cppclass Mask "latperc::View<const uint8_t>":
        Mask()
        Mask(const uint8_t* p, size_t n)
    cdef cppclass Labels "latperc::View<int32_t>":
        Labels()
        Labels(int32_t* p, size_t n)


cdef extern from "weights/weights.hh" namespace "latperc" nogil:
    cdef enum class Kind(int):
        state
        edge
        tri
    cdef cppclass BlockShape:
        Kind kind
        cbool latent
        int units
        int pitch
        vector[int32_t] templates
        vector[int32_t] groups
        size_t stride()
        size_t cell(int before, int previous, int state)
    cdef cppclass Plane:
        float* data()
        size_t size()
    int padded(int width)


cdef extern from "lattice/lattice.hh" namespace "latperc" nogil:
    cdef cppclass Layout:
        int labels
        int latent
        int order
        int beam
        vector[uint8_t] transitions
        vector[uint8_t] starts
        vector[uint8_t] ends
        int states()


cdef class Structure:
    cdef Layout layout
    cdef vector[BlockShape] shapes
    cdef vector[int32_t] constants
    cdef vector[Program] keys
    cdef readonly list blocks
    cdef readonly int n_templates
    cdef readonly int n_attributes

    cdef Program key_program(self, FeatureSpace space, groups)
    cdef int check(self, FeatureSpace space) except -1


cdef vector[uint8_t] flags(values, Py_ssize_t size)
