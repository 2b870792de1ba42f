// What it costs to leave the best path: chains with one latent value.
//
// Let the labels after token i be given. Of all beginnings, the best one that has label l
// at i loses
//     loss_i(l) = max_m V_i(m) - V_i(l),   V_i(l) = alpha_i(l) + pair_{i+1}(l, y_{i+1})
// against the best of all; of order 2 V_i(l) = alpha_{i+1}(l, y_{i+1}) +
// triple_{i+2}(l, y_{i+1}, y_{i+2}). All later scores cancel: losses depend on one (two)
// labels only, and are kept, since the k best paths share most of theirs.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "lattice/lattice.hh"
#include "lattice/search.hh"

namespace latperc {

constexpr float kNever = std::numeric_limits<float>::infinity();

class Detours {
 public:
  // The score of the best path; -inf if there is none. n > 0.
  float start(Lattice& lattice, const float* e, bool masked) {
    lattice_ = &lattice;
    e_ = e;
    S_ = lattice.S;
    n_ = lattice.n;
    order_ = lattice.layout.search_order();
    if (order_ == 1 || (order_ == 2 && n_ > 1)) viterbi_.forward(lattice, e, masked);
    size_t contexts = 1;
    for (int k = 0; k < order_; k++) contexts *= S_;
    numbers_.assign(contexts * n_, 0);
    turns_.clear();
    losses_.clear();
    size_t sure = 0;
    const Turn& last = turn(nullptr, n_ - 1, &sure);
    if (order_ > 0 || last.best_value == kMinusInf) return last.best_value;
    float total = 0.0f;
    for (int64_t i = 0; i < n_; i++) {
      const float value = turn(nullptr, i, &sure).best_value;
      if (value == kMinusInf) return kMinusInf;
      total += value;
    }
    return total;
  }

  // The best path. Notes the ways to leave it, which least() and losses() then tell.
  void root(int32_t* path) { complete(n_, path); }

  // `path` holds the parent's states: makes it the best of those that have label l at
  // token i and the parent's labels after it. Notes the ways to leave it before i.
  void branch(size_t /* parent */, size_t /* child */, int64_t i, int l, int32_t* path) {
    path[i] = l;
    complete(i, path);
  }

  float least(int64_t i) const { return turns_[ways_[i]].least; }
  const float* losses(int64_t i) const { return losses_.data() + ways_[i] * S_; }

 private:
  // The choice at one token, given the labels after it that its scores depend on.
  struct Turn {
    int32_t best;
    float best_value;
    float least;  // loss of the second best label
  };

  void complete(int64_t d, int32_t* path) {
    ways_.resize(static_cast<size_t>(n_));
    for (int64_t i = d - 1; i >= 0; i--) path[i] = turn(path, i, &ways_[i]).best;
  }

  const Turn& turn(const int32_t* path, int64_t i, size_t* number) {
    size_t context = static_cast<size_t>(i);
    if (order_ >= 1) context = context * S_ + (i + 1 < n_ ? path[i + 1] : 0);
    if (order_ >= 2) context = context * S_ + (i + 2 < n_ ? path[i + 2] : 0);
    if (!numbers_[context]) numbers_[context] = add(path, i);
    *number = static_cast<size_t>(numbers_[context]) - 1;
    return turns_[*number];
  }

  int32_t add(const int32_t* path, int64_t i) {
    const size_t at = losses_.size();
    losses_.resize(at + S_);
    float* v = losses_.data() + at;
    values(path, i, v);
    Turn turn = {0, kMinusInf, kNever};
    float second = kMinusInf;
    for (int l = 0; l < S_; l++) {
      if (v[l] > turn.best_value) {
        second = turn.best_value;
        turn.best = l;
        turn.best_value = v[l];
      } else if (v[l] > second) {
        second = v[l];
      }
    }
    if (turn.best_value > kMinusInf) {
      turn.least = turn.best_value - second;
      for (int l = 0; l < S_; l++) v[l] = turn.best_value - v[l];
    }
    turns_.push_back(turn);
    return static_cast<int32_t>(turns_.size());
  }

  void values(const int32_t* path, int64_t i, float* v) {
    const Layout& layout = lattice_->layout;
    const float* e = e_ + i * lattice_->P;
    if (order_ == 0) {
      std::copy(e, e + S_, v);
    } else if (order_ == 1) {
      const float* arrivals = viterbi_.arrivals(*lattice_, i);
      if (i + 1 < n_) {
        lattice_->pair_column(i + 1, path[i + 1], v);
        for (int l = 0; l < S_; l++) v[l] = (arrivals[l] + e[l]) + v[l];
      } else {
        for (int l = 0; l < S_; l++) {
          v[l] = layout.may_end(l) ? arrivals[l] + e[l] : kMinusInf;
        }
      }
    } else if (n_ == 1) {
      for (int l = 0; l < S_; l++) {
        v[l] = layout.may_start(l) && layout.may_end(l) ? e[l] : kMinusInf;
      }
    } else if (i + 1 == n_) {
      const float* scores = viterbi_.pair_scores(*lattice_, i);
      for (int l = 0; l < S_; l++) {
        v[l] = kMinusInf;
        for (int k = 0; k < S_ && layout.may_end(l); k++) {
          v[l] = std::max(v[l], scores[static_cast<size_t>(k) * lattice_->P + l]);
        }
      }
    } else {
      const float* scores = viterbi_.pair_scores(*lattice_, i + 1) + path[i + 1];
      const size_t pitch = static_cast<size_t>(lattice_->P);
      if (i + 2 < n_) {
        lattice_->triple_column(i + 2, path[i + 1], path[i + 2], v);
        for (int l = 0; l < S_; l++) v[l] = scores[l * pitch] + v[l];
      } else {
        for (int l = 0; l < S_; l++) v[l] = scores[l * pitch];
      }
    }
  }

  Lattice* lattice_ = nullptr;
  const float* e_ = nullptr;
  size_t S_ = 0;
  int64_t n_ = 0;
  int order_ = 0;
  Viterbi viterbi_;
  std::vector<int32_t> numbers_;  // context -> number of its turn + 1
  std::vector<Turn> turns_;
  std::vector<float> losses_;  // [turns, S]
  std::vector<size_t> ways_;   // token -> turn of the path at work
};

}  // namespace latperc
