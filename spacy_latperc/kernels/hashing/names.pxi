# Features that callers name by strings, token by token.
from cpython.dict cimport PyDict_Next
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND
from libc.math cimport INFINITY

from spacy_latperc.errors import Errors

cdef extern from "hashing/names.hh" namespace "latperc" nogil:
    cdef cppclass Text:
        Text(const void* data, int width, size_t size)
    uint64_t fold(uint64_t h, const Text& text)


cdef enum:
    kDeepest = 32  # dicts and lists within each other

cdef double kLargestValue = 1e15  # see features/values.py
cdef uint64_t kColon = 0x3B  # ":" as `fold` reads it


cdef struct SeenName:
    PyObject* name
    uint64_t hash


cdef class NamedFeatures:
    """Reads the features of tokens, and remembers their names if asked to.

    A token is a dict, or a list, tuple or set of strings. As in python-crfsuite, a
    string as value gives the feature "name:value", a number or bool the feature "name"
    with this value. Names inside a dict, list, tuple or set follow "name:". None gives
    no feature.
    """

    cdef KeyMap known
    cdef bint keeps_names
    cdef readonly list names
    cdef vector[uint64_t] found  # the hashes of the names
    cdef vector[uint64_t] keys
    cdef vector[float] values
    # Names by place in the dict before: mostly the same strings come again.
    cdef vector[SeenName] seen
    cdef list owned

    def __init__(self, *, bint keep_names=False):
        self.keeps_names = keep_names
        self.names = []

    @property
    def hashes(self):
        """The hashes of the names, uint64."""
        return copied(self.found.data(), self.found.size(), np.uint64)

    def read(self, list sentences, str where="X"):
        """Read the features of lists of tokens.

        where: what the list is called in messages.
        RETURNS: (begin int64[tokens + 1], keys uint64, values float32): the features of
            each token, with their hashes and values.
        """
        cdef vector[int64_t] begin
        cdef Py_ssize_t s, i
        self.keys.clear()
        self.values.clear()
        self.seen.clear()
        self.owned = []
        begin.push_back(0)
        try:
            for s, sentence in enumerate(sentences):
                for i, token in enumerate(sentence):
                    try:
                        self.add(token, 0, None, 0)
                    except RefusedFeature as refused:
                        raise ValueError(
                            refused.args[0].format(
                                name=refused.args[1], found=refused.args[2],
                                place=f"{where}[{s}][{i}]",
                            )
                        ) from None
                    begin.push_back(self.keys.size())
        finally:
            self.owned = None
        return (
            copied(begin.data(), begin.size(), np.int64),
            copied(self.keys.data(), self.keys.size(), np.uint64),
            copied(self.values.data(), self.values.size(), np.float32),
        )

    cdef int add(self, token, uint64_t h, str prefix, int depth) except -1:
        """Add the features of a token, or of a value after the prefix of this hash."""
        cdef PyObject* name_at
        cdef PyObject* value_at
        cdef Py_ssize_t at = 0, place = -1
        if depth > kDeepest:
            raise RefusedFeature(Errors.LP540, prefix, "nested too deeply")
        if isinstance(token, dict):
            while PyDict_Next(token, &at, &name_at, &value_at):
                place += 1
                name, value = <object>name_at, <object>value_at
                self.add_value(name, value, h, prefix, place, depth)
        elif isinstance(token, (list, tuple, set, frozenset)):
            # The order of a set differs between processes.
            if isinstance(token, (set, frozenset)):
                token = sorted(token, key=str)
            for name in token:
                self.finish(self.named(name, h, prefix), 1.0, prefix, name, None)
        else:
            raise RefusedFeature(
                Errors.LP540 if prefix else Errors.LP881, prefix, kind_of(token)
            )
        return 0

    cdef int add_value(
        self, name, value, uint64_t h, str prefix, Py_ssize_t place, int depth
    ) except -1:
        """Add the features of an item of a dict."""
        cdef uint64_t inner
        cdef double number
        if depth == 0 and place < <Py_ssize_t>self.seen.size() and (
            self.seen[place].name == <PyObject*>name
        ):
            inner = self.seen[place].hash
        else:
            inner = self.named(name, h, prefix)
            if depth == 0:
                while <Py_ssize_t>self.seen.size() <= place:
                    self.seen.push_back(SeenName(NULL, 0))
                    self.owned.append(None)
                self.owned[place] = name
                self.seen[place] = SeenName(<PyObject*>name, inner)
        if isinstance(value, str):
            inner = folded(join(inner, kColon), <str>value)
            self.finish(inner, 1.0, prefix, name, value)
        elif isinstance(value, (float, int, np.floating, np.integer, np.bool_)):
            try:
                number = value
            except OverflowError:  # a huge integer
                number = INFINITY
            self.finish(inner, number, prefix, name, None)
        elif isinstance(value, (dict, list, tuple, set, frozenset)):
            path = f"{prefix or ''}{name}:"
            self.add(value, join(inner, kColon), path, depth + 1)
        elif value is not None:
            raise RefusedFeature(Errors.LP540, name, kind_of(value))
        return 0

    cdef uint64_t named(self, name, uint64_t h, str prefix) except? 0:
        if not isinstance(name, str):
            raise RefusedFeature(
                Errors.LP540, prefix or "", f"{kind_of(name)} in place of a name"
            )
        return folded(h, <str>name)

    cdef int finish(
        self, uint64_t h, double value, str prefix, name, text
    ) except -1:
        cdef uint64_t key = mix(h)
        cdef int32_t fresh
        if not -kLargestValue <= value <= kLargestValue:
            raise RefusedFeature(Errors.LP750, name, value)
        if <float>value == 0:
            return 0
        self.keys.push_back(key)
        self.values.push_back(<float>value)
        if self.keeps_names:
            fresh = <int32_t>self.found.size() + 1
            if self.known.insert(key, fresh) == fresh:
                self.found.push_back(key)
                whole_name = name if prefix is None else prefix + name
                self.names.append(
                    whole_name if text is None else f"{whole_name}:{text}"
                )
        return 0


cdef uint64_t folded(uint64_t h, str text) noexcept:
    return fold(
        h, Text(PyUnicode_DATA(text), <int>PyUnicode_KIND(text), len(text))
    )


class RefusedFeature(ValueError):
    """A message, a name and what was found there; the place is not known yet."""


cdef str kind_of(value):
    return "None" if value is None else f"a {type(value).__name__}"
