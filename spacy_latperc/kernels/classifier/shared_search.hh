// The one chunking that all views score highest together: exact search over chunkings, in
// whatever representations the views have them.
//
// A state says of a token which type it has and what lies on both sides of it: it is joined
// to the token there, or touches a chunk of its own type, or neither. That decides its label
// in every representation, so that scores of states and steps are sums over the views.
#pragma once
#include <cstdint>
#include <vector>

#include "classifier/views.hh"
#include "lattice/lattice.hh"

namespace latperc {

class SharedSearch {
 public:
  explicit SharedSearch(const std::vector<ViewLabels>& views) : labels_(views.size()) {
    constexpr int kGaps[] = {ViewLabels::kJoined, ViewLabels::kTouching, ViewLabels::kApart};
    add_state(views, {0, ViewLabels::kApart, ViewLabels::kApart});
    const int32_t types = static_cast<int32_t>(views[0].type.size() - 1) / views[0].letters;
    for (int32_t t = 1; t <= types; t++) {
      for (int left : kGaps) {
        for (int right : kGaps) add_state(views, {t, left, right});
      }
    }
    for (size_t to = 0; to < states_.size(); to++) {
      first_step_.push_back(steps_.size());
      for (size_t from = 0; from < states_.size(); from++) {
        if (may_follow(states_[from], states_[to])) steps_.push_back({from, to});
      }
    }
    first_step_.push_back(steps_.size());
    step_scores_.resize(steps_.size());
  }

  // paths: for each view the labels of the best chunking. Lattices of one sentence, ready.
  void find(const std::vector<Lattice*>& lattices, std::vector<std::vector<int32_t>>* paths) {
    const size_t n = static_cast<size_t>(lattices[0]->n), J = states_.size();
    for (std::vector<int32_t>& path : *paths) path.assign(n, 0);
    if (n == 0) return;
    best_.assign(J, kMinusInf);
    before_.resize(n * J);
    for (size_t s = 0; s < J; s++) {
      if (states_[s].left == ViewLabels::kApart) best_[s] = emission(lattices, 0, s);
    }
    for (size_t i = 1; i < n; i++) {
      if (i == 1 || varies(lattices, i) || varies(lattices, i - 1)) score_steps(lattices, i);
      next_.assign(J, kMinusInf);
      for (size_t to = 0; to < J; to++) {
        double best = kMinusInf;
        uint32_t from = 0;
        for (size_t k = first_step_[to]; k < first_step_[to + 1]; k++) {
          const double score = best_[steps_[k].from] + step_scores_[k];
          if (score > best) {
            best = score;
            from = static_cast<uint32_t>(steps_[k].from);
          }
        }
        next_[to] = best + emission(lattices, i, to);
        before_[i * J + to] = from;
      }
      best_.swap(next_);
    }
    size_t at = 0;
    double best = kMinusInf;
    for (size_t s = 0; s < J; s++) {
      if (states_[s].right == ViewLabels::kApart && best_[s] > best) {
        best = best_[s];
        at = s;
      }
    }
    for (size_t i = n; i-- > 0; at = before_[i * J + at]) {
      for (size_t v = 0; v < labels_.size(); v++) (*paths)[v][i] = labels_[v][at];
    }
  }

 private:
  struct State {
    int32_t type;
    int left, right;
  };
  struct Step {
    size_t from, to;
  };

  void add_state(const std::vector<ViewLabels>& views, const State& state) {
    states_.push_back(state);
    for (size_t v = 0; v < views.size(); v++) {
      labels_[v].push_back(views[v].label(state.type, state.left, state.right));
    }
  }

  static bool may_follow(const State& from, const State& to) {
    if (from.right != to.left) return false;
    return (from.right == ViewLabels::kApart) == (from.type != to.type || from.type == 0);
  }

  static bool varies(const std::vector<Lattice*>& lattices, size_t i) {
    for (const Lattice* lattice : lattices) {
      if (lattice->varies(Kind::edge, static_cast<int64_t>(i))) return true;
    }
    return false;
  }

  double emission(const std::vector<Lattice*>& lattices, size_t i, size_t state) const {
    double sum = 0;
    for (size_t v = 0; v < lattices.size(); v++) {
      sum += lattices[v]->e[i * static_cast<size_t>(lattices[v]->P) + labels_[v][state]];
    }
    return sum;
  }

  void score_steps(const std::vector<Lattice*>& lattices, size_t i) {
    std::fill(step_scores_.begin(), step_scores_.end(), 0.0);
    for (size_t v = 0; v < lattices.size(); v++) {
      const float* pairs = lattices[v]->pairs(static_cast<int64_t>(i));
      const size_t P = static_cast<size_t>(lattices[v]->P);
      for (size_t k = 0; k < steps_.size(); k++) {
        step_scores_[k] += pairs[labels_[v][steps_[k].from] * P + labels_[v][steps_[k].to]];
      }
    }
  }

  std::vector<State> states_;
  std::vector<std::vector<int32_t>> labels_;  // [views, states]
  std::vector<Step> steps_;                   // by where they lead to
  std::vector<size_t> first_step_;            // of each state; and the end
  std::vector<double> step_scores_, best_, next_;
  std::vector<uint32_t> before_;
};

}  // namespace latperc
