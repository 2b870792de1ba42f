// A lattice whose scores are given as arrays: for tests, measurements and examples.
#pragma once
#include <cstdint>
#include <vector>

#include "common/checked.hh"
#include "lattice/transitions.hh"
#include "sums/sums.hh"

namespace latperc {

template <class Real>
class ArrayPotentials : public States<Real> {
 public:
  using States<Real>::layout;
  using States<Real>::S;
  using States<Real>::P;

  // e: [n, S]; pairs, triples: [matrices, S, S] and [matrices, S, S, S], one for each token
  // or one for all. The layout must live as long.
  ArrayPotentials(const Layout& layout, int64_t n, View<const double> e, View<const double> pairs,
                  int64_t n_pairs, View<const double> triples, int64_t n_triples)
      : States<Real>(layout), n_pairs_(n_pairs), n_triples_(n_triples) {
    this->n = n;
    pad(e, n, &e_);
    pad(pairs, n_pairs * S, &pairs_);
    pad(triples, n_triples * S * S, &triples_);
    std::vector<Real> allowed;
    this->start_pairs(&allowed);
    if (layout.search_order() >= 1 && n_pairs == 0) {
      n_pairs_ = 1;
      pairs_.assign(allowed.size(), Real(0));
    }
    for (size_t c = 0; c < pairs_.size(); c++) pairs_[c] += allowed[c % allowed.size()];
  }

  const Real* states() const { return e_.data(); }
  const Real* pairs(int64_t i) const { return matrix(pairs_, n_pairs_, i, S); }
  const Real* triples(int64_t i) const { return matrix(triples_, n_triples_, i, S * S); }
  bool varies(Kind kind, int64_t) const { return (kind == Kind::edge ? n_pairs_ : n_triples_) > 1; }

 private:
  void pad(View<const double> from, int64_t rows, std::vector<Real>* to) const {
    to->assign(static_cast<size_t>(rows) * P, Real(0));
    for (int64_t r = 0; r < rows; r++) {
      for (int j = 0; j < S; j++) (*to)[r * P + j] = static_cast<Real>(from[r * S + j]);
    }
  }
  const Real* matrix(const std::vector<Real>& all, int64_t count, int64_t i, int rows) const {
    return all.data() + (count > 1 ? static_cast<size_t>(i) * rows * P : 0);
  }

  int64_t n_pairs_, n_triples_;
  std::vector<Real> e_, pairs_, triples_;
};

// Forward-backward over an array lattice, its answers without padding.
template <class Real>
class ArraySums {
 public:
  double run(ArrayPotentials<Real>& p, double inverse_temperature, bool hold) {
    if (hold) sums_.hold_transitions(true);
    bool masked = false;
    for (int64_t c = 0; c < p.n * p.P; c++) masked = masked || p.states()[c] == kMinusInf;
    return sums_.run(p, p.states(), masked, inverse_temperature);
  }
  // The sum, and that of the edges, so many times more: for measurements.
  void repeat(ArrayPotentials<Real>& p, int64_t times, bool with_edges) {
    scratch_.resize(static_cast<size_t>(p.S) * p.P);
    for (int64_t t = 0; t < times; t++) {
      sums_.run(p, p.states(), false);
      if (with_edges) sums_.sum_edges(scratch_.data());
    }
  }
  int64_t fallbacks() const { return sums_.fallbacks(); }
  void states(const ArrayPotentials<Real>& p, View<double> out) {
    for (int64_t i = 0; i < p.n; i++) copy(sums_.states(i), 1, p, i * p.S, out);
  }
  void edges(const ArrayPotentials<Real>& p, int64_t i, View<double> out) {
    scratch_.resize(static_cast<size_t>(p.S) * p.P);
    i ? sums_.edges(i, scratch_.data()) : sums_.sum_edges(scratch_.data());
    copy(scratch_.data(), p.S, p, 0, out);
  }
  void triples(const ArrayPotentials<Real>& p, int64_t i, View<double> out) {
    scratch_.resize(static_cast<size_t>(p.S) * p.S * p.P);
    i ? sums_.triples(i, scratch_.data()) : sums_.sum_triples(scratch_.data());
    copy(scratch_.data(), p.S * p.S, p, 0, out);
  }

 private:
  void copy(const Real* from, int rows, const ArrayPotentials<Real>& p, int64_t at,
            View<double> out) const {
    for (int r = 0; r < rows; r++) {
      for (int j = 0; j < p.S; j++) {
        out[static_cast<size_t>(at + static_cast<int64_t>(r) * p.S + j)] = from[r * p.P + j];
      }
    }
  }

  Sums<Real> sums_;
  std::vector<Real> scratch_;
};

}  // namespace latperc
