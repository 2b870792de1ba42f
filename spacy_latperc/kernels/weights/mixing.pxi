# Shards that learn apart, and their weights mixed: see weights/mixing.hh.

cdef extern from "weights/mixing.hh" namespace "latperc" nogil:
    cdef cppclass BlockDeltas:
        vector[int32_t] features
        vector[uint32_t] sizes
        vector[uint32_t] cells
        vector[float] w
        vector[float] a
        vector[float] g
    cdef cppclass CDeltas "latperc::Deltas":
        vector[BlockDeltas] blocks
        int64_t examples
        double clock
    void copy_weights(Trainer& source, Trainer* target) except +
    void meet_features(Trainer& shard, Trainer* weights, CDeltas* met) except +
    void find_deltas(Trainer& weights, Trainer& shard, CDeltas*) except +
    void mixed_values(
        const vector[const CDeltas*]&, bint by_changes, Trainer* weights, CDeltas*
    ) except +
    void take_values(const CDeltas&, Trainer*) except +


cdef extern from "weights/mixing_in_place.hh" namespace "latperc" nogil:
    cdef cppclass CMixingInPlace "latperc::MixingInPlace":
        CMixingInPlace(Trainer* weights, const vector[Trainer*]& shards) except +
        void mix(bint by_changes, size_t threads) except +


cdef class Deltas:
    """What a shard changed in a pass."""

    cdef CDeltas deltas

    @property
    def examples(self):
        """From how many examples it learned."""
        return self.deltas.examples

    @property
    def n_cells(self):
        """How many weights it changed."""
        cdef size_t total = 0
        cdef size_t b
        for b in range(self.deltas.blocks.size()):
            total += self.deltas.blocks[b].cells.size()
        return total

    def arrays(self, Chain chain, *, int part=0, int parts=1):
        """The same as {name: array}, with features by hash, to go elsewhere.

        part, parts: only features whose hashes are in this one of so many ranges.
        """
        cdef BlockDeltas* block
        cdef size_t b, f, i, at, kept
        cdef uint64_t key
        cdef vector[uint64_t] keys
        cdef vector[uint32_t] sizes, cells
        cdef vector[float] w, a, g
        result = {
            "examples": np.array([self.deltas.examples], dtype=np.int64),
            "clock": np.array([self.deltas.clock], dtype=np.float64),
        }
        for b in range(self.deltas.blocks.size()):
            block = &self.deltas.blocks[b]
            keys.clear()
            sizes.clear()
            cells.clear()
            w.clear()
            a.clear()
            g.clear()
            at = 0
            for f in range(block.features.size()):
                key = chain.space.keys[block.features[f]]
                kept = block.sizes[f]
                if <int>(((key >> 32) * <uint64_t>parts) >> 32) == part:
                    keys.push_back(key)
                    sizes.push_back(block.sizes[f])
                    for i in range(at, at + kept):
                        cells.push_back(block.cells[i])
                        w.push_back(block.w[i])
                        if block.a.size():
                            a.push_back(block.a[i])
                        if block.g.size():
                            g.push_back(block.g[i])
                at += kept
            result[f"{b}.keys"] = copied(keys.data(), keys.size(), np.uint64)
            result[f"{b}.sizes"] = copied(sizes.data(), sizes.size(), np.uint32)
            result[f"{b}.cells"] = copied(cells.data(), cells.size(), np.uint32)
            result[f"{b}.w"] = copied(w.data(), w.size(), np.float32)
            result[f"{b}.a"] = copied(a.data(), a.size(), np.float32)
            result[f"{b}.g"] = copied(g.data(), g.size(), np.float32)
        return result

    @staticmethod
    def from_arrays(Chain chain, dict arrays):
        """What `arrays` of a shard elsewhere gave; its features get ids here."""
        cdef Deltas result = Deltas.__new__(Deltas)
        cdef BlockDeltas* block
        cdef size_t b, i, total
        cdef const uint64_t[::1] keys
        cdef const uint32_t[::1] sizes
        cdef const uint32_t[::1] cells
        cdef TrainedRows* rows
        cdef const BlockShape* shape
        result.deltas.examples = arrays["examples"][0]
        result.deltas.clock = arrays["clock"][0]
        if result.deltas.examples < 0:
            raise ValueError("a shard learned from fewer than no examples")
        result.deltas.blocks.resize(deref(chain.trainer).n_blocks())
        for b in range(result.deltas.blocks.size()):
            block = &result.deltas.blocks[b]
            rows = &deref(chain.trainer).rows(b)
            shape = &deref(chain.trainer).shape(b)
            keys, sizes = arrays[f"{b}.keys"], arrays[f"{b}.sizes"]
            cells = arrays[f"{b}.cells"]
            total = 0
            for i in range(<size_t>sizes.shape[0]):
                total += sizes[i]
                block.sizes.push_back(sizes[i])
            if keys.shape[0] != sizes.shape[0] or total != <size_t>cells.shape[0]:
                raise ValueError("array lengths differ")
            for i in range(<size_t>keys.shape[0]):
                block.features.push_back(chain.space.grow_feature(keys[i]))
                if chain.space.min_count > 1:
                    chain.space.counts[block.features.back()] = max(
                        chain.space.counts[block.features.back()],
                        chain.space.min_count,
                    )
            for i in range(<size_t>cells.shape[0]):
                if cells[i] >= shape.stride() or cells[i] % shape.pitch >= shape.units:
                    raise ValueError("a cell lies outside its row")
                block.cells.push_back(cells[i])
            fill_delta(&block.w, arrays[f"{b}.w"], total)
            fill_delta(&block.a, arrays[f"{b}.a"], total if rows.averaged else 0)
            fill_delta(&block.g, arrays[f"{b}.g"], total if rows.second else 0)
        chain.set_index()
        return result


