# Features from columns of token attributes. A feature is a 64-bit hash and, if it is
# known, an id in an exact index.

cdef extern from "simd/wide.hh" namespace "latperc::simd" nogil:
    cbool allow_wide(cbool)


def build_info():
    """Return the options with which this module was compiled."""
    return {"checked": bool(kChecked)}


def allow_wide_vectors(bint allowed):
    """Allow or forbid vectors of 16 floats in frozen chains, for tests of both.
    RETURNS: True if this build and processor have them."""
    return bool(allow_wide(allowed))


cdef class BatchAttributes:
    """The attributes of the tokens of a batch: columns that were read, and attributes
    of word types. It is made by `FeatureSpace.attributes`.

    matrix: [tokens, attributes], if all of them are columns.
    """

    cdef const uint64_t[:, ::1] columns
    cdef vector[const uint64_t*] words
    cdef vector[shared_ptr[WordValues]] held  # owners of the words
    cdef vector[int32_t] place
    cdef object written

    def __init__(self, const uint64_t[:, ::1] matrix not None):
        cdef Py_ssize_t a
        self.columns = matrix
        for a in range(matrix.shape[1]):
            self.place.push_back(<int32_t>a)

    @property
    def n_tokens(self):
        return self.columns.shape[0]

    @property
    def n_attributes(self):
        return self.place.size()

    @property
    def matrix(self):
        """All attributes, uint64[tokens, attributes]."""
        cdef uint64_t[:, ::1] out
        if self.written is None:
            shape = (self.columns.shape[0], self.place.size())
            matrix = np.empty(shape, dtype=np.uint64)
            out = matrix
            if matrix.size:
                write_matrix(self.view(), out.shape[0], out.shape[1], &out[0, 0])
            self.written = matrix
        return self.written

    def take(self, const int64_t[::1] tokens):
        """The attributes of some tokens."""
        cdef BatchAttributes result = BatchAttributes.__new__(BatchAttributes)
        cdef int64_t token
        result.columns = np.asarray(self.columns)[np.asarray(tokens)]
        result.place, result.held = self.place, self.held
        for token in tokens if self.words.size() else tokens[:0]:
            result.words.push_back(self.words[token])
        return result

    cdef TokenAttributes view(self) noexcept:
        cdef TokenAttributes result
        result.width = self.columns.shape[1]
        result.place = Ids(self.place.data(), self.place.size())
        if self.columns.shape[0] and self.columns.shape[1]:
            result.columns = Hashes(
                &self.columns[0, 0], self.columns.shape[0] * self.columns.shape[1]
            )
        if self.words.size():
            result.words = Words(self.words.data(), self.words.size())
        return result


cdef class TokenValues:
    """Lists that replace some attribute values of a batch, made by
    `FeatureSpace.token_values`."""

    cdef ValueTable table
    cdef readonly Py_ssize_t n_tokens
    cdef list held  # arrays of vectors

    def take(self, const int64_t[::1] tokens):
        """The lists of some tokens."""
        cdef TokenValues result = TokenValues.__new__(TokenValues)
        cdef Py_ssize_t i, c
        result.table = self.table
        result.table.list_of.clear()
        result.table.dense.clear()
        result.held = []
        for c, numbers in enumerate(self.held):
            add_dense(
                result, self.table.dense[c].attribute, self.table.dense[c].keys,
                numbers[np.asarray(tokens)],
            )
        for i in range(tokens.shape[0]):
            if not 0 <= tokens[i] < self.n_tokens:
                raise wrong_number("tokens", tokens[i], 0, self.n_tokens - 1)
            for c in range(self.table.columns):
                result.table.list_of.push_back(
                    self.table.list_of[tokens[i] * self.table.columns + c]
                )
        result.n_tokens = tokens.shape[0]
        return result


