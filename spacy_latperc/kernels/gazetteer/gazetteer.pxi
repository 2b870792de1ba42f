# Phrases that are looked for in texts, and the hashes of words by which they are found.
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND

cdef extern from "hashing/index.hh" namespace "latperc" nogil:
    cdef cppclass KeyMap:
        size_t size()
        size_t bytes()
        void clear() except +
        void prefetch(uint64_t key)
        int32_t find(uint64_t key)
        int32_t insert(uint64_t key, int32_t fresh) except +


cdef extern from "hashing/text.hh" namespace "latperc" nogil:
    cdef cppclass Text:
        Text(const void* data, int width, size_t size)
    const int kFolded "latperc::Folded::kKnown"
    cdef cppclass Folded:
        uint16_t* to
        cbool hash(const Text& text, uint64_t* out)


cdef extern from "gazetteer/phrases.hh" namespace "latperc" nogil:
    cdef cppclass PhraseTrie:
        size_t phrases() except +
        size_t nodes() except +
        size_t bytes() except +
        cbool contains(const uint64_t* tokens, size_t n) except +
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
    kTokensAtOnce = 4096  # that are matched while nothing changes
    kWordsAhead = 16

# Where a token stands in a match.
OUTSIDE, BEGIN_OF_MATCH, INSIDE, END_OF_MATCH, SINGLE = range(5)


FOLDED_CHARACTERS = kFolded


cdef class WordHashes:
    """A function of words, called once for each word type.

    function: from the text of a word to a hash.
    limit: so many types are remembered; then all are forgotten.
    folded: None, or what the function does with words of the first FOLDED_CHARACTERS
        characters: it gives the `text_hash` of what stands here for each of them, and
        need not be asked. 0xffff for characters about which it must be.
    """

    cdef KeyMap places
    cdef vector[uint64_t] found
    cdef object function
    cdef size_t limit
    cdef Folded folded
    cdef bint folds

    def __init__(
        self, function, *, object limit=1 << 18, const uint16_t[::1] folded=None
    ):
        cdef int c
        self.function = function
        self.limit = whole("limit", limit, 1)
        self.folds = folded is not None
        if self.folds:
            if folded.shape[0] != kFolded:
                raise wrong_shape("folded", (folded.shape[0],), f"[{kFolded}]")
            for c in range(kFolded):
                self.folded.to[c] = folded[c]

    @property
    def size(self):
        """How many types are remembered."""
        return self.found.size()

    @property
    def nbytes(self):
        return self.places.bytes() + 8 * self.found.capacity()

    def forget(self):
        """Forget all types; each is asked for again when it comes."""
        self.places.clear()
        self.found.clear()
        self.found.shrink_to_fit()

    def of(self, const uint64_t[::1] words, lookup):
        """The hashes of words.

        words: their numbers (ORTH).
        lookup: from the number of a word to its text.
        The GIL is held on purpose: it is what guards the table.
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
        cdef str text = lookup(word)
        cdef uint64_t value
        if not self.folds or not self.folded.hash(
            Text(PyUnicode_DATA(text), <int>PyUnicode_KIND(text), len(text)), &value
        ):
            value = self.function(text)
        # The function may have let another thread in, with the same word.
        if self.places.find(word) == 0:
            if self.found.size() >= self.limit:
                self.forget()
            self.found.push_back(value)
            self.places.insert(word, <int32_t>self.found.size())
        return value


cdef class Phrases:
    """A set of phrases, which are arrays of the hashes of their tokens.

    Any number of threads may look for matches while one changes the set: each Doc is
    matched as it was before or after a change.
    """

    cdef PhraseTrie trie

    def __len__(self):
        cdef size_t n
        with nogil:
            n = self.trie.phrases()
        return n

    @property
    def nodes(self):
        """How many different beginnings the phrases have, themselves among them."""
        cdef size_t n
        with nogil:
            n = self.trie.nodes()
        return n

    @property
    def nbytes(self):
        """Memory of the table."""
        cdef size_t n
        with nogil:
            n = self.trie.bytes()
        return n

    def __contains__(self, const uint64_t[::1] tokens):
        cdef cbool found
        cdef size_t n = tokens.shape[0]
        cdef const uint64_t* first = &tokens[0] if n else NULL
        with nogil:
            found = self.trie.contains(first, n)
        return found

    def add(self, const uint64_t[::1] tokens, const int64_t[::1] bounds):
        """Add phrases.

        bounds: the first token of each phrase, and the end. A phrase without tokens is
            none.
        RETURNS: how many were not there before.
        """
        return self.change(tokens, bounds, True)

    def remove(self, const uint64_t[::1] tokens, const int64_t[::1] bounds):
        """Remove phrases. RETURNS: how many were there."""
        return self.change(tokens, bounds, False)

    cdef change(
        self, const uint64_t[::1] tokens, const int64_t[::1] bounds, bint adding
    ):
        cdef Py_ssize_t p, count = 0, n = max(bounds.shape[0] - 1, 0)
        cdef SignalCheck signals
        cdef const uint64_t* first = &tokens[0] if tokens.shape[0] else NULL
        check_bounds(bounds, tokens.shape[0])
        with nogil:
            for p in range(n):
                signals.look()
                if adding:
                    count += self.trie.add(
                        first + bounds[p], <size_t>(bounds[p + 1] - bounds[p])
                    )
                else:
                    count += self.trie.remove(
                        first + bounds[p], <size_t>(bounds[p + 1] - bounds[p])
                    )
        return count

    def match(self, const uint64_t[::1] tokens, const int64_t[::1] docs):
        """Where each token stands in the longest matches, from left to right.

        docs: the first token of each Doc, and the end. No match goes from one to the
            next.
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
        with nogil:
            while d < n:
                signals.look()
                last = d + 1
                while last < n and docs[last] - docs[d] < kTokensAtOnce:
                    last += 1
                self.trie.match(first, &docs[d], last - d, to)
                d = last
        return places.astype(np.uint64)

    def to_arrays(self):
        """The same bytes for the same phrases: (names uint64, counts uint32)."""
        cdef vector[uint64_t] names
        cdef vector[uint32_t] through
        with nogil:
            self.trie.list(&names, &through)
        listed = np.empty(names.size(), dtype=np.uint64)
        cdef uint64_t[::1] out = listed
        if names.size():
            memcpy(&out[0], names.data(), 8 * names.size())
        return listed, counts(through)

    @classmethod
    def from_arrays(cls, const uint64_t[::1] names, const uint32_t[::1] through):
        """The phrases of what `to_arrays` gave.

        Raises ValueError where these arrays cannot be that.
        """
        cdef Phrases made = cls()
        cdef size_t n = names.shape[0]
        cdef cbool sound = names.shape[0] == through.shape[0]
        if sound and n:
            with nogil:
                sound = made.trie.restore(&names[0], &through[0], n)
        if not sound:
            raise ValueError("its phrases are no set of phrases")
        return made


cdef int check_bounds(const int64_t[::1] bounds, Py_ssize_t n) except -1:
    """Bounds must rise and stay within so many tokens."""
    cdef Py_ssize_t b
    for b in range(bounds.shape[0]):
        if not 0 <= bounds[b] <= n or (b and bounds[b] < bounds[b - 1]):
            raise wrong_bound(bounds[b], n)
    return 0
