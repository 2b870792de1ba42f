# Classes of words by their neighbours, and the hierarchy over the classes.

from libcpp.utility cimport pair


cdef extern from "clusters/neighbours.hh" namespace "latperc" nogil:
    cdef cppclass Neighbours:
        Neighbours(
            const int32_t* ids, const int64_t* bounds, size_t sentences, int32_t words,
            int sides
        ) except +
        Neighbours(
            int32_t words, int sides, vector[int64_t] total, vector[int64_t] start,
            vector[int32_t] context, vector[int32_t] count
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
    """Words in classes, which change places as long as the text gets more likely."""

    cdef CExchange* state

    def __cinit__(
        self,
        const int32_t[::1] ids,
        const int64_t[::1] bounds,
        const int32_t[::1] start,
        *,
        object classes,
        object sides,
        counted=None,
    ):
        """
        ids: numbers of words; one past the last word stands for every rare word.
        bounds: of the sentences.
        start: the class of each word to begin with.
        sides: 1 for the words before, 2 for those after too.
        counted: in place of sentences, which must then be none, what was counted in
            them: how often each word occurs (int64), where its contexts begin, and the
            end (int64), the contexts of each word in rising order (int32), and how
            often it stands in them (int32); see clusters/neighbours.hh.
        """
        cdef int32_t words = whole("words", start.shape[0], 1)
        cdef int32_t n = whole("classes", classes, 1, MOST_CLASSES)
        cdef int both = whole("sides", sides, 1, 2)
        cdef size_t sentences = max(bounds.shape[0] - 1, 0)
        check_sentences(ids, bounds, words + 1)
        check_words(start, n)
        cdef vector[int32_t] cls, context, count
        cdef vector[int64_t] total, begin
        fill_integers(cls, start)
        cdef const int32_t* text = &ids[0] if ids.shape[0] else NULL
        cdef const int64_t* where = &bounds[0] if bounds.shape[0] else NULL
        cdef Neighbours* beside
        cdef cbool given = counted is not None
        if given:
            check_contexts(counted, words, both)
            fill_longs(total, counted[0])
            fill_longs(begin, counted[1])
            fill_integers(context, counted[2])
            fill_integers(count, counted[3])
        with nogil:
            if given:
                beside = new Neighbours(
                    words, both, move(total), move(begin), move(context), move(count)
                )
            else:
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
        """What the exchange makes greater, in units of 1 / ENTROPY_UNIT bits."""
        return self.state.objective()

    @property
    def bits(self):
        """Bits for each word of the text, the mean of the sides."""
        cdef double sum = <double>(self.state.objective() + self.state.constant())
        cdef double n = <double>self.state.tokens() * self.state.beside().sides
        return -sum / n / ENTROPY_UNIT if n else 0.0

    @property
    def degrees(self):
        """How many contexts each word has: the work that it makes."""
        result = np.empty(self.state.beside().words, dtype=np.int64)
        cdef int64_t[::1] out = result
        cdef int32_t w
        for w in range(self.state.beside().words):
            out[w] = self.state.beside().degree(w)
        return result

    def propose(self, int32_t first, int32_t last):
        """Find where the words from first to last - 1 want to go.

        Threads may do so at once for different words.
        """
        self._check(first, last)
        with nogil:
            self.state.propose(first, last)

    def apply(self, int32_t first, int32_t last):
        """Move those of these words that still gain by it.

        RETURNS: how many.
        """
        self._check(first, last)
        cdef int32_t moved
        with nogil:
            moved = self.state.apply(first, last)
        return moved

    cdef _check(self, int32_t first, int32_t last):
        if not 0 <= first <= last <= self.state.beside().words:
            raise wrong_bound(last, self.state.beside().words)


cdef check_contexts(counted, int32_t words, int sides):
    """Whether counts of contexts can be those of so many words."""
    total, begin, context, count = counted
    inside = len(total) == words and len(begin) == words + 1
    inside = inside and len(context) == len(count) == begin[words] and begin[0] == 0
    if not inside or (np.diff(begin) < 0).any():
        raise wrong_shape("counted", (len(total), len(begin)), f"of {words} words")
    if len(context) and not (
        0 <= context.min() and context.max() < sides * (<int64_t>words + 2)
        and 0 < count.min() and 0 <= total.min()
    ):
        raise wrong_number("context", context.max(), 0, sides * (words + 2) - 1)


cdef fill_longs(vector[int64_t]& values, const int64_t[::1] array):
    values.resize(array.shape[0])
    if array.shape[0]:
        memcpy(values.data(), &array[0], 8 * array.shape[0])


def merge_classes(const int64_t[:, ::1] table):
    """The order in which classes become one.

    table: how often a class (column) follows another (row).
    RETURNS: int32[classes - 1, 2]: the second class is then part of the first.
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
