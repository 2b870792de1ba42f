# Arrays from the vectors of kernels.

cdef copied(const void* values, size_t n, dtype):
    """Copy memory to an array."""
    result = np.empty(n, dtype=dtype)
    cdef uint8_t[::1] out = result.view(np.uint8)
    if n:
        memcpy(&out[0], values, out.shape[0])
    return result
