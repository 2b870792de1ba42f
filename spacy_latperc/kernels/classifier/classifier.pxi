# Training of a linear classifier over latent chunkings, in one view or in several.
# Arrays in, arrays out; one call per batch, with the GIL released. The weights of a
# view are those of a chain: views share their features and nothing else.

cdef extern from "classifier/views.hh" namespace "latperc" nogil:
    const uint64_t kMostViews
    cdef cppclass ViewLabels:
        vector[int32_t] type
        vector[uint8_t] begins
        vector[uint8_t] finishes
        vector[int32_t] letter_at
        int letters


cdef extern from "classifier/classifier.hh" namespace "latperc" nogil:
    cdef enum class Combine(int):
        add
        vote
        cotrain
    cdef cppclass Combination:
        Combination(const vector[ViewLabels]&, Combine) except +
        Combination(const Combination&) except +
        cbool changes_paths()
        void apply(vector[vector[int32_t]]*) except +


cdef extern from "classifier/views.hh" namespace "latperc" nogil:
    void to_common(const ViewLabels&, const vector[int32_t]&, vector[int32_t]*)
    void from_common(const ViewLabels&, const vector[int32_t]&, vector[int32_t]*)


cdef extern from "classifier/classifier.hh" namespace "latperc" nogil:
    cdef cppclass ClassifierSettings:
        double cap
        cbool squared
        int most_decodings
    cdef cppclass Example:
        Sentence x
        int y
    cdef cppclass ClassifierCounts:
        int64_t examples
        int64_t negatives
        int64_t wrong
        int64_t updates
        int64_t decodings
        int64_t negative_decodings
        int64_t capped
        int64_t structures
        double loss
    cdef cppclass CClassifier "latperc::Classifier":
        CClassifier(
            const vector[Trainer*]&, const Combination&, const ClassifierSettings&
        ) except +
        void expect(const Sentence* next, const Sentence* after) except +
        void learn(const Example&, cbool averaging, ClassifierCounts*) except +
        void answer(const Sentence&, double* scores) except +
        const vector[vector[int32_t]]& paths()


cdef extern from "classifier/lclr.hh" namespace "latperc" nogil:
    cdef cppclass Lclr:
        Lclr(
            CClassifier*, const vector[Example]&, Random*, cbool shuffle,
            cbool averaging,
        ) except +
        int variant(int most_epochs, ClassifierCounts*) except +
        int strict(int most_epochs, ClassifierCounts*) except +


COMBINE = ("add", "vote", "cotrain")
MOST_VIEWS = kMostViews


cdef class ChunkViews:
    """The labels of each view, and the combination of the views' best chunkings.

    labels: for each view (the type of each label, 0 for outside; whether it always
        begins a chunk; whether it always ends one; the place of the letter by the
        boundaries on its left and right; the number of letters of a type).
    combine: one of COMBINE.
    """

    cdef vector[ViewLabels] labels
    cdef unique_ptr[Combination] combination

    def __init__(self, labels, *, str combine="add"):
        cdef ViewLabels view
        for types, begins, finishes, letter_at, letters in labels:
            view.type = list(map(int, types))
            view.begins = [bool(flag) for flag in begins]
            view.finishes = [bool(flag) for flag in finishes]
            view.letter_at = [int(place) for row in letter_at for place in row]
            view.letters = letters
            if not (
                len(types) == len(begins) == len(finishes)
                and len(types) == 1 + max(types, default=0) * letters
                and view.letter_at.size() == 25
                and 0 <= min(view.letter_at) and max(view.letter_at) < letters
                and types[0] == 0 and min(types) >= 0
            ):
                raise other_structure("the tables of a view")
            self.labels.push_back(view)
        whole("views", self.labels.size(), 1, kMostViews)
        for number in range(1, self.labels.size()):
            if max(self.labels[number].type) != max(self.labels[0].type):
                raise other_structure("the chunk types of the views")
        self.combination.reset(new Combination(
            self.labels, <Combine><int>COMBINE.index(combine)
        ))

    def __len__(self):
        return self.labels.size()

    def common(self, int view, const int32_t[::1] labels):
        """Convert the labels of a view to the common form (classifier/views.hh)."""
        cdef vector[int32_t] result
        to_common(self.labels[self.check(view)], self.given(view, labels), &result)
        return np.asarray(result, dtype=np.int32)

    def back(self, int view, const int32_t[::1] common):
        """Convert valid labels in the common form to those of a view."""
        cdef vector[int32_t] given
        cdef vector[int32_t] result
        cdef int32_t most = 2 * max(self.labels[self.check(view)].type)
        for label in common:
            if not 0 <= label <= most:
                raise wrong_number("common", label, 0, most)
            given.push_back(label)
        from_common(self.labels[view], given, &result)
        return np.asarray(result, dtype=np.int32)

    def combined(self, labels):
        """Combine the labels of a sentence, one sequence per view."""
        cdef vector[vector[int32_t]] paths
        if len(labels) != len(self):
            raise wrong_shape("labels", (len(labels),), f"[{len(self)} views]")
        for view, sequence in enumerate(labels):
            paths.push_back(self.given(view, np.asarray(sequence, dtype=np.int32)))
            if paths[view].size() != paths[0].size():
                raise wrong_shape(
                    "labels", (view, paths[view].size()), f"[views, {paths[0].size()}]"
                )
        cdef unique_ptr[Combination] scratch
        scratch.reset(new Combination(deref(self.combination)))
        deref(scratch).apply(&paths)
        return [np.asarray(path, dtype=np.int32) for path in paths]

    cdef int check(self, int view) except -1:
        if not 0 <= view < len(self):
            raise wrong_number("view", view, 0, len(self) - 1)
        return view

    cdef vector[int32_t] given(self, int view, const int32_t[::1] labels) except *:
        cdef vector[int32_t] result
        cdef int32_t label
        cdef int32_t n = <int32_t>self.labels[self.check(view)].type.size()
        for label in labels:
            if not 0 <= label < n:
                raise wrong_number("labels", label, 0, n - 1)
            result.push_back(label)
        return result


