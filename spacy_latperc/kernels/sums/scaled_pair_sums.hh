// Forward-backward of order 2: like sums/scaled_sums.hh, over pairs of states,
//     alpha_i(k, j) = w_i(k, j) sum_b alpha_{i-1}(b, k) T_i(b, k, j) / c_i,
// where w is the product of the factors of the pair and of state j. It needs two tokens.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "lattice/factors.hh"
#include "sums/scaled_sums.hh"

namespace latperc {

template <class Real>
class ScaledPairSums : Extent {
 public:
  template <class Potentials, class T>
  double run(Potentials& p, const T* e, bool masked, double scale, bool hold) {
    measure(p);
    plane_ = static_cast<size_t>(S_) * P_;
    for (std::vector<Real>* all : {&alpha_, &g_, &both_}) all->resize(n_ * plane_);
    psi_.resize(P_);
    states_.assign(static_cast<size_t>(n_) * P_, Real(0));
    column_.assign(P_, Real(0));
    c_.resize(n_);
    if (!pairs_.take(p, Kind::edge, 1, scale, hold)) return kRefused;
    if (n_ > 2 && !triples_.take(p, Kind::tri, 2, scale, hold)) return kRefused;
    LogProduct z;
    if (!weigh_states(e, S_, P_, scale, psi_.data(), &z)) return kRefused;
    first_ = psi_;
    for (int k = 0; k < S_; k++) first_[k] = p.layout.may_start(k) ? first_[k] : Real(0);
    for (int64_t i = 1; i < n_; i++) {
      if (!weigh_states(e + i * P_, S_, P_, scale, psi_.data(), &z)) return kRefused;
      const double sum = forward(i, masked, &z);
      if (sum == kRefused) return kRefused;
      if (sum <= 0.0) return kImpossible;
    }
    double end = 0.0;
    const Real* last = alpha_.data() + (n_ - 1) * plane_;
    beta_.assign(plane_, Real(0));
    for (size_t c = 0; c < plane_; c++) {
      const int j = static_cast<int>(c % P_);
      beta_[c] = j < S_ && p.layout.may_end(j) ? Real(1) : Real(0);
      end += static_cast<double>(last[c] * beta_[c]);
    }
    if (!(end > 0.0)) return kImpossible;
    z.times(end);
    for (Real& beta : beta_) beta *= static_cast<Real>(1.0 / end);
    for (int64_t i = n_ - 1; i >= 1; i--) backward(i);
    sum_states();
    return z.log();
  }

  void forget() {
    pairs_.forget();
    triples_.forget();
  }

  const Real* states(int64_t i) const { return states_.data() + i * P_; }

  void edges(int64_t i, Real* out) const { std::copy_n(both_.data() + i * plane_, plane_, out); }
  void sum_edges(Real* out) const {
    std::fill(out, out + plane_, Real(0));
    for (int64_t i = 1; i < n_; i++) {
      const Real* both = both_.data() + i * plane_;
      for (size_t c = 0; c < plane_; c++) out[c] += both[c];
    }
  }
  void triples(int64_t i, Real* out) const {
    std::fill(out, out + S_ * plane_, Real(0));
    add_outer(i, out);
    multiply_by(triples_.at(i), out);
  }
  void sum_triples(Real* out) {
    std::fill(out, out + S_ * plane_, Real(0));
    if (n_ < 3) return;
    for (int64_t i = 2; i < n_; i++) {
      if (triples_.shared(i)) add_outer(i, out);
    }
    multiply_by(triples_.shared_matrix(), out);
    one_.resize(S_ * plane_);
    for (int64_t i = 2; i < n_; i++) {
      if (triples_.shared(i)) continue;
      triples(i, one_.data());
      for (size_t c = 0; c < one_.size(); c++) out[c] += one_[c];
    }
  }

 private:
  double forward(int64_t i, bool masked, LogProduct* z) {
    if (pairs_.top(i) == kImpossible || (i > 1 && triples_.top(i) == kImpossible)) return 0.0;
    z->plus(pairs_.top(i));
    Real* alpha = alpha_.data() + i * plane_;
    Real* w = g_.data() + i * plane_;
    std::copy_n(pairs_.at(i), plane_, w);
    for (int k = 0; k < S_; k++) {
      bool weak;
      simd::weigh(w + k * P_, psi_.data(), P_, Range<Real>::kTiny, &weak);
      if (weak && !forbidden(i, k, w)) return kRefused;
    }
    if (i == 1) {
      for (int k = 0; k < S_; k++) std::fill(alpha + k * P_, alpha + (k + 1) * P_, first_[k]);
    } else {
      z->plus(triples_.top(i));
      for (int k = 0; k < S_; k++) arrive(i, k, masked, alpha + k * P_);
    }
    bool weak;
    const Real sum = simd::weigh(alpha, w, static_cast<int>(plane_), Range<Real>::kTiny, &weak);
    if (weak && !out_of_reach(i)) return kRefused;
    if (!(sum > Real(0))) return 0.0;
    c_[i] = Real(1) / sum;
    for (size_t c = 0; c < plane_; c++) alpha[c] *= c_[i];
    z->times(static_cast<double>(sum));
    return static_cast<double>(sum);
  }

