# Frozen chains: the averaged weights, which never change.

cdef extern from "weights/frozen.hh" namespace "latperc" nogil:
    cdef cppclass Query:
        const Program* program
        TokenAttributes attrs
        Bounds bounds
        size_t sentences
        Mask allowed
        cbool masked
        ExternalScores external
        const ValueTable* values
        double inverse_temperature
        float recall_constant
    cdef cppclass FrozenRows:
        vector[uint64_t] keys
        RowParts parts
        Plane w
        void start(const BlockShape&, size_t rows, size_t floats) except +
        int32_t append(uint64_t key, const vector[uint32_t]& histories) except +
    cdef cppclass CFrozen "latperc::Frozen":
        CFrozen(
            const Layout&, const vector[BlockShape]&, const vector[int32_t]&,
            const vector[Program]&,
        ) except +
        const BlockShape& shape(size_t b)
        FrozenRows& rows(size_t b)
        void forget() except +
        size_t n_blocks()
        void take(Trainer&, const vector[uint64_t]&) except +
        void decode(const Query&, Labels) except +
        void kbest(
            const Query&, size_t k, vector[int32_t]*, vector[float]*, Labels
        ) except +


cdef extern from "sums/span_marginals.hh" namespace "latperc" nogil:
    cdef cppclass ChunkTables:
        Ids type_of
        Mask boundary


cdef extern from "weights/answers.hh" namespace "latperc" nogil:
    cdef cppclass Chunks:
        Bounds starts
        Bounds ends
        Ids types
        size_t count
    void marginals(const CFrozen&, const Query&, Floats, Doubles) except +
    void max_marginals(const CFrozen&, const Query&, Floats) except +
    void log_scores(const CFrozen&, const Query&, Ids, Mask, Doubles) except +
    void span_probabilities(
        const CFrozen&, const Query&, const ChunkTables&, const Chunks&, Doubles
    ) except +
    void decode_marginals(const CFrozen&, const Query&, Labels) except +
    void decode_sequences(const CFrozen&, const Query&, size_t k, Labels) except +


cdef class Question:
    """A request: the sentences of a batch and the settings of predictions.

    attrs: the attributes of a batch, or all of them as a matrix [tokens, attributes].
    bounds: first tokens of its sentences, and the end.
    allowed: [tokens, labels], 0 for a forbidden label; None: all are allowed.
    external_scores: [tokens, labels] or [tokens, states]; None: 0.
    values: lists that replace some attributes.
    temperature: the divisor of all scores, for probabilities.
    recall_constant: a number that is added to the score of label 0 at every token.
    """

    cdef FeatureSpace space
    cdef BatchAttributes attrs
    cdef Py_ssize_t n_tokens
    cdef const int64_t[::1] bounds
    cdef const uint8_t[:, ::1] allowed
    cdef const float[:, ::1] external_scores
    cdef TokenValues values
    cdef double temperature
    cdef float recall_constant

    def __init__(
        self, FeatureSpace space not None, attrs not None,
        const int64_t[::1] bounds not None, const uint8_t[:, ::1] allowed=None,
        const float[:, ::1] external_scores=None, *, TokenValues values=None,
        double temperature=1.0, float recall_constant=0.0,
    ):
        if not isinstance(attrs, BatchAttributes):
            attrs = BatchAttributes(attrs)
        cdef Py_ssize_t n = attrs.n_tokens
        cdef Py_ssize_t s
        check_values(space, values, n)
        if not (isfinite(temperature) and temperature > 0):
            raise wrong_value("temperature", temperature, "a finite number above 0")
        if not isfinite(recall_constant):
            raise wrong_value("recall_constant", recall_constant, "a finite number")
        if attrs.n_attributes != space.program.columns:
            raise wrong_shape(
                "attrs", (n, attrs.n_attributes),
                f"[tokens, {space.program.columns} attributes]",
            )
        for s in range(bounds.shape[0]):
            if not 0 <= bounds[s] <= n or (s and bounds[s] < bounds[s - 1]):
                raise wrong_bound(bounds[s], n)
        self.space, self.attrs, self.bounds = space, attrs, bounds
        self.n_tokens = n
        self.allowed, self.external_scores = allowed, external_scores
        self.values, self.temperature = values, temperature
        self.recall_constant = recall_constant

    cdef Py_ssize_t sentences(self):
        return max(self.bounds.shape[0] - 1, 0)


