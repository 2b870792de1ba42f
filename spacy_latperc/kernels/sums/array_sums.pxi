# Forward-backward over scores given as arrays: see sums/sums.hh.

cdef extern from "sums/array_potentials.hh" namespace "latperc" nogil:
    cdef cppclass ArrayPotentials[Real]:
        ArrayPotentials(
            const Layout&, int64_t n, GivenDoubles e, GivenDoubles pairs,
            int64_t n_pairs, GivenDoubles triples, int64_t n_triples,
        ) except +
    cdef cppclass CArraySums "latperc::ArraySums"[Real]:
        double run(ArrayPotentials[Real]&, double, cbool hold) except +
        void repeat(
            ArrayPotentials[Real]&, int64_t times, cbool with_edges
        ) except +
        int64_t fallbacks()
        void states(const ArrayPotentials[Real]&, Doubles) except +
        void edges(const ArrayPotentials[Real]&, int64_t i, Doubles) except +
        void triples(const ArrayPotentials[Real]&, int64_t i, Doubles) except +


cdef class ArraySums:
    """log Z and marginals of one sentence.

    emissions: [n, S] scores of states, -inf where one is not allowed.
    pairs, triples: [S, S] and [S, S, S] scores, or with a first axis over the tokens.
    order: 0, 1 or 2, the longest history with scores of its own.
    latent: states of a label; transitions, starts, ends: of labels, as in Structure.
    wide: calculate in double.
    """

    cdef Layout layout
    cdef cbool wide
    cdef readonly int64_t n
    cdef readonly double log_z
    cdef unique_ptr[ArrayPotentials[float]] scores
    cdef unique_ptr[ArrayPotentials[double]] wide_scores
    cdef CArraySums[float] sums
    cdef CArraySums[double] wide_sums

    def __init__(
        self, emissions, pairs=None, triples=None, *, int latent=1,
        transitions=None, starts=None, ends=None, bint wide=False,
        double temperature=1.0, bint hold=False,
    ):
        emissions = np.asarray(emissions, dtype=np.float64)
        if emissions.ndim != 2:
            raise wrong_shape("emissions", emissions.shape, "[tokens, states]")
        if np.isnan(emissions).any():
            raise wrong_value("a score in emissions", "nan", "a number, or -inf")
        cdef int64_t S = emissions.shape[1]
        cdef int64_t n_pairs, n_triples
        cdef GivenDoubles e, second, third
        if latent < 1 or S % latent or not (isfinite(temperature) and temperature > 0):
            raise wrong_shape(
                f"emissions, with latent = {latent} and temperature = {temperature},",
                (emissions.shape[0], S),
                "[tokens, a multiple of latent > 0], the temperature above 0",
            )
        self.n = emissions.shape[0]
        self.layout.labels = <int>(S // latent)
        self.layout.latent = latent
        self.layout.order = 0 if pairs is None else 1 if triples is None else 2
        self.layout.transitions = flags(transitions, (S // latent) ** 2)
        self.layout.starts = flags(starts, S // latent)
        self.layout.ends = flags(ends, S // latent)
        self.wide = wide
        pair_table = matrices(pairs, 2, self.n, S)
        triple_table = matrices(triples, 3, self.n, S)
        n_pairs, n_triples = len(pair_table), len(triple_table)
        cdef const double[::1] flat = np.ascontiguousarray(emissions).reshape(-1)
        cdef const double[::1] flat_pairs = pair_table.reshape(-1)
        cdef const double[::1] flat_triples = triple_table.reshape(-1)
        if flat.shape[0]:
            e = GivenDoubles(&flat[0], flat.shape[0])
        if flat_pairs.shape[0]:
            second = GivenDoubles(&flat_pairs[0], flat_pairs.shape[0])
        if flat_triples.shape[0]:
            third = GivenDoubles(&flat_triples[0], flat_triples.shape[0])
        if wide:
            self.wide_scores.reset(new ArrayPotentials[double](
                self.layout, self.n, e, second, n_pairs, third, n_triples
            ))
        else:
            self.scores.reset(new ArrayPotentials[float](
                self.layout, self.n, e, second, n_pairs, third, n_triples
            ))
        self.run(temperature=temperature, hold=hold)

    def run(self, *, double temperature=1.0, bint hold=False):
        """Sum again. hold: what transitions weigh is worked out now, and kept."""
        with nogil:
            if self.wide:
                self.log_z = self.wide_sums.run(
                    deref(self.wide_scores), 1.0 / temperature, hold
                )
            else:
                self.log_z = self.sums.run(
                    deref(self.scores), 1.0 / temperature, hold
                )
        return self.log_z

    def repeat(self, int64_t times, *, bint edges=False):
        """Sum so many times more, and the edges too, to see how long it takes."""
        with nogil:
            if self.wide:
                self.wide_sums.repeat(deref(self.wide_scores), times, edges)
            else:
                self.sums.repeat(deref(self.scores), times, edges)

    @property
    def fallbacks(self):
        """How often a wider arithmetic was needed."""
        return self.wide_sums.fallbacks() if self.wide else self.sums.fallbacks()

    def states(self):
        """[n, S]"""
        result = np.zeros((self.n, self.layout.states()))
        cdef Doubles out = self.view(result)
        if self.wide:
            self.wide_sums.states(deref(self.wide_scores), out)
        else:
            self.sums.states(deref(self.scores), out)
        return result

    def edges(self, int64_t i=0):
        """[S, S] of tokens i - 1 and i; without a token the sum over all."""
        result = np.zeros((self.layout.states(),) * 2)
        cdef Doubles out = self.view(result)
        if not 0 <= i < max(self.n, 1):
            raise wrong_number("i", i, 0, self.n - 1)
        if self.wide:
            self.wide_sums.edges(deref(self.wide_scores), i, out)
        else:
            self.sums.edges(deref(self.scores), i, out)
        return result

    def triples(self, int64_t i=0):
        """[S, S, S] of tokens i - 2, i - 1 and i; without a token the sum over all."""
        result = np.zeros((self.layout.states(),) * 3)
        cdef Doubles out = self.view(result)
        if self.layout.order < 2 or i == 1 or not 0 <= i < max(self.n, 1):
            raise wrong_number("i", i, 0, self.n - 1)
        if self.wide:
            self.wide_sums.triples(deref(self.wide_scores), i, out)
        else:
            self.sums.triples(deref(self.scores), i, out)
        return result

    cdef Doubles view(self, values):
        cdef double[::1] flat = values.reshape(-1)
        return Doubles(&flat[0], flat.shape[0]) if flat.shape[0] else Doubles()


def matrices(scores, int history, int64_t n, int64_t S):
    """One table for all tokens, or one for each; none: an empty array."""
    shape = (S,) * history
    if scores is None:
        return np.zeros((0, *shape))
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    if scores.ndim == history:
        scores = scores[None]
    if scores.shape[1:] != shape or len(scores) not in (1, n):
        raise wrong_shape("scores", scores.shape, f"{shape}, or with an axis of tokens")
    return scores
