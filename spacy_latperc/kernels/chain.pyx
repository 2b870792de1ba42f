"""The chain: rows of weights that learn (Chain) and rows that answer (FrozenChain).

Arrays in, arrays out; one call per batch, with the GIL released.
"""
from cython.operator cimport dereference as deref
from libc.math cimport isfinite, isnan
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr, unique_ptr
from libcpp.vector cimport vector

import numpy as np

from spacy_latperc.kernels.features cimport (
    FeatureBlock,
    FeatureSpace,
    Hashes,
    Program,
    constant_hash,
    kChecked,
    kReach,
)


cdef extern from "checked.hh" namespace "latperc" nogil:
    cdef cppclass Ids "latperc::View<const int32_t>":
        Ids()
        Ids(const int32_t* p, size_t n)
    cdef cppclass Bounds "latperc::View<const int64_t>":
        Bounds()
        Bounds(const int64_t* p, size_t n)
    cdef cppclass Mask "latperc::View<const uint8_t>":
        Mask()
        Mask(const uint8_t* p, size_t n)
    cdef cppclass Labels "latperc::View<int32_t>":
        Labels()
        Labels(int32_t* p, size_t n)


cdef extern from "hash.hh" namespace "latperc" nogil:
    uint64_t mix(uint64_t x)
    cdef cppclass Random:
        Random()
        Random(uint64_t seed)
        uint32_t below(uint32_t n)
        uint64_t state


cdef extern from "weights.hh" namespace "latperc" nogil:
    cdef enum class Kind(int):
        state
        edge
        tri
    cdef cppclass BlockShape:
        Kind kind
        cbool latent
        int units
        int pitch
        vector[int32_t] templates
        vector[int32_t] groups
        size_t stride()
        size_t cell(int before, int previous, int state)
    cdef cppclass Plane:
        float* data()
        size_t size()
    cdef cppclass TrainedRows:
        Plane w
        Plane a
        vector[int32_t] feature_of
        size_t rows()
    int padded(int width)


cdef extern from "lattice.hh" namespace "latperc" nogil:
    cdef cppclass Layout:
        int labels
        int latent
        int order
        vector[uint8_t] transitions
        vector[uint8_t] starts
        vector[uint8_t] ends
        int states()


cdef extern from "trainer.hh" namespace "latperc" nogil:
    cdef cppclass Sentence:
        Ids ids
        int64_t n
        Ids gold
    cdef cppclass Averaging:
        cbool on
        int64_t pass_size
        int64_t restart_every
    cdef cppclass InitialNoise:
        float scale
        uint64_t seed
    cdef cppclass Trainer:
        Trainer(
            const Layout&, const vector[BlockShape]&, const vector[int32_t]&, int,
            const Averaging&, const InitialNoise&,
        ) except +
        void watch(
            const vector[uint64_t]*, const vector[int32_t]*, int32_t min_count
        )
        const BlockShape& shape(size_t b)
        TrainedRows& rows(size_t b)
        size_t n_blocks()
        int64_t examples()
        void set_examples(int64_t c)
        void set_averaging(const Averaging&)
        float inverse_c()
        int32_t row_for(size_t b, int32_t feature) except +
        void start_transitions(size_t b, int32_t feature) except +
        void before_example()
        void after_example()
        void restart_from_average()
        float decode(Ids, int64_t, Mask, cbool masked, vector[int32_t]*) except +


cdef extern from "rules.hh" namespace "latperc" nogil:
    cdef cppclass CRule "latperc::Rule":
        double step(Trainer&, const Sentence&) except +
    cdef cppclass PerceptronRule(CRule):
        PerceptronRule(float rate, float margin)
    cdef cppclass PassiveAggressiveRule(CRule):
        PassiveAggressiveRule(float cap)


cdef extern from "frozen.hh" namespace "latperc" nogil:
    cdef cppclass FrozenRows:
        vector[uint64_t] keys
        Plane w
        void start(const BlockShape&, size_t rows) except +
        float* append(const BlockShape&, uint64_t key) except +
    cdef cppclass CFrozen "latperc::Frozen":
        CFrozen(
            const Layout&, const vector[BlockShape]&, const vector[int32_t]&,
            const vector[Program]&,
        ) except +
        const BlockShape& shape(size_t b)
        FrozenRows& rows(size_t b)
        size_t n_blocks()
        void take(Trainer&, const vector[uint64_t]&) except +
        void decode(
            const Program&, Hashes, Bounds, size_t first, size_t last, Mask,
            cbool masked, Labels,
        ) except +


def build_info():
    """How this module was compiled."""
    return {"checked": bool(kChecked)}


