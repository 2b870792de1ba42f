// Forward-backward of order 0 and 1 with probabilities, scaled token by token:
//     alpha_i(j) = psi_i(j) sum_k alpha_{i-1}(k) M_i(k, j) / c_i,   sum_j alpha_i(j) = 1,
//     beta_{i-1}(k) = sum_j M_i(k, j) psi_i(j) beta_i(j) / c_i,     P_i(j) = alpha_i(j) beta_i(j).
//
// Every alpha is either at least kTiny or exactly 0 (out of reach), so underflow loses less than
// the last place of the sums; and since alpha beta <= 1, a beta overflows only where alpha is 0.
// Sentences for which this does not hold are refused.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "lattice/factors.hh"
#include "simd/products.hh"

namespace latperc {

// A product of many numbers, as a logarithm.
class LogProduct {
 public:
  void times(double x) {
    product_ *= x;
    if (product_ < 1e-200 || product_ > 1e200) {
      log_ += std::log(product_);
      product_ = 1.0;
    }
  }
  void plus(double log) { log_ += log; }
  double log() const { return log_ + std::log(product_); }

 private:
  double log_ = 0.0;
  double product_ = 1.0;
};

// The size of the current sentence.
class Extent {
 protected:
  template <class Potentials>
  void measure(const Potentials& p) {
    S_ = p.S;
    P_ = p.P;
    n_ = p.n;
  }

  int S_ = 0, P_ = 0;
  int64_t n_ = 0;
};

// psi [P] = the factors of the states of a token relative to its best state, whose score is added
// to z. RETURNS: false if a number underflows.
template <class Real, class T>
inline bool weigh_states(const T* row, int S, int P, double scale, Real* psi, LogProduct* z) {
  const T top = simd::largest(row, S);
  if (top == -std::numeric_limits<T>::infinity()) {
    std::fill(psi, psi + P, Real(0));
    return true;
  }
  z->plus(static_cast<double>(top) * scale);
  return simd::exponentials(row, top, S, P, static_cast<Real>(scale), psi);
}

template <class Real>
class ScaledSums : Extent {
 public:
  // RETURNS: log Z; kImpossible; or kRefused if the numbers need a wider range.
  template <class Potentials, class T>
  double run(Potentials& p, const T* e, bool masked, double scale, bool hold) {
    measure(p);
    chained_ = p.layout.search_order() > 0;
    const size_t size = static_cast<size_t>(n_) * P_;
    alpha_.resize(size);
    g_.resize(size);
    states_.resize(size);
    c_.resize(n_);
    beta_.assign(P_, Real(0));
    everything_.resize(S_);
    for (int k = 0; k < S_; k++) everything_[k] = k;
    if (chained_ && n_ > 1 && !factors_.take(p, Kind::edge, 1, scale, hold)) return kRefused;
    LogProduct z;
    for (int64_t i = 0; i < n_; i++) {
      if (!weigh_states(e + i * P_, S_, P_, scale, g_.data() + i * P_, &z)) return kRefused;
      const double sum = forward(p.layout, i, masked, &z);
      if (sum == kRefused) return kRefused;
      if (sum <= 0.0) return kImpossible;
    }
    double end = 0.0;
    const Real* last = alpha_.data() + (n_ - 1) * P_;
    for (int j = 0; j < S_; j++) {
      beta_[j] = p.layout.may_end(j) ? Real(1) : Real(0);
      end += static_cast<double>(last[j] * beta_[j]);
    }
    if (!(end > 0.0)) return kImpossible;
    z.times(end);
    for (int j = 0; j < S_; j++) beta_[j] *= static_cast<Real>(1.0 / end);
    for (int64_t i = n_ - 1; i >= 0; i--) backward(i, masked);
    return z.log();
  }

  void forget() { factors_.forget(); }

  const Real* states(int64_t i) const { return states_.data() + i * P_; }

  void edges(int64_t i, Real* out) const {
    if (!chained_) {
      outer(states(i - 1), states(i), out);
      return;
    }
    outer(alpha_.data() + (i - 1) * P_, g_.data() + i * P_, out);
    multiply_by(factors_.at(i), out);
  }

