# Parsers in training, and their templates.

METHODS = ("standard", "early", "latest", "max")  # see rules/prefix.hh
EXPLORE = "explore"  # see parser/explorer.hh
MOST_RELATIONS = 30000
MOST_BEAM = 1 << 12

# Places of tokens in a state, and facts about them: see parser/state_templates.hh.
PLACES = (
    "s0", "s1", "s2", "b0", "b1", "b2", "b3",
    *(f"{s}.{child}" for s in ("s0", "s1", "s2") for child in ("l1", "l2", "r1", "r2")),
    "b0.l1", "b0.l2",
)
FACTS = (
    *PLACES,
    *(f"relation[{place}]" for place in PLACES[7:]),
    *(f"lefts[{place}]" for place in ("s0", "s1", "s2", "b0")),
    *(f"rights[{place}]" for place in ("s0", "s1", "s2")),
    "gap[s0,b0]", "gap[s1,s0]",
)
assert len(PLACES) == kPlaces and len(FACTS) == kFacts


cdef class ParserTemplates:
    """Templates over states.

    templates: (seed, [(fact, column), ...]) for each: the attribute in this column of
        the token at the place `fact`, or with column -1 the fact itself.
    columns: the number of attributes.
    """

    cdef shared_ptr[StateTemplates] templates
    cdef readonly int columns

    def __init__(self, templates, object columns):
        cdef vector[Look] looks
        cdef Look look
        self.columns = whole("columns", columns, 0)
        self.templates.reset(new StateTemplates(self.columns))
        for seed, parts in templates:
            looks.clear()
            for fact, column in parts:
                look.fact = whole("fact", fact, 0, kFacts - 1)
                look.column = whole("column", column, -1, self.columns - 1)
                if look.column >= 0 and look.fact >= kPlaces:
                    raise wrong_number("fact", fact, 0, kPlaces - 1)
                looks.push_back(look)
            deref(self.templates).add(seed, looks)


