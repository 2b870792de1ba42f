// The loss of leaving the best path, for chains with several latent values.
//
// As in lattice/kbest_losses.hh, with given labels y_{i+1}, ... and free latent values. After
// state j at token i the best rest scores
//     B_i(j) = max_{s of y_{i+1}} pair_{i+1}(j, s) + e_{i+1}(s) + B_{i+1}(s),
// and label l at i scores max_{j of l} alpha_i(j) + B_i(j). In order 2 the rest depends on
// (j, s), s a state of y_{i+1}: B_i(s, j) = max_{t of y_{i+2}} triple_{i+2}(j, s, t) +
// pair_{i+2}(s, t) + e_{i+2}(t) + B_{i+1}(t, s), and is added to alpha_{i+1}(j, s).
// The rests of every path are stored for the paths that branch off it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "lattice/kbest_losses.hh"
#include "lattice/lattice.hh"
#include "lattice/search.hh"

namespace latperc {

class LatentLosses : BestPaths {
 public:
  float start(Lattice& lattice, const float* e, bool masked) {
    look_at(lattice, e);
    P_ = lattice.P;
    K_ = lattice.layout.latent;
    L_ = lattice.layout.labels;
    columns_.clear();
    numbers_.assign(order_ ? contexts() : 0, 0);
    rests_.clear();
    found_.clear();
    first_.resize(static_cast<size_t>(n_));
    score_ = viterbi_.run(lattice, e, masked, first_.data());
    return score_;
  }

  void root(int32_t* path) {
    std::copy(first_.begin(), first_.end(), path);
    found_.push_back({0, n_, rests_.size()});
    find_losses(path);
  }

  void branch(size_t parent, size_t child, int64_t i, int l, int32_t* path) {
    found_.resize(child);
    choose(parent, i, l, path);
    for (int64_t m = i - 1; m >= 0; m--) path[m] = before(path, m);
    found_.push_back({parent, i, rests_.size()});
    find_losses(path);
  }

  float least(int64_t i) const { return least_[i]; }
  const float* losses(int64_t i) const { return losses_.data() + i * L_; }

 private:
  struct Found {
    size_t parent;
    int64_t from;  // the first token with fixed labels
    size_t rests;  // place of the rests of tokens 0 .. min(from, n - 1)
  };

  int label_at(const int32_t* path, int64_t i) const { return path[i] / K_; }
  int rows() const { return order_ == 2 ? K_ : 1; }
  size_t rest_size() const { return static_cast<size_t>(rows()) * P_; }

  // The rest at token i of path p, or of the ancestor with the same labels after i.
  const float* rest(size_t p, int64_t i) const {
    while (i > found_[p].from) p = found_[p].parent;
    return rests_.data() + found_[p].rests + i * rest_size();
  }

  // Computes the rests and losses of the last path at all tokens where others may branch off.
  void find_losses(const int32_t* path) {
    const Found& it = found_.back();
    const int64_t kept = std::min(it.from + 1, n_);
    rests_.resize(it.rests + kept * rest_size());
    losses_.resize(static_cast<size_t>(n_) * L_);
    least_.resize(static_cast<size_t>(n_));
    if (it.from < n_) {
      const float* same = rest(it.parent, it.from);
      std::copy(same, same + rest_size(), rests_.data() + it.rests + it.from * rest_size());
    }
    for (int64_t i = it.from - 1; i >= 0; i--) {
      float* out = rests_.data() + it.rests + i * rest_size();
      fill_rest(path, i, out + rest_size(), out);
      fill_losses(path, i, out);
    }
  }

  void fill_rest(const int32_t* path, int64_t i, const float* next, float* out) {
    const Layout& layout = lattice_->layout;
    const int64_t seen = order_ == 2 ? i + 2 : i + 1;  // the last token that the rest depends on
    if (order_ == 0) {
      std::fill(out, out + P_, 0.0f);
      return;
    }
    if (i + 1 == n_) {
      for (int j = 0; j < S_; j++) out[j] = layout.may_end(j) ? 0.0f : kMinusInf;
      return;
    }
    const int label = label_at(path, i + 1);
    if (seen == n_) {
      for (int r = 0; r < K_; r++) {
        std::fill(out + r * P_, out + (r + 1) * P_,
                  layout.may_end(label * K_ + r) ? 0.0f : kMinusInf);
      }
      return;
    }
    const int to = label_at(path, seen);
    for (int r = 0; r < rows(); r++) {
      float* row = out + r * P_;
      std::fill(row, row + P_, kMinusInf);
      for (int t = to * K_; t < (to + 1) * K_; t++) {
        const int s = label * K_ + r;
        const float after = onward(seen, s, t, next);
        if (after == kMinusInf) continue;
        const float* c = order_ == 2 ? column(seen, s, t) : column(seen, t, 0);
        for (int j = 0; j < S_; j++) row[j] = std::max(row[j], c[j] + after);
      }
    }
  }