  // Tokens with a shared matrix: sums their outer products, and multiplies by the matrix once.
  void sum_edges(Real* out) {
    const size_t size = static_cast<size_t>(S_) * P_;
    std::fill(out, out + size, Real(0));
    if (!chained_) {
      if (n_ > 1) simd::add_outer(states_.data(), states(1), n_ - 1, S_, P_, out);
      return;
    }
    bool any_apart = false;
    for (int64_t i = 1; i < n_;) {
      int64_t end = i;
      while (end < n_ && factors_.shared(end)) end++;
      if (end > i) {
        simd::add_outer(alpha_.data() + (i - 1) * P_, g_.data() + i * P_, end - i, S_, P_, out);
      }
      any_apart = any_apart || end < n_;
      i = end + 1;
    }
    if (n_ > 1) multiply_by(factors_.shared_matrix(), out);
    if (!any_apart) return;
    one_.resize(size);
    for (int64_t i = 1; i < n_; i++) {
      if (factors_.shared(i)) continue;
      edges(i, one_.data());
      for (size_t c = 0; c < size; c++) out[c] += one_[c];
    }
  }

 private:
  double forward(const Layout& layout, int64_t i, bool masked, LogProduct* z) {
    Real* alpha = alpha_.data() + i * P_;
    const Real* psi = g_.data() + i * P_;
    if (i == 0 || !chained_) {
      for (int j = 0; j < P_; j++) alpha[j] = Real(1);
      for (int j = 0; i == 0 && j < S_; j++) alpha[j] = layout.may_start(j) ? Real(1) : Real(0);
    } else {
      if (factors_.top(i) == kImpossible) return 0.0;
      z->plus(factors_.top(i));
      product(alpha_.data() + (i - 1) * P_, factors_.at(i), masked, alpha);
    }
    bool weak;
    const Real sum = simd::weigh(alpha, psi, P_, Range<Real>::kTiny, &weak);
    if (weak && i > 0 && chained_ && !out_of_reach(i)) return kRefused;
    if (!(sum > Real(0))) return 0.0;
    c_[i] = Real(1) / sum;
    for (int j = 0; j < P_; j++) alpha[j] *= c_[i];
    z->times(static_cast<double>(sum));
    return static_cast<double>(sum);
  }

  // True if every tiny alpha belongs to a state that cannot be reached.
  bool out_of_reach(int64_t i) const {
    const Real* before = alpha_.data() + (i - 1) * P_;
    const Real* m = factors_.at(i);
    for (int j = 0; j < S_; j++) {
      if (!(g_[i * P_ + j] > Real(0)) || alpha_[i * P_ + j] >= Range<Real>::kTiny) continue;
      for (int k = 0; k < S_; k++) {
        if (before[k] > Real(0) && m[static_cast<size_t>(k) * P_ + j] > Real(0)) return false;
      }
    }
    return true;
  }

  void backward(int64_t i, bool masked) {
    Real* g = g_.data() + i * P_;
    simd::meet(alpha_.data() + i * P_, beta_.data(), c_[i], P_, states_.data() + i * P_, g);
    if (i == 0) return;
    if (!chained_) {
      for (int j = 0; j < S_; j++) beta_[j] = Real(1);
    } else if (factors_.shared(i)) {
      product(g, factors_.turned(), masked, beta_.data());
    } else {
      simd::multiply_rows(factors_.at(i), P_, g, S_, P_, beta_.data());
    }
  }

  void product(const Real* x, const Real* m, bool masked, Real* out) {
    const int32_t* live = everything_.data();
    int n_live = S_;
    if (masked) {
      some_.clear();
      for (int k = 0; k < S_; k++) {
        if (x[k] > Real(0)) some_.push_back(k);
      }
      live = some_.data();
      n_live = static_cast<int>(some_.size());
    }
    simd::multiply(x, m, P_, live, n_live, P_, out);
  }

  void outer(const Real* a, const Real* b, Real* out) const {
    for (int k = 0; k < S_; k++) {
      for (int j = 0; j < P_; j++) out[static_cast<size_t>(k) * P_ + j] = a[k] * b[j];
    }
  }

  void multiply_by(const Real* m, Real* out) const {
    for (size_t c = 0; c < static_cast<size_t>(S_) * P_; c++) out[c] *= m[c];
  }

  bool chained_ = false;
  Factors<Real> factors_;
  std::vector<int32_t> everything_, some_;
  std::vector<Real> alpha_, g_, states_, c_, beta_, one_;  // g: psi, then psi beta / c
};

}  // namespace latperc
