// A greedy parser on its way through a sentence of which trees are known, with a dynamic
// oracle (Goldberg and Nivre 2013, "Training deterministic parsers with non-deterministic
// oracles"): in every state, also after errors, the oracle says which actions put no head
// out of reach that still was within it. Where another action scores no less than the best
// of these, that is a misstep; the parser may follow it, and so sees states like those of
// its own errors.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "hashing/hash.hh"
#include "parser/oracle.hh"
#include "parser/parser_search.hh"

namespace latperc::parsing {

struct Misstep {
  int32_t state;
  int right, taken;  // actions
};

template <class Rows>
class Explorer {
 public:
  Explorer(System system, Scorer<Rows>& scorer, int relations)
      : system_(system), scorer_(scorer), relations_(relations) {}

  // Goes through a sentence of n tokens at the beginning of a text.
  // follow: how probably it goes on with a misstep.
  // RETURNS: false where a score is not finite.
  bool run(const Text& text, const Oracle& oracle, int32_t n, double follow, Random* random) {
    states_.clear();
    states_.reserve(2 * static_cast<size_t>(n) + 1);
    states_.emplace_back();
    missteps_.clear();
    scorer_.begin(text.attrs, text.visible);
    for (int32_t at = 0; at < 2 * n; at++) {
      const Choice right = choose(text, oracle, n, at);
      if (!std::isfinite(right.score)) return false;
      int action = right.action;
      if (wrong_.action >= 0 && wrong_.score >= right.score) {
        missteps_.push_back({at, right.action, wrong_.action});
        const bool inside = stays(states_[at], n, kind_of(wrong_.action));
        if (inside && uniform(random) < follow) action = wrong_.action;
      }
      states_.push_back(after(system_, states_, at, action));
    }
    return true;
  }

  const States& states() const { return states_; }
  const std::vector<Misstep>& missteps() const { return missteps_; }

 private:
  struct Choice {
    float score = -std::numeric_limits<float>::infinity();
    int action = -1;

    void offer(float other, int its) {
      if (action >= 0 && !(other > score)) return;
      score = other;
      action = its;
    }
  };

  static double uniform(Random* random) {
    return static_cast<double>(random->next() >> 11) / static_cast<double>(uint64_t{1} << 53);
  }

  // Whether an action neither leaves the sentence nor ends it before its last token.
  static bool stays(const State& s, int32_t n, int kind) {
    return kind == kRoot ? s.front >= n : kind == kRight || s.front < n;
  }

  // The best right action; the best wrong one becomes wrong_.
  Choice choose(const Text& text, const Oracle& oracle, int32_t n, int32_t at) {
    const State& s = states_[at];
    int cost[kStructural];
    int least = std::numeric_limits<int>::max();
    for (int kind = 0; kind < kStructural; kind++) {
      cost[kind] = -1;
      if (!allowed(system_, states_, text.limits, s, kind)) continue;
      cost[kind] = std::numeric_limits<int>::max();
      if (!stays(s, n, kind)) continue;
      cost[kind] = oracle.lost(states_, s, kind);
      least = std::min(least, cost[kind]);
    }
    const float* const cells = scorer_.score(states_, s);
    Choice right;
    wrong_ = Choice();
    for (int kind = 0; kind < kStructural; kind++) {
      if (cost[kind] < 0) continue;
      const bool is_right = cost[kind] == least && stays(s, n, kind);
      if (kind == kShift || kind == kRoot) {
        (is_right ? right : wrong_).offer(action_score(0.0f, cells, kind), kind);
        continue;
      }
      const int32_t known = is_right ? oracle.relation_of_arc(
                                           arc_of(system_, states_, s, kind))
                                     : kUnknown;
      for (int r = 0; r < relations_; r++) {
        const int action = arc_action(kind, r);
        Choice& choice = is_right && (known < 0 || known == r) ? right : wrong_;
        choice.offer(action_score(0.0f, cells, action), action);
      }
    }
    return right;
  }

  const System system_;
  Scorer<Rows>& scorer_;
  const int relations_;
  States states_;
  std::vector<Misstep> missteps_;
  Choice wrong_;
};

}  // namespace latperc::parsing
