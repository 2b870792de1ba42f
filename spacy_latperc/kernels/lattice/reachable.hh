// Finds the labels from which the end of a sentence can be reached under rules and masks.
#pragma once
#include <cstdint>
#include <vector>

#include "lattice/lattice.hh"

namespace latperc {

// One object serves one layout.
class Reachable {
 public:
  void find(const Lattice& lattice, const float* e, bool masked) {
    const Layout& layout = lattice.layout;
    const int L = layout.labels;
    free_ = !masked && layout.transitions.empty() && layout.ends.empty();
    if (free_) return;
    words_ = static_cast<size_t>(L + 63) / 64;
    if (successors_.empty()) find_successors(layout);
    live_.assign(static_cast<size_t>(lattice.n) * words_, 0);
    for (int64_t i = lattice.n - 1; i >= 0; i--) {
      uint64_t* here = live_.data() + i * words_;
      const bool last = i + 1 == lattice.n;
      for (int l = 0; l < L; l++) {
        if (masked && !allowed(lattice, e, i, l)) continue;
        if (last ? layout.may_end(l * layout.latent) : leads_on(layout, l, here + words_)) {
          here[l / 64] |= uint64_t{1} << (l % 64);
        }
      }
    }
  }

  bool at(int64_t i, int label) const {
    return free_ || (live_[i * words_ + label / 64] >> (label % 64) & 1);
  }

 private:
  static bool allowed(const Lattice& lattice, const float* e, int64_t i, int label) {
    const int K = lattice.layout.latent;
    const float* row = e + i * lattice.P + label * K;
    for (int j = 0; j < K; j++) {
      if (row[j] > kMinusInf) return true;
    }
    return false;
  }

  bool leads_on(const Layout& layout, int label, const uint64_t* next) const {
    const bool all = layout.transitions.empty();
    const uint64_t* may = all ? nullptr : successors_.data() + label * words_;
    for (size_t w = 0; w < words_; w++) {
      if (all ? next[w] : may[w] & next[w]) return true;
    }
    return false;
  }

  void find_successors(const Layout& layout) {
    const int L = layout.labels;
    successors_.assign(static_cast<size_t>(L) * words_, 0);
    for (int l = 0; l < L && !layout.transitions.empty(); l++) {
      for (int m = 0; m < L; m++) {
        if (!layout.transitions[static_cast<size_t>(l) * L + m]) continue;
        successors_[l * words_ + m / 64] |= uint64_t{1} << (m % 64);
      }
    }
  }

  bool free_ = true;
  size_t words_ = 0;
  std::vector<uint64_t> successors_;  // [labels, words]
  std::vector<uint64_t> live_;        // [n, words]
};

}  // namespace latperc
