// Which states can stand two tokens back on the best path, where scores of triples are the
// same at every token: a search of order 2 over many states leaves out the others.
//
// For each state k in the middle, the bounds of PlannedSearch (lattice/planned_search.hh): of
// the scores of (b, k, j) less their mean over b, the least and the largest over j. Nothing
// that is left out could give a maximum.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "simd/predecessors.hh"

namespace latperc {

class TripleBounds {
 public:
  // Below as many states, finding out costs more than it saves.
  static constexpr int kWorth = 40;

  bool ready() const { return S_ > 0; }
  void forget() { S_ = 0; }

  // triples: [S, S, P] scores of (b, k, j).
  void plan(const float* triples, int S, int P) {
    S_ = S;
    room_ = (S + simd::kWide - 1) / simd::kWide * simd::kWide;
    low_.assign(static_cast<size_t>(S) * room_, kMinusInf);
    high_.assign(static_cast<size_t>(S) * room_, kMinusInf);
    live_.resize(room_);
    std::vector<double> centre(S);
    const auto slack = [](double x) { return 1e-6 * std::fabs(x) + 1e-30; };
    for (int k = 0; k < S; k++) {
      const auto row = [&](int b) { return triples + (static_cast<size_t>(b) * S + k) * P; };
      std::fill(centre.begin(), centre.end(), 0.0);
      for (int b = 0; b < S; b++) {
        for (int j = 0; j < S; j++) centre[j] += row(b)[j];
      }
      for (double& x : centre) x /= S;
      for (int b = 0; b < S; b++) {
        double low = kPlusInf, high = kMinusInf;
        for (int j = 0; j < S; j++) {
          const double x = row(b)[j] - centre[j];
          low = std::min(low, x);
          high = std::max(high, x);
        }
        low_[static_cast<size_t>(k) * room_ + b] = static_cast<float>(low - slack(low));
        high_[static_cast<size_t>(k) * room_ + b] = static_cast<float>(high + slack(high));
      }
    }
  }

  // scores: [room()] of paths that end in (b, k), -inf beyond the last state.
  int find(const float* scores, int k, const int32_t** live) {
    const size_t at = static_cast<size_t>(k) * room_;
    *live = live_.data();
    int found =
        simd::live_places_of(scores, low_.data() + at, high_.data() + at, room_, live_.data());
    // Where no path ends all places are alike, and those beyond the last state are found, too.
    while (found > 0 && live_[found - 1] >= S_) found--;
    return found;
  }
  int room() const { return room_; }

 private:
  int S_ = 0, room_ = 0;
  std::vector<float> low_, high_;  // [S, room]
  std::vector<int32_t> live_;      // [room]
};

}  // namespace latperc