cdef class Structure:
    """Labels, latent values, order, blocks of templates and forbidden transitions.

    blocks: list of (kind, latent, groups): kind 0 for state rows, 1 for edge rows, 2
        for second-order rows; latent rows are kept per latent state, others per label.
        groups: list of (templates, key): rows are summed group by group, and the sum
        of a group of several depends only on its key, a list of (attribute, offset).
    transitions, starts, ends: boolean arrays over labels, or None where all is allowed.
    """

    cdef Layout layout
    cdef vector[BlockShape] shapes
    cdef vector[int32_t] constants
    cdef vector[Program] keys
    cdef readonly list blocks
    cdef readonly int n_templates
    cdef readonly int n_attributes

    def __init__(
        self, FeatureSpace space, *, int labels, int latent, int order, blocks,
        transitions=None, starts=None, ends=None,
    ):
        cdef BlockShape shape
        self.n_templates = space.program.size()
        self.n_attributes = space.program.columns
        self.layout.labels = labels
        self.layout.latent = latent
        self.layout.order = order
        self.layout.transitions = flags(transitions, labels * labels)
        self.layout.starts = flags(starts, labels)
        self.layout.ends = flags(ends, labels)
        self.blocks = [
            (int(kind), bool(is_latent), [list(ts) for ts, _ in groups])
            for kind, is_latent, groups in blocks
        ]
        for kind, is_latent, groups in blocks:
            shape.templates.clear()
            shape.groups.clear()
            shape.kind = <Kind><int>kind
            shape.latent = is_latent
            shape.units = self.layout.states() if is_latent else labels
            shape.pitch = padded(shape.units)
            fixed, varying = [], []
            for templates, key in groups:
                for t in templates:
                    if not 0 <= t < space.program.size():
                        raise IndexError(t)
                if kind > 0 and len(templates) != 1:
                    raise ValueError("only state rows are grouped")
                constant = kind > 0 and space.program.constant(templates[0])
                (fixed if constant else varying).append((templates, key))
            for templates, _ in fixed + varying:
                for t in templates:
                    shape.templates.push_back(t)
                shape.groups.push_back(<int32_t>shape.templates.size())
            self.shapes.push_back(shape)
            self.constants.push_back(len(fixed))
            self.keys.push_back(self.key_program(space, varying))

    cdef Program key_program(self, FeatureSpace space, groups):
        """One hash per group: the feature's own where the group is one template."""
        cdef Program result
        cdef int t
        result.columns = space.program.columns
        result.begin.push_back(0)
        for g, (templates, key) in enumerate(groups):
            t = templates[0]
            if len(templates) == 1:
                result.seed.push_back(space.program.seed[t])
                for p in range(space.program.begin[t], space.program.begin[t + 1]):
                    result.column.push_back(space.program.column[p])
                    result.offset.push_back(space.program.offset[p])
            else:
                result.seed.push_back(mix(<uint64_t><int>g + 1))
                for attribute, offset in key:
                    if not 0 <= attribute < space.program.columns:
                        raise IndexError(attribute)
                    if not -kReach <= offset <= kReach:
                        raise IndexError(offset)
                    result.column.push_back(attribute)
                    result.offset.push_back(offset)
            result.begin.push_back(<int32_t>result.column.size())
        return result

    @property
    def labels(self):
        return self.layout.labels

    cdef int check(self, FeatureSpace space) except -1:
        """The space must be of the shape that the blocks were laid out for."""
        if (
            space.program.size() != self.n_templates
            or space.program.columns != self.n_attributes
        ):
            raise ValueError("the feature space is not the one of the structure")
        return 0

    def unpack(self, int b, cells):
        """(before, previous, state) of cell numbers of block b, unused ones 0."""
        cdef int units = self.shapes[b].units
        cells = np.asarray(cells, dtype=np.int64)
        return cells // (units * units), cells // units % units, cells % units


cdef vector[uint8_t] flags(values, Py_ssize_t size):
    cdef vector[uint8_t] result
    cdef uint8_t flag
    if values is not None:
        values = np.asarray(values).reshape(-1)
        if values.shape[0] != size:
            raise ValueError((values.shape[0], size))
        for flag in np.ascontiguousarray(values, dtype=np.uint8):
            result.push_back(flag)
    return result


cdef class Rule:
    """How one sentence changes the weights: see rules.hh."""

    cdef unique_ptr[CRule] rule

    @staticmethod
    def perceptron(float rate=1.0, float margin=0.0):
        cdef Rule self = Rule.__new__(Rule)
        self.rule.reset(new PerceptronRule(rate, margin))
        return self

    @staticmethod
    def passive_aggressive(float cap=0.01):
        cdef Rule self = Rule.__new__(Rule)
        self.rule.reset(new PassiveAggressiveRule(cap))
        return self


