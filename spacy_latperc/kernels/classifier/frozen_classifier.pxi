# Prediction of a linear classifier over latent chunkings.

cdef extern from "classifier/derivations.hh" namespace "latperc" nogil:
    void best_paths(const CFrozen&, const Query&, Labels, Doubles) except +
    void path_scores(const CFrozen&, const Query&, Ids, Doubles) except +
    void contributions(const CFrozen&, const Query&, Ids, Floats) except +


cdef class FrozenClassifier:
    """Frozen chains of all views. Any number of threads may predict at once."""

    cdef readonly list chains
    cdef readonly ChunkViews views

    def __init__(self, list chains, ChunkViews views):
        cdef size_t number = 0
        if len(chains) != len(views):
            raise wrong_shape("chains", (len(chains),), f"[{len(views)} views]")
        for chain in chains:
            if (
                (<FrozenChain>chain).structure.layout.labels
                != <int>views.labels[number].type.size()
                or (<FrozenChain>chain).structure.layout.order != 1
                or (<FrozenChain>chain).structure.layout.latent != 1
            ):
                raise other_structure("a chain and its view")
            number += 1
        self.chains, self.views = list(chains), views

    def predict(self, Question asked not None):
        """RETURNS: the score of each view for each sentence, float64[views, sentences],
        and its labels, int32[views, tokens]."""
        cdef Py_ssize_t V = len(self.chains)
        cdef Py_ssize_t S = asked.sentences()
        cdef Py_ssize_t n = asked.n_tokens
        cdef Py_ssize_t v
        cdef Query query
        cdef FrozenChain chain
        scores = np.zeros((V, S), dtype=np.float64)
        labels = np.zeros((V, n), dtype=np.int32)
        cdef double[:, ::1] to_scores = scores
        cdef int32_t[:, ::1] to_labels = labels
        if S == 0 or n == 0:
            return scores, labels
        for v in range(V):
            chain = self.chains[v]
            query = chain.query(asked)
            with nogil:
                best_paths(
                    deref(chain.frozen), query, Labels(&to_labels[v, 0], n),
                    Doubles(&to_scores[v, 0], S),
                )
        if not deref(self.views.combination).changes_paths():
            return scores, labels
        with nogil:
            combine_all(deref(self.views.combination), to_labels, asked.bounds)
        for v in range(V):
            chain = self.chains[v]
            query = chain.query(asked)
            with nogil:
                path_scores(
                    deref(chain.frozen), query, Ids(&to_labels[v, 0], n),
                    Doubles(&to_scores[v, 0], S),
                )
        return scores, labels

    def contributions(self, Question asked not None, const int32_t[:, ::1] labels):
        """The contribution of each token to the score of these labels."""
        cdef Py_ssize_t n = asked.n_tokens
        cdef Py_ssize_t v, i
        cdef FrozenChain chain
        cdef Query query
        result = np.zeros(n, dtype=np.float32)
        cdef float[::1] out = result
        if labels.shape[0] != len(self.chains) or labels.shape[1] != n:
            raise wrong_shape(
                "labels", (labels.shape[0], labels.shape[1]),
                f"[{len(self.chains)} views, {n} tokens]",
            )
        for v in range(labels.shape[0]):
            chain = self.chains[v]
            for i in range(n):
                if not 0 <= labels[v, i] < chain.structure.layout.labels:
                    raise wrong_number(
                        "labels", labels[v, i], 0, chain.structure.layout.labels - 1
                    )
            query = chain.query(asked)
            if n == 0:
                continue
            with nogil:
                contributions(
                    deref(chain.frozen), query, Ids(&labels[v, 0], n),
                    Floats(&out[0], n),
                )
        return result


cdef int combine_all(
    const Combination& combination, int32_t[:, ::1] labels, const int64_t[::1] bounds
) except -1 nogil:
    """The combined labels of each sentence."""
    cdef unique_ptr[Combination] scratch
    cdef vector[vector[int32_t]] paths
    cdef Py_ssize_t s, v, i
    scratch.reset(new Combination(combination))
    paths.resize(labels.shape[0])
    for s in range(bounds.shape[0] - 1):
        for v in range(labels.shape[0]):
            paths[v].clear()
            for i in range(bounds[s], bounds[s + 1]):
                paths[v].push_back(labels[v, i])
        deref(scratch).apply(&paths)
        for v in range(labels.shape[0]):
            for i in range(bounds[s], bounds[s + 1]):
                labels[v, i] = paths[v][i - bounds[s]]
    return 0
