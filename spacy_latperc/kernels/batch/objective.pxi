# The objective of the batch optimisers.

cdef extern from "batch/pairs.hh" namespace "latperc" nogil:
    cdef cppclass Gathered:
        Ids ids
        WeightedIds weighted
        Ids gold
        int64_t n
    cdef cppclass GoldLabels:
        GoldLabels()
        GoldLabels(int labels, const vector[uint8_t]& sets) except +
    cbool possible(const Layout&, const GoldLabels&, const Gathered&)
    cdef cppclass PairRows:
        vector[int32_t] feature_of
        vector[int64_t] begin
        size_t rows()
        int32_t row(int32_t feature)
        uint32_t cell(int64_t pair)
        int64_t find(int32_t row, uint32_t cell)


cdef extern from "batch/potentials.hh" namespace "latperc" nogil:
    cdef cppclass PairBlock:
        BlockShape shape
        PairRows pairs


cdef extern from "batch/objective.hh" namespace "latperc" nogil:
    cdef cppclass CObjective "latperc::Objective":
        CObjective(
            const Layout&, const vector[BlockShape]&, const vector[int32_t]&, int,
            const GoldLabels&,
        ) except +
        void set_boundaries(int32_t start, int32_t end)
        int64_t n_pairs()
        int64_t n_tokens()
        size_t n_sentences()
        size_t n_blocks()
        size_t bytes()
        const PairBlock& block(size_t b)
        const vector[int32_t]& impossible()
        double evaluate(const double* w, double* slope, int64_t* bad) except +
        void add_noise(
            double scale, uint64_t seed, const vector[uint64_t]& keys, double* w
        ) except +
    void build_objective(
        CObjective&, const vector[Gathered]&, int, const vector[int32_t]& counts,
        int32_t min_count, int64_t share, int64_t shares,
    ) except +


cdef GoldLabels read_gold(
    Structure structure, const int32_t[::1] gold, const uint8_t[:, ::1] sets
) except *:
    """Read label sets, and check the gold codes."""
    cdef vector[uint8_t] allowed
    cdef int L = structure.layout.labels
    cdef Py_ssize_t n_sets = 0 if sets is None else sets.shape[0]
    cdef Py_ssize_t i, j
    cdef int32_t code
    if n_sets and sets.shape[1] != L:
        raise wrong_shape(
            "sets", (sets.shape[0], sets.shape[1]), f"[sets, {L} labels]"
        )
    for i in range(n_sets):
        for j in range(L):
            allowed.push_back(sets[i, j])
    for code in gold:
        if code >= L or kFirstSet - code >= n_sets:
            raise wrong_number("gold", code, -1 - n_sets, L - 1)
    return GoldLabels(L, allowed)


cdef int gather(
    FeatureSpace space, Structure structure, list blocks, const int32_t[::1] gold,
    vector[Gathered]* sentences, vector[vector[int32_t]]* storage,
) except -1:
    """Collect the non-empty sentences of FeatureBlocks. The storage holds the ids of
    packed blocks; NULL if ids are not needed."""
    cdef Gathered sentence
    cdef FeatureBlock block
    cdef size_t s
    cdef int64_t start, token = 0
    cdef int T = space.program.size()
    cdef const int32_t* labels = &gold[0] if gold.shape[0] else NULL
    cdef const int32_t* ids = NULL
    structure.check(space)
    for item in blocks:
        block = item
        if block.generation is not space.generation:
            raise other_features()
        if storage != NULL:
            storage.push_back(vector[int32_t]())
            ids = block.ids(&storage.back())
        for s in range(block.sentences.size() - 1):
            start = block.sentences[s]
            sentence.n = block.sentences[s + 1] - start
            if token + sentence.n > gold.shape[0]:
                raise wrong_shape("gold", (gold.shape[0],), "a label for each token")
            if sentence.n == 0:
                continue
            if ids != NULL:
                sentence.ids = Ids(ids + start * T, <size_t>(sentence.n * T))
            sentence.weighted = block.weighted_ids(start)
            sentence.gold = Ids(labels + token, <size_t>sentence.n)
            token += sentence.n
            sentences.push_back(sentence)
    if token != gold.shape[0]:
        raise wrong_shape("gold", (gold.shape[0],), f"[{token} tokens]")
    return 0


def impossible_sentences(
    FeatureSpace space, Structure structure, list blocks, const int32_t[::1] gold,
    const uint8_t[:, ::1] sets=None,
):
    """Return the numbers of the non-empty sentences whose gold labels no path has."""
    cdef vector[Gathered] sentences
    cdef size_t s
    gather(space, structure, blocks, gold, &sentences, NULL)
    cdef GoldLabels labels = read_gold(structure, gold, sets)
    return [
        s for s in range(sentences.size())
        if not possible(structure.layout, labels, sentences[s])
    ]