cdef int fill_delta(vector[float]* plane, values, size_t size) except -1:
    cdef const float[::1] given = values
    cdef Py_ssize_t i
    if <size_t>given.shape[0] != size:
        raise ValueError("a plane has another size")
    if not np.isfinite(values).all():
        raise ValueError("a change is not finite")
    for i in range(given.shape[0]):
        plane.push_back(given[i])
    return 0


cdef vector[const CDeltas*] pointers(list deltas) except *:
    cdef vector[const CDeltas*] result
    for item in deltas:
        result.push_back(&(<Deltas?>item).deltas)
    return result


cdef int check_twins(Chain one, Chain other) except -1:
    if (
        one.space is not other.space or one.planes != other.planes
        or one.structure is not other.structure
    ):
        raise other_structure("a shard")
    return 0


def start_shard(Chain weights, Chain shard):
    """Give a shard, a chain with the same settings, the weights to begin with."""
    check_twins(weights, shard)
    weights.set_index()
    shard.set_index()
    with nogil:
        copy_weights(deref(weights.trainer), shard.trainer.get())


def meet_shard(Chain weights, Chain shard):
    """Let the weights have rows for what a shard met; to come before `deltas_of`.

    RETURNS: the features that were new, as Deltas without cells.
    """
    cdef Deltas met = Deltas.__new__(Deltas)
    check_twins(weights, shard)
    weights.set_index()
    with nogil:
        meet_features(deref(shard.trainer), weights.trainer.get(), &met.deltas)
    return met


def deltas_of(Chain weights, Chain shard):
    """What a shard changed since it had these weights. Shards may be asked at once."""
    cdef Deltas result = Deltas.__new__(Deltas)
    check_twins(weights, shard)
    with nogil:
        find_deltas(deref(weights.trainer), deref(shard.trainer), &result.deltas)
    return result


def mixed(Chain weights, list deltas, *, bint by_changes=False):
    """The weights of the next pass where they change, for `take_mixed`; `weights` stay
    as they are. by_changes: see `mix_shards`."""
    cdef Deltas result = Deltas.__new__(Deltas)
    cdef vector[const CDeltas*] listed = pointers(deltas)
    weights.set_index()
    with nogil:
        mixed_values(listed, by_changes, weights.trainer.get(), &result.deltas)
    return result


def take_mixed(Chain chain, Deltas values):
    """Let a chain have what `mixed` gave, its count of examples too."""
    chain.set_index()
    with nogil:
        take_values(values.deltas, chain.trainer.get())


cdef class MixingInPlace:
    """Mixes chains of this process: the shards of these weights.

    weights: what they began with (`start_shard`).
    shards: chains that have learned nothing since, at least one.
    """

    cdef unique_ptr[CMixingInPlace] mixing
    cdef readonly Chain weights
    cdef readonly list shards

    def __init__(self, Chain weights, list shards):
        cdef vector[Trainer*] listed
        for shard in shards:
            check_twins(weights, shard)
            listed.push_back((<Chain?>shard).trainer.get())
        self.weights, self.shards = weights, list(shards)
        self.mixing.reset(new CMixingInPlace(weights.trainer.get(), listed))

    def mix(self, uint64_t random_state, *, bint by_changes=False, size_t threads=1):
        """Make the weights, and those of all shards, those of the next pass: mixed by
        the examples of the shards. Everything is done or, after an error, nothing.

        random_state: of the weights from then on.
        by_changes: each weight among the shards that changed it, and not among all.
        """
        self.weights.set_index()
        for shard in self.shards:
            (<Chain>shard).set_index()
        with nogil:
            deref(self.mixing).mix(by_changes, threads)
        self.weights.random.state = random_state


def block_sizes(list blocks):
    """Tokens and sentences of each of these FeatureBlocks: [blocks, 2]."""
    result = np.empty((len(blocks), 2), dtype=np.int64)
    cdef int64_t[:, ::1] out = result
    cdef FeatureBlock block
    cdef Py_ssize_t i
    for i in range(len(blocks)):
        block = blocks[i]
        out[i, 0] = block.sentences.back() if block.sentences.size() else 0
        out[i, 1] = block.sentences.size() - 1 if block.sentences.size() else 0
    return result
