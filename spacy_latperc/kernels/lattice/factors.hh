// Transition scores of one sentence as factors: exp(scale * (score - top)).
//
// Tokens without features of their own in the transitions share one matrix.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "lattice/lattice.hh"
#include "simd/exp.hh"

namespace latperc {

// Results in place of log Z: there is no path; the numbers are out of range.
constexpr double kImpossible = -std::numeric_limits<double>::infinity();
constexpr double kRefused = std::numeric_limits<double>::max();

template <class Real>
class Factors {
 public:
  // Computes the matrices of tokens [first, n). RETURNS: false if a number underflows.
  // hold: reuse the shared matrix of the last call if the scale is the same.
  template <class Potentials>
  bool take(Potentials& p, Kind kind, int64_t first, double scale, bool hold) {
    const int rows = kind == Kind::tri ? p.S * p.S : p.S;
    if (rows != rows_ || p.P != width_) forget();
    rows_ = rows;
    width_ = p.P;
    which_.assign(static_cast<size_t>(p.n), 0);
    tops_.resize(1);
    matrices_.resize(size());
    has_shared_ = false;
    for (int64_t i = first; i < p.n; i++) {
      if (p.varies(kind, i)) {
        which_[i] = static_cast<int32_t>(tops_.size());
        tops_.push_back(0.0);
        matrices_.resize(matrices_.size() + size());
        if (!fill(which_[i], scores(p, kind, i), p.S, scale)) return false;
      } else if (!has_shared_) {
        has_shared_ = true;
        if (hold && scale == held_) continue;
        forget();
        if (!fill(0, scores(p, kind, i), p.S, scale)) return false;
        held_ = scale;
        transpose(p.S);
      }
    }
    return true;
  }

  void forget() { held_ = std::numeric_limits<double>::quiet_NaN(); }

  const Real* at(int64_t i) const { return matrices_.data() + which_[i] * size(); }
  const Real* shared_matrix() const { return matrices_.data(); }
  const Real* turned() const { return turned_.data(); }  // the shared one, transposed
  bool shared(int64_t i) const { return which_[i] == 0; }
  double top(int64_t i) const {
    return tops_[which_[i]];
  }  // times the scale; -inf if all scores are

 private:
  template <class Potentials>
  static auto scores(Potentials& p, Kind kind, int64_t i) -> decltype(p.pairs(i)) {
    return kind == Kind::tri ? p.triples(i) : p.pairs(i);
  }

  size_t size() const { return static_cast<size_t>(rows_) * width_; }

  template <class T>
  bool fill(int32_t number, const T* scores, int S, double scale) {
    T top = -std::numeric_limits<T>::infinity();
    for (int k = 0; k < rows_; k++) {
      const T row = simd::largest(scores + static_cast<size_t>(k) * width_, S);
      top = row > top ? row : top;
    }
    tops_[number] = static_cast<double>(top) * scale;
    const T shift = top > -std::numeric_limits<T>::infinity() ? top : T(0);
    Real* out = matrices_.data() + number * size();
    for (int k = 0; k < rows_; k++) {
      const size_t at = static_cast<size_t>(k) * width_;
      if (!simd::exponentials(scores + at, shift, S, width_, static_cast<Real>(scale), out + at)) {
        return false;
      }
    }
    return true;
  }

  void transpose(int S) {
    if (rows_ != S) return;
    turned_.assign(size(), Real(0));
    for (int k = 0; k < S; k++) {
      for (int j = 0; j < S; j++) {
        turned_[static_cast<size_t>(j) * width_ + k] =
            matrices_[static_cast<size_t>(k) * width_ + j];
      }
    }
  }

  int rows_ = 0;
  int width_ = 0;
  bool has_shared_ = false;
  double held_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<int32_t> which_;  // [n] number of the matrix; 0: the shared one
  std::vector<double> tops_;
  std::vector<Real> matrices_, turned_;
};

}  // namespace latperc
