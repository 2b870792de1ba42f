# The structure of a chain: labels, latent values, blocks of rows, transitions.

cdef class Structure:
    """Labels, latent values, order, blocks of templates and forbidden transitions.

    blocks: list of (kind, latent, groups): kind 0 for state rows, 1 for edge rows, 2
        for second-order rows; latent rows are kept per latent state, others per label.
        groups: list of (templates, key): rows are summed group by group, and the sum
        of a group with several templates depends only on its key, a list of
        (attribute, offset).
    transitions, starts, ends: boolean arrays over labels, or None if all are allowed.
    boundaries: additional weights for the first and the last state of a sentence.
    beam: the number of histories that the search keeps; 0 for all (exact search).
    """

    cdef Layout layout
    cdef vector[BlockShape] shapes
    cdef vector[int32_t] constants
    cdef vector[Program] keys
    cdef readonly list blocks
    cdef readonly int n_templates
    cdef readonly int n_attributes

    def __init__(
        self, FeatureSpace space, *, object labels, object latent, object order, blocks,
        transitions=None, starts=None, ends=None, object beam=0,
        bint boundaries=False,
    ):
        cdef BlockShape shape
        self.n_templates = space.program.size()
        self.n_attributes = space.program.columns
        self.layout.labels = whole("labels", labels, 0)
        self.layout.latent = whole("latent", latent, 1)
        self.layout.order = whole("order", order, 0, 2)
        self.layout.beam = whole("beam", beam, 0)
        self.layout.boundaries = boundaries
        history = max((int(kind) for kind, _, _ in blocks), default=0)
        ruled = any(rule is not None for rule in (transitions, starts, ends))
        check_chain_size(labels, latent, max(order, history, int(ruled)))
        self.layout.transitions = flags(transitions, <Py_ssize_t>labels * labels)
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
                        raise wrong_number("template", t, 0, space.program.size() - 1)
                if kind > 0 and len(templates) != 1:
                    raise other_structure("a group of templates and its block")
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
        """Make a program of one hash per group: the feature's own for one template."""
        cdef Program result
        cdef int t
        result.columns = space.program.columns
        result.begin.push_back(0)
        for g, (templates, key) in enumerate(groups):
            t = templates[0]
            if len(templates) == 1:
                result.seed.push_back(space.program.seed[t])
                result.kept.push_back(space.program.kept[t])
                for p in range(space.program.begin[t], space.program.begin[t + 1]):
                    result.column.push_back(space.program.column[p])
                    result.offset.push_back(space.program.offset[p])
            else:
                result.seed.push_back(mix(<uint64_t><int>g + 1))
                result.kept.push_back(<uint64_t>-1)
                for attribute, offset in key:
                    if not 0 <= attribute < space.program.columns:
                        raise wrong_number(
                            "attribute", attribute, 0, space.program.columns - 1
                        )
                    if not -kReach <= offset <= kReach:
                        raise wrong_number("offset", offset, -kReach, kReach)
                    result.column.push_back(attribute)
                    result.offset.push_back(offset)
            result.begin.push_back(<int32_t>result.column.size())
        return result

    @property
    def labels(self):
        return self.layout.labels

    @property
    def boundaries(self):
        return self.layout.boundaries

    cdef int check(self, FeatureSpace space) except -1:
        """Refuse a space that does not fit the layout of the blocks."""
        if (
            space.program.size() != self.n_templates
            or space.program.columns != self.n_attributes
        ):
            raise other_structure("the feature space and the chain")
        return 0

    cdef int32_t boundary_feature(self, FeatureSpace space, uint64_t key) except -1:
        """Return the id of the start or end feature; 0 for none."""
        cdef int32_t feature
        if not self.layout.boundaries:
            return 0
        feature = space.grow_feature(key)
        if space.min_count > 1:
            space.counts[feature] = space.min_count
        return feature

    def cells(self, int b):
        """Return the number of cells of a row of block b."""
        cdef const BlockShape* shape = &self.shapes[b]
        return shape.stride() // shape.pitch * shape.units

    def unpack(self, int b, cells):
        """Convert cells of block b to (before, previous, state), unused ones 0."""
        cdef int units = self.shapes[b].units
        cells = np.asarray(cells, dtype=np.int64)
        return cells // (units * units), cells // units % units, cells % units


cdef vector[uint8_t] flags(values, Py_ssize_t size):
    cdef vector[uint8_t] result
    cdef uint8_t flag
    if values is not None:
        values = np.asarray(values).reshape(-1)
        if values.shape[0] != size:
            raise wrong_shape("flags", (values.shape[0],), f"[{size}]")
        for flag in np.ascontiguousarray(values, dtype=np.uint8):
            result.push_back(flag)
    return result
