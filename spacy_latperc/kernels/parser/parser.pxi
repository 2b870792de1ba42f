# Parsers: their templates, weights while they learn, and weights when they answer.

cdef extern from "common/checked.hh" namespace "latperc" nogil:
    cdef cppclass Hashes "latperc::View<const uint64_t>":
        Hashes()
        Hashes(const uint64_t* p, size_t n)


cdef extern from "common/signals.hh" namespace "latperc" nogil:
    cdef cppclass SignalCheck:
        void look() except +


cdef extern from "parser/state.hh" namespace "latperc::parsing" nogil:
    cdef enum class System(int):
        hybrid
        standard
    const int kStructural
    int action_count(int relations)
    cdef struct Limits:
        int32_t n
        const uint8_t* may_start
    cdef cppclass State:
        State()
    int kind_of(int action)
    cbool allowed(System, const vector[State]&, const Limits&, const State&, int kind)
    State after(System, const vector[State]&, int32_t at, int action)


cdef extern from "parser/state_templates.hh" namespace "latperc::parsing" nogil:
    const int kFacts
    const int kPlaces
    cdef struct Look:
        int32_t fact
        int32_t column
    cdef cppclass StateTemplates:
        StateTemplates(int columns) except +
        void add(uint64_t seed, const vector[Look]& looks) except +
        int size()
        int columns()


cdef extern from "parser/oracle.hh" namespace "latperc::parsing" nogil:
    cdef struct KnownTree:
        const int32_t* heads
        const int32_t* relations
    cdef cppclass Oracle:
        Oracle()
        void read(System, const KnownTree&, int32_t n) except +
        int next(const vector[State]&, const State&)
        int lost(const vector[State]&, const State&, int kind)


cdef extern from "parser/parser_search.hh" namespace "latperc::parsing" nogil:
    cdef cppclass Text:
        Hashes attrs
        int32_t visible
        Limits limits


cdef extern from "rules/prefix.hh" namespace "latperc" nogil:
    cdef enum class Prefix(int):
        standard
        early
        latest
        max


cdef extern from "weights/steps.hh" namespace "latperc" nogil:
    cdef enum class StepKind(int):
        plain
        adagrad
        variances


cdef extern from "weights/averaging.hh" namespace "latperc" nogil:
    cdef struct Averaging:
        cbool on
        int64_t pass_size
        int64_t restart_every


cdef extern from "parser/parser_rows.hh" namespace "latperc::parsing" nogil:
    cdef cppclass LearningRows:
        size_t rows()
        size_t bytes()
        uint64_t key(size_t row)
        int32_t row_for(uint64_t key) except +
        void set(int32_t row, int cell, float w) except +
    cdef cppclass AnsweringRows:
        void reserve(size_t rows, size_t cells) except +
        void append(uint64_t key, const vector[pair[int, float]]& cells) except +
        size_t rows()
        size_t bytes()
        uint64_t key(size_t row)


cdef extern from "parser/parser_trainer.hh" namespace "latperc::parsing" nogil:
    cdef cppclass Learned:
        double loss
        int32_t prefix
        cbool violation
    cdef cppclass ParserTrainer:
        ParserTrainer(
            const StateTemplates&, System, int relations, int beam, const Averaging&,
            StepKind
        ) except +
        cbool learn(
            const Text&, const KnownTree&, int32_t n, Prefix, float rate, Learned*
        ) except +
        LearningRows& rows()
        int64_t examples()
        void set_examples(int64_t c)


cdef extern from "parser/frozen_parser.hh" namespace "latperc::parsing" nogil:
    cdef cppclass ParserQuery:
        const uint64_t* attrs
        const int64_t* bounds
        size_t texts
        const uint8_t* may_start
        const int32_t* heads
        const int32_t* relations
        int beam
    cdef cppclass CFrozenParser "latperc::parsing::FrozenParser":
        CFrozenParser(const StateTemplates&, System, int relations) except +
        AnsweringRows& rows()
        void take(const ParserTrainer&, size_t most) except +
        float unit()
        void set_unit(float)
        void parse(const ParserQuery&, int32_t* heads, int32_t* relations) except +


