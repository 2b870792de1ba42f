# n-gram models over word numbers: counted, smoothed, scored with, sampled from.

cdef extern from "common/signals.hh" namespace "latperc" nogil:
    cdef cppclass SignalCheck:
        void look() except +


cdef extern from "ngrams/trie.hh" namespace "latperc" nogil:
    cdef enum class Smoothing(int):
        pass
    cdef cppclass NgramLevel:
        vector[int32_t] word
        vector[uint32_t] sum
        vector[int32_t] suffix
        vector[int32_t] begin
        vector[uint32_t] total
    cdef cppclass NgramTrie:
        Smoothing smoothing
        vector[NgramLevel] levels
        vector[double] discounts
        int order()
        int32_t words()
        cbool sound()
        void fill_rest()


cdef extern from "ngrams/counting.hh" namespace "latperc" nogil:
    cdef cppclass NgramCounting:
        NgramCounting(
            const int32_t* ids, const int64_t* bounds, size_t sentences, int32_t words,
            int order, Smoothing smoothing, const vector[uint32_t]& least
        ) except +
        size_t longest()
        NgramTrie finish() except +


cdef extern from "ngrams/model.hh" namespace "latperc" nogil:
    cdef cppclass NgramHistory:
        pass
    cdef cppclass NgramModel:
        NgramModel(const NgramTrie& trie)
        NgramHistory opening()
        NgramHistory history(const int32_t* words, size_t n)
        double probability(const NgramHistory& history, int32_t word)
        double log_probability(const int32_t* words, size_t n)
        int32_t draw(NgramHistory& history, Random& random)
        int64_t sample(
            Random& random, int64_t shortest, int64_t longest, int64_t attempts,
            vector[int32_t]& words
        ) except +


MAX_ORDER = 5


NONE, KNESER_NEY = range(2)


cdef class NgramTable:
    """An n-gram model; never changes once it is made, so threads may share it."""

    cdef NgramTrie trie
    cdef NgramModel* model

    def __cinit__(self):
        self.model = new NgramModel(self.trie)

    def __dealloc__(self):
        del self.model

    cdef ready(self):
        """To be called once the trie is there: the model looks at its size."""
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
        object smoothing,
        least,
    ):
        """Count the n-grams of sentences.

        words: how many word numbers there are.
        least: by level, how often an n-gram must occur to be kept; never falls.
        RETURNS: the table, or None where the text has no n-gram of this order.
        """
        cdef vector[uint32_t] fewest = least
        cdef size_t sentences = max(bounds.shape[0] - 1, 0)
        cdef int levels = whole("order", order, 1, MAX_ORDER)
        cdef int way = whole("smoothing", smoothing, NONE, KNESER_NEY)
        if <int>fewest.size() != levels:
            raise wrong_shape("least", (fewest.size(),), f"[{levels} levels]")
        if words < 4 or sentences == 0:
            return None
        check_sentences(ids, bounds, words)
        cdef NgramTable table = cls()
        cdef const int32_t* text = &ids[0] if ids.shape[0] else NULL
        cdef const int64_t* where = &bounds[0]
        cdef NgramCounting* counting
        cdef cbool found
        with nogil:
            counting = new NgramCounting(
                text, where, sentences, words, levels, <Smoothing>way, fewest
            )
            try:
                found = counting.longest() > 0
                if found:
                    table.trie = move(counting.finish())
            finally:
                del counting
        if not found:
            return None
        table.ready()
        return table

    @classmethod
    def from_arrays(cls, smoothing, discounts, arrays):
        """The table of what `to_arrays` gave.

        Raises ValueError where these arrays cannot be one.
        """
        cdef NgramTable table = cls()
        cdef int k
        cdef int way = whole("smoothing", smoothing, NONE, KNESER_NEY)
        table.trie.smoothing = <Smoothing>way
        table.trie.discounts = discounts
        if len(discounts) % 3 or len(discounts) // 3 > MAX_ORDER:
            raise ValueError("no such order")
        table.trie.levels.resize(len(discounts) // 3)
        for k in range(<int>table.trie.levels.size()):
            fill_integers(table.trie.levels[k].word, arrays[f"word{k + 1}"])
            fill_integers(table.trie.levels[k].suffix, arrays[f"suffix{k + 1}"])
            fill_integers(table.trie.levels[k].begin, arrays[f"begin{k + 1}"])
            fill_counts(table.trie.levels[k].sum, arrays[f"sum{k + 1}"])
            fill_counts(table.trie.levels[k].total, arrays[f"total{k + 1}"])
        if not table.trie.sound():
            raise ValueError("its n-grams point outside")
        with nogil:
            table.trie.fill_rest()
        table.ready()
        return table

    def to_arrays(self):
        """Arrays by name, five for each level."""
        arrays = {}
        cdef int k
        for k in range(self.trie.order()):
            arrays[f"word{k + 1}"] = integers(self.trie.levels[k].word)
            arrays[f"suffix{k + 1}"] = integers(self.trie.levels[k].suffix)
            arrays[f"begin{k + 1}"] = integers(self.trie.levels[k].begin)
            arrays[f"sum{k + 1}"] = counts(self.trie.levels[k].sum)
            arrays[f"total{k + 1}"] = counts(self.trie.levels[k].total)
        return arrays

    @property
    def order(self):
        return self.trie.order()

    @property
    def words(self):
        """How many word numbers there are, the three that are no words among them."""
        return self.trie.words()

    @property
    def smoothing(self):
        return <int>self.trie.smoothing

    @property
    def sizes(self):
        """How many n-grams there are of each level."""
        return [self.trie.levels[k].word.size() for k in range(self.trie.order())]

    @property
    def discounts(self):
        """What is taken from counts of 1, 2, and 3 or more, level by level."""
        return list(self.trie.discounts)

    def distribution(self, const int32_t[::1] history):
        """Probability of each word number after these words."""
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
        """Probability of a word after these words."""
        check_words(history, self.words)
        if not 0 <= word < self.words:
            raise wrong_number("word", word, 0, self.words - 1)
        cdef NgramHistory state = self.model.history(
            &history[0] if history.shape[0] else NULL, history.shape[0]
        )
        return self.model.probability(state, word)

    def score(self, const int32_t[::1] ids, const int64_t[::1] bounds):
        """Natural logarithm of the probability of each sentence, its end included."""
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
        """n words that follow these words, END and UNKNOWN among them."""
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
        """n sentences of known words; those that are too short or long are drawn again.

        A sentence depends on the seed and on its number alone, which begins at `first`.
        RETURNS: (ids, bounds, how many were drawn). There are fewer sentences than n
            where so many attempts in a row gave none.
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
        where = np.empty(bounds.size(), dtype=np.int64)
        cdef int64_t[::1] out = where
        memcpy(&out[0], bounds.data(), 8 * bounds.size())
        return integers(ids), where, drawn


cdef integers(const vector[int32_t]& values):
    result = np.empty(values.size(), dtype=np.int32)
    cdef int32_t[::1] out = result
    if values.size():
        memcpy(&out[0], values.data(), 4 * values.size())
    return result


cdef counts(const vector[uint32_t]& values):
    result = np.empty(values.size(), dtype=np.uint32)
    cdef uint32_t[::1] out = result
    if values.size():
        memcpy(&out[0], values.data(), 4 * values.size())
    return result


cdef fill_integers(vector[int32_t]& values, const int32_t[::1] array):
    values.resize(array.shape[0])
    if array.shape[0]:
        memcpy(values.data(), &array[0], 4 * array.shape[0])


cdef fill_counts(vector[uint32_t]& values, const uint32_t[::1] array):
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