@cython.no_gc  # one per training Doc, and never part of a cycle
cdef class FeatureBlock:
    """The feature ids of the sentences of one Doc, or of a part of a corpus."""

    cdef vector[int32_t] codes  # see hashing/patterns.hh; the ids, if it is not packed
    cdef readonly bint packed
    cdef vector[int64_t] sentences
    cdef vector[int64_t] weighted_begin  # [tokens + 1], or empty
    cdef vector[WeightedId] weighted
    cdef vector[vector[float]] vectors  # of each dense attribute: [tokens, width]
    cdef vector[DenseNumbers] dense  # the same for each template
    cdef readonly int templates
    cdef readonly object generation
    cdef FeatureSpace space

    @property
    def n_tokens(self):
        return self.sentences.back() if self.sentences.size() else 0

    @property
    def n_sentences(self):
        return self.sentences.size() - 1 if self.sentences.size() else 0

    @property
    def nbytes(self):
        return (
            4 * self.codes.size() + 8 * self.sentences.size()
            + 8 * self.weighted_begin.size() + sizeof(WeightedId) * self.weighted.size()
            + 4 * sum([self.vectors[c].size() for c in range(self.vectors.size())])
        )

    @property
    def n_weighted(self):
        """The number of features with a weight other than 1, which come from lists."""
        return self.weighted.size()

    cdef WeightedIds weighted_ids(self, int64_t start) noexcept:
        """The weighted features of the sentence that begins at this token."""
        cdef WeightedIds result
        if self.weighted_begin.size():
            result.begin = self.weighted_begin.data() + start
            result.items = WeightedItems(self.weighted.data(), self.weighted.size())
        if self.dense.size():
            result.dense = &self.dense
            result.start = start
        return result

    cdef size_t begin(self, size_t sentence) noexcept:
        """The place of the codes of a sentence."""
        cdef int64_t tokens = self.sentences[sentence]
        if self.packed:
            return self.space.patterns.codes(tokens, sentence)
        return <size_t>(tokens * self.templates)

    cdef KeptIds kept_ids(self, size_t sentence) noexcept:
        """A stored sentence, valid as long as the block."""
        cdef KeptIds result
        cdef size_t first = self.begin(sentence)
        result.size = self.begin(sentence + 1) - first
        result.codes = Ids(self.codes.data() + first, result.size)
        result.n = self.sentences[sentence + 1] - self.sentences[sentence]
        result.packed = self.packed
        return result

    cdef const int32_t* ids(self, vector[int32_t]* storage) except? NULL:
        """The ids of all sentences, [tokens, templates], written to the storage if they
        are packed."""
        cdef size_t s
        cdef vector[int32_t] sentence
        if not self.packed:
            return self.codes.data()
        if self.generation is not self.space.generation:
            raise other_features()
        storage.resize(self.n_tokens * self.templates)
        for s in range(self.sentences.size() - 1):
            self.space.patterns.copy_ids(
                self.kept_ids(s), &sentence,
                storage.data() + self.sentences[s] * self.templates,
            )
        return storage.data()

    def weighted_features(self):
        """The tokens, templates, ids and values of the weighted features."""
        cdef Py_ssize_t i, s
        cdef int64_t k
        cdef const float* x
        cdef DenseNumbers* numbers
        cdef const DenseTemplate* template
        cdef size_t d
        cdef vector[int64_t] tokens
        cdef vector[int32_t] templates, ids
        cdef vector[float] values
        for i in range(<Py_ssize_t>self.weighted_begin.size() - 1):
            for k in range(self.weighted_begin[i], self.weighted_begin[i + 1]):
                tokens.push_back(i)
                templates.push_back(self.weighted[k].which)
                ids.push_back(self.weighted[k].id)
                values.push_back(self.weighted[k].value)
        for d in range(self.dense.size()):
            numbers = &self.dense[d]
            template = numbers.of_template.get()
            for s in range(self.sentences.size() - 1):
                for i in range(self.sentences[s], self.sentences[s + 1]):
                    x = numbers.at(
                        self.sentences[s], i - self.sentences[s],
                        self.sentences[s + 1] - self.sentences[s],
                    )
                    for k in range(numbers.width if x else 0):
                        if x[k]:
                            tokens.push_back(i)
                            templates.push_back(template.which)
                            ids.push_back(template.ids[k])
                            values.push_back(x[k])
        found = (
            copied(tokens.data(), tokens.size(), np.int64),
            copied(templates.data(), templates.size(), np.int32),
            copied(ids.data(), ids.size(), np.int32),
            copied(values.data(), values.size(), np.float32),
        )
        order = np.lexsort(found[1::-1])  # by token, then by template
        return tuple(column[order] for column in found)

    def bounds(self):
        """The first token of each sentence, and the end."""
        bounds = copied(self.sentences.data(), self.sentences.size(), np.int64)
        return bounds if len(bounds) else np.zeros(1, np.int64)

    def to_array(self):
        """The ids, [tokens, templates]; 0 for unknown features and for lists."""
        cdef vector[int32_t] storage
        cdef const int32_t* found = self.ids(&storage)
        ids = copied(found, self.n_tokens * self.templates, np.int32)
        return ids.reshape(self.n_tokens, self.templates)

    def to_bytes(self):
        """The contents of the block as bytes, to compare or hash."""
        cdef size_t[4] counts
        counts[0] = self.sentences.size()
        counts[1] = self.weighted_begin.size()
        counts[2] = self.weighted.size()
        counts[3] = self.packed
        return b"".join((
            bytes_of(counts, sizeof(counts)),
            bytes_of(self.sentences.data(), 8 * self.sentences.size()),
            bytes_of(self.weighted_begin.data(), 8 * self.weighted_begin.size()),
            bytes_of(
                self.weighted.data(), sizeof(WeightedId) * self.weighted.size()
            ),
            bytes_of(self.codes.data(), 4 * self.codes.size()),
            *[
                bytes_of(self.vectors[c].data(), 4 * self.vectors[c].size())
                for c in range(self.vectors.size())
            ],
        ))