cdef class Objective:
    """The negative log-likelihood of gathered sentences over a flat vector of weights.

    blocks, gold: FeatureBlocks and the gold codes of their tokens, one after the other.
    sets: uint8[label sets, labels]; FIRST_SET - s in gold means one of set s.
    all_pairs: weights for all pairs (feature, label), not only those of the gold.
    all_transitions: the same for features of pairs of labels only.
    share, shares: evaluate only one part of the sentences, over the pairs of all. The
        values of the parts add up to that of the whole.
    """

    cdef unique_ptr[CObjective] objective
    cdef readonly FeatureSpace space
    cdef readonly Structure structure

    def __init__(
        self, FeatureSpace space, Structure structure, list blocks,
        const int32_t[::1] gold, *, const uint8_t[:, ::1] sets=None,
        bint all_pairs=False, bint all_transitions=False, int share=0, int shares=1,
    ):
        cdef vector[Gathered] sentences
        cdef vector[vector[int32_t]] storage
        cdef int all_from = 0 if all_pairs else 1 if all_transitions else 3
        if not 0 <= share < shares:
            raise wrong_number("share", share, 0, shares - 1)
        self.space = space
        self.structure = structure
        gather(space, structure, blocks, gold, &sentences, &storage)
        self.objective.reset(new CObjective(
            structure.layout, structure.shapes, structure.constants,
            space.program.size(), read_gold(structure, gold, sets),
        ))
        deref(self.objective).set_boundaries(
            structure.boundary_feature(space, kStartKey),
            structure.boundary_feature(space, kEndKey),
        )
        with nogil:
            build_objective(
                deref(self.objective), sentences, all_from, space.counts,
                space.min_count, share, shares,
            )

    @property
    def n_pairs(self):
        return deref(self.objective).n_pairs()

    @property
    def n_tokens(self):
        return deref(self.objective).n_tokens()

    @property
    def n_sentences(self):
        """The number of sentences without the impossible ones."""
        return deref(self.objective).n_sentences()

    @property
    def impossible(self):
        """The numbers of the sentences whose gold labels no path has."""
        return list(deref(self.objective).impossible())

    @property
    def nbytes(self):
        """The memory of the objective, without the vectors of the optimiser."""
        return deref(self.objective).bytes()

    def evaluate(self, const double[::1] w, double[::1] slope):
        """Write the gradient at w; return the objective and -1, or NaN and the number
        of a sentence whose score is not finite."""
        cdef int64_t bad = -1
        cdef double loss
        cdef Py_ssize_t n = deref(self.objective).n_pairs()
        cdef const double* weights
        cdef double* slopes
        if w.shape[0] != n or slope.shape[0] != n:
            raise wrong_shape(
                "w, slope", (w.shape[0], slope.shape[0]), f"[{n} pairs] each"
            )
        weights = &w[0] if n else NULL
        slopes = &slope[0] if n else NULL
        with nogil:
            loss = deref(self.objective).evaluate(weights, slopes, &bad)
        return loss, bad

    def add_noise(self, double[::1] w, double scale, uint64_t seed):
        """Add small noise to the transitions between latent states, as a Chain does."""
        if w.shape[0] != deref(self.objective).n_pairs():
            raise wrong_shape("w", (w.shape[0],), f"[{self.n_pairs} pairs]")
        if w.shape[0]:
            deref(self.objective).add_noise(scale, seed, self.space.keys, &w[0])

    def rows(self, size_t b, const double[::1] w):
        """Return block b of the weights without zeros, for FrozenChain.fill: keys,
        sizes of rows, cells, values."""
        cdef const PairRows* pairs = &self.block(b).pairs
        cdef const BlockShape* shape = &self.block(b).shape
        cdef size_t r
        cdef int64_t p
        cdef uint32_t cell, size
        cdef vector[uint64_t] keys
        cdef vector[uint32_t] sizes, cells
        cdef vector[float] values
        cdef float value
        if w.shape[0] != deref(self.objective).n_pairs():
            raise wrong_shape("w", (w.shape[0],), f"[{self.n_pairs} pairs]")
        for r in range(1, pairs.rows()):
            size = 0
            for p in range(pairs.begin[r], pairs.begin[r + 1]):
                value = <float>w[p]
                if value == 0:
                    continue
                cell = pairs.cell(p)
                cells.push_back(cell // shape.pitch * shape.units + cell % shape.pitch)
                values.push_back(value)
                size += 1
            if size:
                keys.push_back(self.space.keys[pairs.feature_of[r]])
                sizes.push_back(size)
        return (
            np.asarray(keys, dtype=np.uint64), np.asarray(sizes, dtype=np.uint32),
            np.asarray(cells, dtype=np.uint32), np.asarray(values, dtype=np.float32),
        )

    def set_rows(
        self, size_t b, double[::1] w, const uint64_t[::1] keys,
        const uint32_t[::1] sizes, const uint32_t[::1] cells, const float[::1] values,
    ):
        """Copy block b of `rows` or FrozenChain.export to w, without the weights of
        unknown pairs."""
        cdef const PairRows* pairs = &self.block(b).pairs
        cdef const BlockShape* shape = &self.block(b).shape
        cdef Py_ssize_t k, at = 0, i
        cdef int32_t row
        cdef int64_t pair
        cdef uint32_t cell
        if w.shape[0] != deref(self.objective).n_pairs():
            raise wrong_shape("w", (w.shape[0],), f"[{self.n_pairs} pairs]")
        for k in range(keys.shape[0]):
            row = pairs.row(self.space.index.find(keys[k]))
            for i in range(at, at + sizes[k]):
                cell = cells[i] // shape.units * shape.pitch + cells[i] % shape.units
                pair = pairs.find(row, cell) if row else -1
                if pair >= 0:
                    w[pair] = values[i]
            at += sizes[k]

    cdef const PairBlock* block(self, size_t b) except NULL:
        if b >= deref(self.objective).n_blocks():
            raise wrong_number("b", b, 0, deref(self.objective).n_blocks() - 1)
        return &deref(self.objective).block(b)
