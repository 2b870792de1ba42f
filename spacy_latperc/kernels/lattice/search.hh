// Exact search for the best path: Viterbi of order 0, 1 and 2.
//
// State scores are an argument, so that one search serves the free path, the cost-augmented
// path, and paths under a mask (-inf where a state is not allowed). Ties go to the path with
// the lowest last state, then the lowest one before it, ... There are no back-pointers: the
// maxima are stored, and the path is traced from its end.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "lattice/bounds.hh"
#include "lattice/lattice.hh"
#include "simd/maxplus.hh"
#include "simd/predecessors.hh"

namespace latperc {

// The predicted label of every token of a sentence without a path under rules and masks.
constexpr int32_t kNoPath = INT32_MIN;

class Viterbi {
 public:
  // Finds the best path under state scores e [n, P]. RETURNS: its score; -inf if every path is
  // forbidden. masked: e may hold -inf, and the search skips such states.
  // bounds: those of triples, or null.
  float run(Lattice& lattice, const float* e, bool masked, int32_t* path,
            Bounds* bounds = nullptr) {
    bounds_ = bounds;
    if (lattice.n == 0) return 0.0f;
    const int order = lattice.layout.search_order();
    if (order == 0) return independent(lattice, e, path);
    if (order == 2 && lattice.n == 1) return single(lattice, e, path);
    forward(lattice, e, masked);
    return order == 1 ? trace_pairs(lattice, e, path) : trace_triples(lattice, path);
  }

  // Computes only the maxima, for k-best search and max-marginals: order 1 and n > 0, or order 2
  // and n > 1.
  void forward(Lattice& lattice, const float* e, bool masked) {
    everything_.resize(lattice.S);
    for (int k = 0; k < lattice.S; k++) everything_[k] = k;
    if (lattice.layout.search_order() == 1) {
      first_order(lattice, e, masked);
    } else {
      second_order(lattice, e, masked);
    }
  }

  // Order 1: the best score of a path to (state at token i), without e_i(state). [P]
  const float* arrivals(const Lattice& lattice, int64_t i) const {
    return best_.data() + i * lattice.P;
  }
  // Order 2: the best score of a path to (state at i - 1, state at i), i > 0. [S, P]
  const float* pair_scores(const Lattice& lattice, int64_t i) const {
    return alphas_.data() + static_cast<size_t>(i) * lattice.S * lattice.P;
  }

 private:
  float independent(Lattice& lattice, const float* e, int32_t* path) {
    const int S = lattice.S;
    float total = 0.0f;
    for (int64_t i = 0; i < lattice.n; i++) {
      const float* row = e + i * lattice.P;
      int best = 0;
      for (int j = 1; j < S; j++) {
        if (row[j] > row[best]) best = j;
      }
      path[i] = best;
      total += row[best];
    }
    return total;
  }

  void live_states(const float* alpha, int S, bool masked, const int32_t** live, int* n_live) {
    *live = everything_.data();
    *n_live = S;
    if (!masked) return;
    some_.clear();
    for (int k = 0; k < S; k++) {
      if (alpha[k] > kMinusInf) some_.push_back(k);
    }
    *live = some_.data();
    *n_live = static_cast<int>(some_.size());
  }

  // alpha_i(j) = max_k [alpha_{i-1}(k) + pair_i(k, j)] + e_i(j); best_ holds the maximum.
  void first_order(Lattice& lattice, const float* e, bool masked) {
    const int S = lattice.S;
    const int P = lattice.P;
    const int64_t n = lattice.n;
    best_.resize(static_cast<size_t>(n) * P);
    alpha_.resize(P);
    for (int j = 0; j < P; j++) {
      best_[j] = j < S && lattice.layout.may_start(j) ? 0.0f : kMinusInf;
      alpha_[j] = best_[j] + e[j];
    }
    const int32_t* live;
    int n_live;
    for (int64_t i = 1; i < n; i++) {
      float* best = best_.data() + i * P;
      const float* row = e + i * P;
      live_states(alpha_.data(), S, masked, &live, &n_live);
      simd::maxplus(alpha_.data(), lattice.pairs(i), P, live, n_live, P, best);
      for (int j = 0; j < P; j++) alpha_[j] = best[j] + row[j];
    }
  }

  float trace_pairs(Lattice& lattice, const float* e, int32_t* path) {
    const int S = lattice.S;
    const int P = lattice.P;
    const int64_t n = lattice.n;
    int last = -1;
    float score = kMinusInf;
    for (int j = 0; j < S; j++) {
      if (lattice.layout.may_end(j) && alpha_[j] > score) {
        score = alpha_[j];
        last = j;
      }
    }
    if (last < 0) return kMinusInf;
    path[n - 1] = last;
    column_.assign(P, kMinusInf);
    alpha_.resize(P);
    known_.assign(S, 0);
    for (int64_t i = n - 1; i > 0; i--) {
      const float* before = best_.data() + (i - 1) * P;
      const float* row = e + (i - 1) * P;
      for (int k = 0; k < P; k++) alpha_[k] = before[k] + row[k];
      const float* column = column_.data();
      if (lattice.varies(Kind::edge, i)) {
        lattice.pair_column(i, path[i], column_.data());
      } else {
        column = constant_column(lattice, i, path[i]);
      }
      const int k = simd::first_equal(alpha_.data(), column, best_[i * P + path[i]], P);
      path[i - 1] = k < 0 ? S - 1 : k;  // NaN equals nothing
    }
    return score;
  }

