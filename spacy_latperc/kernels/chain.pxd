from libc.stdint cimport uint32_t, uint64_t
from libcpp.memory cimport unique_ptr

from spacy_latperc.kernels.features cimport FeatureSpace
from spacy_latperc.kernels.structure cimport Structure
from spacy_latperc.kernels.trainer cimport Averaging, Trainer


cdef extern from "hashing/hash.hh" namespace "latperc" nogil:
    cdef cppclass Random:
        Random()
        Random(uint64_t seed)
        uint32_t below(uint32_t n)
        uint64_t state


cdef extern from "common/signals.hh" namespace "latperc" nogil:
    cdef cppclass SignalCheck:
        void look() except +


cdef class Chain:
    cdef unique_ptr[Trainer] trainer
    cdef readonly FeatureSpace space
    cdef readonly Structure structure
    cdef readonly float noise  # on the first weights of latent states, or of a view
    cdef readonly list planes  # what is kept of a weight: step, averaged, pulled
    cdef Averaging averaging
    cdef Random random

    cdef void watch(self)
