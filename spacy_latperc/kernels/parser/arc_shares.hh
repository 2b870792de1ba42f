// How sure a search is of the arcs of its best tree.
//
// The states of a beam, at a temperature, share a mass of one. After every action, those
// of them that have given a token another head or relation than the best tree are against
// that arc; those that have not given it any have no say. What an arc keeps where most is
// against it, times the share of the action that made it among all that its state allowed,
// is its score: the first looks at what the beam kept, and the second at what it dropped.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "parser/parser_search.hh"

namespace latperc::parsing {

class ArcShares {
 public:
  // After a search: the scores of the arcs of the best tree, by token.
  template <class Rows>
  void find(ParserSearch<Rows>& search, System system, const Text& text, double temperature,
            float* shares) {
    const int32_t n = text.limits.n, steps = search.steps();
    system_ = system;
    states_ = &search.states();
    path_.assign(steps + 1, 0);
    for (int32_t at = search.first(steps), j = steps; j >= 0; j--) {
      path_[j] = at;
      at = (*states_)[at].parent;
    }
    kept_.assign(n, 1.0);
    other_.assign(n, {kUnknown, 0, 0});
    against_.assign(n, 0.0);
    silent_.assign(n, 0.0);
    for (int32_t step = 1; step <= steps; step++) {
      look(step, search.first(step), search.end(step), temperature);
    }
    least_.assign(n, 0.0);
    for (int32_t step = 1; step <= steps; step++) {
      const State& before = (*states_)[path_[step - 1]];
      const int action = (*states_)[path_[step]].action;
      const int32_t second = before.top >= 0 ? (*states_)[before.below].top : kNothing;
      if (before.top < 0) continue;
      const double own = search.log_share(text, path_[step - 1], action, temperature);
      least_[before.top] = std::min(least_[before.top], own);
      if (system == System::standard && second >= 0) {
        least_[second] = std::min(least_[second], own);
      }
    }
    for (int32_t i = 0; i < n; i++) {
      shares[i] = static_cast<float>(kept_[i] * std::exp(least_[i]));
    }
  }

 private:
  struct Given {
    int32_t head;
    int32_t relation;
    int32_t state;  // that gave it
  };

  Arc arc_before(const State& s) const {
    return arc_of(system_, *states_, (*states_)[s.parent], kind_of(s.action));
  }
  static int32_t relation_at(const State& s) {
    return s.action < kStructural ? kUnknown : relation_of(s.action);
  }

  // What the states of a layer say of the arcs that the best tree has by then.
  void look(int32_t step, int32_t first, int32_t end, double temperature) {
    if (end - first < 2) return;
    const States& states = *states_;
    double total = 0.0;
    int32_t earliest = step;  // after it all states are on the way to the best tree
    const double best = states[first].score;
    for (int32_t i = first; i < end; i++) {
      const double mass = std::exp((states[i].score - best) / temperature);
      total += mass;
      if (i == path_[step]) continue;
      int32_t j = step;
      for (int32_t at = i; at != path_[j]; at = states[at].parent, j--) {
        const Arc arc = arc_before(states[at]);
        if (arc.child >= 0) other_[arc.child] = {arc.head, relation_at(states[at]), i};
      }
      earliest = std::min(earliest, j);
      for (int32_t k = j + 1; k <= step; k++) {
        const State& s = states[path_[k]];
        const Arc arc = arc_before(s);
        if (arc.child < 0) continue;
        const Given& it = other_[arc.child];
        if (it.state != i) {
          silent_[arc.child] += mass;
        } else if (it.head != arc.head || it.relation != relation_at(s)) {
          against_[arc.child] += mass;
        }
      }
    }
    for (int32_t k = earliest + 1; k <= step; k++) {
      const int32_t child = arc_before(states[path_[k]]).child;
      if (child < 0) continue;
      const double having = total - silent_[child];
      if (having > 0.0) kept_[child] = std::min(kept_[child], 1.0 - against_[child] / having);
      against_[child] = silent_[child] = 0.0;
    }
  }

  System system_ = System::hybrid;
  const States* states_ = nullptr;
  std::vector<int32_t> path_;  // step -> the state of the best tree
  std::vector<double> kept_, least_, against_, silent_;
  std::vector<Given> other_;
};

}  // namespace latperc::parsing
