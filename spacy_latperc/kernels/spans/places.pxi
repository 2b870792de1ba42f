# One span at one place after the other: see io/span_groups.py.


cdef class Places:
    """The places of the spans of a batch, for whoever goes through them Doc by Doc.

    starts, ends: tokens in the batch.
    labels: their hashes.
    characters: [tokens, 2]: where in its Doc each token begins, and how long it is.
    """
    cdef const int32_t[::1] starts, ends
    cdef const uint64_t[::1] labels
    cdef const uint64_t[:, :] characters
    cdef object span
    cdef Py_ssize_t at, stop
    cdef int32_t shift
    cdef uint64_t label

    def __init__(
        self, const int32_t[::1] starts, const int32_t[::1] ends,
        const uint64_t[::1] labels, const uint64_t[:, :] characters,
    ):
        cdef Py_ssize_t k
        cdef Py_ssize_t n = starts.shape[0]
        if ends.shape[0] != n or labels.shape[0] != n or characters.shape[1] != 2:
            raise ValueError("array lengths differ")
        for k in range(n):
            if not 0 <= starts[k] < ends[k] <= characters.shape[0]:
                raise ValueError("a span is not within the batch")
        self.starts, self.ends, self.labels = starts, ends, labels
        self.characters = characters

    def of(self, span, Py_ssize_t first, Py_ssize_t stop, int32_t shift):
        """Go through the spans from number `first` to `stop`.

        span: what goes from place to place; it has no label yet.
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
        cdef Py_ssize_t last = self.ends[k] - 1
        span = self.span
        self.at += 1
        span.start = self.starts[k] - self.shift
        span.end = self.ends[k] - self.shift
        span.start_char = self.characters[self.starts[k], 0]
        span.end_char = self.characters[last, 0] + self.characters[last, 1]
        if self.labels[k] != self.label:
            self.label = self.labels[k]
            span.label = self.label
        return span
