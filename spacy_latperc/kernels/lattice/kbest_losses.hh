// The loss of leaving the best path, for chains with one latent value.
//
// Let the labels after token i be given. The best prefix with label l at i loses
//     loss_i(l) = max_m V_i(m) - V_i(l),   V_i(l) = alpha_i(l) + pair_{i+1}(l, y_{i+1})
// against the best prefix; in order 2 V_i(l) = alpha_{i+1}(l, y_{i+1}) +
// triple_{i+2}(l, y_{i+1}, y_{i+2}). All later scores cancel: losses depend on one or two
// labels only and are cached, since the k best paths share most of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "lattice/lattice.hh"
#include "lattice/search.hh"

namespace latperc {

constexpr float kNever = std::numeric_limits<float>::infinity();

// The base of both kinds of losses: the maxima of an exact search through the sentence.
class BestPaths {
 protected:
  void look_at(Lattice& lattice, const float* e) {
    lattice_ = &lattice;
    e_ = e;
    S_ = lattice.S;
    n_ = lattice.n;
    order_ = lattice.layout.search_order();
  }

  // The best score of a path to state j at token i, followed by state s in order 2.
  float reach(int64_t i, int j, int s) const {
    if (order_ == 0) return e_[i * lattice_->P + j];
    if (order_ == 1) return viterbi_.arrivals(*lattice_, i)[j] + e_[i * lattice_->P + j];
    if (n_ == 1) return lattice_->layout.may_start(j) ? e_[j] : kMinusInf;
    const size_t pitch = static_cast<size_t>(lattice_->P);
    if (i + 1 < n_) return viterbi_.pair_scores(*lattice_, i + 1)[j * pitch + s];
    const float* scores = viterbi_.pair_scores(*lattice_, i);
    float best = kMinusInf;
    for (int k = 0; k < S_; k++) best = std::max(best, scores[k * pitch + j]);
    return best;
  }

  // The number of tokens times the choices of the following states that scores depend on.
  size_t contexts() const {
    size_t contexts = static_cast<size_t>(n_);
    for (int k = 0; k < order_; k++) contexts *= static_cast<size_t>(S_);
    return contexts;
  }

  Lattice* lattice_ = nullptr;
  const float* e_ = nullptr;
  int S_ = 0;
  int64_t n_ = 0;
  int order_ = 0;
  Viterbi viterbi_;
};

class LabelLosses : BestPaths {
 public:
  // The score of the best path; -inf if there is none. n > 0.
  float start(Lattice& lattice, const float* e, bool masked) {
    look_at(lattice, e);
    if (order_ == 1 || (order_ == 2 && n_ > 1)) viterbi_.forward(lattice, e, masked);
    numbers_.assign(contexts(), 0);
    choices_.clear();
    losses_.clear();
    size_t sure = 0;
    const Choice& last = choose(nullptr, n_ - 1, &sure);
    if (order_ > 0 || last.best_value == kMinusInf) return last.best_value;
    float total = 0.0f;
    for (int64_t i = 0; i < n_; i++) {
      const float value = choose(nullptr, i, &sure).best_value;
      if (value == kMinusInf) return kMinusInf;
      total += value;
    }
    return total;
  }

  // Writes the best path, and computes its losses for least() and losses().
  void root(int32_t* path) { complete(n_, path); }

  // Changes `path`, which holds the states of the parent, to the best path with label l at token
  // i and the labels of the parent after it, and computes its losses before i.
  void branch(size_t /* parent */, size_t /* child */, int64_t i, int l, int32_t* path) {
    path[i] = l;
    complete(i, path);
  }

  float least(int64_t i) const { return choices_[chosen_[i]].least; }
  const float* losses(int64_t i) const { return losses_.data() + chosen_[i] * S_; }

 private:
  // The best label of a token, given the labels after it that its scores depend on.
  struct Choice {
    int32_t best;
    float best_value;
    float least;  // loss of the second best label
  };

  void complete(int64_t d, int32_t* path) {
    chosen_.resize(static_cast<size_t>(n_));
    for (int64_t i = d - 1; i >= 0; i--) path[i] = choose(path, i, &chosen_[i]).best;
  }

  const Choice& choose(const int32_t* path, int64_t i, size_t* number) {
    size_t context = static_cast<size_t>(i);
    if (order_ >= 1) context = context * S_ + (i + 1 < n_ ? path[i + 1] : 0);
    if (order_ >= 2) context = context * S_ + (i + 2 < n_ ? path[i + 2] : 0);
    if (!numbers_[context]) numbers_[context] = add(path, i);
    *number = static_cast<size_t>(numbers_[context]) - 1;
    return choices_[*number];
  }

  int32_t add(const int32_t* path, int64_t i) {
    const size_t at = losses_.size();
    losses_.resize(at + S_);
    float* v = losses_.data() + at;
    values(path, i, v);
    Choice choice = {0, kMinusInf, kNever};
    float second = kMinusInf;
    for (int l = 0; l < S_; l++) {
      if (v[l] > choice.best_value) {
        second = choice.best_value;
        choice.best = l;
        choice.best_value = v[l];
      } else if (v[l] > second) {
        second = v[l];
      }
    }
    if (choice.best_value > kMinusInf) {
      choice.least = choice.best_value - second;
      for (int l = 0; l < S_; l++) v[l] = choice.best_value - v[l];
    }
    choices_.push_back(choice);
    return static_cast<int32_t>(choices_.size());
  }

  // v[l] = V_i(l).
  void values(const int32_t* path, int64_t i, float* v) {
    const bool last = i + 1 == n_;
    const bool more = order_ > 0 && i + order_ < n_;
    const int next = order_ == 2 && !last ? path[i + 1] : 0;
    if (more && order_ == 1) lattice_->pair_column(i + 1, path[i + 1], v);
    if (more && order_ == 2) lattice_->triple_column(i + 2, next, path[i + 2], v);
    for (int l = 0; l < S_; l++) {
      const float score = reach(i, l, next);
      v[l] = more ? score + v[l] : score;
      if (last && order_ > 0 && !lattice_->layout.may_end(l)) v[l] = kMinusInf;
    }
  }

  std::vector<int32_t> numbers_;  // context -> number of its choice + 1
  std::vector<Choice> choices_;
  std::vector<float> losses_;   // [choices, S]
  std::vector<size_t> chosen_;  // token -> choice of the path at work
};

}  // namespace latperc