cdef class Classifier:
    """The chains of all views. It is not thread-safe: the caller holds a lock.

    cap, squared: the largest step; PA-II instead of PA-I.
    most_decodings: the largest number of decodings of a negative in an epoch.
    """

    cdef unique_ptr[CClassifier] classifier
    cdef readonly list chains
    cdef readonly ChunkViews views
    cdef Random random

    def __init__(
        self, list chains, ChunkViews views, *, double cap=0.0, bint squared=False,
        object most_decodings=50, uint64_t seed=0,
    ):
        cdef vector[Trainer*] trainers
        cdef ClassifierSettings settings
        cdef Chain chain
        cdef size_t number = 0
        if len(chains) != len(views):
            raise wrong_shape("chains", (len(chains),), f"[{len(views)} views]")
        if squared and not cap > 0.0:
            raise wrong_value("C", cap, "above 0 for squared steps")
        for item in chains:
            chain = item
            if chain.space is not (<Chain>chains[0]).space:
                raise other_structure("the feature spaces of the views")
            if (
                chain.structure.layout.labels != <int>views.labels[number].type.size()
                or chain.structure.layout.latent != 1
                or chain.structure.layout.order != 1
            ):
                raise other_structure("a chain and its view")
            trainers.push_back(chain.trainer.get())
            number += 1
        settings.cap, settings.squared = cap, squared
        settings.most_decodings = whole("most_decodings", most_decodings, 1)
        self.chains, self.views = list(chains), views
        self.random = Random(seed)
        self.classifier.reset(
            new CClassifier(trainers, deref(views.combination), settings)
        )

    @property
    def random_state(self):
        return self.random.state

    @random_state.setter
    def random_state(self, uint64_t state):
        self.random.state = state

    cdef vector[Example] examples(
        self, list blocks, const int8_t[::1] gold, vector[vector[int32_t]]* storage
    ) except *:
        """Collect the non-empty sentences. The storage holds ids of packed blocks."""
        cdef vector[Example] result
        cdef Example example
        cdef FeatureBlock block
        cdef Chain chain = self.chains[0]
        cdef int T = chain.space.program.size()
        cdef const int32_t* ids
        cdef int64_t start
        cdef Py_ssize_t at = 0
        cdef size_t s
        for item in blocks:
            block = item
            if block.generation is not chain.space.generation:
                raise other_features()
            storage.push_back(vector[int32_t]())
            ids = block.ids(&storage.back())
            for s in range(block.sentences.size() - 1):
                if at >= gold.shape[0]:
                    raise wrong_shape(
                        "gold", (gold.shape[0],), "one number for each sentence"
                    )
                start = block.sentences[s]
                example.y = gold[at]
                at += 1
                example.x.n = block.sentences[s + 1] - start
                if not -1 <= example.y <= 1:
                    raise wrong_number("gold", example.y, -1, 1)
                if example.x.n == 0 or example.y == 0:
                    continue
                example.x.ids = Ids(ids + start * T, <size_t>(example.x.n * T))
                example.x.weighted = block.weighted_ids(start)
                result.push_back(example)
        if at != gold.shape[0]:
            raise wrong_shape("gold", (gold.shape[0],), f"[{at} sentences]")
        for other in self.chains:
            (<Chain>other).set_index()
        return result

    def update(
        self, list blocks, const int8_t[::1] gold, *, bint shuffled=True,
        int64_t unaveraged=-1,
    ):
        """Algorithms 1 and 2: learn from the sentences of these blocks, once each.

        gold: 1 or -1 for each sentence; 0 skips it, as do empty sentences.
        unaveraged: the number of sentences before averaging begins; -1 for never.
        RETURNS: the counts.
        """
        cdef vector[vector[int32_t]] storage
        cdef vector[Example] examples = self.examples(blocks, gold, &storage)
        cdef vector[size_t] order
        cdef ClassifierCounts counts
        cdef SignalCheck signals
        cdef size_t s
        with nogil:
            for s in range(examples.size()):
                order.push_back(s)
            if shuffled:
                shuffle(&order, &self.random)
            for s in range(order.size()):
                signals.look()
                deref(self.classifier).expect(
                    &examples[order[s + 1]].x if s + 1 < order.size() else NULL,
                    &examples[order[s + 2]].x if s + 2 < order.size() else NULL,
                )
                deref(self.classifier).learn(
                    examples[order[s]],
                    unaveraged >= 0 and <int64_t>s >= unaveraged,
                    &counts,
                )
                if isinf(counts.loss):
                    break
        return as_dict(counts)

    def predict(self, FeatureBlock block):
        """Predict like FrozenClassifier.predict, but by the current weights, which need
        not be frozen first; views share their look-ups."""
        cdef Chain chain = self.chains[0]
        cdef int T = chain.space.program.size()
        cdef Py_ssize_t V = len(self.chains)
        cdef Py_ssize_t v, i
        cdef size_t s
        cdef int64_t start
        cdef vector[Sentence] sentences
        cdef Sentence x
        cdef vector[double] found
        cdef vector[int32_t] storage
        cdef SignalCheck signals
        if block.generation is not chain.space.generation:
            raise other_features()
        cdef const int32_t* ids = block.ids(&storage)
        for other in self.chains:
            (<Chain>other).set_index()
        scores = np.zeros((V, block.n_sentences), dtype=np.float64)
        labels = np.zeros((V, block.n_tokens), dtype=np.int32)
        cdef double[:, ::1] to_scores = scores
        cdef int32_t[:, ::1] to_labels = labels
        found.resize(V)
        for s in range(block.sentences.size() - 1):
            start = block.sentences[s]
            x.n = block.sentences[s + 1] - start
            x.ids = Ids(ids + start * T, <size_t>(x.n * T))
            x.weighted = block.weighted_ids(start)
            sentences.push_back(x)
        with nogil:
            for s in range(sentences.size()):
                signals.look()
                start = block.sentences[s]
                if sentences[s].n == 0:
                    continue
                deref(self.classifier).expect(
                    &sentences[s + 1] if s + 1 < sentences.size() else NULL,
                    &sentences[s + 2] if s + 2 < sentences.size() else NULL,
                )
                deref(self.classifier).answer(sentences[s], found.data())
                for v in range(V):
                    to_scores[v, s] = found[v]
                    for i in range(sentences[s].n):
                        to_labels[v, start + i] = deref(self.classifier).paths()[v][i]
        return scores, labels

    def iterate(
        self, list blocks, const int8_t[::1] gold, *, bint strict, object most_epochs,
        bint shuffled=True, bint averaging=False,
    ):
        """Run one outer iteration of LCLR, or of its variant, over all examples."""
        cdef vector[vector[int32_t]] storage
        cdef vector[Example] examples = self.examples(blocks, gold, &storage)
        cdef ClassifierCounts counts
        cdef unique_ptr[Lclr] batch
        cdef int passes
        cdef int passes_at_most = whole("most_epochs", most_epochs, 1)
        with nogil:
            batch.reset(new Lclr(
                self.classifier.get(), examples, &self.random, shuffled, averaging
            ))
            if strict:
                passes = deref(batch).strict(passes_at_most, &counts)
            else:
                passes = deref(batch).variant(passes_at_most, &counts)
        return {**as_dict(counts), "passes": passes}


cdef dict as_dict(const ClassifierCounts& counts):
    return {
        "examples": counts.examples,
        "negatives": counts.negatives,
        "wrong": counts.wrong,
        "updates": counts.updates,
        "decodings": counts.decodings,
        "negative_decodings": counts.negative_decodings,
        "capped": counts.capped,
        "structures": counts.structures,
        "loss": counts.loss,
    }
