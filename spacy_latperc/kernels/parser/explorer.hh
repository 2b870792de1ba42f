// Training of a greedy parser with a dynamic oracle (Goldberg and Nivre 2013, "Training
// deterministic parsers with non-deterministic oracles"): in every state, also after errors,
// the oracle knows the actions that put no reachable head out of reach. If another action
// scores at least as high as the best of these, it is a misstep. The parser may follow it, and
// so learns from states after its own errors.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "hashing/hash.hh"
#include "parser/oracle.hh"
#include "parser/parser_rows.hh"
#include "parser/parser_search.hh"

namespace latperc::parsing {

struct ScoredAction {
  float score = -std::numeric_limits<float>::infinity();
  int action = -1;

  void offer(float other, int its) {
    if (action >= 0 && !(other > score)) return;
    score = other;
    action = its;
  }
};

// True if an action neither leaves a sentence of n tokens nor ends it early.
inline bool stays(const State& s, int32_t n, int kind) {
  return kind == kRoot ? s.front >= n : kind == kRight || s.front < n;
}

// The best right and the best wrong action in a state. Right actions put the fewest known heads
// out of reach, mostly none.
struct BestActions {
  ScoredAction right, wrong;

  void find(const States& states, const State& s, const Limits& limits, const Oracle& oracle,
            int32_t n, int relations, float before, const float* cells) {
    constexpr int kLeaves = std::numeric_limits<int>::max();
    int cost[kStructural];
    int least = kLeaves;
    for (int kind = 0; kind < kStructural; kind++) {
      cost[kind] = -1;
      if (!allowed(states, limits, s, kind)) continue;
      cost[kind] = stays(s, n, kind) ? oracle.lost(states, s, kind) : kLeaves;
      least = std::min(least, cost[kind]);
    }
    right = wrong = ScoredAction();
    for (int kind = 0; kind < kStructural; kind++) {
      if (cost[kind] < 0) continue;
      const bool is_right = cost[kind] == least && cost[kind] < kLeaves;
      if (kind == kShift || kind == kRoot) {
        (is_right ? right : wrong).offer(action_score(before, cells, kind), kind);
        continue;
      }
      const Arc arc = arc_of(states, s, kind);
      const int32_t known = is_right ? oracle.relation_of_arc(arc) : kUnknown;
      for (int r = 0; r < relations; r++) {
        const int action = arc_action(kind, r);
        ScoredAction& best = is_right && (known < 0 || known == r) ? right : wrong;
        best.offer(action_score(before, cells, action), action);
      }
    }
  }
};

struct Misstep {
  int32_t state;
  int right, taken;  // actions
};

class Explorer {
 public:
  Explorer(Scorer<LearningRows>& scorer, int relations) : scorer_(scorer), relations_(relations) {}

  // Parses a sentence of n tokens at the beginning of a text.
  // follow: the probability of following a misstep.
  // RETURNS: false if a score is not finite.
  bool run(const Text& text, const Oracle& oracle, int32_t n, double follow, Random* random) {
    states_.clear();
    states_.reserve(2 * static_cast<size_t>(n) + 1);
    states_.emplace_back();
    missteps_.clear();
    scorer_.begin(text.attrs, text.visible);
    for (int32_t at = 0; at < 2 * n; at++) {
      const State& s = states_[at];
      const float* const cells = scorer_.score(states_, s);
      best_.find(states_, s, text.limits, oracle, n, relations_, 0.0f, cells);
      if (!std::isfinite(best_.right.score)) return false;
      int action = best_.right.action;
      const ScoredAction& wrong = best_.wrong;
      if (wrong.action >= 0 && wrong.score >= best_.right.score) {
        missteps_.push_back({at, action, wrong.action});
        const bool inside = stays(s, n, kind_of(wrong.action));
        if (inside && uniform(random) < follow) action = wrong.action;
      }
      states_.push_back(after(states_, at, action));
    }
    return true;
  }

  const States& states() const { return states_; }
  const std::vector<Misstep>& missteps() const { return missteps_; }

 private:
  static double uniform(Random* random) {
    return static_cast<double>(random->next() >> 11) / static_cast<double>(uint64_t{1} << 53);
  }

  Scorer<LearningRows>& scorer_;
  const int relations_;
  States states_;
  std::vector<Misstep> missteps_;
  BestActions best_;
};

}  // namespace latperc::parsing
