// Forward-backward: log Z and the marginals of states, pairs and triples of states.
//
// Scaled probabilities in Real; a sentence whose numbers need a wider range is repeated in
// double, and one beyond that in log space. Under a mask (-inf among the state scores, forbidden
// transitions) marginals are those of the remaining paths.
#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "lattice/lattice.hh"
#include "sums/log_sums.hh"
#include "sums/scaled_pair_sums.hh"
#include "sums/scaled_sums.hh"

namespace latperc {

template <class Real>
class Sums {
 public:
  // With true, the factors of transitions of the next run are reused by all later runs, whose
  // weights must be the same.
  void hold_transitions(bool hold) {
    hold_ = hold;
    first_.forget();
    second_.forget();
    if (wide_) wide_->hold_transitions(hold);
  }

  // RETURNS: log Z of the scores times the inverse temperature; -inf, without marginals, if there
  // is no path. Potentials: Lattice, or a class with its members.
  // e: [n, P] state scores; masked: some may be -inf.
  template <class Potentials, class T>
  double run(Potentials& p, const T* e, bool masked, double inverse_temperature = 1.0) {
    S_ = p.S;
    P_ = p.P;
    n_ = p.n;
    if (n_ == 0) return 0.0;
    pairs_ = p.layout.search_order() >= 2 && n_ > 1;
    const double log_z = pairs_ ? second_.run(p, e, masked, inverse_temperature, hold_)
                                : first_.run(p, e, masked, inverse_temperature, hold_);
    by_ = By::scaled;
    if (log_z != kRefused) return log_z;
    return fall_back(p, e, masked, inverse_temperature, std::is_same<Real, float>());
  }

  // Marginals of the states of token i: [P], 0 in the padding. Valid until the next run.
  const Real* states(int64_t i) const {
    if (by_ != By::scaled) return copied_.data() + i * P_;
    return pairs_ ? second_.states(i) : first_.states(i);
  }

  // Marginals of the pairs of states (i - 1, i), or of the triples (i - 2, i - 1, i) in order 2:
  // [S, P] or [S, S, P]. Kind::tri for triples.
  void marginals(Kind kind, int64_t i, Real* out) {
    const bool triples = kind == Kind::tri;
    if (by_ == By::scaled) {
      triples ? second_.triples(i, out) : pairs_ ? second_.edges(i, out) : first_.edges(i, out);
    } else if (by_ == By::wider) {
      wide_->marginals(kind, i, wide_scratch(kind));
      narrow(kind, out);
    } else {
      for (int b = 0; b < (triples ? S_ : 1); b++) {
        for (int k = 0; k < S_; k++) {
          for (int j = 0; j < P_; j++, out++) {
            *out = j >= S_   ? Real(0)
                   : triples ? Real(logs_->triple(i, b, k, j))
                             : Real(logs_->edge(i, k, j));
          }
        }
      }
    }
  }

  // The sum of these marginals over all tokens.
  void sum_marginals(Kind kind, Real* out) {
    const bool triples = kind == Kind::tri;
    if (by_ == By::scaled && n_ > 0 && (pairs_ || !triples)) {
      triples ? second_.sum_triples(out) : pairs_ ? second_.sum_edges(out) : first_.sum_edges(out);
    } else if (by_ == By::wider) {
      wide_->sum_marginals(kind, wide_scratch(kind));
      narrow(kind, out);
    } else {
      std::fill(out, out + cells(kind), Real(0));
      one_.resize(cells(kind));
      for (int64_t i = static_cast<int>(kind); i < n_; i++) {
        marginals(kind, i, one_.data());
        for (size_t c = 0; c < one_.size(); c++) out[c] += one_[c];
      }
    }
  }

 private:
  enum class By { scaled, wider, logs };

  template <class Potentials, class T>
  double fall_back(Potentials& p, const T* e, bool masked, double scale, std::true_type) {
    by_ = By::wider;
    if (!wide_) {
      wide_.reset(new Sums<double>());
      wide_->hold_transitions(hold_);
    }
    const double log_z = wide_->run(p, e, masked, scale);
    copied_.resize(static_cast<size_t>(n_) * P_);
    for (int64_t i = 0; i < n_ && log_z > kImpossible; i++) {
      for (int j = 0; j < P_; j++) copied_[i * P_ + j] = static_cast<Real>(wide_->states(i)[j]);
    }
    return log_z;
  }

  template <class Potentials, class T>
  double fall_back(Potentials& p, const T* e, bool, double scale, std::false_type) {
    by_ = By::logs;
    if (!logs_) logs_.reset(new LogSums());
    const double log_z = logs_->run(p, e, scale);
    copied_.assign(static_cast<size_t>(n_) * P_, Real(0));
    for (int64_t i = 0; i < n_ && log_z > kImpossible; i++) {
      for (int j = 0; j < S_; j++) copied_[i * P_ + j] = static_cast<Real>(logs_->state(i, j));
    }
    return log_z;
  }

  size_t cells(Kind kind) const {
    return static_cast<size_t>(P_) * S_ * (kind == Kind::tri ? S_ : 1);
  }
  double* wide_scratch(Kind kind) {
    wide_out_.resize(cells(kind));
    return wide_out_.data();
  }
  void narrow(Kind kind, Real* out) const {
    for (size_t c = 0; c < cells(kind); c++) out[c] = static_cast<Real>(wide_out_[c]);
  }

  int S_ = 0, P_ = 0;
  int64_t n_ = 0;
  bool pairs_ = false, hold_ = false;
  By by_ = By::scaled;
  ScaledSums<Real> first_;
  ScaledPairSums<Real> second_;
  std::unique_ptr<Sums<double>> wide_;
  std::unique_ptr<LogSums> logs_;
  std::vector<Real> copied_, one_;
  std::vector<double> wide_out_;
};

}  // namespace latperc