  // The score from state t at token i on, after state s (order 2), whose own is left out.
  float onward(int64_t i, int s, int t, const float* next) const {
    const float e = e_[i * P_ + t];
    if (order_ == 1) return e + next[t];
    return lattice_->pair(i, s, t) + e + next[static_cast<size_t>(t % K_) * P_ + s];
  }

  // The rows in use of the rest at token i; the last token has one.
  int rows_at(int64_t i) const { return i + 1 < n_ ? rows() : 1; }
  int after(const int32_t* path, int64_t i, int r) const {
    return order_ == 2 && i + 1 < n_ ? label_at(path, i + 1) * K_ + r : 0;
  }

  void fill_losses(const int32_t* path, int64_t i, const float* rest) {
    float* loss = losses_.data() + i * L_;
    std::fill(loss, loss + L_, kMinusInf);
    for (int r = 0; r < rows_at(i); r++) {
      const int s = after(path, i, r);
      for (int j = 0; j < S_; j++) {
        loss[j / K_] = std::max(loss[j / K_], reach(i, j, s) + rest[r * P_ + j]);
      }
    }
    const float best = *std::max_element(loss, loss + L_);
    least_[i] = kNever;
    for (int l = 0; l < L_; l++) {
      loss[l] = best - loss[l];
      if (l != label_at(path, i)) least_[i] = std::min(least_[i], loss[l]);
    }
  }

  // The best states from token i on: label l there, the parent's labels after it.
  void choose(size_t parent, int64_t i, int l, int32_t* path) {
    const float* values = rest(parent, i);
    float best = kMinusInf;
    int state = l * K_;
    int next = 0;
    for (int j = l * K_; j < (l + 1) * K_; j++) {
      for (int r = 0; r < rows_at(i); r++) {
        const int s = after(path, i, r);
        const float value = reach(i, j, s) + values[r * P_ + j];
        if (value > best) {
          best = value;
          state = j;
          next = s;
        }
      }
    }
    path[i] = state;
    if (order_ == 0 || i + 1 == n_) return;
    int64_t m = i + 1;
    if (order_ == 2) path[m++] = next;
    for (; m < n_; m++) {
      const int label = label_at(path, m);
      best = kMinusInf;
      for (int t = label * K_; t < (label + 1) * K_; t++) {
        const float* c = order_ == 2 ? column(m, path[m - 1], t) : column(m, t, 0);
        const float value = c[path[m - order_]] + onward(m, path[m - 1], t, onward_rest(parent, m));
        if (value > best) {
          best = value;
          path[m] = t;
        }
      }
    }
  }

  // The rest that onward() reads for token m: the one there, or in order 2 the one before.
  const float* onward_rest(size_t parent, int64_t m) const {
    return rest(parent, order_ == 2 ? m - 1 : m);
  }

  // The state at token i of the best path to those after it.
  int before(const int32_t* path, int64_t i) {
    int state = 0;
    float best = kMinusInf;
    const float* c = nullptr;
    if (order_ == 1) c = column(i + 1, path[i + 1], 0);
    if (order_ == 2 && i + 2 < n_) c = column(i + 2, path[i + 1], path[i + 2]);
    for (int j = 0; j < S_; j++) {
      const float value = reach(i, j, path[i + 1]) + (c ? c[j] : 0.0f);
      if (value > best) {
        best = value;
        state = j;
      }
    }
    return state;
  }

  // pair_i(., s) in order 1, triple_i(., s, t) in order 2: [S], cached.
  const float* column(int64_t i, int s, int t) {
    size_t context = static_cast<size_t>(i) * S_ + s;
    if (order_ == 2) context = context * S_ + t;
    if (!numbers_[context]) {
      const size_t at = columns_.size();
      columns_.resize(at + S_);
      if (order_ == 1) {
        lattice_->pair_column(i, s, columns_.data() + at);
      } else {
        lattice_->triple_column(i, s, t, columns_.data() + at);
      }
      numbers_[context] = static_cast<int32_t>(at / S_) + 1;
    }
    return columns_.data() + static_cast<size_t>(numbers_[context] - 1) * S_;
  }

  int P_ = 0;
  int K_ = 1;
  int L_ = 0;
  float score_ = 0.0f;
  std::vector<int32_t> first_;
  std::vector<int32_t> numbers_;  // context -> number of its column + 1
  std::vector<float> columns_;
  std::vector<Found> found_;
  std::vector<float> rests_, losses_, least_;
};

}  // namespace latperc