cdef extern from *:
    """
    namespace latperc::parsing {
    // The cells of all rows, flat: what files keep.
    inline void list_cells(FrozenParser& frozen, std::vector<uint64_t>* keys,
                           std::vector<uint32_t>* sizes, std::vector<uint32_t>* names,
                           std::vector<float>* weights) {
      const AnsweringRows& rows = frozen.rows();
      for (size_t r = 0; r < rows.rows(); r++) {
        keys->push_back(rows.key(r));
        sizes->push_back(0);
        rows.for_each(r, [&](int cell, float w) {
          sizes->back()++;
          names->push_back(static_cast<uint32_t>(cell));
          weights->push_back(w);
        });
      }
    }
    }
    """
    void list_cells "latperc::parsing::list_cells"(
        CFrozenParser&, vector[uint64_t]*, vector[uint32_t]*, vector[uint32_t]*,
        vector[float]*
    ) except + nogil


SYSTEMS = ("arc_hybrid", "arc_standard")  # see parser/state.hh
METHODS = ("standard", "early", "latest", "max")  # see rules/prefix.hh
MOST_RELATIONS = 30000
MOST_BEAM = 1 << 12

# Places of tokens in a state, and what is known of them: see parser/state_templates.hh.
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

    templates: (seed, [(fact, column), ...]) of each: of a token at the place `fact` the
        attribute in this column or, with column -1, the fact itself.
    columns: attributes of a token.
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
    """A parser that learns.

    relations: how many there are.
    beam: states that go on; 1 is greedy.
    average, pass_size, restart_every: see weights/averaging.hh.
    step: "plain" or "adagrad".
    """

    cdef unique_ptr[ParserTrainer] trainer
    cdef Random random
    cdef readonly ParserTemplates templates
    cdef readonly int relations
    cdef readonly str system
    cdef readonly int64_t updates     # that were made
    cdef readonly int64_t violations  # updates that were violations

    def __init__(
        self, ParserTemplates templates, *, object relations, object beam=1,
        str system="arc_hybrid", cbool average=True, int64_t pass_size=0,
        int64_t restart_every=0, str step="plain", uint64_t seed=0,
    ):
        cdef Averaging averaging
        averaging.on = average
        averaging.pass_size = pass_size
        averaging.restart_every = restart_every
        self.templates = templates
        self.relations = whole("relations", relations, 1, MOST_RELATIONS)
        self.system = system
        self.trainer.reset(
            new ParserTrainer(
                deref(templates.templates), system_of(system), self.relations,
                whole("beam", beam, 1, MOST_BEAM), averaging,
                StepKind.adagrad if step == "adagrad" else StepKind.plain,
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
        const int32_t[::1] relations, str method, *, const float[::1] rates=None,
        bint shuffle=True,
    ):
        """Learn from sentences, once each.

        sentences: of each its first token, the end, and the end of the text that a
            parser would see there (which may go on).
        may_start: tokens at which a sentence may begin.
        heads: of each token its head, numbered from the first token of its sentence (a
            root is its own); -1 for unknown ones.
        relations: their numbers; -1 for unknown ones, and at roots.
        rates: learn rate of the first sentence, the second, ...
        RETURNS: (loss, numbers of the sentences that no tree agrees with, length of the
            prefix learned from and whether that was a violation, by sentence).
        RAISES: FloatingPointError with the number of a sentence whose score is not
            finite; the weights are those before it.
        """
        cdef Py_ssize_t n = attrs.shape[0]
        cdef Py_ssize_t S = sentences.shape[0]
        cdef Py_ssize_t s, i
        cdef vector[int32_t] order
        cdef vector[int32_t] impossible
        cdef size_t k, other
        cdef int32_t swap
        cdef int64_t first, length, stopped = -1
        cdef double loss = 0.0
        cdef Learned learned
        cdef Text text
        cdef KnownTree tree
        cdef SignalCheck signals
        cdef Prefix prefix = prefix_of(method)
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
            if shuffle:
                for k in range(order.size() - 1 if order.size() else 0):
                    other = k + self.random.below(<uint32_t>(order.size() - k))
                    swap = order[k]
                    order[k] = order[other]
                    order[other] = swap
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
                if not deref(self.trainer).learn(
                    text, tree, <int32_t>length, prefix,
                    rates[k] if rates is not None else 1.0, &learned,
                ):
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
        """The averaged weights of now, written out.

        most: only so many, the largest ones; 0 for all.
        """
        cdef size_t limit = whole("most", most, 0)
        cdef FrozenParser frozen = FrozenParser(
            self.templates, relations=self.relations, system=self.system
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
        """{feature hash: {cell: averaged weight}}, for tests and tools."""
        keys, sizes, cells, values = self.freeze().export()
        result = {}
        at = 0
        for key, size in zip(keys.tolist(), sizes.tolist(), strict=True):
            result[key] = dict(
                zip(cells[at:at + size].tolist(), values[at:at + size].tolist())
            )
            at += size
        return result


cdef class FrozenParser:
    """A parser that only answers; safe for any number of threads at once."""

    cdef shared_ptr[CFrozenParser] frozen
    cdef readonly ParserTemplates templates
    cdef readonly int relations
    cdef readonly str system

    def __init__(
        self, ParserTemplates templates, *, object relations, str system="arc_hybrid"
    ):
        self.templates = templates
        self.relations = whole("relations", relations, 1, MOST_RELATIONS)
        self.system = system
        self.frozen.reset(
            new CFrozenParser(
                deref(templates.templates), system_of(system), self.relations
            )
        )

    @property
    def n_rows(self):
        return deref(self.frozen).rows().rows()

    @property
    def nbytes(self):
        return deref(self.frozen).rows().bytes()

    @property
    def unit(self):
        """All weights are whole multiples of it."""
        return deref(self.frozen).unit()

    def parse(
        self, const uint64_t[:, ::1] attrs, const int64_t[::1] bounds,
        const uint8_t[::1] may_start, *, object beam=1, const int32_t[::1] heads=None,
        const int32_t[::1] relations=None,
    ):
        """Heads and relations of a batch of texts.

        bounds: first tokens of the texts, and the end.
        may_start: tokens at which a sentence may begin, other than the first of a text.
        heads, relations: what must stay, -1 where nothing does; heads are numbered in
            their text. Where they cannot all stay, some do not.
        RETURNS: heads, numbered in their text (a root is its own), and relations (-1 at
            roots).
        """
        cdef Py_ssize_t n = attrs.shape[0]
        cdef Py_ssize_t t
        cdef int64_t i
        cdef ParserQuery query
        check_columns(self.templates, attrs)
        check_tokens("may_start", may_start.shape[0], n)
        for t in range(bounds.shape[0]):
            if not 0 <= bounds[t] <= n or (t and bounds[t] < bounds[t - 1]):
                raise wrong_bound(bounds[t], n)
        if heads is not None:
            check_tokens("heads", heads.shape[0], n)
            check_tokens("relations", relations.shape[0], n)
            if self.system != "arc_hybrid":
                raise other_structure("heads that must stay")
            for t in range(bounds.shape[0] - 1):
                for i in range(bounds[t], bounds[t + 1]):
                    if not -1 <= heads[i] < bounds[t + 1] - bounds[t]:
                        raise wrong_number("heads", heads[i], -1, n - 1)
                    if not -1 <= relations[i] < self.relations:
                        raise wrong_number(
                            "relations", relations[i], -1, self.relations - 1
                        )
        found = np.full((2, n), -1, dtype=np.int32)
        if n == 0 or bounds.shape[0] < 2:
            return found[0], found[1]
        cdef int32_t[:, ::1] out = found
        query.beam = whole("beam", beam, 1, MOST_BEAM)
        query.attrs = &attrs[0, 0] if self.templates.columns else NULL
        query.bounds = &bounds[0]
        query.texts = bounds.shape[0] - 1
        query.may_start = &may_start[0]
        query.heads = &heads[0] if heads is not None else NULL
        query.relations = &relations[0] if heads is not None else NULL
        with nogil:
            deref(self.frozen).parse(query, &out[0, 0], &out[1, 0])
        return found[0], found[1]

    def export(self):
        """Weights that are not zero, as `fill` takes them: (keys, cells of each, names
        of the cells, weights)."""
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
        """Have the weights that `export` gave; whatever is wrong raises ValueError."""
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


def oracle(const int32_t[::1] heads, const int32_t[::1] relations, str system):
    """The actions that lead to a whole tree, for tests and tools."""
    cdef vector[State] states
    cdef Oracle known
    read_tree(&known, heads, relations, system)
    cdef int32_t step
    states.push_back(State())
    actions = []
    for step in range(2 * heads.shape[0]):
        actions.append(known.next(states, states[step]))
        states.push_back(after(system_of(system), states, step, actions[step]))
    return actions


def lost_heads(
    const int32_t[::1] heads, const int32_t[::1] relations, const int32_t[::1] actions
):
    """How many known heads each kind of action of arc-hybrid would lose after these
    actions (-1 where it is not allowed), for tests and tools."""
    cdef vector[State] states
    cdef Oracle known
    read_tree(&known, heads, relations, "arc_hybrid")
    cdef vector[uint8_t] anywhere
    cdef Limits limits
    cdef int32_t step
    cdef int kind
    anywhere.resize(heads.shape[0], 1)
    limits.n = <int32_t>heads.shape[0]
    limits.may_start = anywhere.data()
    states.push_back(State())
    for step in range(actions.shape[0]):
        if not allowed(
            System.hybrid, states, limits, states[step], kind_of(actions[step])
        ):
            raise wrong_number("actions", actions[step], 0, MOST_RELATIONS)
        states.push_back(after(System.hybrid, states, step, actions[step]))
    return [
        known.lost(states, states.back(), kind)
        if allowed(System.hybrid, states, limits, states.back(), kind) else -1
        for kind in range(kStructural)
    ]


cdef int read_tree(
    Oracle* result, const int32_t[::1] heads, const int32_t[::1] relations, str system
) except -1:
    cdef KnownTree tree
    cdef int32_t head
    check_tokens("relations", relations.shape[0], heads.shape[0])
    for head in heads:
        if not -1 <= head < heads.shape[0]:
            raise wrong_number("heads", head, -1, heads.shape[0] - 1)
    if heads.shape[0]:
        tree.heads = &heads[0]
        tree.relations = &relations[0]
    result.read(system_of(system), tree, <int32_t>heads.shape[0])
    return 0


cdef System system_of(str name) except *:
    if name not in SYSTEMS:
        raise wrong_number("system", name, SYSTEMS[0], SYSTEMS[1])
    return <System><int>SYSTEMS.index(name)


cdef Prefix prefix_of(str name) except *:
    if name not in METHODS:
        raise wrong_number("method", name, METHODS[0], METHODS[3])
    return <Prefix><int>METHODS.index(name)


cdef int check_columns(
    ParserTemplates templates, const uint64_t[:, ::1] attrs
) except -1:
    if attrs.shape[1] != templates.columns:
        raise wrong_shape(
            "attrs", (attrs.shape[0], attrs.shape[1]),
            f"[tokens, {templates.columns} attributes]",
        )
    return 0


cdef int check_tokens(str name, Py_ssize_t found, Py_ssize_t n) except -1:
    if found != n:
        raise wrong_shape(name, (found,), f"[{n} tokens]")
    return 0
