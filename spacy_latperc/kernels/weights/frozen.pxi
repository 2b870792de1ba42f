# Rows that answer: the averaged weights, written out, which never change.

cdef extern from "common/phases.hh" namespace "latperc" nogil:
    const int kPhases
    cdef cppclass Phases:
        double seconds[6]


cdef extern from "weights/frozen.hh" namespace "latperc" nogil:
    cdef cppclass Query:
        const Program* program
        Hashes attrs
        Bounds bounds
        size_t sentences
        Mask allowed
        cbool masked
        Given given
        const ValueTable* values
        double inverse_temperature
        Phases* phases
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


PHASES = ("hashing", "look-up", "memo", "rows", "search", "trace")


cdef class FrozenChain:
    """A chain that only answers; safe for any number of threads at once.

    values: in every question, lists in the place of some attributes.
    """

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

    cdef Query query(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, const uint8_t[:, ::1] allowed,
        const float[:, ::1] given, TokenValues values, double temperature=1.0,
    ):
        """The arguments of every question, checked, as the kernels take them. Views die
        with their arrays. A chain without labels is asked about no sentence."""
        cdef Py_ssize_t n = attrs.shape[0]
        cdef int L = self.structure.layout.labels
        cdef Query result
        cdef Py_ssize_t s
        check_values(space, values, n)
        result.values = &values.table if values is not None else NULL
        if not (isfinite(temperature) and temperature > 0):
            raise wrong_value("temperature", temperature, "a finite number above 0")
        self.structure.check(space)
        if attrs.shape[1] != space.program.columns:
            raise wrong_shape(
                "attrs", (n, attrs.shape[1]),
                f"[tokens, {space.program.columns} attributes]",
            )
        for s in range(bounds.shape[0]):
            if not 0 <= bounds[s] <= n or (s and bounds[s] < bounds[s - 1]):
                raise wrong_bound(bounds[s], n)
        result.program = &space.program
        result.sentences = max(bounds.shape[0] - 1, 0) if L else 0
        result.inverse_temperature = 1.0 / temperature
        result.masked = allowed is not None
        if result.masked:
            check_mask(self.structure, allowed, n)
            if n and L:
                result.allowed = Mask(&allowed[0, 0], n * L)
        result.given = given_scores(self.structure, given, n)
        if bounds.shape[0]:
            result.bounds = Bounds(&bounds[0], bounds.shape[0])
        if n and attrs.shape[1]:
            result.attrs = Hashes(&attrs[0, 0], n * attrs.shape[1])
        return result

    def decode(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, const uint8_t[:, ::1] allowed=None,
        const float[:, ::1] given=None, *, TokenValues values=None,
    ):
        """Labels of a batch of sentences: attributes in, int32[tokens] out.

        allowed: [tokens, labels], 0 where a label is forbidden; a sentence that it
        leaves no path comes back as NO_PATH.
        given: [tokens, labels] or [tokens, states], scores at which the sums over
        features start in place of 0.
        """
        cdef Query query = self.query(space, attrs, bounds, allowed, given, values)
        result = np.zeros(attrs.shape[0], dtype=np.int32)
        cdef Labels out = label_view(result)
        with nogil:
            deref(self.frozen).decode(query, out)
        return result

    def profile(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds,
    ):
        """Decode, and say where the time went: {phase: seconds}."""
        cdef Query query = self.query(space, attrs, bounds, None, None, None)
        cdef Phases phases
        query.phases = &phases
        result = np.zeros(attrs.shape[0], dtype=np.int32)
        cdef Labels out = label_view(result)
        with nogil:
            deref(self.frozen).decode(query, out)
        return {name: phases.seconds[p] for p, name in enumerate(PHASES)}

    def kbest(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, object k, const uint8_t[:, ::1] allowed=None,
        const float[:, ::1] given=None, *, TokenValues values=None,
    ):
        """The k best label sequences of each sentence.

        RETURNS: (labels of all of them in a row, their scores, how many each sentence
        has): those of a sentence follow one another, best first. A sentence without
        tokens has one, empty; one whose mask leaves no path has none.
        """
        cdef Query query = self.query(space, attrs, bounds, allowed, given, values)
        cdef vector[int32_t] labels
        cdef vector[float] scores
        cdef size_t paths = path_count("k", k)
        counts = np.zeros(max(bounds.shape[0] - 1, 0), dtype=np.int32)
        cdef Labels out = label_view(counts)
        with nogil:
            deref(self.frozen).kbest(query, paths, &labels, &scores, out)
        found = np.empty(labels.size(), dtype=np.int32)
        best = np.empty(scores.size(), dtype=np.float32)
        cdef int32_t[::1] to_labels = found
        cdef float[::1] to_scores = best
        if labels.size():
            memcpy(&to_labels[0], labels.data(), labels.size() * sizeof(int32_t))
        if scores.size():
            memcpy(&to_scores[0], scores.data(), scores.size() * sizeof(float))
        return found, best, counts

    def marginals(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, const uint8_t[:, ::1] allowed=None,
        const float[:, ::1] given=None, *, double temperature=1.0,
        TokenValues values=None,
    ):
        """(P(label at token) [tokens, labels], log Z of each sentence).

        Where a mask leaves no path: NaN, and a log Z of -inf.
        """
        cdef Query query = self.query(
            space, attrs, bounds, allowed, given, values, temperature
        )
        table = np.zeros((attrs.shape[0], self.structure.labels), dtype=np.float32)
        log_z = np.zeros(max(bounds.shape[0] - 1, 0), dtype=np.float64)
        cdef Floats to_table = floats(table)
        cdef Doubles to_log_z = doubles(log_z)
        with nogil:
            marginals(deref(self.frozen), query, to_table, to_log_z)
        return table, log_z

    def max_marginals(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, const uint8_t[:, ::1] allowed=None,
        const float[:, ::1] given=None, *, TokenValues values=None,
    ):
        """The score of the best path with a label at a token: [tokens, labels].

        -inf where there is none.
        """
        cdef Query query = self.query(space, attrs, bounds, allowed, given, values)
        table = np.zeros((attrs.shape[0], self.structure.labels), dtype=np.float32)
        cdef Floats to_table = floats(table)
        with nogil:
            max_marginals(deref(self.frozen), query, to_table)
        return table

    def log_scores(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, const int32_t[::1] labels,
        const uint8_t[:, ::1] allowed=None, const float[:, ::1] given=None, *,
        double temperature=1.0, const uint8_t[:, ::1] sets=None,
        TokenValues values=None,
    ):
        """The log probability of the labels of each sentence, float64.

        labels: ANY_LABEL where any will do, FIRST_SET - s for one of label set s.
        sets: [sets, labels], 1 for the labels of a set.
        -inf where no path has these labels; NaN where `allowed` leaves no path at all.
        """
        cdef Query query = self.query(
            space, attrs, bounds, allowed, given, values, temperature
        )
        cdef int32_t lowest = kAnyLabel
        cdef int32_t label
        cdef Ids gold
        cdef Mask table
        if labels.shape[0] != attrs.shape[0]:
            raise wrong_shape(
                "labels", (labels.shape[0],), f"[{attrs.shape[0]} tokens]"
            )
        if sets is not None:
            if sets.shape[1] != self.structure.layout.labels:
                raise wrong_shape(
                    "sets", (sets.shape[0], sets.shape[1]),
                    f"[sets, {self.structure.layout.labels} labels]",
                )
            lowest -= <int32_t>sets.shape[0]
            if sets.shape[0] and sets.shape[1]:
                table = Mask(&sets[0, 0], sets.shape[0] * sets.shape[1])
        for label in labels:
            if label < lowest or label >= self.structure.layout.labels:
                raise wrong_number(
                    "labels", label, lowest, self.structure.layout.labels - 1
                )
        if labels.shape[0]:
            gold = Ids(&labels[0], labels.shape[0])
        result = np.zeros(max(bounds.shape[0] - 1, 0), dtype=np.float64)
        cdef Doubles out = doubles(result)
        with nogil:
            log_scores(deref(self.frozen), query, gold, table, out)
        return result

    def span_probabilities(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, const int64_t[::1] starts, const int64_t[::1] ends,
        const int32_t[::1] types, const int32_t[::1] type_of,
        const uint8_t[:, ::1] boundary, const uint8_t[:, ::1] allowed=None,
        const float[:, ::1] given=None, *, double temperature=1.0,
        TokenValues values=None,
    ):
        """The probability that each chunk is there, float64.

        starts, ends: tokens of the batch; a chunk lies within one sentence.
        type_of, boundary: what labels say about chunks (see schemes.LabelInventory).
        NaN in a sentence where `allowed` leaves no path.
        """
        cdef Query query = self.query(
            space, attrs, bounds, allowed, given, values, temperature
        )
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
        edges = np.asarray(bounds)
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

    def decode_marginals(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, const uint8_t[:, ::1] allowed=None,
        const float[:, ::1] given=None, *, double temperature=1.0,
        TokenValues values=None,
    ):
        """As decode, but the valid labels with the largest sum of marginals."""
        cdef Query query = self.query(
            space, attrs, bounds, allowed, given, values, temperature
        )
        result = np.zeros(attrs.shape[0], dtype=np.int32)
        cdef Labels out = label_view(result)
        with nogil:
            decode_marginals(deref(self.frozen), query, out)
        return result

    def decode_sequences(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, object k, const uint8_t[:, ::1] allowed=None,
        const float[:, ::1] given=None, *, double temperature=1.0,
        TokenValues values=None,
    ):
        """As decode, but of the k best label sequences the most probable one."""
        cdef Query query = self.query(
            space, attrs, bounds, allowed, given, values, temperature
        )
        cdef size_t paths = path_count("k", k)
        result = np.zeros(attrs.shape[0], dtype=np.int32)
        cdef Labels out = label_view(result)
        with nogil:
            decode_sequences(deref(self.frozen), query, paths, out)
        return result

    def export(self, int b):
        """Block b without its zeros: (keys, non-zeros of each row, cells, values)."""
        cdef FrozenRows* rows = &deref(self.frozen).rows(b)
        cdef vector[const Plane*] planes
        cdef RowCells kept
        planes.push_back(&rows.w)
        kept.find(
            deref(self.frozen).shape(b), rows.parts, rows.keys.size() + 1, planes
        )
        keys = np.array(rows.keys, dtype=np.uint64)
        return keys, *row_sizes(kept), plane_values(rows.w, kept)

    def fill(
        self, int b, const uint64_t[::1] keys, const uint32_t[::1] sizes,
        const uint32_t[::1] cells, const float[::1] values,
    ):
        """Block b from what export gave. Bad contents raise ValueError."""
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
    """The cells of each row, and which they are."""
    sizes = np.array(kept.sizes, dtype=np.uint32)
    return sizes, np.array(kept.cells, dtype=np.uint32)


cdef plane_values(const Plane& plane, const RowCells& kept):
    """What stands in these cells of a plane."""
    cdef size_t i
    values = np.empty(kept.places.size(), dtype=np.float32)
    cdef float[::1] out = values
    for i in range(kept.places.size()):
        out[i] = plane.data()[kept.places[i]]
    return values


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


cdef Given given_scores(
    Structure structure, const float[:, ::1] given, Py_ssize_t n
):
    """Scores from outside, checked; without them a width of 0."""
    cdef Given result
    cdef Py_ssize_t i, j
    cdef int L = structure.layout.labels
    cdef int S = structure.layout.states()
    result.width = 0
    if given is None:
        return result
    if given.shape[0] != n or (given.shape[1] != L and given.shape[1] != S):
        raise wrong_shape(
            "given", (given.shape[0], given.shape[1]),
            f"[{n} tokens, {L} labels], or [{n} tokens, {S} states]",
        )
    for i in range(n):
        for j in range(given.shape[1]):
            if not isfinite(given[i, j]):
                raise wrong_value(f"given[{i}, {j}]", given[i, j], "a finite number")
    if n and given.shape[1]:
        result.width = <int>given.shape[1]
        result.scores = GivenFloats(&given[0, 0], n * given.shape[1])
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
