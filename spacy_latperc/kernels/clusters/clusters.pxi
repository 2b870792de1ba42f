# Word classes from neighbouring words, and the hierarchy over the classes.

from libcpp.utility cimport pair


cdef extern from "clusters/neighbours.hh" namespace "latperc" nogil:
    cdef cppclass Neighbours:
        Neighbours(
            const int32_t* ids, const int64_t* bounds, size_t sentences, int32_t words,
            int sides
        ) except +
        int32_t words
        int sides
        vector[int64_t] start
        vector[int64_t] total
        size_t degree(int32_t word)


cdef extern from "clusters/exchange.hh" namespace "latperc" nogil:
    cdef cppclass CExchange "latperc::Exchange":
        CExchange(Neighbours beside, int32_t classes, vector[int32_t] cls) except +
        const Neighbours& beside()
        const vector[int32_t]& classes()
        void propose(int32_t first, int32_t last) except +
        int32_t apply(int32_t first, int32_t last)
        int64_t objective()
        int64_t constant()
        int64_t tokens()


cdef extern from "clusters/merging.hh" namespace "latperc" nogil:
    cdef cppclass Merging:
        Merging(vector[int64_t] table, int32_t classes) except +
        vector[pair[int32_t, int32_t]] merge_all() except +


MOST_CLASSES = 4096
ENTROPY_UNIT = 1 << 20
cdef int64_t MOST_TOKENS = 1 << 40


cdef class Exchange:
    """Exchange clustering: words change classes while the text gets more likely."""

    cdef CExchange* state

    def __cinit__(
        self,
        const int32_t[::1] ids,
        const int64_t[::1] bounds,
        const int32_t[::1] start,
        *,
        object classes,
        object sides,
    ):
        """
        ids: word numbers; one past the last word stands for all rare words.
        bounds: the sentence bounds.
        start: the initial class of each word.
        sides: 1 for the previous words, 2 to add the following words.
        """
        cdef int32_t words = whole("words", start.shape[0], 1)
        cdef int32_t n = whole("classes", classes, 1, MOST_CLASSES)
        cdef int both = whole("sides", sides, 1, 2)
        cdef size_t sentences = max(bounds.shape[0] - 1, 0)
        check_sentences(ids, bounds, words + 1)
        check_words(start, n)
        cdef vector[int32_t] cls
        fill_integers(cls, start)
        cdef const int32_t* text = &ids[0] if ids.shape[0] else NULL
        cdef const int64_t* where = &bounds[0] if bounds.shape[0] else NULL
        cdef Neighbours* beside
        with nogil:
            beside = new Neighbours(text, where, sentences, words, both)
            try:
                self.state = new CExchange(move(beside[0]), n, move(cls))
            finally:
                del beside

    def __dealloc__(self):
        del self.state

    @property
    def classes(self):
        """The class of each word."""
        return integers(self.state.classes())

    @property
    def objective(self):
        """The objective of the exchange, in units of 1 / ENTROPY_UNIT bits."""
        return self.state.objective()

    @property
    def bits(self):
        """The bits per word of the text, averaged over the sides."""
        cdef double sum = <double>(self.state.objective() + self.state.constant())
        cdef double n = <double>self.state.tokens() * self.state.beside().sides
        return -sum / n / ENTROPY_UNIT if n else 0.0

    @property
    def degrees(self):
        """The number of contexts of each word, which is the cost of moving it."""
        result = np.empty(self.state.beside().words, dtype=np.int64)
        cdef int64_t[::1] out = result
        cdef int32_t w
        for w in range(self.state.beside().words):
            out[w] = self.state.beside().degree(w)
        return result

    def propose(self, int32_t first, int32_t last):
        """Find the best class of the words from first to last - 1.

        Several threads may do so at once for different words.
        """
        self._check(first, last)
        with nogil:
            self.state.propose(first, last)

    def apply(self, int32_t first, int32_t last):
        """Move those of these words that still gain from it.

        RETURNS: the number of moves.
        """
        self._check(first, last)
        cdef int32_t moved
        with nogil:
            moved = self.state.apply(first, last)
        return moved

    cdef _check(self, int32_t first, int32_t last):
        if not 0 <= first <= last <= self.state.beside().words:
            raise wrong_bound(last, self.state.beside().words)


def merge_classes(const int64_t[:, ::1] table):
    """The order in which classes merge.

    table: the number of times a class (column) follows another (row).
    RETURNS: int32[classes - 1, 2]: the second class becomes part of the first.
    """
    cdef int32_t classes = whole("classes", table.shape[0], 1, MOST_CLASSES)
    if table.shape[1] != classes:
        shape = (table.shape[0], table.shape[1])
        raise wrong_shape("table", shape, f"[{classes}, {classes}]")
    cdef vector[int64_t] cells
    cdef Py_ssize_t i, j
    cdef int64_t sum = 0
    for i in range(classes):
        for j in range(classes):
            if not 0 <= table[i, j] <= MOST_TOKENS - sum:
                raise wrong_number("table", table[i, j], 0, MOST_TOKENS - sum)
            sum += table[i, j]
            cells.push_back(table[i, j])
    cdef vector[pair[int32_t, int32_t]] pairs
    cdef Merging* merging
    with nogil:
        merging = new Merging(move(cells), classes)
        try:
            pairs = merging.merge_all()
        finally:
            del merging
    result = np.empty((pairs.size(), 2), dtype=np.int32)
    for i in range(<Py_ssize_t>pairs.size()):
        result[i] = pairs[i].first, pairs[i].second
    return result
