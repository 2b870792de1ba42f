# Attributes that are functions of the word. A string is touched once per word type.
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND

cdef enum Lexical:
    C_PREFIX
    C_SUFFIX
    C_COMPUTED
    C_SPELLING


cdef enum:
    kMostAnswers = 1 << 16  # whose parts are remembered

PREFIX, SUFFIX, COMPUTED, SPELLING = C_PREFIX, C_SUFFIX, C_COMPUTED, C_SPELLING


def text_hash(str text, uint64_t seed=0):
    """The 64-bit hash of a string, the same on every platform."""
    return characters(text).hash(0, len(text), seed)


cdef Text characters(str text) except *:
    return Text(PyUnicode_DATA(text), <int>PyUnicode_KIND(text), len(text))


# Knows of characters what Python says of them.
cdef Speller speller
cdef vector[uint64_t] spelling_hashes


def _prepare_speller():
    cdef int i
    for i in range(kKnownCharacters):
        c = chr(i)
        upper = c.isupper()  # a string of one such character also is a title
        speller.learn(i, c.isalpha(), c.islower(), upper, c.istitle() and not upper)
    for i in range(kSpellings):
        spelling_hashes.push_back(text_hash((<bytes>kSpellingNames[i]).decode()))


_prepare_speller()


def spelling_class(str text):
    """The class of one word, for tests; None where Python is asked."""
    cdef Spelling found = speller.find(characters(text))
    if found == kAskPython:
        return None
    return (<bytes>kSpellingNames[<int>found]).decode()


cdef class LexemeTable:
    """What is known of word types.

    attributes: (kind, length, function) of each: affixes and spelling classes are found
        here; any other pure function of the string is given as a Python function, and
        called once per word type. Functions that have `whole`, `cut` and `known` are
        parts of one answer (features.sources.FormPart). For a spelling class it is the
        function that is asked about words that the kernel knows nothing of.
    limit: with more words than that, all are forgotten.
    """

    def __init__(self, attributes, *, Py_ssize_t limit):
        self.functions = []
        self.limit = limit
        for kind, length, function in attributes:
            self.kinds.push_back(kind)
            self.lengths.push_back(length)
            self.functions.append(function)
            self.is_part.push_back(hasattr(function, "whole"))

    cdef int make_room(self) except -1:
        if <Py_ssize_t>self.known.size() > self.limit:
            self.known.clear()
        return 0

    cdef int learn(self, uint64_t orth, lookup) except -1:
        """Find the values of a word that is not known. Whatever is called here may
        fail, or let another thread in, which may find the word first."""
        cdef str word = lookup(orth)
        cdef size_t n = len(word)
        cdef size_t k, length
        cdef Text text = characters(word)
        cdef Spelling spelling
        cdef vector[uint64_t] values
        whole = answer = None
        values.reserve(self.kinds.size())
        for k in range(self.kinds.size()):
            length = min(<size_t>self.lengths[k], n)
            if self.kinds[k] == C_PREFIX:
                values.push_back(text.hash(0, length, 0))
            elif self.kinds[k] == C_SUFFIX:
                values.push_back(text.hash(n - length, n, 0))
            else:
                spelling = kAskPython
                if self.kinds[k] == C_SPELLING:
                    spelling = speller.find(text)
                if spelling == kAskPython:
                    function = self.functions[k]
                    if not self.is_part[k]:
                        values.push_back(text_hash(function(word)))
                        continue
                    if whole != function.whole:
                        whole = function.whole
                        answer = whole(word)
                    values.push_back(self.part_hash(function, answer))
                else:
                    values.push_back(spelling_hashes[<size_t>spelling])
        if not self.known.has(orth):
            self.known.add(orth, values)
        return 0

    cdef uint64_t part_hash(self, function, answer) except? 0:
        """The hash of a part of what a source said."""
        known = function.known.get(answer)
        if known is None:
            if len(function.known) >= kMostAnswers:
                function.known.clear()
            known = function.known[answer] = text_hash(function.cut(answer))
        return known

    cdef int fill(
        self, const uint64_t[:, ::1] words, lookup, const vector[int32_t]& to,
        uint64_t[:, ::1] out,
    ) except -1:
        """Write the values of words, which stand in the first column."""
        cdef Py_ssize_t n = words.shape[0]
        cdef Py_ssize_t first, i
        cdef int count
        cdef int32_t[kLexemeBlock] numbers
        for first in range(0, n, kLexemeBlock):
            count = <int>min(<Py_ssize_t>kLexemeBlock, n - first)
            # Asked again after strings were looked up: another thread may have
            # forgotten words since.
            while not self.known.find(
                &words[first, 0], words.shape[1], count, numbers
            ):
                for i in range(count):
                    if numbers[i] == 0 and not self.known.has(words[first + i, 0]):
                        self.learn(words[first + i, 0], lookup)
            self.known.copy(numbers, count, to, out.shape[1], &out[first, 0])
        return 0


cdef class SortedKeys:
    """Where numbers stand among sorted ones.

    keys: they rise, and begin with random bits.
    """

    cdef const uint64_t[::1] keys
    cdef vector[uint32_t] starts  # by their first bits
    cdef int shift

    def __init__(self, const uint64_t[::1] keys):
        cdef size_t n = keys.shape[0]
        cdef size_t i, place, next_place = 0
        cdef int bits = max((<object>n).bit_length() - 3, 1)
        self.keys = keys
        self.shift = 64 - bits
        self.starts.resize((<size_t>1 << bits) + 1, <uint32_t>n)
        for i in range(n):
            place = keys[i] >> self.shift
            while next_place <= place:
                self.starts[next_place] = <uint32_t>i
                next_place += 1

    @property
    def nbytes(self):
        """Memory, without the keys."""
        return 4 * self.starts.size()

    cpdef int64_t find(self, uint64_t key) noexcept:
        """The place of a number; -1 if it is not there."""
        cdef size_t bucket = key >> self.shift
        cdef size_t first = self.starts[bucket]
        cdef size_t last = self.starts[bucket + 1]
        cdef size_t end = last
        cdef size_t middle
        while first < last:
            middle = first + (last - first) // 2
            if self.keys[middle] < key:
                first = middle + 1
            else:
                last = middle
        return <int64_t>first if first < end and self.keys[first] == key else -1
