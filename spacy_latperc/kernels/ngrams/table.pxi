# n-gram models over word numbers: counted, smoothed, scored with, sampled from.

cdef extern from "ngrams/counting.hh" namespace "latperc" nogil:
    cdef cppclass NgramText:
        NgramText(
            const int32_t* ids, const int64_t* bounds, size_t sentences, int32_t words,
            int order
        ) except +


cdef extern from "ngrams/trie.hh" namespace "latperc" nogil:
    cdef cppclass NgramLevel:
        vector[int32_t] word
        vector[int32_t] begin
        vector[double] rest
        double discount
    cdef cppclass NgramTrie:
        vector[NgramLevel] levels
        int order()
        int32_t words()
        void fill(NgramText& text, const vector[uint32_t]& least) except +


cdef extern from "ngrams/model.hh" namespace "latperc" nogil:
    cdef cppclass NgramHistory:
        pass
    cdef cppclass NgramModel:
        NgramModel(const NgramTrie& trie)
        NgramHistory history(const int32_t* words, size_t n)
        double probability(const NgramHistory& history, int32_t word)
        double log_probability(const int32_t* words, size_t n)
        int32_t draw(NgramHistory& history, Random& random)
        int64_t sample(
            Random& random, int64_t shortest, int64_t longest, int64_t attempts,
            vector[int32_t]& words
        ) except +
    size_t add_level(
        NgramTrie& trie, const int32_t* rows, const double* p, size_t n,
        const double* rests, size_t& negative
    ) except +


MAX_ORDER = 5


