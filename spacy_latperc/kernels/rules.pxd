from libcpp.memory cimport unique_ptr

from spacy_latperc.kernels.trainer cimport CRule


cdef class Rule:
    cdef unique_ptr[CRule] rule
