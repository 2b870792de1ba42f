// Max-marginals: the score of the best path through each state at each token.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "lattice/lattice.hh"
#include "lattice/search.hh"
#include "simd/exp.hh"

namespace latperc {
namespace simd {

// out[k] = max over j of m[k * ld + j] + y[j], for k < rows.
LATPERC_CLONES static void maxplus_rows(const float* m, size_t ld, const float* y, int rows,
                                        int width, float* scratch, float* out) {
  for (int k = 0; k < rows; k++) {
    for (int j = 0; j < width; j++) scratch[j] = m[k * ld + j] + y[j];
    out[k] = largest_of(scratch, width);
  }
}

}  // namespace simd

class MaxSums {
 public:
  // RETURNS: [n, P] scores of the best paths under state scores e; -inf if there is none.
  const float* run(Lattice& lattice, const float* e, bool masked) {
    S_ = lattice.S;
    P_ = lattice.P;
    n_ = lattice.n;
    best_.assign(static_cast<size_t>(n_) * P_, kMinusInf);
    if (n_ == 0) return best_.data();
    const int order = n_ > 1 ? lattice.layout.search_order() : 0;
    if (order > 0) viterbi_.forward(lattice, e, masked);
    row_.assign(P_, kMinusInf);
    scratch_.resize(P_);
    if (order == 0) {
      independent(lattice, e);
    } else if (order == 1) {
      first_order(lattice, e);
    } else {
      second_order(lattice, e);
    }
    return best_.data();
  }

 private:
  bool may_be_at(const Lattice& lattice, int64_t i, int j) const {
    return (i > 0 || lattice.layout.may_start(j)) && (i < n_ - 1 || lattice.layout.may_end(j));
  }

  void independent(const Lattice& lattice, const float* e) {
    float total = 0.0f;
    for (int64_t i = 0; i < n_; i++) {
      float top = kMinusInf;
      for (int j = 0; j < S_; j++) {
        if (may_be_at(lattice, i, j)) top = std::max(top, e[i * P_ + j]);
      }
      total += top;
      best_[i * P_] = top;
    }
    for (int64_t i = 0; i < n_; i++) {
      const float top = best_[i * P_];
      for (int j = 0; j < S_; j++) {
        const float score = may_be_at(lattice, i, j) ? e[i * P_ + j] : kMinusInf;
        best_[i * P_ + j] = total == kMinusInf ? kMinusInf : (score - top) + total;
      }
    }
  }

  // beta_{i-1}(k) = max_j pair_i(k, j) + e_i(j) + beta_i(j)
  void first_order(Lattice& lattice, const float* e) {
    beta_.assign(P_, kMinusInf);
    for (int j = 0; j < S_; j++) beta_[j] = lattice.layout.may_end(j) ? 0.0f : kMinusInf;
    for (int64_t i = n_ - 1; i >= 0; i--) {
      const float* before = viterbi_.arrivals(lattice, i);
      for (int j = 0; j < S_; j++) {
        row_[j] = e[i * P_ + j] + beta_[j];
        best_[i * P_ + j] = before[j] + row_[j];
      }
      if (i == 0) break;
      simd::maxplus_rows(lattice.pairs(i), P_, row_.data(), S_, P_, scratch_.data(), beta_.data());
    }
  }

  // beta_{i-1}(b, k) = max_j triple_i(b, k, j) + pair_i(k, j) + e_i(j) + beta_i(k, j)
  void second_order(Lattice& lattice, const float* e) {
    const size_t plane = static_cast<size_t>(S_) * P_;
    beta_.assign(plane, kMinusInf);
    column_.resize(S_);
    for (size_t c = 0; c < plane; c++) {
      const int j = static_cast<int>(c % P_);
      if (j < S_ && lattice.layout.may_end(j)) beta_[c] = 0.0f;
    }
    for (int64_t i = n_ - 1; i > 0; i--) {
      const float* scores = viterbi_.pair_scores(lattice, i);
      for (int k = 0; k < S_; k++) {
        for (int j = 0; j < S_; j++) {
          const size_t c = static_cast<size_t>(k) * P_ + j;
          float& at = best_[i * P_ + j];
          at = std::max(at, scores[c] + beta_[c]);
          if (i == 1) best_[k] = std::max(best_[k], scores[c] + beta_[c]);
        }
      }
      if (i == 1) break;
      const float* triples = lattice.triples(i);
      const float* pairs = lattice.pairs(i);
      for (int k = 0; k < S_; k++) {
        const size_t from = static_cast<size_t>(k) * P_;
        for (int j = 0; j < S_; j++) row_[j] = pairs[from + j] + e[i * P_ + j] + beta_[from + j];
        simd::maxplus_rows(triples + from, plane, row_.data(), S_, P_, scratch_.data(),
                           column_.data());
        // Row k of beta is no longer needed, but column k holds values of later rows.
        columns_.insert(columns_.end(), column_.begin(), column_.end());
      }
      for (int k = 0; k < S_; k++) {
        for (int b = 0; b < S_; b++) {
          beta_[static_cast<size_t>(b) * P_ + k] = columns_[static_cast<size_t>(k) * S_ + b];
        }
      }
      columns_.clear();
    }
  }

  int S_ = 0, P_ = 0;
  int64_t n_ = 0;
  Viterbi viterbi_;
  std::vector<float> best_, beta_, row_, column_, columns_, scratch_;
};

}  // namespace latperc