cdef class NgramTable:
    """An immutable n-gram model, which threads may share."""

    cdef NgramTrie trie
    cdef NgramModel* model
    cdef size_t negative

    def __cinit__(self):
        self.model = new NgramModel(self.trie)

    def __dealloc__(self):
        del self.model

    cdef ready(self):
        """Make the model, which reads the size of the filled trie."""
        del self.model
        self.model = NULL
        self.model = new NgramModel(self.trie)

    @classmethod
    def count(
        cls,
        const int32_t[::1] ids,
        const int64_t[::1] bounds,
        *,
        int32_t words,
        object order,
        least,
    ):
        """Count the n-grams of sentences.

        words: the size of the vocabulary.
        least: by level, the smallest count of n-grams that are kept; it must not fall.
        RETURNS: the table, or None if the text has no n-gram of this order.
        """
        cdef vector[uint32_t] fewest = least
        cdef size_t sentences = max(bounds.shape[0] - 1, 0)
        cdef int levels = whole("order", order, 1, MAX_ORDER)
        if <int>fewest.size() != levels:
            raise wrong_shape("least", (fewest.size(),), f"[{levels} levels]")
        check_sentences(ids, bounds, words)
        if words < 4 or np.diff(bounds).max(initial=-1) + 2 < levels:
            return None
        cdef NgramTable table = cls()
        cdef const int32_t* text = &ids[0] if ids.shape[0] else NULL
        cdef NgramText* counting = NULL
        try:
            with nogil:
                counting = new NgramText(text, &bounds[0], sentences, words, levels)
                table.trie.fill(counting[0], fewest)
        finally:
            del counting
        table.ready()
        return table

    @classmethod
    def from_levels(cls, levels):
        """Make a table of n-grams with known probabilities.

        levels: (rows, p, rests) for 1, 2, ... words: sorted int32 [n-grams, words], the
            first with all word numbers; the probabilities of their last words; and for
            each n-gram one word shorter the weight of shorter contexts.
        RETURNS: (table, None); or (None, (level, row)) of the first n-gram that is
            repeated or lacks its context.
        """
        cdef NgramTable table = cls()
        cdef const int32_t[:, ::1] rows
        cdef const double[::1] p, rests
        cdef size_t n, found
        for number, (rows, p, rests) in enumerate(levels):
            n = rows.shape[0]
            before = table.trie.levels.back().word.size() if number else 1
            if not (rows.shape[1] == number + 1 and p.shape[0] == rows.shape[0]):
                raise wrong_shape("rows", (rows.shape[0], rows.shape[1]), "[n, words]")
            if rests.shape[0] != <Py_ssize_t>before or number == MAX_ORDER:
                raise wrong_shape("rests", (rests.shape[0],), f"[{before}]")
            check_words(np.ravel(rows), table.words if number else <int32_t>n)
            if n == 0:
                raise wrong_shape("rows", (0,), "of one n-gram or more")
            with nogil:
                found = add_level(
                    table.trie, &rows[0, 0], &p[0], n, &rests[0], table.negative
                )
            if found < n:
                return None, (number, found)
        table.ready()
        return table, None

    def level(self, object number):
        """Return the last words of the n-grams of a length, int32; the first n-gram of
        each context, and the end; and the weight of shorter contexts for each."""
        cdef int k = whole("level", number, 1, self.trie.order()) - 1
        rest = self.trie.levels[k].rest
        word, begin = self.trie.levels[k].word, self.trie.levels[k].begin
        return integers(word), integers(begin), np.asarray(rest, dtype=np.float64)

    def last_words(self, const int32_t[:, ::1] rows):
        """Compute the probability of the last word of each row after the others."""
        check_words(np.ravel(rows), self.words)
        result = np.empty(rows.shape[0], dtype=np.float64)
        cdef double[::1] out = result
        cdef Py_ssize_t i
        cdef size_t before = rows.shape[1] - 1
        cdef SignalCheck signals
        with nogil:
            for i in range(rows.shape[0]):
                if i % 1024 == 0:
                    signals.look()
                out[i] = self.model.probability(
                    self.model.history(&rows[i, 0], before), rows[i, before]
                )
        return result

    @property
    def order(self):
        return self.trie.order()

    @property
    def words(self):
        """The size of the vocabulary, with the three symbols that are no words."""
        return self.trie.words()

    @property
    def interpolated(self):
        """True if no n-gram is less probable than its shorter contexts say."""
        return self.negative == 0

    @property
    def sizes(self):
        """The number of n-grams of each length."""
        return [self.trie.levels[k].word.size() for k in range(self.trie.order())]

    @property
    def discounts(self):
        """The discount of each length."""
        return [self.trie.levels[k].discount for k in range(self.trie.order())]

    def distribution(self, const int32_t[::1] history):
        """Compute the probability of each word number after these words."""
        check_words(history, self.words)
        result = np.empty(self.words, dtype=np.float64)
        cdef double[::1] out = result
        cdef int32_t w
        cdef NgramHistory state
        with nogil:
            state = self.model.history(
                &history[0] if history.shape[0] else NULL, history.shape[0]
            )
            for w in range(self.trie.words()):
                out[w] = self.model.probability(state, w)
        return result

    def probability(self, const int32_t[::1] history, int32_t word):
        """Compute the probability of a word after these words."""
        check_words(history, self.words)
        if not 0 <= word < self.words:
            raise wrong_number("word", word, 0, self.words - 1)
        cdef NgramHistory state = self.model.history(
            &history[0] if history.shape[0] else NULL, history.shape[0]
        )
        return self.model.probability(state, word)

    def score(self, const int32_t[::1] ids, const int64_t[::1] bounds):
        """Compute the natural logarithm of the probability of each sentence."""
        cdef Py_ssize_t s, n = max(bounds.shape[0] - 1, 0)
        cdef SignalCheck signals
        check_sentences(ids, bounds, self.words)
        result = np.empty(n, dtype=np.float64)
        cdef double[::1] out = result
        cdef const int32_t* words = &ids[0] if ids.shape[0] else NULL
        with nogil:
            for s in range(n):
                signals.look()
                out[s] = self.model.log_probability(
                    words + bounds[s], <size_t>(bounds[s + 1] - bounds[s])
                )
        return result

    def draw(self, const int32_t[::1] history, Py_ssize_t n, uint64_t seed):
        """Draw n words after these words, which may be END or UNKNOWN."""
        check_words(history, self.words)
        result = np.empty(n, dtype=np.int32)
        cdef int32_t[::1] out = result
        cdef Py_ssize_t i
        cdef NgramHistory state, next_state
        cdef Random random
        cdef SignalCheck signals
        random.state = mix(seed)
        with nogil:
            state = self.model.history(
                &history[0] if history.shape[0] else NULL, history.shape[0]
            )
            for i in range(n):
                if i % 1024 == 0:
                    signals.look()
                next_state = state
                out[i] = self.model.draw(next_state, random)
        return result

    def sample(
        self,
        Py_ssize_t n,
        uint64_t seed,
        *,
        int64_t first=0,
        int64_t shortest=1,
        int64_t longest=200,
        int64_t attempts=10000,
    ):
        """Draw n sentences of known words, of `shortest` to `longest` words.

        A sentence depends only on the seed and on its number, which begins at `first`.
        RETURNS: (ids, bounds, number of attempts). There are fewer than n sentences if
            `attempts` in a row failed.
        """
        cdef vector[int32_t] ids, words
        cdef vector[int64_t] bounds
        cdef int64_t drawn = 0, tries
        cdef Py_ssize_t s
        cdef Random random
        cdef SignalCheck signals
        bounds.push_back(0)
        with nogil:
            for s in range(n):
                signals.look()
                random.state = mix(mix(seed) + <uint64_t>(first + s))
                tries = self.model.sample(random, shortest, longest, attempts, words)
                if tries == 0:
                    drawn += attempts
                    break
                drawn += tries
                ids.insert(ids.end(), words.begin(), words.end())
                bounds.push_back(<int64_t>ids.size())
        return integers(ids), bounds_array(bounds), drawn


cdef integers(const vector[int32_t]& values):
    return copied(values.data(), values.size(), np.int32)


cdef counts(const vector[uint32_t]& values):
    return copied(values.data(), values.size(), np.uint32)


cdef fill_integers(vector[int32_t]& values, const int32_t[::1] array):
    values.resize(array.shape[0])
    if array.shape[0]:
        memcpy(values.data(), &array[0], 4 * array.shape[0])


cdef int check_words(const int32_t[::1] ids, int32_t words) except -1:
    cdef Py_ssize_t i
    for i in range(ids.shape[0]):
        if not 0 <= ids[i] < words:
            raise wrong_number("words", ids[i], 0, words - 1)
    return 0


cdef int check_sentences(
    const int32_t[::1] ids, const int64_t[::1] bounds, int32_t words
) except -1:
    cdef Py_ssize_t s
    for s in range(bounds.shape[0] - 1):
        if not 0 <= bounds[s] <= bounds[s + 1] <= ids.shape[0]:
            raise wrong_bound(bounds[s + 1], ids.shape[0])
    return check_words(ids, words)
