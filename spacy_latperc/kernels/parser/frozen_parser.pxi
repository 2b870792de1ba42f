# Parsers with frozen weights.


cdef class FrozenParser:
    """A parser with frozen weights; safe for any number of threads at once."""

    cdef shared_ptr[CFrozenParser] frozen
    cdef readonly ParserTemplates templates
    cdef readonly int relations

    def __init__(self, ParserTemplates templates, *, object relations):
        self.templates = templates
        self.relations = whole("relations", relations, 1, MOST_RELATIONS)
        self.frozen.reset(
            new CFrozenParser(deref(templates.templates), self.relations)
        )

    @property
    def n_rows(self):
        return deref(self.frozen).rows().rows()

    @property
    def nbytes(self):
        return deref(self.frozen).rows().bytes()

    @property
    def unit(self):
        """The number that all weights are multiples of."""
        return deref(self.frozen).unit()

    def parse(
        self, const uint64_t[:, ::1] attrs, const int64_t[::1] bounds,
        const uint8_t[::1] may_start, *, object beam=1,
    ):
        """Parse a batch of texts.

        bounds: first tokens of the texts, and the end.
        may_start: tokens at which a sentence may begin, other than the first of a text.
        RETURNS: heads, numbered in their text (a root is its own), and relations (-1 at
            roots).
        """
        cdef Py_ssize_t n = attrs.shape[0]
        cdef ParserQuery query
        found = np.full((2, n), -1, dtype=np.int32)
        if not self._query(&query, attrs, bounds, may_start, beam):
            return found[0], found[1]
        cdef int32_t[:, ::1] out = found
        with nogil:
            deref(self.frozen).parse(query, &out[0, 0], &out[1, 0])
        return found[0], found[1]

    cdef bint _query(
        self, ParserQuery* query, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, const uint8_t[::1] may_start, object beam
    ) except -1:
        """Check the arguments; return False if there are no tokens."""
        cdef Py_ssize_t n = attrs.shape[0]
        cdef Py_ssize_t t
        check_columns(self.templates, attrs)
        check_tokens("may_start", may_start.shape[0], n)
        for t in range(bounds.shape[0]):
            if not 0 <= bounds[t] <= n or (t and bounds[t] < bounds[t - 1]):
                raise wrong_bound(bounds[t], n)
        if n == 0 or bounds.shape[0] < 2:
            return False
        query.beam = whole("beam", beam, 1, MOST_BEAM)
        query.attrs = &attrs[0, 0] if self.templates.columns else NULL
        query.bounds = &bounds[0]
        query.texts = bounds.shape[0] - 1
        query.may_start = &may_start[0]
        return True

    def export(self):
        """Return the nonzero weights, for `fill`: (keys, sizes of rows, cells,
        weights)."""
        cdef vector[uint64_t] keys
        cdef vector[uint32_t] sizes
        cdef vector[uint32_t] names
        cdef vector[float] weights
        with nogil:
            list_cells(deref(self.frozen), &keys, &sizes, &names, &weights)
        return (
            np.array(keys, dtype=np.uint64),
            np.array(sizes, dtype=np.uint32),
            np.array(names, dtype=np.uint32),
            np.array(weights, dtype=np.float32),
        )

    def fill(
        self, const uint64_t[::1] keys, const uint32_t[::1] sizes,
        const uint32_t[::1] names, const float[::1] weights, float unit=1.0,
    ):
        """Load the result of `export`. Bad contents raise ValueError."""
        cdef vector[pair[int, float]] cells
        cdef pair[int, float] cell
        cdef Py_ssize_t r
        cdef uint32_t k
        cdef size_t at = 0
        if keys.shape[0] != sizes.shape[0] or names.shape[0] != weights.shape[0]:
            raise ValueError("array lengths differ")
        if <Py_ssize_t>np.asarray(sizes).sum(dtype=np.int64) != names.shape[0]:
            raise ValueError("array lengths differ")
        for r in range(names.shape[0]):
            if names[r] >= <uint32_t>action_count(self.relations):
                raise ValueError("a cell lies outside its row")
        deref(self.frozen).rows().reserve(keys.shape[0], names.shape[0])
        for r in range(keys.shape[0]):
            cells.clear()
            for k in range(sizes[r]):
                cell.first = names[at]
                cell.second = weights[at]
                if cells.size() and cells.back().first >= cell.first:
                    raise ValueError("the cells of a row are in no order")
                cells.push_back(cell)
                at += 1
            deref(self.frozen).rows().append(keys[r], cells)
        deref(self.frozen).set_unit(unit)
