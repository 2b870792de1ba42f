# One Span object moved over the spans of a Doc: see io/span_groups.py.


cdef class SpanCursor:
    """An iterable that moves one Span object over the spans of a Doc.

    starts, ends: tokens of the batch.
    labels: label hashes.
    begins: the first character of each token of the batch in the text of its Doc.
    lengths: the length of the last token of each span.
    """
    cdef const int32_t[::1] starts, ends
    cdef const uint64_t[::1] labels
    cdef const uint64_t[:] begins
    cdef const uint64_t[:] lengths
    cdef object span
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

    def over(self, span, Py_ssize_t first, Py_ssize_t stop, int32_t shift):
        """Begin to move a Span over the spans with numbers `first` to `stop`.

        span: the object to move; it has no label yet.
        shift: the first token of its Doc in the batch.
        """
        if not 0 <= first <= stop <= self.starts.shape[0]:
            raise ValueError("there are not so many spans")
        self.span, self.at, self.stop, self.shift = span, first, stop, shift
        self.label = 0
        return self

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
        span.start = self.starts[k] - self.shift
        span.end = self.ends[k] - self.shift
        span.start_char = self.begins[self.starts[k]]
        span.end_char = self.begins[self.ends[k] - 1] + self.lengths[k]
        if self.labels[k] != self.label:
            self.label = self.labels[k]
            span.label = self.label
        return span
