# Plain text as word numbers: one sentence per line, words between white space.

cdef extern from "hashing/vocabulary.hh" namespace "latperc" nogil:
    cdef cppclass CVocabulary "latperc::Vocabulary":
        int32_t size()
        const char* data(int32_t number)
        size_t length(int32_t number)
        int32_t find(const char* word, size_t length)
        int32_t add(const char* word, size_t length) except +
        const vector[char]& bytes()
        const vector[int64_t]& starts()


cdef extern from "hashing/sentences.hh" namespace "latperc" nogil:
    cdef struct LineCounts:
        int64_t lines
        int64_t empty
        int64_t with_controls
        int64_t not_utf8
        int64_t with_null
    void read_lines(
        const char* text, size_t size, cbool grow, CVocabulary& vocabulary,
        vector[int32_t]& ids, vector[int64_t]& bounds, LineCounts& counts
    ) except +


BEGIN, END, UNKNOWN, FIRST_WORD = 0, 1, 2, 3


cdef class Vocabulary:
    """Words in the order of their first occurrence, numbered from FIRST_WORD."""

    cdef CVocabulary words

    @property
    def size(self):
        """The number of words, including the three reserved numbers."""
        return self.words.size()

    def read(self, bytes text, *, bint grow=True):
        """Read sentences from complete lines of UTF-8; empty lines are skipped.

        grow: new words get a number; otherwise they are UNKNOWN.
        RETURNS: (ids int32[tokens], bounds int64[sentences + 1], counts): the counts
            are lines, empty, with_controls, and the first line that is not_utf8 or
            with_null, where reading stopped (0: none).
        """
        cdef const char* data = text
        cdef size_t size = len(text)
        cdef vector[int32_t] ids
        cdef vector[int64_t] bounds
        cdef LineCounts counts
        bounds.push_back(0)
        # With the GIL, so that no other thread grows the vocabulary meanwhile.
        read_lines(data, size, grow, self.words, ids, bounds, counts)
        return integers(ids), bounds_array(bounds), counts

    def add(self, str word):
        """The number of the word, which is added if it is new."""
        cdef bytes text = word.encode("utf8")
        return self.words.add(text, len(text))

    def find(self, str word):
        """The number of the word, or UNKNOWN."""
        cdef bytes text = word.encode("utf8")
        return self.words.find(text, len(text))

    def word(self, int32_t number):
        """The word with this number."""
        if not FIRST_WORD <= number < self.words.size():
            raise wrong_number("number", number, FIRST_WORD, self.words.size() - 1)
        return self.words.data(number)[:self.words.length(number)].decode("utf8")

    def words_of(self, const int32_t[::1] numbers):
        """The words with these numbers."""
        return [self.word(number) for number in numbers]

    def to_arrays(self):
        """The bytes of the words, uint8, and the first byte of each, int64."""
        text = copied(self.words.bytes().data(), self.words.bytes().size(), np.uint8)
        return text, bounds_array(self.words.starts())

    @classmethod
    def from_arrays(cls, const uint8_t[::1] text, const int64_t[::1] starts):
        """Make a vocabulary from the arrays of `to_arrays`.

        Raises ValueError if the arrays are invalid.
        """
        cdef Py_ssize_t i, n = starts.shape[0] - 1
        cdef int64_t last = 0
        if n < 0 or starts[0] != 0 or starts[n] != text.shape[0]:
            raise ValueError("the words do not fill their bytes")
        cdef Vocabulary found = cls()
        whole = bytes(text)
        for i in range(n):
            if starts[i + 1] <= last:
                raise ValueError(f"word {i} is empty")
            last = starts[i + 1]
            word = whole[starts[i]:last]
            word.decode("utf8")
            if found.words.add(word, len(word)) != i + FIRST_WORD:
                raise ValueError(f"word {i} is there twice")
        return found


cdef bounds_array(const vector[int64_t]& values):
    return copied(values.data(), values.size(), np.int64)


def sentence_hashes(const int32_t[::1] ids, const int64_t[::1] bounds):
    """A 64-bit hash of each sentence, equal for equal sentences."""
    cdef Py_ssize_t s, i, n = max(bounds.shape[0] - 1, 0)
    cdef uint64_t h
    for s in range(n):
        if not 0 <= bounds[s] <= bounds[s + 1] <= ids.shape[0]:
            raise wrong_bound(bounds[s + 1], ids.shape[0])
    result = np.empty(n, dtype=np.uint64)
    cdef uint64_t[::1] out = result
    with nogil:
        for s in range(n):
            h = bounds[s + 1] - bounds[s]
            for i in range(bounds[s], bounds[s + 1]):
                h = join(h, <uint64_t>ids[i])
            out[s] = mix(h)
    return result