cdef bytes bytes_of(const void* start, size_t size):
    return (<const char*>start)[:size] if size else b""


cdef class FeatureSpace:
    """Templates and the index from feature hash to feature id.

    templates: list of (seed, [(attribute, offset), ...]).
    sources: for each attribute either ("column", number) or ("lexical", kind, length,
        function), see LexemeTable. Words have lists of n-grams (see values.hh).
    min_count: rarer features never get a row (the papers' cut-off cc).
    bits: the bits of the hash that tell features apart, which bounds the rows by
        2 ** bits. 64 for exact features.
    packed: store blocks as pattern codes where possible, which saves memory and takes a
        little time to read.
    """

    cdef Program program
    cdef KeyMap index
    cdef vector[uint64_t] keys      # feature id -> hash; id 0 is "no feature"
    cdef vector[int32_t] counts     # occurrences counted, empty without a cut-off
    cdef readonly int min_count
    cdef readonly int bits          # bits of the hash of a feature
    cdef readonly object generation  # of the ids: a new one whenever they are forgotten
    # For each attribute a column, or -1 - the number of a value of the word.
    cdef vector[int32_t] places
    cdef int widest  # the number of columns that are read
    cdef LexemeTable lexemes
    cdef Patterns patterns
    cdef unique_ptr[Packer] packer  # null where patterns do not pay
    cdef vector[shared_ptr[DenseTemplate]] dense  # of each template, or null

    def __init__(
        self, templates, sources, *, object min_count=1, lexeme_limit=1 << 20,
        object bits=64, bint packed=True,
    ):
        self.bits = whole("bits", bits, 1, 64)
        self.program.columns = len(sources)
        self.program.begin.push_back(0)
        for seed, parts in templates:
            self.program.seed.push_back(seed)
            # The high bits, which choose the bucket of the index.
            self.program.kept.push_back((<uint64_t>-1) << (64 - self.bits))
            for attribute, offset in parts:
                if not 0 <= attribute < len(sources):
                    raise wrong_number("attribute", attribute, 0, len(sources) - 1)
                if not -kReach <= offset <= kReach:
                    raise wrong_number("offset", offset, -kReach, kReach)
                self.program.column.push_back(attribute)
                self.program.offset.push_back(offset)
            self.program.begin.push_back(self.program.column.size())
        lexical = []
        for source in sources:
            if source[0] == "column":
                self.places.push_back(whole("source", source[1], 0))
                self.widest = max(self.widest, self.places.back() + 1)
                continue
            self.places.push_back(-1 - <int32_t>len(lexical))
            if source[1] == C_NGRAMS:
                # The value is what the n-grams depend on; behind it is their place.
                self.program.ngrams.resize(len(sources))
                self.program.ngrams[self.places.size() - 1] = 1
                lexical.append((C_NGRAMS, 0, None))
            lexical.append(source[1:])
        self.program.find_ngrams()
        self.lexemes = LexemeTable(lexical, limit=lexeme_limit)
        self.min_count = whole("min_count", min_count, 0)
        # Not with counts, which files store in the order of the features, nor with a
        # table of bounded size, which must not grow with patterns.
        self.patterns.build(self.program)
        if packed and self.min_count <= 1 and self.bits == 64 and self.patterns.pays():
            self.packer.reset(new Packer(self.patterns))
        self.clear()

    def clear(self):
        """Clear all features (not the templates). Earlier blocks become invalid."""
        self.generation = object()
        self.dense.clear()
        self.patterns.clear()
        self.index.clear()
        self.keys.clear()
        self.keys.push_back(0)
        self.counts.clear()
        if self.min_count > 1:
            self.counts.push_back(0)

    @property
    def n_features(self):
        return self.keys.size() - 1

    @property
    def n_templates(self):
        return self.program.size()

    @property
    def n_lexemes(self):
        """The number of word types in the cache."""
        return self.lexemes.known.size()

    def forget_lexemes(self):
        """Clear the cache of word types."""
        self.lexemes.known.clear()

    @property
    def nbytes(self):
        """The memory of the index and of the cache of word types in bytes."""
        return (
            self.index.bytes() + 8 * self.keys.capacity() + 4 * self.counts.capacity()
            + self.lexemes.known.bytes() + self.patterns.bytes()
        )

    # Attributes ---------------------------------------------------------------------

    def attributes(self, const uint64_t[:, ::1] values, lookup):
        """Find the attributes of the tokens of a batch.

        values: the columns read from the Docs, which must not change while the
            attributes are in use; column 0 is the word (ORTH).
        lookup: maps an ORTH hash to its string; called once per new word type.
        The GIL is held, since it guards the cache of word types.
        """
        cdef BatchAttributes found = BatchAttributes.__new__(BatchAttributes)
        found.columns = values
        found.place = self.places
        if values.shape[0] == 0:
            return found
        if self.widest > values.shape[1]:
            raise wrong_number("source", self.widest - 1, 0, values.shape[1] - 1)
        if self.lexemes.kinds.size():
            self.lexemes.make_room()
            self.lexemes.find(values, lookup, found)
        return found

    def assemble(self, const uint64_t[:, ::1] values, lookup):
        """Find the attributes as a matrix, [tokens, attributes]."""
        return self.attributes(values, lookup).matrix

    def token_values(
        self, columns, const int32_t[:, ::1] list_of, const int64_t[::1] begin,
        const uint64_t[::1] keys, const float[::1] values, dense=None,
    ):
        """Make lists that replace some values of a batch.

        columns: the numbers of the columns with lists.
        list_of: [tokens, columns]: the number of the list from 1; 0 for the value in
            the column.
        begin: the first item of each list, and the end.
        keys, values: the hash and the weight of each item.
        dense: {column: (the hash of each place, float32[tokens, width])}: vectors of
            numbers. Only for columns that templates of one part read, in state blocks.
        """
        cdef TokenValues result = TokenValues.__new__(TokenValues)
        cdef ValueTable* table = &result.table
        cdef Py_ssize_t i, c
        cdef Py_ssize_t n_lists = begin.shape[0] - 1
        cdef size_t a
        columns = list(columns)
        if list_of.shape[1] != len(columns) or keys.shape[0] != values.shape[0]:
            raise wrong_shape(
                "list_of, keys, values",
                (list_of.shape[1], keys.shape[0], values.shape[0]),
                f"[tokens, {len(columns)} columns], and a value for each key",
            )
        if n_lists < 0 or begin[0] != 0 or begin[n_lists] != keys.shape[0]:
            raise wrong_shape("begin", (begin.shape[0],), "from 0 to the last item")
        for i in range(n_lists):
            if begin[i] > begin[i + 1]:
                raise wrong_bound(begin[i + 1], keys.shape[0])
        for i in range(list_of.shape[0]):
            for c in range(list_of.shape[1]):
                if not 0 <= list_of[i, c] <= n_lists:
                    raise wrong_number("list_of", list_of[i, c], 0, n_lists)
        for i in range(values.shape[0]):
            if not isfinite(values[i]):
                raise wrong_value("values", values[i], "a finite number")
        result.n_tokens = list_of.shape[0]
        table.columns = len(columns)
        for number in self.places:
            table.column.push_back(columns.index(number) if number in columns else -1)
        if list_of.size:
            table.list_of.assign(
                &list_of[0, 0], &list_of[0, 0] + list_of.shape[0] * list_of.shape[1]
            )
        table.begin.assign(&begin[0], &begin[0] + begin.shape[0])
        if keys.shape[0]:
            table.keys.assign(&keys[0], &keys[0] + keys.shape[0])
            table.values.assign(&values[0], &values[0] + values.shape[0])
        result.held = []
        for number, (places, numbers) in (dense or {}).items():
            if numbers.shape != (result.n_tokens, len(places)):
                raise wrong_shape(
                    "dense", numbers.shape, f"[{result.n_tokens} tokens, {len(places)}]"
                )
            if not np.isfinite(numbers.sum(dtype=np.float64)):
                raise wrong_value("dense", "not finite", "finite numbers")
            for a in range(self.places.size()):
                if self.places[a] == number:
                    add_dense(result, <int32_t>a, places, numbers)
        return result

    # Features -----------------------------------------------------------------------

    cdef int32_t grow_feature(self, uint64_t key) except -1:
        return FeatureIds(self.index, self.keys, self.counts).grow(key)

    def add_features(self, const uint64_t[::1] keys):
        """Give ids to these hashes, in order, with a sufficient count."""
        cdef int32_t feature
        for key in keys:
            feature = self.grow_feature(key)
            if self.min_count > 1:
                self.counts[feature] = self.min_count

    def counted(self):
        """The counts for the cut-off: (hashes, counts), without start and end weights,
        which are never cut off."""
        cdef size_t f
        cdef size_t n = self.keys.size() - 1 if self.min_count > 1 else 0
        keys = np.empty(n, dtype=np.uint64)
        counts = np.empty(n, dtype=np.int32)
        cdef uint64_t[::1] out_keys = keys
        cdef int32_t[::1] out_counts = counts
        for f in range(n):
            out_keys[f] = self.keys[f + 1]
            out_counts[f] = self.counts[f + 1]
        kept = (keys != kStartKey) & (keys != kEndKey)
        return keys[kept], counts[kept]

    def restore_counts(self, const uint64_t[::1] keys, const int32_t[::1] counts):
        """Restore the result of `counted`; new features get ids."""
        cdef Py_ssize_t k
        if keys.shape[0] != counts.shape[0]:
            raise ValueError("array lengths differ")
        for k in range(keys.shape[0]):
            if counts[k] < 0:
                raise ValueError("a feature was counted less than never")
        if self.min_count > 1:
            for k in range(keys.shape[0]):
                self.counts[self.grow_feature(keys[k])] = counts[k]

    def find_features(self, const uint64_t[::1] keys):
        """The ids of these hashes; 0 for unknown ones."""
        return np.asarray([self.index.find(key) for key in keys], dtype=np.int32)

    def keys_of(self, const int32_t[::1] features):
        """The hashes of these features."""
        cdef Py_ssize_t i
        keys = np.empty(features.shape[0], dtype=np.uint64)
        cdef uint64_t[::1] out = keys
        for i in range(features.shape[0]):
            if not 0 <= features[i] < <Py_ssize_t>self.keys.size():
                raise wrong_number("features", features[i], 0, self.keys.size() - 1)
            out[i] = self.keys[features[i]]
        return keys

    def hashes(self, const uint64_t[:, ::1] attrs):
        """Hash the features of one sentence, [tokens, templates], for tests."""
        cdef int T = self.program.size()
        cdef Py_ssize_t n = attrs.shape[0]
        cdef Py_ssize_t first
        cdef int count, i, t
        result = np.empty((n, T), dtype=np.uint64)
        cdef uint64_t[:, ::1] out = result
        cdef unique_ptr[Tile] tile = unique_ptr[Tile](new Tile(self.program))
        cdef BatchAttributes batch = BatchAttributes(attrs)
        cdef TokenAttributes rows = batch.view()
        cdef Hashes tile_hashes
        if n == 0 or T == 0:
            return result
        for first in range(0, n, kTile):
            count = <int>min(<Py_ssize_t>kTile, n - first)
            tile_hashes = deref(tile).hash(rows, n, first, count)
            for i in range(count):
                for t in range(T):
                    out[first + i, t] = tile_hashes[t * kTile + i]
        return result

    def extract(
        self,
        attrs,
        const int64_t[::1] sentences,
        *,
        bint grow=True,
        bint count=False,
        TokenValues values=None,
    ):
        """Extract feature ids of the sentences sentences[s] .. sentences[s + 1].

        attrs: the attributes of a batch, or all of them as a matrix.
        grow: new features get an id (training); otherwise they are 0.
        count: count the features for the cut-off.
        values: lists that replace some attributes of the batch.
        """
        cdef FeatureBlock block = FeatureBlock.__new__(FeatureBlock)
        cdef int T = self.program.size()
        cdef Py_ssize_t s, start, n, first
        cdef int tokens, i, t
        cdef size_t at_id = 0
        cdef BatchAttributes batch = (
            attrs if isinstance(attrs, BatchAttributes) else BatchAttributes(attrs)
        )
        cdef TokenAttributes rows
        cdef Hashes tile_hashes
        cdef unique_ptr[Tile] tile = unique_ptr[Tile](new Tile(self.program))
        cdef unique_ptr[ListedFeatures] lists
        cdef const ValueTable* table = NULL
        cdef cbool has_lists = values is not None or self.program.ngrams.size() > 0
        cdef vector[uint8_t] listed  # 1 for templates over lists, 2 over vectors
        cdef vector[int32_t] vectors_at = vector[int32_t](T)  # their offsets
        cdef Py_ssize_t begin = sentences[0] if sentences.shape[0] else 0
        check_sentences(batch.n_tokens, sentences)
        check_values(self, values, batch.n_tokens)
        if values is not None:
            table = &values.table
        block.templates = T
        block.generation = self.generation
        block.space = self
        block.sentences.reserve(max(sentences.shape[0], 1))
        for s in range(sentences.shape[0]):
            block.sentences.push_back(sentences[s] - begin)
        if sentences.shape[0] == 0:
            block.sentences.push_back(0)
        # Patterns need a growing index, and have no lists of the batch.
        block.packed = grow and values is None and self.packer
        block.codes.resize(block.begin(block.sentences.size() - 1))
        if table and table.dense.size():
            self.take_vectors(block, table, begin, grow)
        for t in range(T if has_lists else 0):
            listed.push_back(ListedFeatures.concerns(table, self.program, t))
            if table and table.dense_of(self.program, t) >= 0:
                vectors_at[t] = self.program.offset[self.program.begin[t]]
                listed[t] = 2
        for s in range(sentences.shape[0] - 1):
            start = sentences[s]
            n = sentences[s + 1] - start
            if n == 0 or T == 0:
                continue
            rows = batch.view().from_token(start)
            if has_lists:
                lists.reset(new ListedFeatures(table, self.program, start, n, rows))
            if block.packed:
                deref(self.packer).pack(
                    rows, n, FeatureIds(self.index, self.keys, self.counts),
                    block.codes.data() + block.begin(s),
                )
                for i in range(n if has_lists else 0):
                    block.weighted_begin.push_back(block.weighted.size())
                    for t in range(T):
                        if listed[t]:
                            self.add_listed(block, deref(lists), t, i, grow, count)
                continue
            for first in range(0, n, kTile):
                tokens = <int>min(<Py_ssize_t>kTile, n - first)
                tile_hashes = deref(tile).hash(rows, n, first, tokens)
                if not has_lists and not grow:
                    find_ids(
                        self.index, tile_hashes, kTile, tokens, T,
                        block.codes.data() + at_id,
                    )
                    at_id += tokens * T
                    continue
                for i in range(tokens):
                    if has_lists:
                        block.weighted_begin.push_back(block.weighted.size())
                    for t in range(T):
                        if has_lists and listed[t] == 2 and (
                            0 <= first + i + vectors_at[t] < n
                        ):
                            block.codes[at_id] = 0
                        elif has_lists and listed[t] == 1 and (
                            deref(lists).meets(t, first + i)
                        ):
                            block.codes[at_id] = self.add_listed(
                                block, deref(lists), t, first + i, grow, count
                            )
                        else:
                            block.codes[at_id] = self.number(
                                tile_hashes[t * kTile + i], grow, count
                            )
                        at_id += 1
        if block.weighted.size():
            block.weighted_begin.push_back(block.weighted.size())
        else:
            block.weighted_begin.clear()
        return block

    cdef int32_t number(self, uint64_t key, bint grow, bint count) except -1:
        """The id of a feature; 0 if it is unknown and the index may not grow."""
        if not grow:
            return self.index.find(key)
        cdef int32_t feature = self.grow_feature(key)
        if count and self.min_count > 1:
            self.counts[feature] += 1
        return feature

    cdef int32_t add_listed(
        self, FeatureBlock block, ListedFeatures& lists, int t, int64_t i, bint grow,
        bint count,
    ) except -1:
        """The id of the plain feature that a template over lists gives; or 0, with
        weighted features in the block. Packed blocks have weighted ones only."""
        cdef const vector[pair[uint64_t, float]]* found = &lists.find(t, i)
        cdef WeightedId feature
        cdef size_t k
        if ListedFeatures.plain(deref(found)) and not block.packed:
            return self.number(deref(found)[0].first, grow, count)
        feature.which = t
        for k in range(found.size()):
            feature.id = self.number(deref(found)[k].first, grow, count)
            feature.value = deref(found)[k].second
            if feature.id:
                block.weighted.push_back(feature)
        return 0

    cdef int take_vectors(
        self, FeatureBlock block, const ValueTable* table, int64_t first, bint grow
    ) except -1:
        """Copy the vectors of the tokens of a block, and give ids to their places."""
        cdef size_t c, k
        cdef int t
        cdef int64_t tokens = block.sentences.back()
        cdef const DenseColumn* column
        cdef DenseTemplate* template
        cdef DenseNumbers numbers
        cdef const float* start
        for c in range(table.dense.size()):
            column = &table.dense[c]
            block.vectors.push_back(vector[float]())
            start = column.numbers.at(first * column.width, tokens * column.width)
            block.vectors.back().assign(start, start + tokens * column.width)
        self.dense.resize(self.program.size())
        for t in range(<int>self.program.size()):
            if table.dense_of(self.program, t) < 0:
                continue
            c = table.dense_of(self.program, t)
            column = &table.dense[c]
            if not self.dense[t]:
                self.dense[t] = make_shared[DenseTemplate]()
            template = self.dense[t].get()
            template.which = t
            template.offset = self.program.offset[self.program.begin[t]]
            template.ids.resize(max(template.ids.size(), column.keys.size()), 0)
            for k in range(column.keys.size()):
                if template.ids[k] == 0:
                    key = dense_key(self.program, t, column.keys[k])
                    template.ids[k] = self.number(key, grow, False)
                    if grow and self.min_count > 1:
                        self.counts[template.ids[k]] = self.min_count
            numbers.of_template = <shared_ptr[const DenseTemplate]>self.dense[t]
            numbers.width = column.width
            numbers.numbers = ScoreFloats(
                block.vectors[c].data(), block.vectors[c].size()
            )
            block.dense.push_back(numbers)
        return 0


