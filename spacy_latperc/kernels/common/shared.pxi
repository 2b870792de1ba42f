# Declarations of every module: hashes, random numbers, signals.
cdef extern from "hashing/hash.hh" namespace "latperc" nogil:
    uint64_t mix(uint64_t x)
    uint64_t join(uint64_t h, uint64_t value)
    cdef cppclass Random:
        Random()
        Random(uint64_t seed)
        uint32_t below(uint32_t n)
        uint64_t state
    void shuffle[T](vector[T]* items, Random* random)


cdef extern from "common/signals.hh" namespace "latperc" nogil:
    cdef cppclass SignalCheck:
        void look() except +
