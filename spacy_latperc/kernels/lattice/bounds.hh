// Bounds that leave states out of a search where transitions score the same at every token.
//
// For each predecessor k they are the least and the largest of (score to j - c_j) over the states
// j, where c_j is the mean of the scores to j. With
//   floor = max over k of alpha(k) + low(k)
// no k with alpha(k) + high(k) < floor can give a maximum, whatever j is. They are rounded
// outwards, so that no state is left out that is needed.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "simd/predecessors.hh"

namespace latperc {

class Bounds {
 public:
  bool ready() const { return rows_ > 0; }
  void forget() { rows_ = 0; }

  // scores: [rows, middles, pitch] of (k, middle, j) for j < columns. Pairs have one middle,
  // triples have all states.
  void plan(const float* scores, int rows, int middles, int columns, int pitch) {
    rows_ = rows;
    room_ = (rows + simd::kWide - 1) / simd::kWide * simd::kWide;
    low_.assign(static_cast<size_t>(middles) * room_, kMinusInf);
    high_.assign(static_cast<size_t>(middles) * room_, kMinusInf);
    live_.resize(room_);
    std::vector<double> centre(columns);
    std::vector<int> count(columns);
    const auto slack = [](double x) { return 1e-6 * std::fabs(x) + 1e-30; };
    for (int m = 0; m < middles; m++) {
      const auto row = [&](int k) {
        return scores + (static_cast<size_t>(k) * middles + m) * pitch;
      };
      std::fill(centre.begin(), centre.end(), 0.0);
      std::fill(count.begin(), count.end(), 0);
      for (int k = 0; k < rows; k++) {
        for (int j = 0; j < columns; j++) {
          if (row(k)[j] == kMinusInf) continue;
          centre[j] += row(k)[j];
          count[j]++;
        }
      }
      for (int j = 0; j < columns; j++) centre[j] /= std::max(count[j], 1);
      for (int k = 0; k < rows; k++) {
        double low = kPlusInf, high = kMinusInf;
        for (int j = 0; j < columns; j++) {
          if (count[j] == 0) continue;
          const double x = row(k)[j] - centre[j];
          low = std::min(low, x);
          high = std::max(high, x);
        }
        const size_t at = static_cast<size_t>(m) * room_ + k;
        if (low > kMinusInf) low_[at] = static_cast<float>(low - slack(low));
        high_[at] = static_cast<float>(high + slack(high));
      }
    }
  }

  const float* low() const { return low_.data(); }
  const float* high() const { return high_.data(); }

  // alpha: [room()] scores of paths that end in k, before this middle; -inf beyond the rows.
  // RETURNS: the number of predecessors that are left, which are written to `live`.
  int find(const float* alpha, int middle, const int32_t** live) {
    const size_t at = static_cast<size_t>(middle) * room_;
    *live = live_.data();
    int found =
        simd::live_places_of(alpha, low_.data() + at, high_.data() + at, room_, live_.data());
    // If no path ends anywhere, all places are equal, and those beyond the rows are found, too.
    while (found > 0 && live_[found - 1] >= rows_) found--;
    return found;
  }
  int room() const { return room_; }

 private:
  int rows_ = 0, room_ = 0;
  std::vector<float> low_, high_;  // [middles, room]
  std::vector<int32_t> live_;      // [room]
};

}  // namespace latperc
