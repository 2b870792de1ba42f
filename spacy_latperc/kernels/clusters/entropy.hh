// n log2 n as an integer multiple of 2^-20 bits. Integer sums are exact in any order, so that
// equal gains are equal, and clusters do not depend on the machine or on threads.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/checked.hh"

namespace latperc {

class Entropy {
 public:
  static constexpr double kUnit = 1 << 20;
  static constexpr int64_t kMostTabled = 1 << 20;

  // most: the largest argument that is likely.
  explicit Entropy(int64_t most) : table_(static_cast<size_t>(std::min(most, kMostTabled)) + 1) {
    for (size_t n = 0; n < table_.size(); n++) table_[n] = compute(static_cast<int64_t>(n));
  }

  int64_t operator()(int64_t n) const { return holds(n) ? view(table_)[n] : compute(n); }

  // The increase in (m + n) log (m + n) over the separate terms; 0 if m or n is 0.
  int64_t bond(int64_t m, int64_t n) const { return (*this)(m + n) - (*this)(m) - (*this)(n); }

  bool holds(int64_t n) const { return n < static_cast<int64_t>(table_.size()); }
  View<const int64_t> table() const { return view(table_); }

 private:
  static int64_t compute(int64_t n) {
    const double x = static_cast<double>(n);
    return n < 2 ? 0 : static_cast<int64_t>(std::floor(x * std::log2(x) * kUnit + 0.5));
  }

  std::vector<int64_t> table_;
};

}  // namespace latperc
