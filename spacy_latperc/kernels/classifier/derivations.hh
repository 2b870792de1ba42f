// Best derivations of a frozen chain: their scores, the score of a given one, and the
// contributions of tokens and spans.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "classifier/classifier.hh"
#include "lattice/search.hh"
#include "simd/exp.hh"
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

// Adds to out[token, l] the score of the best derivation that skips the l + 1 tokens from
// this one, minus that of the best derivation: above 0, the sentence would be better without
// them. Features of the other tokens are those of the whole sentence. Spans past the end get
// -inf. Only for chains of order 1.
inline void span_costs(const Frozen& frozen, const Query& q, int64_t longest, View<float> out) {
  std::vector<float> ahead, after, row, scratch_row;
  Viterbi search;
  for_each_sentence(frozen, q, [&](Scratch& scratch, size_t s) {
    Lattice& lattice = scratch.lattice;
    const int64_t n = lattice.n;
    const int S = lattice.S, P = lattice.P;
    if (n == 0) return;
    const float* e = lattice.e.data();
    search.forward(lattice, e, q.masked);
    // after[i, k]: the best score after token i in state k; ahead[i]: the best score of a
    // sentence that begins at token i.
    after.assign(static_cast<size_t>(n) * P, kMinusInf);
    ahead.assign(static_cast<size_t>(n), kMinusInf);
    row.assign(P, kMinusInf);
    scratch_row.resize(P);
    for (int j = 0; j < S; j++) {
      if (lattice.layout.may_end(j)) after[static_cast<size_t>(n - 1) * P + j] = 0.0f;
    }
    for (int64_t i = n - 1; i >= 0; i--) {
      for (int j = 0; j < S; j++) {
        row[j] = e[i * P + j] + after[static_cast<size_t>(i) * P + j];
        if (lattice.layout.may_start(j)) ahead[i] = std::max(ahead[i], row[j]);
      }
      if (i > 0) {
        simd::maxplus_rows(lattice.pairs(i), P, row.data(), S, P, scratch_row.data(),
                           after.data() + static_cast<size_t>(i - 1) * P);
      }
    }
    const float best = ahead[0];
    float* to =
        out.at(static_cast<size_t>(q.bounds[s]) * longest, static_cast<size_t>(n * longest));
    for (int64_t start = 0; start < n; start++) {
      const float* arrivals = start ? search.arrivals(lattice, start - 1) : nullptr;
      for (int64_t l = 0; l < longest; l++) {
        const int64_t end = start + l + 1;
        float without = kMinusInf;
        if (end > n) {
          // an empty sentence
        } else if (start == 0) {
          without = end == n ? 0.0f : ahead[end];
        } else {
          const float* rest = after.data() + static_cast<size_t>(end - 1) * P;
          for (int k = 0; k < S; k++) {
            without = std::max(without, arrivals[k] + e[(start - 1) * P + k] + rest[k]);
          }
        }
        to[start * longest + l] += without - best;
      }
    }
  });
}

}  // namespace latperc
