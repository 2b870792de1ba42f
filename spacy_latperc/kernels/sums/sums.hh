// Forward-backward: log Z and the marginals of states, pairs and triples of states.
//
// Scaled probabilities in Real; a sentence whose numbers need a wider range is done again
// in double, and one beyond that with logarithms. Under a mask (-inf among the state
// scores, forbidden transitions) marginals are those of the paths that are left.
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
  // With true, the next run computes the factors of transitions for all later runs, whose
  // weights must be the same.
  void hold_transitions(bool hold) {
    hold_ = hold;
    first_.forget();
    second_.forget();
    if (wide_) wide_->hold_transitions(hold);
  }

  // RETURNS: log Z of the scores times the inverse temperature; -inf when no path is left,
  // and then there are no marginals. Potentials: Lattice, or what has its members.
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

  // Marginals of (state of token i - 1, state of token i), i >= 1: [S, P].
  void edges(int64_t i, Real* out) {
    switch (by_) {
      case By::scaled:
        pairs_ ? second_.edges(i, out) : first_.edges(i, out);
        return;
      case By::wider:
        wide_->edges(i, wide_scratch(1));
        narrow(1, out);
        return;
      default:
        for (int k = 0; k < S_; k++) {
          for (int j = 0; j < P_; j++) {
            out[static_cast<size_t>(k) * P_ + j] = j < S_ ? Real(logs_->edge(i, k, j)) : Real(0);
          }
        }
    }
  }

  // The sum of edges(i) over i = 1 .. n - 1.
  void sum_edges(Real* out) {
    if (by_ == By::scaled && n_ > 0) {
      pairs_ ? second_.sum_edges(out) : first_.sum_edges(out);
    } else if (by_ == By::wider) {
      wide_->sum_edges(wide_scratch(1));
      narrow(1, out);
    } else {
      add_up(1, out, [this](int64_t i, Real* one) { edges(i, one); });
    }
  }

  // Order 2: marginals of (i - 2, i - 1, i), i >= 2: [S, S, P]; and their sum.
  void triples(int64_t i, Real* out) {
    switch (by_) {
      case By::scaled:
        second_.triples(i, out);
        return;
      case By::wider:
        wide_->triples(i, wide_scratch(2));
        narrow(2, out);
        return;
      default:
        for (int b = 0; b < S_; b++) {
          for (int k = 0; k < S_; k++) {
            for (int j = 0; j < P_; j++) {
              out[(static_cast<size_t>(b) * S_ + k) * P_ + j] =
                  j < S_ ? Real(logs_->triple(i, b, k, j)) : Real(0);
            }
          }
        }
    }
  }

  void sum_triples(Real* out) {
    if (by_ == By::scaled && pairs_) {
      second_.sum_triples(out);
    } else if (by_ == By::wider) {
      wide_->sum_triples(wide_scratch(2));
      narrow(2, out);
    } else {
      add_up(2, out, [this](int64_t i, Real* one) { triples(i, one); });
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

  size_t cells(int history) const {
    size_t size = static_cast<size_t>(P_);
    for (int h = 0; h < history; h++) size *= static_cast<size_t>(S_);
    return size;
  }
  double* wide_scratch(int history) {
    wide_out_.resize(cells(history));
    return wide_out_.data();
  }
  void narrow(int history, Real* out) const {
    for (size_t c = 0; c < cells(history); c++) out[c] = static_cast<Real>(wide_out_[c]);
  }

  template <class Get>
  void add_up(int history, Real* out, const Get& get) {
    const size_t size = cells(history);
    std::fill(out, out + size, Real(0));
    one_.resize(size);
    for (int64_t i = history; i < n_; i++) {
      get(i, one_.data());
      for (size_t c = 0; c < size; c++) out[c] += one_[c];
    }
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