cdef class Chain:
    """A chain that learns. Not for several threads at once: the caller holds a lock."""

    cdef unique_ptr[Trainer] trainer
    cdef readonly FeatureSpace space
    cdef readonly Structure structure
    cdef Averaging averaging
    cdef Random random

    def __init__(
        self, FeatureSpace space, Structure structure, *, bint average=True,
        int64_t pass_size=0, int64_t restart_every=0, float noise=0.0, uint64_t seed=0,
    ):
        cdef InitialNoise initial
        cdef size_t b
        cdef int32_t t
        structure.check(space)
        self.space = space
        self.structure = structure
        self.averaging.on = average
        self.averaging.pass_size = pass_size
        self.averaging.restart_every = restart_every
        initial.scale = noise
        initial.seed = seed
        self.random = Random(seed)
        self.trainer.reset(new Trainer(
            structure.layout, structure.shapes, structure.constants,
            space.program.size(), self.averaging, initial,
        ))
        self.watch()
        for b in range(structure.shapes.size()):
            if structure.shapes[b].latent and structure.shapes[b].kind == Kind.edge:
                for i in range(structure.constants[b]):
                    t = structure.shapes[b].templates[i]
                    deref(self.trainer).start_transitions(
                        b, space.grow_feature(constant_hash(space.program, t))
                    )

    cdef void watch(self):
        deref(self.trainer).watch(
            &self.space.keys, &self.space.counts, self.space.min_count
        )

    @property
    def examples(self):
        """Examples (sentences) seen so far: the c of the average."""
        return deref(self.trainer).examples()

    @examples.setter
    def examples(self, int64_t c):
        deref(self.trainer).set_examples(c)

    @property
    def pass_size(self):
        return self.averaging.pass_size

    @pass_size.setter
    def pass_size(self, int64_t n):
        self.averaging.pass_size = n
        deref(self.trainer).set_averaging(self.averaging)

    @property
    def random_state(self):
        return self.random.state

    @random_state.setter
    def random_state(self, uint64_t state):
        self.random.state = state

    @property
    def n_rows(self):
        return [
            deref(self.trainer).rows(b).rows() - 1
            for b in range(deref(self.trainer).n_blocks())
        ]

    @property
    def nbytes(self):
        """Memory of the rows."""
        cdef size_t total = 0
        cdef size_t b
        for b in range(deref(self.trainer).n_blocks()):
            total += 4 * deref(self.trainer).rows(b).w.size()
            total += 4 * deref(self.trainer).rows(b).a.size()
        return total

    def update(
        self, list blocks, const int32_t[::1] gold, Rule rule, *, bint shuffle=True
    ):
        """Learn from the sentences of these FeatureBlocks, once each.

        gold: their labels, one after the other; -1 where a token has none.
        RETURNS: (loss, numbers of the sentences that no path agrees with).
        """
        cdef vector[Sentence] sentences
        cdef vector[int32_t] order
        cdef vector[int32_t] impossible
        cdef Sentence sentence
        cdef FeatureBlock block
        cdef size_t s, other
        cdef int64_t start, token = 0
        cdef int32_t swap
        cdef double loss = 0.0
        cdef double step
        cdef int T = self.space.program.size()
        cdef const int32_t* labels = &gold[0] if gold.shape[0] else NULL
        cdef int32_t label
        for label in gold:
            if label < -1 or label >= self.structure.layout.labels:
                raise IndexError(f"gold label {label}")
        for item in blocks:
            block = item
            if block.generation is not self.space.generation:
                raise ValueError("features of another index, or of a cleared one")
            for s in range(block.sentences.size() - 1):
                start = block.sentences[s]
                sentence.n = block.sentences[s + 1] - start
                if token + sentence.n > gold.shape[0]:
                    raise ValueError((token + sentence.n, gold.shape[0]))
                if sentence.n == 0:
                    continue
                sentence.ids = Ids(
                    block.ids.data() + start * T, <size_t>(sentence.n * T)
                )
                sentence.gold = Ids(labels + token, <size_t>sentence.n)
                token += sentence.n
                order.push_back(<int32_t>sentences.size())
                sentences.push_back(sentence)
        if token != gold.shape[0]:
            raise ValueError((token, gold.shape[0]))
        self.watch()
        with nogil:
            if shuffle:
                for s in range(order.size() - 1 if order.size() else 0):
                    other = s + self.random.below(<uint32_t>(order.size() - s))
                    swap = order[s]
                    order[s] = order[other]
                    order[other] = swap
            for s in range(order.size()):
                deref(self.trainer).before_example()
                step = deref(rule.rule).step(deref(self.trainer), sentences[order[s]])
                if isnan(step):
                    impossible.push_back(order[s])
                else:
                    loss += step
                deref(self.trainer).after_example()
        return loss, sorted(impossible)

    def restart_from_average(self):
        """Continue from the averaged weights, as modified averaging does."""
        deref(self.trainer).restart_from_average()

    def predict(self, FeatureBlock block, const uint8_t[:, ::1] allowed=None):
        """Labels under the averaged weights of now; -2 where a mask leaves no path."""
        cdef int T = self.space.program.size()
        cdef int L = self.structure.layout.labels
        cdef vector[int32_t] path
        cdef size_t s
        cdef int64_t i, start, n
        cdef float score
        cdef Mask mask
        cdef cbool masked = allowed is not None
        if block.generation is not self.space.generation:
            raise ValueError("features of another index, or of a cleared one")
        n = block.n_tokens
        if masked and (allowed.shape[0] != n or allowed.shape[1] != L):
            raise ValueError((allowed.shape[0], allowed.shape[1]))
        result = np.empty(n, dtype=np.int32)
        cdef int32_t[::1] out = result
        for s in range(block.sentences.size() - 1):
            start = block.sentences[s]
            n = block.sentences[s + 1] - start
            if n == 0:
                continue
            if masked:
                mask = Mask(&allowed[start, 0], <size_t>(n * L))
            score = deref(self.trainer).decode(
                Ids(block.ids.data() + start * T, <size_t>(n * T)),
                n, mask, masked, &path,
            )
            for i in range(n):
                out[start + i] = (
                    -2 if score == float("-inf")
                    else path[i] // self.structure.layout.latent
                )
        return result

    def freeze(self):
        """The averaged weights of now, written out."""
        cdef FrozenChain frozen = FrozenChain(self.structure)
        deref(frozen.frozen).take(deref(self.trainer), self.space.keys)
        return frozen

    def load(self, FrozenChain frozen, int64_t examples):
        """Start from frozen weights; their features get ids."""
        cdef size_t b, r, stride, at
        cdef int32_t feature
        cdef FrozenRows* source
        if (
            frozen.structure.blocks != self.structure.blocks
            or frozen.structure.labels != self.structure.labels
            or frozen.structure.layout.latent != self.structure.layout.latent
        ):
            raise ValueError("the frozen chain has another structure")
        for b in range(deref(self.trainer).n_blocks()):
            source = &deref(frozen.frozen).rows(b)
            stride = deref(self.trainer).shape(b).stride()
            for r in range(source.keys.size()):
                feature = self.space.grow_feature(source.keys[r])
                if self.space.min_count > 1:
                    self.space.counts[feature] = self.space.min_count
                at = deref(self.trainer).row_for(b, feature)
                memcpy(
                    deref(self.trainer).rows(b).w.data() + at * stride,
                    source.w.data() + (r + 1) * stride,
                    4 * stride,
                )
        deref(self.trainer).set_examples(examples)
        self.watch()

    def weights(self, int b, *, bint average=False):
        """{feature hash: array over unpadded cells} of block b, for tests and tools."""
        cdef TrainedRows* rows = &deref(self.trainer).rows(b)
        cdef size_t stride = deref(self.trainer).shape(b).stride()
        cdef size_t r, i
        cdef float inverse = deref(self.trainer).inverse_c() if average else 0.0
        result = {}
        for r in range(1, rows.rows()):
            row = np.empty(stride, dtype=np.float32)
            for i in range(stride):
                row[i] = rows.w.data()[r * stride + i]
                if inverse > 0:
                    row[i] -= rows.a.data()[r * stride + i] * inverse
            shape = self.structure.blocks[b]
            units = self.structure.shapes[b].units
            row = row.reshape([units] * shape[0] + [self.structure.shapes[b].pitch])
            result[self.space.keys[rows.feature_of[r]]] = row[..., :units]
        return result