cdef int add_dense(
    TokenValues values, int32_t attribute, places, const float[:, ::1] numbers
) except -1:
    """Add the vectors of an attribute to the values of a batch."""
    cdef DenseColumn column
    column.attribute, column.width = attribute, numbers.shape[1]
    column.keys = places
    if numbers.size:
        column.numbers = ScoreFloats(&numbers[0, 0], numbers.size)
    values.table.dense.push_back(column)
    values.held.append(np.asarray(numbers))
    return 0


cdef int check_values(FeatureSpace space, TokenValues values, Py_ssize_t n) except -1:
    """Check that lists match the tokens and the feature space."""
    if values is not None and (
        values.n_tokens != n or <int>values.table.column.size() != space.program.columns
    ):
        raise wrong_shape(
            "values", (values.n_tokens, values.table.column.size()),
            f"[{n} tokens, {space.program.columns} attributes]",
        )
    return 0


cdef int check_sentences(Py_ssize_t n, const int64_t[::1] sentences) except -1:
    """Check that sentence bounds rise and stay inside the batch."""
    cdef Py_ssize_t s
    for s in range(sentences.shape[0]):
        if sentences[s] < 0 or sentences[s] > n:
            raise wrong_bound(sentences[s], n)
        if s and sentences[s] < sentences[s - 1]:
            raise wrong_bound(sentences[s], n)
    return 0