cdef class FrozenChain:
    """A frozen chain; safe for any number of threads at once."""

    cdef shared_ptr[CFrozen] frozen
    cdef readonly Structure structure

    def __init__(self, Structure structure):
        self.structure = structure
        self.frozen.reset(
            new CFrozen(
                structure.layout, structure.shapes, structure.constants, structure.keys
            )
        )

    @property
    def n_rows(self):
        return [
            deref(self.frozen).rows(b).keys.size()
            for b in range(deref(self.frozen).n_blocks())
        ]

    cdef Query query(self, Question asked):
        """Check a request, and convert it for the kernels. A chain without labels gets
        no sentences."""
        cdef Py_ssize_t n = asked.n_tokens
        cdef int L = self.structure.layout.labels
        cdef Query result
        self.structure.check(asked.space)
        result.program = &asked.space.program
        result.values = &asked.values.table if asked.values is not None else NULL
        result.inverse_temperature = 1.0 / asked.temperature
        result.recall_constant = asked.recall_constant
        result.sentences = asked.sentences() if L else 0
        result.masked = asked.allowed is not None
        if result.masked:
            check_mask(self.structure, asked.allowed, n)
            if n and L:
                result.allowed = Mask(&asked.allowed[0, 0], n * L)
        result.external = read_external_scores(
            self.structure, asked.external_scores, n
        )
        if asked.bounds.shape[0]:
            result.bounds = Bounds(&asked.bounds[0], asked.bounds.shape[0])
        result.attrs = asked.attrs.view()
        return result

    def decode(self, Question asked not None):
        """Return the best labels, int32[tokens]; NO_PATH if `allowed` leaves none."""
        cdef Query query = self.query(asked)
        result = np.zeros(asked.n_tokens, dtype=np.int32)
        cdef Labels out = label_view(result)
        with nogil:
            deref(self.frozen).decode(query, out)
        return result

    def kbest(self, Question asked not None, object k):
        """The k best label sequences of each sentence.

        RETURNS: (labels of all sequences in a row, best first for each sentence, their
        scores, the number of sequences of each sentence). An empty sentence has one
        empty sequence; a sentence whose mask leaves no path has none.
        """
        cdef Query query = self.query(asked)
        cdef vector[int32_t] labels
        cdef vector[float] scores
        cdef size_t paths = path_count("k", k)
        counts = np.zeros(asked.sentences(), dtype=np.int32)
        cdef Labels out = label_view(counts)
        with nogil:
            deref(self.frozen).kbest(query, paths, &labels, &scores, out)
        return (
            copied(labels.data(), labels.size(), np.int32),
            copied(scores.data(), scores.size(), np.float32), counts,
        )

    def marginals(self, Question asked not None):
        """Return (P(label at token) [tokens, labels], log Z of each sentence).

        Sentences whose mask leaves no path have NaN, and a log Z of -inf.
        """
        cdef Query query = self.query(asked)
        cdef Py_ssize_t n = asked.n_tokens
        table = np.zeros((n, self.structure.labels), dtype=np.float32)
        log_z = np.zeros(asked.sentences(), dtype=np.float64)
        cdef Floats to_table = floats(table)
        cdef Doubles to_log_z = doubles(log_z)
        with nogil:
            marginals(deref(self.frozen), query, to_table, to_log_z)
        return table, log_z

    def max_marginals(self, Question asked not None):
        """Return the score of the best path with a label at a token: [tokens, labels].

        -inf if there is none.
        """
        cdef Query query = self.query(asked)
        cdef Py_ssize_t n = asked.n_tokens
        table = np.zeros((n, self.structure.labels), dtype=np.float32)
        cdef Floats to_table = floats(table)
        with nogil:
            max_marginals(deref(self.frozen), query, to_table)
        return table

    def log_scores(
        self, Question asked not None, const int32_t[::1] labels,
        const uint8_t[:, ::1] sets=None,
    ):
        """Return the log probability of the labels of each sentence, float64.

        labels: ANY_LABEL for any label, FIRST_SET - s for one of label set s.
        sets: [sets, labels], 1 for the labels of a set.
        -inf if no path has these labels; NaN if `allowed` leaves no path at all.
        """
        cdef Query query = self.query(asked)
        cdef Ids gold
        cdef Mask table
        if labels.shape[0] != asked.n_tokens:
            raise wrong_shape(
                "labels", (labels.shape[0],), f"[{asked.n_tokens} tokens]"
            )
        table = read_codes(self.structure, "labels", labels, sets)
        if labels.shape[0]:
            gold = Ids(&labels[0], labels.shape[0])
        result = np.zeros(asked.sentences(), dtype=np.float64)
        cdef Doubles out = doubles(result)
        with nogil:
            log_scores(deref(self.frozen), query, gold, table, out)
        return result

    def span_probabilities(
        self, Question asked not None, const int64_t[::1] starts,
        const int64_t[::1] ends, const int32_t[::1] types,
        const int32_t[::1] type_of, const uint8_t[:, ::1] boundary,
    ):
        """Return the marginal probability of each chunk, float64.

        starts, ends: tokens of the batch; a chunk lies within one sentence.
        type_of, boundary: the tables of labels of schemes.LabelInventory.
        NaN in a sentence in which `allowed` leaves no path.
        """
        cdef Query query = self.query(asked)
        cdef Py_ssize_t L = self.structure.layout.labels
        cdef Py_ssize_t n = starts.shape[0]
        cdef ChunkTables tables
        cdef Chunks chunks
        if ends.shape[0] != n or types.shape[0] != n:
            raise wrong_shape(
                "starts, ends, types", (n, ends.shape[0], types.shape[0]),
                "as long as each other",
            )
        if type_of.shape[0] != L or boundary.shape[0] != L or boundary.shape[1] != L:
            raise wrong_shape(
                "type_of, boundary",
                (type_of.shape[0], boundary.shape[0], boundary.shape[1]),
                f"[{L} labels], [{L} labels, {L} labels]",
            )
        result = np.zeros(n, dtype=np.float64)
        if n == 0:
            return result
        if L == 0:
            raise IndexError(Errors.LP508)
        edges = np.asarray(asked.bounds)
        begin, end = np.asarray(starts), np.asarray(ends)
        sentence = np.searchsorted(edges, begin, side="right")
        if not (
            (sentence > 0).all() and (sentence < len(edges)).all() and
            (begin < end).all() and (end <= edges[sentence]).all()
        ):
            raise IndexError(Errors.LP508)
        tables.type_of = Ids(&type_of[0], L)
        tables.boundary = Mask(&boundary[0, 0], L * L)
        chunks.starts = Bounds(&starts[0], n)
        chunks.ends = Bounds(&ends[0], n)
        chunks.types = Ids(&types[0], n)
        chunks.count = n
        cdef Doubles out = doubles(result)
        with nogil:
            span_probabilities(deref(self.frozen), query, tables, chunks, out)
        return result

    def decode_marginals(self, Question asked not None):
        """Return the valid labels with the largest sum of marginals; see decode."""
        cdef Query query = self.query(asked)
        result = np.zeros(asked.n_tokens, dtype=np.int32)
        cdef Labels out = label_view(result)
        with nogil:
            decode_marginals(deref(self.frozen), query, out)
        return result

    def decode_sequences(self, Question asked not None, object k):
        """Return the most probable of the k best label sequences; see decode."""
        cdef Query query = self.query(asked)
        cdef size_t paths = path_count("k", k)
        result = np.zeros(asked.n_tokens, dtype=np.int32)
        cdef Labels out = label_view(result)
        with nogil:
            decode_sequences(deref(self.frozen), query, paths, out)
        return result

    def export(self, int b):
        """Return block b without zeros: (keys, sizes of rows, cells, values)."""
        cdef FrozenRows* rows = &deref(self.frozen).rows(b)
        cdef vector[const Plane*] planes
        cdef RowCells kept
        planes.push_back(&rows.w)
        kept.find(
            deref(self.frozen).shape(b), rows.parts, rows.keys.size() + 1, planes
        )
        keys = copied(rows.keys.data(), rows.keys.size(), np.uint64)
        return keys, *row_sizes(kept), plane_values(rows.w, kept)

    def fill(
        self, int b, const uint64_t[::1] keys, const uint32_t[::1] sizes,
        const uint32_t[::1] cells, const float[::1] values,
    ):
        """Load block b from an export. Bad contents raise ValueError."""
        cdef FrozenRows* rows = &deref(self.frozen).rows(b)
        cdef const BlockShape* shape = &deref(self.frozen).shape(b)
        cdef uint32_t cells_per_row = <uint32_t>self.structure.cells(b)
        cdef vector[uint32_t] histories
        cdef Py_ssize_t r, i, at = 0
        cdef int32_t row
        if keys.shape[0] != sizes.shape[0] or cells.shape[0] != values.shape[0]:
            raise ValueError("array lengths differ")
        deref(self.frozen).forget()
        rows.start(
            deref(shape), keys.shape[0],
            shape.stride() + <size_t>(cells.shape[0] + keys.shape[0]) * shape.pitch,
        )
        for r in range(keys.shape[0]):
            if at + <Py_ssize_t>sizes[r] > cells.shape[0]:
                raise ValueError("rows end early")
            for i in range(at, at + <Py_ssize_t>sizes[r]):
                if cells[i] >= cells_per_row:
                    raise ValueError("a cell lies outside its row")
                if not isfinite(values[i]):
                    raise ValueError("a weight is not finite")
            histories.clear()
            if sizes[r]:
                histories_of(deref(shape), &cells[at], sizes[r], &histories)
            row = rows.append(keys[r], histories)
            if row == 0:
                raise ValueError("a feature occurs twice")
            for i in range(at, at + <Py_ssize_t>sizes[r]):
                rows.w.data()[
                    rows.parts.find(row, padded_cell(deref(shape), cells[i]))
                ] = values[i]
            at += sizes[r]
        if at != cells.shape[0]:
            raise ValueError("rows end late")


