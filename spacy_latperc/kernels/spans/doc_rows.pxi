# The attributes of the tokens of many Docs in one array.
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer


def doc_rows(
    list docs, list attributes, const int64_t[::1] offsets, Py_ssize_t watched=0
):
    """Collect the arrays of `to_array` of several Docs in one.

    attributes: the numbers of two or more attributes.
    offsets: the first token of each Doc, and the end.
    watched: the number of last attributes that are compared with 0.
    RETURNS: (uint64[tokens, attributes], True if a watched value is not 0).
    """
    cdef Py_ssize_t width = len(attributes)
    cdef Py_ssize_t d, size
    cdef Py_ssize_t n = offsets[offsets.shape[0] - 1] if offsets.shape[0] else 0
    if offsets.shape[0] != len(docs) + 1 or not 0 <= watched <= width:
        raise ValueError("array lengths differ")
    values = np.empty((n, width), dtype=np.uint64)
    cdef uint64_t[:, ::1] out = values
    cdef uint64_t found = 0
    cdef Py_ssize_t i, c
    for d in range(offsets.shape[0] - 1):
        size = offsets[d + 1] - offsets[d]
        if not 0 <= offsets[d] <= offsets[d + 1] <= n:
            raise wrong_bound(offsets[d + 1], n)
        rows = docs[d].to_array(attributes)
        if size:
            copy_rows(rows, &out[offsets[d], 0], 8 * size * width)
        for i in range(offsets[d], offsets[d + 1]):
            for c in range(width - watched, width):
                found |= out[i, c]
    return values, found != 0


cdef int copy_rows(rows, void* to, Py_ssize_t size) except -1:
    """Copy a contiguous array of `size` bytes."""
    cdef Py_buffer found
    PyObject_GetBuffer(rows, &found, PyBUF_SIMPLE)
    if found.len != size:
        PyBuffer_Release(&found)
        raise ValueError("a Doc has another length")
    memcpy(to, found.buf, size)
    PyBuffer_Release(&found)
    return 0
