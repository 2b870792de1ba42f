// Best derivations of a frozen chain: their scores, the score of a given one, and the
// contributions of tokens.
#pragma once
#include <cstdint>

#include "classifier/classifier.hh"
#include "lattice/max_sums.hh"
#include "weights/answers.hh"

namespace latperc {

// The best path and its score.
inline void best_paths(const Frozen& frozen, const Query& q, View<int32_t> paths,
                       View<double> scores) {
  for_each_sentence(frozen, q, [&](Scratch& scratch, size_t s) {
    Lattice& lattice = scratch.lattice;
    const size_t n = static_cast<size_t>(lattice.n);
    int32_t* path = paths.at(static_cast<size_t>(q.bounds[s]), n);
    scores[s] = scratch.searcher.run(lattice, lattice.e.data(), q.masked, path);
  });
}

// Calls visit(lattice, sentence, first token, tokens, path) for each sentence and its path.
template <class Visit>
inline void for_each_path(const Frozen& frozen, const Query& q, View<const int32_t> paths,
                          const Visit& visit) {
  for_each_sentence(frozen, q, [&](Scratch& scratch, size_t s) {
    const size_t first = static_cast<size_t>(q.bounds[s]);
    const size_t n = static_cast<size_t>(scratch.lattice.n);
    visit(scratch.lattice, s, first, n, paths.at(first, n));
  });
}

// Computes the scores of given paths.
inline void path_scores(const Frozen& frozen, const Query& q, View<const int32_t> paths,
                        View<double> scores) {
  for_each_path(frozen, q, paths,
                [&](const Lattice& lattice, size_t s, size_t, size_t, const int32_t* path) {
                  scores[s] = path_score(lattice, lattice.e.data(), path);
                });
}

// Adds to out[token] its share of the score of a given path: its features and transition.
inline void contributions(const Frozen& frozen, const Query& q, View<const int32_t> paths,
                          View<float> out) {
  for_each_path(frozen, q, paths,
                [&](const Lattice& lattice, size_t, size_t first, size_t n, const int32_t* path) {
                  float* to = out.at(first, n);
                  for (size_t i = 0; i < n; i++) {
                    to[i] += lattice.e[i * lattice.P + path[i]];
                    if (i > 0) to[i] += lattice.pair(static_cast<int64_t>(i), path[i - 1], path[i]);
                  }
                });
}

}  // namespace latperc