cdef row_sizes(const RowCells& kept):
    """Return the sizes of rows, and their cells."""
    sizes = copied(kept.sizes.data(), kept.sizes.size(), np.uint32)
    return sizes, copied(kept.cells.data(), kept.cells.size(), np.uint32)


cdef plane_values(const Plane& plane, const RowCells& kept):
    """Read these cells of a plane."""
    cdef size_t i
    values = np.empty(kept.places.size(), dtype=np.float32)
    cdef float[::1] out = values
    for i in range(kept.places.size()):
        out[i] = plane.data()[kept.places[i]]
    return values


cdef Mask read_codes(
    Structure structure, str name, const int32_t[::1] codes, const uint8_t[:, ::1] sets
) except *:
    """Check gold codes, and return their label sets."""
    cdef int L = structure.layout.labels
    cdef int32_t code, lowest = kAnyLabel
    if sets is not None:
        if sets.shape[1] != L:
            raise wrong_shape(
                "sets", (sets.shape[0], sets.shape[1]), f"[sets, {L} labels]"
            )
        lowest -= <int32_t>sets.shape[0]
    for code in codes:
        if code < lowest or code >= L:
            raise wrong_number(name, code, lowest, L - 1)
    if sets is None or sets.shape[0] * L == 0:
        return Mask()
    return Mask(&sets[0, 0], <size_t>(sets.shape[0] * L))


