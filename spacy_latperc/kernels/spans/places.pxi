# One span at one place after the other: see io/span_groups.py.

cdef extern from *:
    """
    static int latperc_sets(PyObject* attribute) {
        return Py_TYPE(attribute)->tp_descr_set != NULL;
    }
    static int latperc_set(PyObject* attribute, PyObject* of, unsigned long long to) {
        PyObject* const number = PyLong_FromUnsignedLongLong(to);
        if (number == NULL) return -1;
        const int result = Py_TYPE(attribute)->tp_descr_set(attribute, of, number);
        Py_DECREF(number);
        return result;
    }
    """
    bint latperc_sets(object attribute)
    int latperc_set(object attribute, object of, unsigned long long to) except -1


cdef object attribute_of(type kind, str name):
    """What sets an attribute of such objects, as `type.__setattr__` would find it for
    each of them."""
    attribute = getattr(kind, name)
    if not latperc_sets(attribute):
        raise TypeError(f"{kind.__name__}.{name} cannot be set")
    return attribute


cdef class Places:
    """The places of the spans of a batch, for whoever goes through them Doc by Doc.

    starts, ends: tokens in the batch.
    labels: their hashes.
    begins: where in its Doc each token of the batch begins, in characters.
    lengths: of the last tokens of the spans.
    """
    cdef const int32_t[::1] starts, ends
    cdef const uint64_t[::1] labels
    cdef const uint64_t[:] begins
    cdef const uint64_t[:] lengths
    cdef object span
    cdef type kind  # of the span, and what sets its attributes
    cdef object start, end, start_char, end_char, label_id
    cdef Py_ssize_t at, stop
    cdef int32_t shift
    cdef uint64_t label

    def __init__(
        self, const int32_t[::1] starts, const int32_t[::1] ends,
        const uint64_t[::1] labels, const uint64_t[:] begins,
        const uint64_t[:] lengths,
    ):
        cdef Py_ssize_t k
        cdef Py_ssize_t n = starts.shape[0]
        if ends.shape[0] != n or labels.shape[0] != n or lengths.shape[0] != n:
            raise ValueError("array lengths differ")
        for k in range(n):
            if not 0 <= starts[k] < ends[k] <= begins.shape[0]:
                raise ValueError("a span is not within the batch")
        self.starts, self.ends, self.labels = starts, ends, labels
        self.begins, self.lengths = begins, lengths

    def of(self, span, Py_ssize_t first, Py_ssize_t stop, int32_t shift):
        """Go through the spans from number `first` to `stop`.

        span: what goes from place to place; it has no label yet.
        shift: the first token of its Doc in the batch.
        """
        if not 0 <= first <= stop <= self.starts.shape[0]:
            raise ValueError("there are not so many spans")
        if type(span) is not self.kind:
            self.know(type(span))
        self.span, self.at, self.stop, self.shift = span, first, stop, shift
        self.label = 0
        return self

    cdef know(self, type kind):
        self.start = attribute_of(kind, "start")
        self.end = attribute_of(kind, "end")
        self.start_char = attribute_of(kind, "start_char")
        self.end_char = attribute_of(kind, "end_char")
        self.label_id = attribute_of(kind, "label")
        self.kind = kind

    def __len__(self):
        return self.stop - self.at

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= self.stop:
            self.span = None
            raise StopIteration
        cdef Py_ssize_t k = self.at
        span = self.span
        self.at += 1
        latperc_set(self.start, span, self.starts[k] - self.shift)
        latperc_set(self.end, span, self.ends[k] - self.shift)
        latperc_set(self.start_char, span, self.begins[self.starts[k]])
        latperc_set(
            self.end_char, span, self.begins[self.ends[k] - 1] + self.lengths[k]
        )
        if self.labels[k] != self.label:
            self.label = self.labels[k]
            latperc_set(self.label_id, span, self.label)
        return span
