// The smallest change that meets several margins (Hildreth 1957; Censor & Zenios 1997):
//     min |v|^2 / 2 + C * sum of xi_k   such that   v . d_k >= loss_k - xi_k,  xi_k >= 0.
// The solution is v = sum of alpha_k d_k, where alpha maximises
//     sum of alpha_k loss_k - alpha' G alpha / 2,   0 <= alpha_k <= C,   G_kl = d_k . d_l:
// one multiplier at a time is set to its best value until none changes.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace latperc {

// gram: [n, n]; cap: C, infinite for hard margins.
inline void hildreth(const std::vector<double>& gram, const std::vector<double>& losses, double cap,
                     std::vector<double>* alpha) {
  constexpr int kRounds = 2000;        // reached only if no change meets the margins
  constexpr double kTolerance = 1e-9;  // of the largest loss
  const size_t n = losses.size();
  alpha->assign(n, 0.0);
  double largest = 0.0;
  for (double loss : losses) largest = std::max(largest, std::fabs(loss));
  for (int round = 0; round < kRounds; round++) {
    double moved = 0.0;
    for (size_t k = 0; k < n; k++) {
      const double* row = gram.data() + k * n;
      if (!(row[k] > 0.0)) continue;
      double missing = losses[k];
      for (size_t l = 0; l < n; l++) missing -= row[l] * (*alpha)[l];
      const double target = (*alpha)[k] + missing / row[k];
      const double fresh = std::min(std::max(target, 0.0), cap);
      moved = std::max(moved, std::fabs(fresh - (*alpha)[k]) * row[k]);
      (*alpha)[k] = fresh;
    }
    if (moved <= kTolerance * largest) return;
  }
}

}  // namespace latperc
