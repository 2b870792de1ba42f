# Attributes of the word form, computed once per word type.
from types import MethodWrapperType

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND

cdef enum Lexical:
    C_PREFIX
    C_SUFFIX
    C_COMPUTED
    C_SPELLING
    C_NGRAMS


# How a function relates to the answers of a source (features.sources.FormPart): it is
# no part of one, or the first or a further part of the same answer.
cdef enum:
    C_WHOLE
    C_FIRST_PART
    C_PART

cdef enum:
    kMostAnswers = 1 << 16  # answers whose parts are cached

PREFIX, SUFFIX, COMPUTED, SPELLING = C_PREFIX, C_SUFFIX, C_COMPUTED, C_SPELLING
NGRAMS = C_NGRAMS


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


# Properties of characters, taken from Python.
cdef Speller speller
cdef Letters letters
cdef vector[uint64_t] spelling_hashes


def _prepare_speller():
    cdef int i
    for i in range(kKnownCharacters):
        c = chr(i)
        upper = c.isupper()  # then c.istitle() too, for a single character
        speller.learn(i, c.isalpha(), c.islower(), upper, c.istitle() and not upper)
    for i in range(kKnownLetters):
        c = chr(i)
        lower, capital = c.lower(), c.capitalize()
        letters.letter[i] = c.isalpha()
        letters.small[i] = ord(lower) if len(lower) == 1 else 0xffff
        letters.capital[i] = ord(capital) if len(capital) == 1 else 0xffff
    for i in range(kSpellings):
        spelling_hashes.push_back(text_hash((<bytes>kSpellingNames[i]).decode()))


_prepare_speller()


def spelling_class(str text):
    """The class of one word, for tests; None if Python must decide."""
    cdef Spelling found = speller.find(characters(text))
    if found == kAskPython:
        return None
    return (<bytes>kSpellingNames[<int>found]).decode()


cdef class LexemeTable:
    """A cache of the attributes of word types.

    attributes: (kind, length, function) of each. Affixes and spelling classes are found
        by the kernel; other functions of the string are called once per word type.
        Functions with `whole`, `cut` and `known` are parts of one answer
        (features.sources.FormPart). The function of a spelling class is called for
        words that the kernel does not handle. The value of n-grams is the place of
        those of the lower-cased word, with marks at its start and end.
    limit: the number of words above which the cache is cleared.
    """

    def __init__(self, attributes, *, Py_ssize_t limit):
        self.functions = []
        self.limit = limit
        whole = None
        for kind, length, function in attributes:
            self.kinds.push_back(kind)
            self.has_ngrams |= kind == C_NGRAMS
            self.functions.append(function)
            if not hasattr(function, "whole"):
                self.part.push_back(C_WHOLE)
                self.lengths.push_back(length)
            else:
                self.lengths.push_back(function.number)
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
        cdef Spelling spelling
        cdef int64_t number = kAskForms
        cdef str marked
        classes = answer = None
        values.clear()
        for k in range(self.kinds.size()):
            length = min(<size_t>self.lengths[k], n)
            if self.kinds[k] == C_PREFIX:
                values.push_back(text.hash(0, length, 0))
            elif self.kinds[k] == C_SUFFIX:
                values.push_back(text.hash(n - length, n, 0))
            elif self.kinds[k] == C_NGRAMS:
                values.push_back(0)
            else:
                spelling = kAskPython
                if self.kinds[k] == C_SPELLING:
                    spelling = speller.find(text)
                if spelling == kAskPython:
                    function = self.functions[k]
                    if self.part[k] == C_WHOLE:
                        values.push_back(text_hash(function(word)))
                        continue
                    if self.part[k] == C_FIRST_PART:
                        answer, number, classes = None, kAskForms, function.classes()
                        if classes is not None:
                            number = (<WordClasses>classes).find_text(text)
                    if number != kAskForms:
                        values.push_back((<WordClasses>classes).part_hash(
                            self.lengths[k], function, number
                        ))
                        continue
                    if answer is None:
                        answer = function.whole(word)
                    values.push_back(self.part_hash(function, answer))
                else:
                    values.push_back(spelling_hashes[<size_t>spelling])
        # At last, since another thread may clear the cache during calls.
        if self.has_ngrams:
            marked = f"<{word.lower()}>"
            for k in range(self.kinds.size()):
                if self.kinds[k] == C_NGRAMS:
                    values[k] = self.known.store_ngrams(
                        characters(marked), <size_t>self.lengths[k]
                    )
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


