# Counting n-grams of texts that are larger than memory.

cdef extern from "ngrams/windows.hh" namespace "latperc" nogil:
    cdef cppclass Window:
        uint64_t high
        uint64_t low
        int32_t word(int i)
    cdef cppclass WindowRun:
        vector[uint64_t] high
        vector[uint64_t] low
        vector[uint32_t] count
    cdef struct WindowView:
        const uint64_t* high
        const uint64_t* low
        const uint32_t* count
        size_t size
    void c_count_windows "latperc::count_windows"(
        const int32_t* ids, const int64_t* bounds, size_t sentences, int order,
        WindowRun*
    ) except +
    void c_merge_windows "latperc::merge_windows"(
        const vector[WindowView]&, WindowRun*
    ) except +


cdef extern from "ngrams/evidence_table.hh" namespace "latperc" nogil:
    uint64_t evidence_start "latperc::EvidenceTable::start"()
    uint64_t evidence_longer "latperc::EvidenceTable::longer"(uint64_t, uint64_t)
    uint64_t evidence_sentence "latperc::EvidenceTable::sentence"(
        const uint64_t*, size_t
    )


# Words that fit into a window, and numbers of words.
WINDOW_WORDS = 5
MOST_WORD_NUMBERS = 1 << 25


def count_windows(
    const int32_t[::1] ids, const int64_t[::1] bounds, *, int words, object order
):
    """The windows of sentences, sorted, and how often each occurs.

    words: how many word numbers there are.
    RETURNS: high, low (uint64), count (uint32): see ngrams/windows.hh
    """
    cdef int longest = whole("order", order, 1, WINDOW_WORDS)
    cdef size_t n = max(bounds.shape[0] - 1, 0)
    cdef WindowRun run
    check_sentences(ids, bounds, words)
    if words > MOST_WORD_NUMBERS:
        raise wrong_number("words", words, 0, MOST_WORD_NUMBERS)
    cdef const int32_t* text = &ids[0] if ids.shape[0] else NULL
    cdef const int64_t* where = &bounds[0] if bounds.shape[0] else NULL
    with nogil:
        c_count_windows(text, where, n, longest, &run)
    return run_arrays(run)


def merge_windows(list runs):
    """One run of several: (high, low, count) each, as `count_windows` gives them."""
    cdef vector[WindowView] views
    cdef WindowView view
    cdef WindowRun merged
    cdef const uint64_t[::1] high, low
    cdef const uint32_t[::1] count
    for high, low, count in runs:
        if not high.shape[0] == low.shape[0] == count.shape[0]:
            raise wrong_shape("high, low, count", (high.shape[0],), "as many of each")
        if high.shape[0]:
            view.high, view.low, view.count = &high[0], &low[0], &count[0]
            view.size = high.shape[0]
            views.push_back(view)
    with nogil:
        c_merge_windows(views, &merged)
    return run_arrays(merged)


def window_words(const uint64_t[::1] high, const uint64_t[::1] low, int place):
    """The word of each window at a place; 0 behind the end of its sentence."""
    cdef Py_ssize_t i, n = high.shape[0]
    cdef Window window
    whole("place", place, 0, WINDOW_WORDS - 1)
    if low.shape[0] != n:
        raise wrong_shape("high, low", (n, low.shape[0]), "as many of each")
    result = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] out = result
    for i in range(n):
        window.high, window.low = high[i], low[i]
        out[i] = window.word(place)
    return result


def window_hashes(
    const uint64_t[::1] high, const uint64_t[::1] low, const uint64_t[::1] keys, int n
):
    """The hash of the first n words of each window, as the table of evidence has it.

    keys: by word number, the hash of the word.
    """
    cdef Py_ssize_t i
    cdef int k
    cdef int32_t word
    cdef uint64_t h
    cdef Window window
    whole("n", n, 1, WINDOW_WORDS)
    if low.shape[0] != high.shape[0]:
        raise wrong_shape("high, low", (high.shape[0],), "as many of each")
    result = np.empty(high.shape[0], dtype=np.uint64)
    cdef uint64_t[::1] out = result
    for i in range(high.shape[0]):
        window.high, window.low = high[i], low[i]
        h = evidence_start()
        for k in range(n):
            word = window.word(k)
            if word >= keys.shape[0]:
                raise wrong_number("word", word, 0, keys.shape[0] - 1)
            if word == BEGIN:
                h = evidence_longer(h, BEGIN_KEY)
            elif word == END:
                h = evidence_longer(h, END_KEY)
            else:
                h = evidence_longer(h, keys[word])
        out[i] = h
    return result


def evidence_sentences(
    const int32_t[::1] ids, const int64_t[::1] bounds, const uint64_t[::1] keys
):
    """The hash of each sentence, as the table of evidence has it."""
    cdef Py_ssize_t s, n = max(bounds.shape[0] - 1, 0)
    cdef int64_t i
    cdef vector[uint64_t] row
    check_sentences(ids, bounds, <int32_t>keys.shape[0])
    result = np.empty(n, dtype=np.uint64)
    cdef uint64_t[::1] out = result
    for s in range(n):
        row.clear()
        for i in range(bounds[s], bounds[s + 1]):
            row.push_back(keys[ids[i]])
        out[s] = evidence_sentence(row.data(), row.size())
    return result


cdef class EvidenceTableBuilder:
    """The table of n-grams that were counted elsewhere.

    found: by length, how many n-grams occur 1, 2, ... times (EVIDENCE_COUNTS numbers,
        the last for all above).
    sentences: how many sentences are kept as well.
    most: bytes of the table; ValueError where the words alone need more.
    """

    cdef EvidenceBuilder* table

    def __cinit__(
        self, list found, size_t sentences, size_t most, *, object smoothing
    ):
        cdef vector[vector[size_t]] histograms = found
        whole("order", len(found), 2, MAX_ORDER)
        cdef int way = whole("smoothing", smoothing, 0, 2)  # without words to the left
        self.table = new EvidenceBuilder(
            histograms, sentences, most, <EvidenceSmoothing>way
        )

    def __dealloc__(self):
        del self.table

    @property
    def least(self):
        """By length: rarer n-grams are left out."""
        return list(self.table.least)

    def add(
        self, int length, const uint64_t[::1] hashes, const uint32_t[::1] count,
        const uint32_t[::1] following,
    ):
        """N-grams of a length, in the order of their words; shorter ones first.

        count: how often each occurs.
        following: how many words follow each.
        """
        cdef Py_ssize_t i
        if not hashes.shape[0] == count.shape[0] == following.shape[0]:
            raise wrong_shape("hashes", (hashes.shape[0],), "as many as counts")
        for i in range(hashes.shape[0]):
            self.table.add(length, hashes[i], count[i], following[i])

    def add_sentences(self, const uint64_t[::1] hashes):
        """Sentences, after all n-grams, in the order of the text."""
        cdef Py_ssize_t i
        for i in range(hashes.shape[0]):
            self.table.add_sentence(hashes[i])

    def finish(self):
        """What `count_evidence` gives, without totals."""
        return tables_of(self.table)


EVIDENCE_COUNTS = 4096


cdef run_arrays(const WindowRun& run):
    return longs(run.high), longs(run.low), counts(run.count)


cdef longs(const vector[uint64_t]& values):
    result = np.empty(values.size(), dtype=np.uint64)
    cdef uint64_t[::1] out = result
    if values.size():
        memcpy(&out[0], values.data(), 8 * values.size())
    return result
