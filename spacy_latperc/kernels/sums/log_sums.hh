// Forward-backward in log space: slow, but correct for any scores.
//
// A node of token i is a state, or (order 2, from the second token on) a pair of states
// (previous, state); an arc leads to it from each node of the token before that fits.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "lattice/factors.hh"
#include "lattice/lattice.hh"

namespace latperc {

class LogSums {
 public:
  template <class Potentials, class T>
  double run(Potentials& p, const T* e, double scale) {
    S_ = p.S;
    n_ = p.n;
    order_ = p.layout.search_order();
    forward_.assign(n_, {});
    backward_.assign(n_, {});
    arcs_.assign(n_, {});
    for (int64_t i = 0; i < n_; i++) {
      score_arcs(p, e + i * p.P, scale, i);
      forward_[i].assign(nodes(i), kImpossible);
      for (size_t v = 0; v < nodes(i); v++) {
        if (i == 0) {
          const int j = static_cast<int>(v);
          forward_[0][v] = p.layout.may_start(j) ? static_cast<double>(e[v]) * scale : kImpossible;
          continue;
        }
        terms_.clear();
        for (int b = 0; b < S_; b++)
          terms_.push_back(forward_[i - 1][from(i, b, v)] + arc(i, b, v));
        forward_[i][v] = log_sum();
      }
    }
    std::vector<double>& last = backward_[n_ - 1];
    last.resize(nodes(n_ - 1));
    terms_.clear();
    for (size_t v = 0; v < last.size(); v++) {
      last[v] = p.layout.may_end(static_cast<int>(v % S_)) ? 0.0 : kImpossible;
      terms_.push_back(last[v] + forward_[n_ - 1][v]);
    }
    log_z_ = log_sum();
    for (int64_t i = n_ - 1; i > 0; i--) {
      std::vector<std::vector<double>> out(nodes(i - 1));
      for (size_t v = 0; v < nodes(i); v++) {
        for (int b = 0; b < arcs_to(i); b++) {
          out[from(i, b, v)].push_back(arc(i, b, v) + backward_[i][v]);
        }
      }
      backward_[i - 1].clear();
      for (std::vector<double>& terms : out) {
        terms_ = terms;
        backward_[i - 1].push_back(log_sum());
      }
    }
    return log_z_;
  }

  double node(int64_t i, size_t v) const {
    return std::exp(forward_[i][v] + backward_[i][v] - log_z_);
  }
  double state(int64_t i, int j) const {
    if (nodes(i) == static_cast<size_t>(S_)) return node(i, static_cast<size_t>(j));
    double total = 0.0;
    for (int k = 0; k < S_; k++) total += node(i, static_cast<size_t>(k) * S_ + j);
    return total;
  }
  double edge(int64_t i, int k, int j) const {
    if (order_ >= 2) return node(i, static_cast<size_t>(k) * S_ + j);
    return through(i, k, static_cast<size_t>(j));
  }
  double triple(int64_t i, int b, int k, int j) const {
    return through(i, b, static_cast<size_t>(k) * S_ + j);
  }

 private:
  size_t nodes(int64_t i) const {
    return order_ >= 2 && i > 0 ? static_cast<size_t>(S_) * S_ : static_cast<size_t>(S_);
  }
  // The number of arcs to one node of token i; the second token of order 2 has one, since the
  // pair holds its predecessor.
  int arcs_to(int64_t i) const { return order_ >= 2 && i == 1 ? 1 : S_; }
  size_t from(int64_t i, int b, size_t v) const {
    if (order_ < 2) return static_cast<size_t>(b);
    return i == 1 ? v / S_ : static_cast<size_t>(b) * S_ + v / S_;
  }
  double arc(int64_t i, int b, size_t v) const {
    if (b >= arcs_to(i)) return kImpossible;
    return arcs_[i][b * nodes(i) + v];
  }
  double through(int64_t i, int b, size_t v) const {
    return std::exp(forward_[i - 1][from(i, b, v)] + arc(i, b, v) + backward_[i][v] - log_z_);
  }

  template <class Potentials, class T>
  void score_arcs(Potentials& p, const T* row, double scale, int64_t i) {
    if (i == 0) return;
    arcs_[i].assign(arcs_to(i) * nodes(i), 0.0);
    for (int b = 0; b < arcs_to(i); b++) {
      for (size_t v = 0; v < nodes(i); v++) {
        arcs_[i][b * nodes(i) + v] = static_cast<double>(row[v % S_]) * scale;
      }
    }
    if (order_ >= 1) {
      const auto* pairs = p.pairs(i);
      for (int b = 0; b < arcs_to(i); b++) {
        for (size_t v = 0; v < nodes(i); v++) {
          const size_t k = order_ >= 2 ? v / S_ : b;
          arcs_[i][b * nodes(i) + v] += static_cast<double>(pairs[k * p.P + v % S_]) * scale;
        }
      }
    }
    if (order_ >= 2 && i > 1) {
      const auto* triples = p.triples(i);
      for (int b = 0; b < S_; b++) {
        for (size_t v = 0; v < nodes(i); v++) {
          arcs_[i][b * nodes(i) + v] +=
              static_cast<double>(triples[(b * S_ + v / S_) * p.P + v % S_]) * scale;
        }
      }
    }
  }

  double log_sum() const {
    double top = kImpossible;
    for (double x : terms_) top = std::max(top, x);
    if (top == kImpossible) return top;
    double sum = 0.0;
    for (double x : terms_) sum += std::exp(x - top);
    return top + std::log(sum);
  }

  int S_ = 0, order_ = 0;
  int64_t n_ = 0;
  double log_z_ = 0.0;
  std::vector<std::vector<double>> forward_, backward_, arcs_;  // by token
  std::vector<double> terms_;
};

}  // namespace latperc