cdef extern from "simd/lanes.hh" namespace "latperc::simd" nogil:
    void prefetch(const void* at)


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

    cdef void ask_for(self, uint64_t key) noexcept:
        """Prefetch what `find` will read."""
        cdef size_t bucket = key >> self.shift
        cdef size_t first = self.starts[bucket]
        cdef size_t last = self.starts[bucket + 1]
        if first < last:
            prefetch(&self.keys[first])
            prefetch(&self.keys[last - 1])

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


cdef extern from *:
    """
    #include "hashing/forms.hh"
    // Forms::find over sorted keys, with `find` and `ask` as plain functions.
    template <class Keys>
    static int64_t latperc_find_form(
        const latperc::Forms& forms, const latperc::Text& text, Keys* keys,
        void (*ask)(Keys*, uint64_t), int64_t (*find)(Keys*, uint64_t)
    ) {
        return forms.find(
            text, [&](uint64_t hash) { ask(keys, hash); },
            [&](uint64_t hash) { return find(keys, hash); }
        );
    }
    """
    int64_t latperc_find_form(
        const Forms& forms, const Text& text, void* keys,
        void (*ask)(void*, uint64_t) noexcept, int64_t (*find)(void*, uint64_t) noexcept
    )


cdef void ask_for_key(void* keys, uint64_t key) noexcept:
    (<SortedKeys>keys).ask_for(key)


cdef int64_t find_key(void* keys, uint64_t key) noexcept:
    return (<SortedKeys>keys).find(key)


cdef class WordClasses:
    """The classes of words, which are looked up under several forms.

    keys: the hashes of words, sorted.
    class_of: the number of the class of each.
    names: the source's answer for each class.
    lower, digits, classes, back_off: the forms (knowledge/normalise.py).
    """

    cdef SortedKeys places
    cdef const uint32_t[::1] class_of
    cdef readonly object names
    cdef Forms forms
    cdef tuple settings
    # The hash of each part that was requested, of no class (0) and of each class.
    cdef vector[vector[uint64_t]] hashes
    cdef vector[vector[uint8_t]] known

    def __init__(
        self, const uint64_t[::1] keys, const uint32_t[::1] class_of, names, *,
        bint lower, str digits, bint classes, bint back_off,
    ):
        cdef Py_ssize_t i
        self.places = SortedKeys(keys)
        self.class_of = class_of
        self.names = names
        if class_of.shape[0] != keys.shape[0]:
            raise ValueError("array lengths differ")
        for i in range(class_of.shape[0]):
            if class_of[i] >= <size_t>len(names):
                raise wrong_number("class_of", class_of[i], 0, len(names) - 1)
        self.settings = (lower, digits, classes, back_off)
        self.forms.letters = &letters
        self.forms.lower = lower
        self.forms.classes = classes
        self.forms.back_off = back_off
        self.forms.digit = kNoDigit
        if digits:
            plain = len(digits) == 1 and digits.isascii() and digits != "\\"
            self.forms.digit = ord(digits) if plain else kAskDigits

    # Compiled tables are copied as arrays.
    def __reduce__(self):
        keys = np.asarray(self.places.keys)
        return _word_classes, (
            keys, np.asarray(self.class_of), self.names, self.settings
        )

    @property
    def nbytes(self):
        """The memory in bytes, without the keys and the names."""
        return self.places.nbytes + 4 * self.class_of.shape[0]

    def find(self, str word):
        """The number of the class of a word, NO_CLASS, or ASK_FORMS if Python must
        find the forms."""
        return self.find_text(characters(word))

    cdef int64_t find_text(self, const Text& text):
        cdef int64_t row = latperc_find_form(
            self.forms, text, <void*>self.places, ask_for_key, find_key
        )
        return self.class_of[row] if row >= 0 else row

    cdef uint64_t part_hash(self, size_t p, function, int64_t number) except? 0:
        """Return the hash of a part of the answer for a class.

        p: the number of the part.
        """
        cdef size_t place = <size_t>(number + 1)
        if p >= self.hashes.size():
            self.hashes.resize(p + 1)
            self.known.resize(p + 1)
        if self.hashes[p].empty():
            self.hashes[p].resize(len(self.names) + 1)
            self.known[p].resize(len(self.names) + 1)
        if not self.known[p][place]:
            names = self.names[number] if number >= 0 else ()
            self.hashes[p][place] = text_hash(function.cut(names))
            self.known[p][place] = 1
        return self.hashes[p][place]


def _word_classes(keys, class_of, names, settings):
    lower, digits, classes, back_off = settings
    return WordClasses(
        keys, class_of, names, lower=lower, digits=digits, classes=classes,
        back_off=back_off,
    )


NO_CLASS, ASK_FORMS = kUnknownWord, kAskForms