cdef int check_mask(
    Structure structure, const uint8_t[:, ::1] allowed, Py_ssize_t n
) except -1:
    cdef int L = structure.layout.labels
    if allowed.shape[0] != n or allowed.shape[1] != L:
        raise wrong_shape(
            "allowed", (allowed.shape[0], allowed.shape[1]),
            f"[{n} tokens, {L} labels]",
        )
    return 0


cdef ExternalScores read_external_scores(
    Structure structure, const float[:, ::1] table, Py_ssize_t n
):
    """Check external scores; without them the width is 0."""
    cdef ExternalScores result
    cdef Py_ssize_t i, j
    cdef int L = structure.layout.labels
    cdef int S = structure.layout.states()
    result.width = 0
    if table is None:
        return result
    if table.shape[0] != n or (table.shape[1] != L and table.shape[1] != S):
        raise wrong_shape(
            "external_scores", (table.shape[0], table.shape[1]),
            f"[{n} tokens, {L} labels], or [{n} tokens, {S} states]",
        )
    for i in range(n):
        for j in range(table.shape[1]):
            if not isfinite(table[i, j]):
                raise wrong_value(
                    f"external_scores[{i}, {j}]", table[i, j], "a finite number"
                )
    if n and table.shape[1]:
        result.width = <int>table.shape[1]
        result.scores = ScoreFloats(&table[0, 0], n * table.shape[1])
    return result


cdef Floats floats(values):
    cdef float[::1] flat = values.reshape(-1)
    return Floats(&flat[0], flat.shape[0]) if flat.shape[0] else Floats()


cdef Doubles doubles(values):
    cdef double[::1] flat = values
    return Doubles(&flat[0], flat.shape[0]) if flat.shape[0] else Doubles()


cdef Labels label_view(values):
    cdef int32_t[::1] flat = values
    return Labels(&flat[0], flat.shape[0]) if flat.shape[0] else Labels()