  // out(j) = sum_b alpha_{i-1}(b, k) T_i(b, k, j)
  void arrive(int64_t i, int k, bool masked, Real* out) {
    const Real* before = alpha_.data() + (i - 1) * plane_;
    live_.clear();
    for (int b = 0; b < S_; b++) {
      column_[b] = before[static_cast<size_t>(b) * P_ + k];
      if (!masked || column_[b] > Real(0)) live_.push_back(b);
    }
    simd::multiply(column_.data(), triples_.at(i) + static_cast<size_t>(k) * P_, plane_,
                   live_.data(), static_cast<int>(live_.size()), P_, out);
  }

  // True if the tiny factors of (k, .) are forbidden rather than merely tiny.
  bool forbidden(int64_t i, int k, const Real* w) const {
    const Real* m = pairs_.at(i);
    for (int j = 0; j < S_; j++) {
      const size_t c = static_cast<size_t>(k) * P_ + j;
      if (m[c] > Real(0) && psi_[j] > Real(0) && w[c] < Range<Real>::kTiny) return false;
    }
    return true;
  }

  bool out_of_reach(int64_t i) const {
    const Real* before = i > 1 ? alpha_.data() + (i - 1) * plane_ : nullptr;
    for (int k = 0; k < S_; k++) {
      for (int j = 0; j < S_; j++) {
        const size_t c = static_cast<size_t>(k) * P_ + j;
        if (!(g_[i * plane_ + c] > Real(0)) || alpha_[i * plane_ + c] >= Range<Real>::kTiny) {
          continue;
        }
        if (i == 1) {
          if (first_[k] > Real(0)) return false;
          continue;
        }
        for (int b = 0; b < S_; b++) {
          if (before[static_cast<size_t>(b) * P_ + k] > Real(0) &&
              triples_.at(i)[b * plane_ + c] > Real(0)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  void backward(int64_t i) {
    Real* g = g_.data() + i * plane_;
    simd::meet(alpha_.data() + i * plane_, beta_.data(), c_[i], static_cast<int>(plane_),
               both_.data() + i * plane_, g);
    if (i == 1) return;
    for (int k = 0; k < S_; k++) {
      const size_t at = static_cast<size_t>(k) * P_;
      simd::multiply_rows(triples_.at(i) + at, plane_, g + at, S_, P_, column_.data());
      for (int b = 0; b < S_; b++) beta_[static_cast<size_t>(b) * P_ + k] = column_[b];
    }
  }

  void sum_states() {
    for (int k = 0; k < S_; k++) {
      for (int j = 0; j < S_; j++) states_[k] += both_[plane_ + static_cast<size_t>(k) * P_ + j];
    }
    for (int64_t i = 1; i < n_; i++) {
      Real* states = states_.data() + i * P_;
      const Real* both = both_.data() + i * plane_;
      for (int k = 0; k < S_; k++) {
        for (int j = 0; j < S_; j++) states[j] += both[static_cast<size_t>(k) * P_ + j];
      }
    }
  }

  // out(b, k, j) += alpha_{i-1}(b, k) g_i(k, j)
  void add_outer(int64_t i, Real* out) const {
    const Real* alpha = alpha_.data() + (i - 1) * plane_;
    const Real* g = g_.data() + i * plane_;
    for (int b = 0; b < S_; b++) {
      for (int k = 0; k < S_; k++) {
        const Real a = alpha[static_cast<size_t>(b) * P_ + k];
        Real* row = out + b * plane_ + static_cast<size_t>(k) * P_;
        for (int j = 0; j < P_; j++) row[j] += a * g[static_cast<size_t>(k) * P_ + j];
      }
    }
  }

  void multiply_by(const Real* m, Real* out) const {
    for (size_t c = 0; c < S_ * plane_; c++) out[c] *= m[c];
  }

  size_t plane_ = 0;
  Factors<Real> pairs_, triples_;
  std::vector<int32_t> live_;
  std::vector<Real> alpha_, g_, both_, states_;  // g: w, then w beta / c
  std::vector<Real> psi_, first_, column_, c_, beta_, one_;
};

}  // namespace latperc