  // The scores of one state after every other without varying rows: [P], -inf beyond the last
  // state. They are cached, since paths visit few states.
  const float* constant_column(Lattice& lattice, int64_t i, int j) {
    const size_t P = static_cast<size_t>(lattice.P);
    if (columns_.size() < P * lattice.S) columns_.resize(P * lattice.S);
    float* column = columns_.data() + P * j;
    if (known_[j]) return column;
    known_[j] = 1;
    const float* m = lattice.pairs(i) + j;
    for (int k = 0; k < lattice.S; k++) column[k] = m[static_cast<size_t>(k) * P];
    std::fill(column + lattice.S, column + P, kMinusInf);
    return column;
  }

  // alpha_i(k, j) = max_b [alpha_{i-1}(b, k) + triple_i(b, k, j)] + pair_i(k, j) + e_i(j).
  void second_order(Lattice& lattice, const float* e, bool masked) {
    const int S = lattice.S;
    const int P = lattice.P;
    const int64_t n = lattice.n;
    const size_t plane = static_cast<size_t>(S) * P;
    alphas_.resize(static_cast<size_t>(n) * plane);
    column_.assign(P, kMinusInf);
    maxima_.resize(P);
    const float* pairs = lattice.pairs(1);
    for (int k = 0; k < S; k++) {
      const float first = (lattice.layout.may_start(k) ? 0.0f : kMinusInf) + e[k];
      float* alpha = alphas_.data() + plane + static_cast<size_t>(k) * P;
      for (int j = 0; j < P; j++) {
        alpha[j] = j < S ? (first + pairs[static_cast<size_t>(k) * P + j]) + e[P + j] : kMinusInf;
      }
    }
    const int32_t* live;
    int n_live;
    for (int64_t i = 2; i < n; i++) {
      const float* before = alphas_.data() + (i - 1) * plane;
      const float* triples = lattice.triples(i);
      pairs = lattice.pairs(i);
      const float* row = e + i * P;
      for (int k = 0; k < S; k++) {
        for (int b = 0; b < S; b++) column_[b] = before[static_cast<size_t>(b) * P + k];
        if (bounds_) {
          n_live = bounds_->find(column_.data(), k, &live);
        } else {
          live_states(column_.data(), S, masked, &live, &n_live);
        }
        simd::maxplus(column_.data(), triples + static_cast<size_t>(k) * P, plane, live, n_live, P,
                      maxima_.data());
        float* alpha = alphas_.data() + i * plane + static_cast<size_t>(k) * P;
        const float* pair = pairs + static_cast<size_t>(k) * P;
        for (int j = 0; j < P; j++) alpha[j] = (maxima_[j] + pair[j]) + row[j];
      }
    }
  }

  float trace_triples(Lattice& lattice, int32_t* path) {
    const int S = lattice.S;
    const int P = lattice.P;
    const int64_t n = lattice.n;
    const size_t plane = static_cast<size_t>(S) * P;
    const float* final = alphas_.data() + (n - 1) * plane;
    float score = kMinusInf;
    for (int j = 0; j < S; j++) {
      if (!lattice.layout.may_end(j)) continue;
      for (int k = 0; k < S; k++) {
        const float s = final[static_cast<size_t>(k) * P + j];
        if (s > score) {
          score = s;
          path[n - 1] = j;
          path[n - 2] = k;
        }
      }
    }
    if (score == kMinusInf) return score;
    for (int64_t i = n - 1; i > 1; i--) {
      const float* before = alphas_.data() + (i - 1) * plane;
      const int k = path[i - 1];
      lattice.triple_column(i, k, path[i], column_.data());
      int best = 0;
      float top = kMinusInf;
      for (int b = 0; b < S; b++) {
        const float s = before[static_cast<size_t>(b) * P + k] + column_[b];
        if (s > top) {
          top = s;
          best = b;
        }
      }
      path[i - 2] = best;
    }
    return score;
  }

  float single(Lattice& lattice, const float* e, int32_t* path) {
    float score = kMinusInf;
    for (int j = 0; j < lattice.S; j++) {
      if (lattice.layout.may_start(j) && lattice.layout.may_end(j) && e[j] > score) {
        score = e[j];
        path[0] = j;
      }
    }
    return score;
  }

  Bounds* bounds_ = nullptr;
  std::vector<int32_t> everything_, some_;
  std::vector<float> best_, alpha_, alphas_, column_, maxima_, columns_;
  std::vector<uint8_t> known_;  // columns
};

// The score of a given path up to token i from that up to the token before, summed in the order
// of the search.
inline float extend_score(const Lattice& lattice, const float* e, const int32_t* path, int64_t i,
                          float score) {
  const int order = lattice.layout.search_order();
  if (order >= 2 && i >= 2) score += lattice.triple(i, path[i - 2], path[i - 1], path[i]);
  if (order >= 1 && i >= 1) score += lattice.pair(i, path[i - 1], path[i]);
  return score + e[i * lattice.P + path[i]];
}

// The score of a given path; -inf if it is forbidden.
inline float path_score(const Lattice& lattice, const float* e, const int32_t* path) {
  if (lattice.n == 0) return 0.0f;
  if (!lattice.layout.may_start(path[0]) || !lattice.layout.may_end(path[lattice.n - 1])) {
    return kMinusInf;
  }
  float score = 0.0f;
  for (int64_t i = 0; i < lattice.n; i++) score = extend_score(lattice, e, path, i, score);
  return score;
}

}  // namespace latperc