def sentence_bounds(const uint64_t[:] starts, const int64_t[::1] docs):
    """Find the sentences of a batch.

    starts: the SENT_START column; docs: offsets of the Docs. The first token of a Doc
    always begins a sentence; empty Docs have no sentence.
    RETURNS: (bounds int64[S + 1], sentences of each Doc int64[D]).
    """
    check_sentences(starts.shape[0], docs)
    cdef vector[int64_t] bounds
    cdef Py_ssize_t d, i
    cdef Py_ssize_t n_docs = max(docs.shape[0] - 1, 0)
    per_doc = np.zeros(n_docs, dtype=np.int64)
    cdef int64_t[::1] out = per_doc
    for d in range(n_docs):
        for i in range(docs[d], docs[d + 1]):
            if i == docs[d] or starts[i] == 1:
                bounds.push_back(i)
                out[d] += 1
    bounds.push_back(docs[n_docs] if docs.shape[0] else 0)
    return copied(bounds.data(), bounds.size(), np.int64), per_doc


def fingerprints(const uint64_t[:, ::1] values, const int64_t[::1] docs):
    """Compute a 64-bit fingerprint of the columns of each Doc of a batch."""
    check_sentences(values.shape[0], docs)
    cdef Py_ssize_t n_docs = max(docs.shape[0] - 1, 0)
    cdef Py_ssize_t d, i, c
    cdef uint64_t h
    result = np.empty(n_docs, dtype=np.uint64)
    cdef uint64_t[::1] out = result
    for d in range(n_docs):
        h = docs[d + 1] - docs[d]
        for i in range(docs[d], docs[d + 1]):
            for c in range(values.shape[1]):
                h = join(h, values[i, c])
        out[d] = mix(h)
    return result
