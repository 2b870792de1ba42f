// Label marginals from state marginals, and the best labels by them.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "lattice/lattice.hh"
#include "sums/sums.hh"

namespace latperc {

// out [n, labels]: a label's marginal is the sum over its latent values.
inline void label_marginals(const Layout& layout, const Sums<float>& sums, int64_t n, float* out) {
  const int K = layout.latent;
  for (int64_t i = 0; i < n; i++) {
    const float* states = sums.states(i);
    for (int l = 0; l < layout.labels; l++) {
      float total = states[l * K];
      for (int h = 1; h < K; h++) total += states[l * K + h];
      out[i * layout.labels + l] = total;
    }
  }
}

// The sequence of labels that may start, follow each other and end, with the largest sum
// of marginals; labels without any probability are not taken.
class BestMarginals {
 public:
  bool run(const Layout& layout, const float* table, int64_t n, int32_t* labels) {
    const int L = layout.labels;
    const double nothing = -std::numeric_limits<double>::infinity();
    score_.assign(static_cast<size_t>(n) * L, nothing);
    before_.assign(static_cast<size_t>(n) * L, 0);
    for (int64_t i = 0; i < n; i++) {
      for (int j = 0; j < L; j++) {
        const double own = table[i * L + j];
        if (!(own > 0.0)) continue;
        double& best = score_[i * L + j];
        if (i == 0) {
          if (layout.starts.empty() || layout.starts[j]) best = own;
          continue;
        }
        for (int k = 0; k < L; k++) {
          if (!layout.transitions.empty() && !layout.transitions[static_cast<size_t>(k) * L + j]) {
            continue;
          }
          const double score = score_[(i - 1) * L + k] + own;
          if (score > best) {
            best = score;
            before_[i * L + j] = k;
          }
        }
      }
    }
    double top = nothing;
    for (int j = 0; j < L; j++) {
      const bool ends = layout.ends.empty() || layout.ends[j];
      if (ends && score_[(n - 1) * L + j] > top) {
        top = score_[(n - 1) * L + j];
        labels[n - 1] = j;
      }
    }
    if (top == nothing) return false;
    for (int64_t i = n - 1; i > 0; i--) labels[i - 1] = before_[i * L + labels[i]];
    return true;
  }

 private:
  std::vector<double> score_;
  std::vector<int32_t> before_;
};

}  // namespace latperc
