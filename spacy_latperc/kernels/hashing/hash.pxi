# Hashes and random numbers, for modules that share no other declarations.
cdef extern from "hashing/hash.hh" namespace "latperc" nogil:
    uint64_t mix(uint64_t x)
    uint64_t join(uint64_t h, uint64_t value)
    cdef cppclass Random:
        Random()
        Random(uint64_t seed)
        uint32_t below(uint32_t n)
        uint64_t state