cdef class FrozenChain:
    """A chain that only answers; safe for any number of threads at once."""

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

    def decode(
        self, FeatureSpace space, const uint64_t[:, ::1] attrs,
        const int64_t[::1] bounds, const uint8_t[:, ::1] allowed=None,
    ):
        """Labels of a batch of sentences: attributes in, int32[tokens] out.

        allowed: [tokens, labels], 0 where a label is forbidden; a sentence for which
        leaves no path comes back as -2.
        """
        cdef Py_ssize_t n = attrs.shape[0]
        cdef int L = self.structure.layout.labels
        cdef Mask mask
        cdef Hashes rows
        cdef Bounds sentences
        cdef Labels labels
        cdef cbool masked = allowed is not None
        cdef size_t s, last
        self.structure.check(space)
        if attrs.shape[1] != space.program.columns:
            raise ValueError((attrs.shape[1], space.program.columns))
        for s in range(bounds.shape[0]):
            if not 0 <= bounds[s] <= n or (s and bounds[s] < bounds[s - 1]):
                raise IndexError(f"sentence bound {bounds[s]}")
        if masked and (allowed.shape[0] != n or allowed.shape[1] != L):
            raise ValueError((allowed.shape[0], allowed.shape[1]))
        result = np.zeros(n, dtype=np.int32)
        if n == 0 or bounds.shape[0] < 2 or L == 0:
            return result
        cdef int32_t[::1] out = result
        labels = Labels(&out[0], n)
        sentences = Bounds(&bounds[0], bounds.shape[0])
        if attrs.shape[1]:
            rows = Hashes(&attrs[0, 0], n * attrs.shape[1])
        if masked:
            mask = Mask(&allowed[0, 0], n * L)
        last = bounds.shape[0] - 1
        with nogil:
            deref(self.frozen).decode(
                space.program, rows, sentences, 0, last, mask, masked, labels
            )
        return result

    def export(self, int b):
        """Block b without its zeros: (keys, non-zeros of each row, cells, values)."""
        cdef FrozenRows* rows = &deref(self.frozen).rows(b)
        cdef const BlockShape* shape = &deref(self.frozen).shape(b)
        cdef size_t stride = shape.stride()
        cdef size_t R = rows.keys.size()
        cdef size_t r, i, place
        cdef uint32_t cells_per_row = <uint32_t>(stride // shape.pitch * shape.units)
        cdef size_t total = 0
        cdef size_t at = 0
        cdef const float* row
        keys = np.empty(R, dtype=np.uint64)
        sizes = np.zeros(R, dtype=np.uint32)
        cdef uint64_t[::1] out_keys = keys
        cdef uint32_t[::1] out_sizes = sizes
        for r in range(R):  # counted first: saving is when memory is at its highest
            out_keys[r] = rows.keys[r]
            row = rows.w.data() + (r + 1) * stride
            for i in range(stride):
                if row[i] != 0:
                    out_sizes[r] += 1
            total += out_sizes[r]
        cells = np.empty(total, dtype=np.uint32)
        values = np.empty(total, dtype=np.float32)
        cdef uint32_t[::1] out_cells = cells
        cdef float[::1] out_values = values
        for r in range(R):
            row = rows.w.data() + (r + 1) * stride
            for i in range(cells_per_row):
                place = i // shape.units * shape.pitch + i % shape.units
                if row[place] != 0:
                    out_cells[at] = <uint32_t>i
                    out_values[at] = row[place]
                    at += 1
        return keys, sizes, cells, values

    def fill(
        self, int b, const uint64_t[::1] keys, const uint32_t[::1] sizes,
        const uint32_t[::1] cells, const float[::1] values,
    ):
        """Block b from what export gave. Bad contents raise ValueError."""
        cdef FrozenRows* rows = &deref(self.frozen).rows(b)
        cdef const BlockShape* shape = &deref(self.frozen).shape(b)
        cdef size_t stride = shape.stride()
        cdef uint32_t cells_per_row = <uint32_t>(stride // shape.pitch * shape.units)
        cdef Py_ssize_t r, i, place, at = 0
        cdef float* row
        if keys.shape[0] != sizes.shape[0] or cells.shape[0] != values.shape[0]:
            raise ValueError("array lengths differ")
        rows.start(deref(shape), keys.shape[0])
        for r in range(keys.shape[0]):
            row = rows.append(deref(shape), keys[r])
            if row == NULL:
                raise ValueError("a feature occurs twice")
            if at + <Py_ssize_t>sizes[r] > cells.shape[0]:
                raise ValueError("rows end early")
            for i in range(at, at + <Py_ssize_t>sizes[r]):
                if cells[i] >= cells_per_row:
                    raise ValueError("a cell lies outside its row")
                if not isfinite(values[i]):
                    raise ValueError("a weight is not finite")
                place = cells[i] // shape.units * shape.pitch + cells[i] % shape.units
                row[place] = values[i]
            at += sizes[r]
        if at != cells.shape[0]:
            raise ValueError("rows end late")