cdef class Parser:
    """A parser in training.

    relations: the number of relations.
    beam: the width of the beam; 1 is greedy.
    average, epoch_size, restart_every: see weights/averaging.hh.
    step: "plain" or "adagrad".
    """

    cdef unique_ptr[ParserTrainer] trainer
    cdef Random random
    cdef readonly ParserTemplates templates
    cdef readonly int relations
    cdef readonly int64_t updates     # the number of updates
    cdef readonly int64_t violations  # and of those by violations

    def __init__(
        self, ParserTemplates templates, *, object relations, object beam=1,
        cbool average=True, int64_t epoch_size=0, int64_t restart_every=0,
        str step="plain", uint64_t seed=0,
    ):
        cdef Averaging averaging
        averaging.on = average
        averaging.epoch_size = epoch_size
        averaging.restart_every = restart_every
        self.templates = templates
        self.relations = whole("relations", relations, 1, MOST_RELATIONS)
        self.trainer.reset(
            new ParserTrainer(
                deref(templates.templates), self.relations,
                whole("beam", beam, 1, MOST_BEAM), averaging,
                step == "adagrad",
            )
        )
        self.random = Random(seed)

    @property
    def examples(self):
        return deref(self.trainer).examples()

    @examples.setter
    def examples(self, int64_t value):
        deref(self.trainer).set_examples(value)

    @property
    def random_state(self):
        return self.random.state

    @random_state.setter
    def random_state(self, uint64_t value):
        self.random.state = value

    @property
    def n_rows(self):
        return deref(self.trainer).rows().rows()

    @property
    def nbytes(self):
        return deref(self.trainer).rows().bytes()

    def update(
        self, const uint64_t[:, ::1] attrs, const int64_t[:, ::1] sentences,
        const uint8_t[::1] may_start, const int32_t[::1] heads,
        const int32_t[::1] relations, str method, *, double follow=0.0,
        const float[::1] rates=None, bint shuffled=True,
    ):
        """Learn from sentences, once each.

        sentences: [sentences, 3]: the first token, the end, and the end of the text,
            which may be longer.
        may_start: tokens at which a sentence may begin.
        heads: the head of each token, numbered from the first token of its sentence (a
            root is its own); -1 for unknown ones.
        relations: their numbers; -1 for unknown ones, and at roots.
        method: the choice of prefixes (rules/prefix.hh), or "explore": a greedy parser
            with a dynamic oracle (parser/explorer.hh).
        follow: the probability of following a misstep while exploring.
        rates: the learn rate of the first sentence, the second, ...
        RETURNS: (loss, numbers of the sentences that no tree agrees with, by sentence
            the length of its prefix or the number of its missteps, and True if that
            was a violation).
        RAISES: FloatingPointError with the number of a sentence whose score is not
            finite; the weights are as before it.
        """
        cdef Py_ssize_t n = attrs.shape[0]
        cdef Py_ssize_t S = sentences.shape[0]
        cdef Py_ssize_t s, i
        cdef vector[int32_t] order
        cdef vector[int32_t] impossible
        cdef size_t k
        cdef int64_t first, length, stopped = -1
        cdef double loss = 0.0
        cdef Learned learned
        cdef Text text
        cdef KnownTree tree
        cdef SignalCheck signals
        cdef cbool exploring = method == EXPLORE
        cdef cbool known
        cdef float rate
        cdef Prefix prefix = Prefix.standard if exploring else prefix_of(method)
        check_columns(self.templates, attrs)
        check_tokens("may_start", may_start.shape[0], n)
        check_tokens("heads", heads.shape[0], n)
        check_tokens("relations", relations.shape[0], n)
        if sentences.shape[1] != 3:
            raise wrong_shape("sentences", (S, sentences.shape[1]), "[sentences, 3]")
        if rates is not None and rates.shape[0] < S:
            raise wrong_shape("rates", (rates.shape[0],), f"[{S} sentences] or more")
        for s in range(S):
            first, length = sentences[s, 0], sentences[s, 1] - sentences[s, 0]
            if not 0 <= first <= n or length < 0:
                raise wrong_bound(first, n)
            if not sentences[s, 1] <= sentences[s, 2] <= n:
                raise wrong_bound(sentences[s, 2], n)
            for i in range(first, first + length):
                if not -1 <= heads[i] < length:
                    raise wrong_number("heads", heads[i], -1, length - 1)
                if not -1 <= relations[i] < self.relations:
                    raise wrong_number(
                        "relations", relations[i], -1, self.relations - 1
                    )
            if length:
                order.push_back(<int32_t>s)
        prefixes = np.zeros(S, dtype=np.int32)
        were_violations = np.zeros(S, dtype=bool)
        cdef int32_t[::1] out_prefixes = prefixes
        cdef uint8_t[::1] out_violations = were_violations.view(np.uint8)
        cdef int A = self.templates.columns
        cdef const uint64_t* values = &attrs[0, 0] if n and A else NULL
        with nogil:
            if shuffled:
                shuffle(&order, &self.random)
            for k in range(order.size()):
                signals.look()
                s = order[k]
                first = sentences[s, 0]
                length = sentences[s, 1] - first
                text.visible = <int32_t>(sentences[s, 2] - first)
                text.limits.n = text.visible
                text.limits.may_start = &may_start[first]
                if values != NULL:
                    text.attrs = Hashes(values + first * A, <size_t>(text.visible * A))
                tree.heads = &heads[first]
                tree.relations = &relations[first]
                rate = rates[k] if rates is not None else 1.0
                if exploring:
                    known = deref(self.trainer).explore(
                        text, tree, <int32_t>length, follow, rate, &self.random,
                        &learned,
                    )
                else:
                    known = deref(self.trainer).learn(
                        text, tree, <int32_t>length, prefix, rate, &learned,
                    )
                if not known:
                    impossible.push_back(<int32_t>s)
                    continue
                if isinf(learned.loss):
                    stopped = s
                    break
                loss += learned.loss
                out_prefixes[s] = learned.prefix
                out_violations[s] = learned.violation
        learnt = prefixes > 0
        self.updates += np.count_nonzero(learnt)
        self.violations += np.count_nonzero(were_violations[learnt])
        if stopped >= 0:
            raise FloatingPointError(stopped)
        return loss, sorted(impossible), prefixes, were_violations

    def freeze(self, object most=0):
        """Return the current averaged weights.

        most: the number of largest weights to keep; 0 for all.
        """
        cdef size_t limit = whole("most", most, 0)
        cdef FrozenParser frozen = FrozenParser(
            self.templates, relations=self.relations
        )
        with nogil:
            deref(frozen.frozen).take(deref(self.trainer), limit)
        return frozen

    def load(self, FrozenParser frozen):
        """Start from frozen weights."""
        if frozen.relations > self.relations or (
            frozen.templates is not self.templates
        ):
            raise other_structure("the frozen weights")
        keys, sizes, cells, weights = frozen.export()
        cdef const uint64_t[::1] in_keys = keys
        cdef const uint32_t[::1] in_sizes = sizes
        cdef const uint32_t[::1] in_cells = cells
        cdef const float[::1] in_weights = weights
        cdef size_t r, k, at = 0
        cdef int32_t row
        for r in range(<size_t>in_keys.shape[0]):
            row = deref(self.trainer).rows().row_for(in_keys[r])
            for k in range(in_sizes[r]):
                deref(self.trainer).rows().set(row, in_cells[at], in_weights[at])
                at += 1

    def weights(self):
        """Return {feature hash: {cell: averaged weight}}, for tests and tools."""
        keys, sizes, cells, values = self.freeze().export()
        result = {}
        at = 0
        for key, size in zip(keys.tolist(), sizes.tolist(), strict=True):
            result[key] = dict(
                zip(cells[at:at + size].tolist(), values[at:at + size].tolist())
            )
            at += size
        return result
