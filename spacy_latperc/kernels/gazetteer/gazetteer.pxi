# Phrase matching by hashes of words.
cdef extern from "hashing/index.hh" namespace "latperc" nogil:
    cdef cppclass KeyMap:
        size_t size()
        size_t bytes()
        void clear() except +
        void prefetch(uint64_t key)
        int32_t find(uint64_t key)
        int32_t insert(uint64_t key, int32_t fresh) except +


cdef extern from "gazetteer/phrases.hh" namespace "latperc" nogil:
    cdef cppclass PhraseTrie:
        size_t phrases()
        size_t nodes()
        size_t bytes()
        cbool contains(const uint64_t* tokens, size_t n)
        cbool add(const uint64_t* tokens, size_t n) except +
        cbool remove(const uint64_t* tokens, size_t n) except +
        void match(
            const uint64_t* tokens, const int64_t* docs, size_t n_docs, uint8_t* places
        ) except +
        void list(vector[uint64_t]* names, vector[uint32_t]* counts) except +
        cbool restore(
            const uint64_t* names, const uint32_t* counts, size_t n
        ) except +


cdef enum:
    kTokensAtOnce = 4096  # between two looks for signals
    kWordsAhead = 16

# The position of a token in a match.
OUTSIDE, BEGIN_OF_MATCH, INSIDE, END_OF_MATCH, SINGLE = range(5)


cdef class WordHashes:
    """A function of words, called once per word type.

    function: maps the text of a word to a hash.
    limit: the number of cached word types above which the cache is cleared.
    """

    cdef KeyMap places
    cdef vector[uint64_t] found
    cdef object function
    cdef size_t limit

    def __init__(self, function, *, object limit=1 << 18):
        self.function = function
        self.limit = whole("limit", limit, 1)

    @property
    def size(self):
        """The number of cached word types."""
        return self.found.size()

    @property
    def nbytes(self):
        return self.places.bytes() + 8 * self.found.capacity()

    def forget(self):
        """Clear the cache of word types."""
        self.places.clear()
        self.found.clear()
        self.found.shrink_to_fit()

    def of(self, const uint64_t[::1] words, lookup):
        """Hash words.

        words: the ORTH numbers.
        lookup: maps the number of a word to its text.
        The GIL is held, since it guards the table.
        """
        cdef Py_ssize_t i, n = words.shape[0]
        cdef int32_t place
        result = np.empty(n, dtype=np.uint64)
        cdef uint64_t[::1] out = result
        for i in range(n):
            self.places.prefetch(words[min(i + kWordsAhead, n - 1)])
            place = self.places.find(words[i])
            if place:
                out[i] = self.found[place - 1]
            else:
                out[i] = self.learn(words[i], lookup)
        return result

    cdef uint64_t learn(self, uint64_t word, lookup) except? 0:
        cdef uint64_t value = self.function(lookup(word))
        # The function may have let another thread run, with the same word.
        if self.places.find(word) == 0:
            if self.found.size() >= self.limit:
                self.forget()
            self.found.push_back(value)
            self.places.insert(word, <int32_t>self.found.size())
        return value


cdef class Phrases:
    """A set of phrases, which are arrays of token hashes. The GIL guards it."""

    cdef PhraseTrie trie

    def __len__(self):
        return self.trie.phrases()

    @property
    def nodes(self):
        """The number of different prefixes of phrases, with the phrases themselves."""
        return self.trie.nodes()

    @property
    def nbytes(self):
        """The memory of the table in bytes."""
        return self.trie.bytes()

    def __contains__(self, const uint64_t[::1] tokens):
        cdef size_t n = tokens.shape[0]
        return self.trie.contains(&tokens[0] if n else NULL, n)

    def add(self, const uint64_t[::1] tokens, const int64_t[::1] bounds):
        """Add phrases.

        bounds: the first token of each phrase, and the end. Empty phrases are skipped.
        RETURNS: the number of new phrases.
        """
        return self.change(tokens, bounds, True)

    def remove(self, const uint64_t[::1] tokens, const int64_t[::1] bounds):
        """Remove phrases. RETURNS: the number of phrases that were in the set."""
        return self.change(tokens, bounds, False)

    cdef change(
        self, const uint64_t[::1] tokens, const int64_t[::1] bounds, bint adding
    ):
        cdef Py_ssize_t p, count = 0, n = max(bounds.shape[0] - 1, 0)
        cdef SignalCheck signals
        cdef const uint64_t* first = &tokens[0] if tokens.shape[0] else NULL
        check_bounds(bounds, tokens.shape[0])
        cdef size_t length
        for p in range(n):
            signals.look()
            length = bounds[p + 1] - bounds[p]
            if adding:
                count += self.trie.add(first + bounds[p], length)
            else:
                count += self.trie.remove(first + bounds[p], length)
        return count

    def match(self, const uint64_t[::1] tokens, const int64_t[::1] docs):
        """Find the position of each token in the longest matches, left to right.

        docs: the first token of each Doc, and the end. Matches do not cross Docs.
        RETURNS: uint64[tokens] of OUTSIDE, BEGIN_OF_MATCH, INSIDE, END_OF_MATCH and
            SINGLE.
        """
        cdef Py_ssize_t d = 0, last, n = max(docs.shape[0] - 1, 0)
        cdef SignalCheck signals
        check_bounds(docs, tokens.shape[0])
        places = np.zeros(tokens.shape[0], dtype=np.uint8)
        cdef uint8_t[::1] out = places
        cdef const uint64_t* first = &tokens[0] if tokens.shape[0] else NULL
        cdef uint8_t* to = &out[0] if tokens.shape[0] else NULL
        while d < n:
            signals.look()
            last = d + 1
            while last < n and docs[last] - docs[d] < kTokensAtOnce:
                last += 1
            self.trie.match(first, &docs[d], last - d, to)
            d = last
        return places.astype(np.uint64)

    def to_arrays(self):
        """Serialize the phrases as (names uint64, counts uint32) in a fixed order."""
        cdef vector[uint64_t] names
        cdef vector[uint32_t] through
        self.trie.list(&names, &through)
        return copied(names.data(), names.size(), np.uint64), counts(through)

    @classmethod
    def from_arrays(cls, const uint64_t[::1] names, const uint32_t[::1] through):
        """Make a set from the arrays of `to_arrays`.

        Raises ValueError if the arrays are invalid.
        """
        cdef Phrases made = cls()
        cdef size_t n = names.shape[0]
        cdef cbool sound = names.shape[0] == through.shape[0]
        if sound and n:
            sound = made.trie.restore(&names[0], &through[0], n)
        if not sound:
            raise ValueError("its phrases are no set of phrases")
        return made


cdef int check_bounds(const int64_t[::1] bounds, Py_ssize_t n) except -1:
    """Check that bounds rise and stay within the number of tokens."""
    cdef Py_ssize_t b
    for b in range(bounds.shape[0]):
        if not 0 <= bounds[b] <= n or (b and bounds[b] < bounds[b - 1]):
            raise wrong_bound(bounds[b], n)
    return 0
