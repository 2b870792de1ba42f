# Chains in training. Arrays in, arrays out; one call per batch, with the GIL released.

PLANES = ("w", "a", "g")  # see weights/weights.hh


cdef class Chain:
    """A chain in training. It is not thread-safe: the caller holds a lock."""

    cdef unique_ptr[Trainer] trainer
    cdef readonly FeatureSpace space
    cdef readonly Structure structure
    cdef readonly float noise  # of the initial weights of latent states, or of a view
    cdef readonly list planes  # the planes of a weight: step, average
    cdef Averaging averaging
    cdef Random random

    def __init__(
        self, FeatureSpace space, Structure structure, *, bint average=True,
        int64_t epoch_size=0, int64_t restart_every=0, float noise=0.0, uint64_t seed=0,
        str step="plain", double l1=0.0, double l2=0.0,
    ):
        cdef InitialNoise initial
        cdef StepSettings steps
        cdef size_t b
        cdef int32_t t
        structure.check(space)
        self.space = space
        self.structure = structure
        self.averaging.on = average
        self.averaging.epoch_size = epoch_size
        self.averaging.restart_every = restart_every
        steps.adagrad = step == "adagrad"
        steps.l1, steps.l2 = l1, l2
        self.noise = initial.scale = noise
        self.planes = [step, bool(average)]
        initial.seed = seed
        self.random = Random(seed)
        self.trainer.reset(new Trainer(
            structure.layout, structure.shapes, structure.constants,
            space.program.size(), self.averaging, steps, initial,
        ))
        deref(self.trainer).set_boundaries(
            structure.boundary_feature(space, kStartKey),
            structure.boundary_feature(space, kEndKey),
        )
        self.set_index()
        for b in range(structure.shapes.size()):
            if structure.shapes[b].latent and structure.shapes[b].kind == Kind.edge:
                for i in range(structure.constants[b]):
                    t = structure.shapes[b].templates[i]
                    deref(self.trainer).start_transitions(
                        b, space.grow_feature(constant_hash(space.program, t))
                    )

    cdef void set_index(self):
        deref(self.trainer).set_index(
            &self.space.keys, &self.space.counts, self.space.min_count
        )

    @property
    def examples(self):
        """The number of examples (sentences) seen so far: the c of the average."""
        return deref(self.trainer).examples()

    @examples.setter
    def examples(self, int64_t c):
        deref(self.trainer).set_examples(c)

    @property
    def epoch_size(self):
        return self.averaging.epoch_size

    @epoch_size.setter
    def epoch_size(self, int64_t n):
        self.averaging.epoch_size = n
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
        """The memory of the rows."""
        cdef TrainedRows* rows
        cdef size_t total = 0
        cdef size_t b
        for b in range(deref(self.trainer).n_blocks()):
            rows = &deref(self.trainer).rows(b)
            total += 4 * (rows.w.size() + rows.a.size() + rows.g.size())
            total += rows.parts.bytes()
        return total

    cdef too_little_memory(self):
        return too_little_memory(
            self.structure.layout.labels, self.structure.layout.latent, self.nbytes
        )

    def update(
        self, list blocks, const int32_t[::1] gold, Rule rule, *,
        const uint8_t[:, ::1] sets=None, const float[::1] rates=None,
        const float[:, ::1] external_scores=None, float[:, ::1] slope=None,
        bint shuffled=True,
    ):
        """Learn from the sentences of these FeatureBlocks, once each.

        gold: their labels, one after the other; ANY_LABEL where a token has none, and
            FIRST_SET - s where it has one of label set s.
        sets: [sets, labels], 1 for the labels of a set.
        external_scores: [tokens, labels] or [tokens, states], external scores.
        slope: an array of the same shape for the gradient of the loss with respect to
            the external scores.
        rates: learn rate of the first sentence that is learned from, the second, ...
        RETURNS: (loss, numbers of the sentences whose gold no path can have).
        RAISES: FloatingPointError with the number of a sentence whose loss is not
            finite; the weights are as before it. MemoryError: a sentence may have
            changed only some weights.
        """
        cdef vector[Sentence] sentences
        cdef vector[KeptIds] kept  # of each
        cdef vector[int32_t] storage, next_storage  # ids of this one, and of the next
        cdef const Patterns* patterns = &self.space.patterns
        cdef vector[int32_t] order
        cdef vector[int32_t] impossible
        cdef Sentence sentence
        cdef FeatureBlock block
        cdef size_t s, other
        cdef int64_t start, token = 0
        cdef double loss = 0.0
        cdef double step
        cdef const int32_t* labels = &gold[0] if gold.shape[0] else NULL
        cdef int64_t stopped = -1
        cdef SignalCheck signals
        sentence.sets = read_codes(self.structure, "gold", gold, sets)
        sentence.labels = self.structure.layout.labels
        cdef ExternalScores scores = read_external_scores(
            self.structure, external_scores, gold.shape[0]
        )
        if slope is not None:
            if not rule.has_slope:
                raise wrong_value("slope", "asked for", "None: the rule has none")
            if external_scores is None or (slope.shape[0], slope.shape[1]) != (
                external_scores.shape[0], external_scores.shape[1]
            ):
                raise wrong_shape(
                    "slope", (slope.shape[0], slope.shape[1]),
                    "of the shape of external_scores",
                )
            slope[:] = 0.0
            sentence.sloped = scores.width > 0
        for item in blocks:
            block = item
            if block.generation is not self.space.generation:
                raise other_features()
            for s in range(block.sentences.size() - 1):
                start = block.sentences[s]
                sentence.n = block.sentences[s + 1] - start
                if token + sentence.n > gold.shape[0]:
                    raise wrong_shape("gold", (gold.shape[0],), "a label a token")
                if sentence.n == 0:
                    continue
                kept.push_back(block.kept_ids(s))
                sentence.weighted = block.weighted_ids(start)
                sentence.gold = Ids(labels + token, <size_t>sentence.n)
                sentence.external = scores.from_token(token)
                if sentence.sloped:
                    sentence.slope = Floats(
                        &slope[token, 0], <size_t>(sentence.n * scores.width)
                    )
                token += sentence.n
                order.push_back(<int32_t>sentences.size())
                sentences.push_back(sentence)
        if token != gold.shape[0]:
            raise wrong_shape("gold", (gold.shape[0],), f"[{token} tokens]")
        if rates is not None and rates.shape[0] < <Py_ssize_t>sentences.size():
            raise wrong_shape(
                "rates", (rates.shape[0],), f"[{sentences.size()} sentences] or more"
            )
        self.set_index()
        try:
            with nogil:
                if shuffled:
                    shuffle(&order, &self.random)
                if order.size():
                    other = order[0]
                    sentences[other].ids = patterns.ids(kept[other], &next_storage)
                for s in range(order.size()):
                    signals.look()
                    storage.swap(next_storage)
                    if s + 2 < order.size():
                        other = order[s + 2]
                        deref(self.trainer).announce(kept[other], sentences[other].gold)
                    if s + 1 < order.size():
                        other = order[s + 1]
                        sentences[other].ids = deref(self.trainer).announce_rows(
                            deref(patterns), kept[other], &next_storage
                        )
                    deref(self.trainer).set_rate(rates[s] if rates is not None else 1.0)
                    deref(self.trainer).before_example()
                    step = deref(rule.rule).step(
                        deref(self.trainer), sentences[order[s]]
                    )
                    if isnan(step):
                        impossible.push_back(order[s])
                    elif isinf(step):
                        stopped = order[s]
                        break
                    else:
                        loss += step
                    deref(self.trainer).after_example()
        except MemoryError:
            raise self.too_little_memory() from None
        if stopped >= 0:
            raise FloatingPointError(stopped)
        return loss, sorted(impossible)

    def restart_from_average(self):
        """Continue from the averaged weights, as modified averaging does."""
        deref(self.trainer).restart_from_average()

    def predict(
        self, FeatureBlock block, const uint8_t[:, ::1] allowed=None,
        const float[:, ::1] external_scores=None, *, bint states=False,
    ):
        """Predict labels by the current averaged weights, or, if asked, the states of
        the best path; NO_PATH if there is none."""
        cdef int L = self.structure.layout.labels
        cdef int unit = 1 if states else self.structure.layout.latent
        cdef vector[int32_t] path, storage
        cdef size_t s
        cdef int64_t i, start, n
        cdef float score
        cdef Mask mask
        cdef cbool masked = allowed is not None
        cdef SignalCheck signals
        if block.generation is not self.space.generation:
            raise other_features()
        n = block.n_tokens
        if masked:
            check_mask(self.structure, allowed, n)
        cdef ExternalScores scores = read_external_scores(
            self.structure, external_scores, n
        )
        result = np.empty(n, dtype=np.int32)
        cdef int32_t[::1] out = result
        for s in range(block.sentences.size() - 1):
            start = block.sentences[s]
            n = block.sentences[s + 1] - start
            if n == 0:
                continue
            signals.look()
            if masked:
                mask = Mask(&allowed[start, 0], <size_t>(n * L))
            score = deref(self.trainer).decode(
                self.space.patterns.ids(block.kept_ids(s), &storage),
                block.weighted_ids(start), n, mask, masked, scores.from_token(start),
                &path,
            )
            for i in range(n):
                out[start + i] = (
                    kNoPath if score == float("-inf")
                    else path[i] // unit
                )
        return result

    def freeze(self):
        """Return the current averaged weights as a frozen chain."""
        cdef FrozenChain frozen = FrozenChain(self.structure)
        try:
            deref(frozen.frozen).take(deref(self.trainer), self.space.keys)
        except MemoryError:
            raise self.too_little_memory() from None
        return frozen

    def export(self, int b):
        """Return `freeze().export(b)`, without the time and memory of freezing."""
        cdef AverageCells kept
        cdef size_t r
        kept.find(deref(self.trainer), b)
        keys = np.empty(kept.features.size(), dtype=np.uint64)
        cdef uint64_t[::1] out = keys
        for r in range(kept.features.size()):
            out[r] = self.space.keys[kept.features[r]]
        return (
            keys,
            copied(kept.sizes.data(), kept.sizes.size(), np.uint32),
            copied(kept.cells.data(), kept.cells.size(), np.uint32),
            copied(kept.values.data(), kept.values.size(), np.float32),
        )

    def load(self, FrozenChain frozen, int64_t examples):
        """Start from frozen weights; their features get ids."""
        cdef size_t b
        if (
            frozen.structure.blocks != self.structure.blocks
            or frozen.structure.labels != self.structure.labels
            or frozen.structure.layout.latent != self.structure.layout.latent
        ):
            raise other_structure("the frozen weights")
        for b in range(deref(self.trainer).n_blocks()):
            if frozen.n_rows[b]:  # else rows may have initial noise
                keys, sizes, cells, values = frozen.export(b)
                self.restore(b, keys, sizes, cells, {"w": values})
        deref(self.trainer).set_examples(examples)
        self.set_index()

    @property
    def clock(self):
        """The sum of the penalties that are due (see weights/steps.hh)."""
        return deref(self.trainer).clock()

    def catch_up(self):
        """Apply the penalties that are due to all rows."""
        deref(self.trainer).catch_up_all()

    def state(self, int b):
        """Return the training state of block b, without cells that are zero in every
        plane: (keys, sizes of rows, cells, {plane: values}). The plane "stamps" has the
        time at which each row last shrank. Unused planes are left out, if there are
        rows."""
        cdef TrainedRows* rows = &deref(self.trainer).rows(b)
        cdef vector[const Plane*] planes = rows.planes()
        cdef RowCells kept
        cdef size_t r
        kept.find(deref(self.trainer).shape(b), rows.parts, rows.rows(), planes)
        keys = np.empty(rows.rows() - 1, dtype=np.uint64)
        stamps = np.empty(rows.rows() - 1, dtype=np.float64)
        cdef uint64_t[::1] out_keys = keys
        cdef double[::1] out_stamps = stamps
        for r in range(1, rows.rows()):
            out_keys[r - 1] = self.space.keys[rows.feature_of[r]]
            out_stamps[r - 1] = rows.shrunk_at[r]
        values = {"stamps": stamps}
        for r, name in enumerate(PLANES):
            if planes[r].size() or not len(keys):
                values[name] = plane_values(deref(planes[r]), kept)
        return keys, *row_sizes(kept), values

    def restore(
        self, int b, const uint64_t[::1] keys, const uint32_t[::1] sizes,
        const uint32_t[::1] cells, dict values,
    ):
        """Restore the `state` of block b, after set_progress. Missing planes stay zero.
        Bad contents raise ValueError."""
        cdef size_t r, i, at = 0
        cdef int32_t feature, row
        cdef TrainedRows* rows = &deref(self.trainer).rows(b)
        cdef const BlockShape* shape = &deref(self.trainer).shape(b)
        cdef uint32_t cells_per_row = <uint32_t>self.structure.cells(b)
        cdef const double[::1] stamps = values.get("stamps", np.zeros(keys.shape[0]))
        cdef vector[size_t] places
        if stamps.shape[0] != keys.shape[0] or sizes.shape[0] != keys.shape[0]:
            raise ValueError("array lengths differ")
        for r in range(<size_t>stamps.shape[0]):
            if not 0.0 <= stamps[r] <= deref(self.trainer).clock():
                raise ValueError("a row shrank at no time that was")
        if cells.shape[0] != np.sum(sizes, dtype=np.int64):
            raise ValueError("array lengths differ")
        rows.reset(deref(shape))
        for r in range(<size_t>keys.shape[0]):
            feature = self.space.grow_feature(keys[r])
            if self.space.min_count > 1:
                self.space.counts[feature] = max(
                    self.space.counts[feature], self.space.min_count
                )
            row = rows.row_for(feature)
            if <size_t>row != r + 1:
                raise ValueError("a feature occurs twice")
            rows.shrunk_at[row] = stamps[r]
            for i in range(at, at + sizes[r]):
                if cells[i] >= cells_per_row:
                    raise ValueError("a cell lies outside its row")
                rows.make(row, padded_cell(deref(shape), cells[i]))
            for i in range(at, at + sizes[r]):  # where they are now that none will move
                places.push_back(
                    rows.parts.find(row, padded_cell(deref(shape), cells[i]))
                )
            at += sizes[r]
        fill_plane(rows.w, places, values.get("w"))
        fill_plane(rows.a, places, values.get("a"))
        fill_plane(rows.g, places, values.get("g"))
        self.set_index()

    def set_progress(self, int64_t examples, double clock):
        """Set the number of examples seen, and the sum of penalties that are due."""
        deref(self.trainer).set_examples(examples)
        deref(self.trainer).set_clock(clock)

    def weights(self, int b, *, bint average=False):
        """Return {feature hash: array over unpadded cells} of block b, for tests."""
        cdef TrainedRows* rows = &deref(self.trainer).rows(b)
        cdef const BlockShape* shape = &deref(self.trainer).shape(b)
        cdef size_t r, i, at
        cdef float inverse = deref(self.trainer).inverse_c() if average else 0.0
        cdef float[::1] out
        deref(self.trainer).catch_up_all()
        units = [shape.units] * (self.structure.blocks[b][0] + 1)
        result = {}
        for r in range(1, rows.rows()):
            row = np.zeros(self.structure.cells(b), dtype=np.float32)
            out = row
            for i in range(<size_t>out.shape[0]):
                at = rows.parts.find(<int32_t>r, padded_cell(deref(shape), i))
                out[i] = rows.w.data()[at]
                if inverse > 0:
                    out[i] -= rows.a.data()[at] * inverse
            result[self.space.keys[rows.feature_of[r]]] = row.reshape(units)
        return result


cdef int fill_plane(Plane& plane, const vector[size_t]& places, values) except -1:
    """Write values into these cells of a plane."""
    cdef const float[::1] new
    cdef size_t i
    if values is None:
        return 0
    if plane.size() == 0:
        if len(values):
            raise ValueError("the learner has no such plane")
        return 0
    if len(values) != places.size():
        raise ValueError("a plane has another size")
    if not np.isfinite(values).all():
        raise ValueError("a weight is not finite")
    new = values
    for i in range(places.size()):
        plane.data()[places[i]] = new[i]
    return 0
