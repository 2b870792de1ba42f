# Attributes of the word form, computed once per word type.
from types import MethodWrapperType

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND

cdef enum Lexical:
    C_PREFIX
    C_SUFFIX
    C_COMPUTED
    C_NGRAMS


# How a function relates to the answers of a source (features.sources.FormPart): it is
# no part of one, or the first or a further part of the same answer.
cdef enum:
    C_WHOLE
    C_FIRST_PART
    C_PART

cdef enum:
    kMostAnswers = 1 << 16  # answers whose parts are cached

PREFIX, SUFFIX, COMPUTED, NGRAMS = C_PREFIX, C_SUFFIX, C_COMPUTED, C_NGRAMS


def text_hash(str text, uint64_t seed=0):
    """The 64-bit hash of a string, the same on every platform."""
    return characters(text).hash(0, len(text), seed)


cdef container_of(lookup):
    """The object of a bound `__getitem__`, which is faster to index."""
    if type(lookup) is MethodWrapperType and lookup.__name__ == "__getitem__":
        return lookup.__self__
    return None


cdef Text characters(str text) except *:
    return Text(PyUnicode_DATA(text), <int>PyUnicode_KIND(text), len(text))


cdef class LexemeTable:
    """A cache of the attributes of word types.

    attributes: (kind, length, function) of each. Affixes are found by the kernel;
        functions of the string are called once per word type. Functions with `whole`,
        `cut` and `known` are parts of one answer (features.sources.FormPart). The value
        of n-grams is the place of those of the lower-cased word, with marks at its
        start and end; with length 0 it is the hash of this text.
    limit: the number of words above which the cache is cleared.
    """

    cdef Lexemes known
    cdef vector[int32_t] kinds
    cdef vector[int32_t] lengths  # of affixes
    cdef list functions
    cdef vector[uint8_t] part  # see lexemes.pxi
    cdef readonly Py_ssize_t limit
    cdef bint has_ngrams

    def __init__(self, attributes, *, Py_ssize_t limit):
        self.functions = []
        self.limit = limit
        whole = None
        for kind, length, function in attributes:
            self.kinds.push_back(kind)
            self.has_ngrams |= kind == C_NGRAMS
            self.functions.append(function)
            self.lengths.push_back(length)
            if not hasattr(function, "whole"):
                self.part.push_back(C_WHOLE)
            else:
                self.part.push_back(C_PART if whole == function.whole else C_FIRST_PART)
                whole = function.whole

    cdef int make_room(self) except -1:
        if <Py_ssize_t>self.known.size() > self.limit:
            self.known.clear()
        return 0

    cdef int learn(
        self, uint64_t orth, lookup, strings, vector[uint64_t]& values
    ) except -1:
        """Find the values of an unknown word. Any call here may fail, or let another
        thread run that finds the word first.

        strings: the object behind `lookup`, if known, which is faster to ask.
        values: a buffer.
        """
        cdef str word = lookup(orth) if strings is None else strings[orth]
        cdef size_t n = len(word)
        cdef size_t k, length
        cdef Text text = characters(word)
        cdef str marked
        answer = None
        values.clear()
        for k in range(self.kinds.size()):
            length = min(<size_t>self.lengths[k], n)
            if self.kinds[k] == C_PREFIX:
                values.push_back(text.hash(0, length, 0))
            elif self.kinds[k] == C_SUFFIX:
                values.push_back(text.hash(n - length, n, 0))
            elif self.kinds[k] == C_NGRAMS:
                values.push_back(0)
            elif self.part[k] == C_WHOLE:
                values.push_back(text_hash(self.functions[k](word)))
            else:
                if self.part[k] == C_FIRST_PART:
                    answer = self.functions[k].whole(word)
                values.push_back(self.part_hash(self.functions[k], answer))
        # At last, since another thread may clear the cache during calls.
        if self.has_ngrams:
            marked = f"<{word.lower()}>"
            text = characters(marked)
            for k in range(self.kinds.size()):
                if self.kinds[k] == C_NGRAMS and self.lengths[k]:
                    values[k] = self.known.store_ngrams(text, <size_t>self.lengths[k])
                elif self.kinds[k] == C_NGRAMS:
                    values[k] = text.hash(0, len(marked), 0)
        self.known.add(orth, values)
        return 0

    cdef uint64_t part_hash(self, function, answer) except? 0:
        """Return the hash of a part of a source's answer."""
        known = function.known.get(answer)
        if known is None:
            if len(function.known) >= kMostAnswers:
                function.known.clear()
            known = function.known[answer] = text_hash(function.cut(answer))
        return known

    cdef int find(
        self, const uint64_t[:, ::1] words, lookup, BatchAttributes found
    ) except -1:
        """Find the values of words, which are in the first column."""
        cdef Py_ssize_t n = words.shape[0]
        cdef Py_ssize_t first, i
        cdef int count
        cdef int32_t[kLexemeBlock] numbers
        cdef vector[uint64_t] values
        strings = container_of(lookup)
        found.words.resize(n)
        for first in range(0, n, kLexemeBlock):
            count = <int>min(<Py_ssize_t>kLexemeBlock, n - first)
            # Repeated after strings were looked up, since another thread may have
            # cleared the cache meanwhile.
            while not self.known.find(
                &words[first, 0], words.shape[1], count, numbers
            ):
                for i in range(count):
                    if numbers[i] == 0 and not self.known.has(words[first + i, 0]):
                        self.learn(words[first + i, 0], lookup, strings, values)
            self.known.locate(
                numbers, count, self.kinds.size(), found.words.data() + first
            )
            if found.held.empty() or found.held.back() != self.known.values():
                found.held.push_back(self.known.values())
        return 0


cdef class SortedKeys:
    """Finds the places of keys in a sorted array.

    keys: ascending numbers with random leading bits.
    """

    cdef const uint64_t[::1] keys
    cdef vector[uint32_t] starts  # by the leading bits
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
        """The memory in bytes, without the keys."""
        return 4 * self.starts.size()

    cpdef int64_t find(self, uint64_t key) noexcept:
        """The place of a key; -1 if it is missing."""
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
