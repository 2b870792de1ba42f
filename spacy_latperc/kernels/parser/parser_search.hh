// Beam search over the states of a parser; a beam of one is greedy.
//
// After each action only the best states continue; ties go to the better parent, then to the
// lower action. All layers are stored, for updates on prefixes and for back-tracing.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "parser/oracle.hh"
#include "parser/state.hh"
#include "parser/state_scorer.hh"

namespace latperc::parsing {

// A text: tokens and their attributes; of a partial tree the known heads, too.
struct Text {
  View<const uint64_t> attrs;
  int32_t visible = 0;  // tokens with attributes, also behind the last one to parse
  Limits limits;
  KnownTree known;  // heads and relations that the search must find
};

struct Candidate {
  float score;
  int32_t parent;  // state
  int32_t action;
};

inline bool operator<(const Candidate& a, const Candidate& b) {  // a is better
  if (a.score != b.score) return a.score > b.score;
  return a.parent != b.parent ? a.parent < b.parent : a.action < b.action;
}

// The score of an action in a state, always summed in the same order.
inline float action_score(float before, const float* cells, int action) {
  const float own = action < kStructural ? 0.0f : cells[action];
  return before + (own + cells[kind_of(action)]);
}

// The actions that a state allows: kinds, and the relation of each kind of arc if it is known.
struct Choices {
  bool kind[kStructural] = {};
  int32_t relation[kStructural] = {kUnknown, kUnknown, kUnknown, kUnknown};
};

template <class Rows>
class ParserSearch {
 public:
  ParserSearch(Scorer<Rows>& scorer, int relations, int beam)
      : scorer_(scorer), relations_(relations), beam_(beam) {}

  // Parses up to `steps` actions. way(step) is the gold action, -1 for none; the search stops
  // when more(step) is false, or when no state can reach the known heads.
  template <class Way, class More>
  void run(const Text& text, int32_t steps, const Way& way, const More& more) {
    begin(text);
    for (int32_t step = 0; step < steps; step++) {
      expand(text);
      if (chosen_.empty()) return;
      keep(way(step));
      if (!more(step)) return;
    }
  }
  void run(const Text& text) {
    run(text, 2 * text.limits.n, [](int32_t) { return -1; }, [](int32_t) { return true; });
  }

  void begin(const Text& text) {
    states_.clear();
    states_.reserve(static_cast<size_t>(text.limits.n) * 2 * beam_ + 1);
    states_.emplace_back();
    layers_.assign({0, 1});
    keeps_known_ = text.known.any();
    if (keeps_known_) known_.read(text.known, text.limits.n);
    scorer_.begin(text.attrs, text.visible);
  }

  const States& states() const { return states_; }
  int32_t steps() const { return static_cast<int32_t>(layers_.size()) - 2; }
  // The states after `step` actions, best first.
  int32_t first(int32_t step) const { return layers_[step]; }
  int32_t end(int32_t step) const { return layers_[step + 1]; }
  const State& best(int32_t step) const { return states_[layers_[step]]; }

  // Lists the actions that led to a state, and the state before each.
  void trace(int32_t at, std::vector<int32_t>* before, std::vector<int32_t>* actions) const {
    before->clear();
    actions->clear();
    for (; states_[at].parent >= 0; at = states_[at].parent) {
      actions->push_back(states_[at].action);
      before->push_back(states_[at].parent);
    }
    std::reverse(before->begin(), before->end());
    std::reverse(actions->begin(), actions->end());
  }

  // Writes the heads (a root is its own) and relations (-1 for a root) of a state; -1 where there
  // is none yet.
  void arcs(int32_t at, int32_t n, int32_t* heads, int32_t* relations) const {
    std::fill(heads, heads + n, kUnknown);
    std::fill(relations, relations + n, kUnknown);
    for (; states_[at].parent >= 0; at = states_[at].parent) {
      const int action = states_[at].action;
      const Arc arc = arc_of(states_, states_[states_[at].parent], kind_of(action));
      if (arc.child < 0) continue;
      heads[arc.child] = arc.head;
      if (action >= kStructural) relations[arc.child] = relation_of(action);
    }
  }

 private:
  Choices choices(const Text& text, const State& s) const {
    Choices result;
    for (int kind = 0; kind < kStructural; kind++) {
      result.kind[kind] = allowed(states_, text.limits, s, kind) &&
                          (relations_ > 0 || kind == kShift || kind == kRoot);
      if (!keeps_known_ || !result.kind[kind]) continue;
      result.kind[kind] = known_.lost(states_, s, kind) == 0;
      if (kind == kLeft || kind == kRight) {
        result.relation[kind] = text.known.relations[s.top];
      }
    }
    return result;
  }

  void expand(const Text& text) {
    chosen_.clear();
    const int32_t from = first(steps()), to = end(steps());
    const size_t width = static_cast<size_t>(beam_);
    for (int32_t at = from; at < to; at++) {
      const State& s = states_[at];
      const Choices can = choices(text, s);
      const float* const cells = scorer_.score(states_, s);
      if (can.kind[kShift]) offer({action_score(s.score, cells, kShift), at, kShift}, width);
      if (can.kind[kRoot]) offer({action_score(s.score, cells, kRoot), at, kRoot}, width);
      float largest[2];
      scorer_.largest_arcs(&largest[0], &largest[1]);
      for (int kind = kLeft; kind <= kRight; kind++) {
        if (!can.kind[kind]) continue;
        if (can.relation[kind] >= 0) {
          const int action = arc_action(kind, can.relation[kind]);
          offer({action_score(s.score, cells, action), at, action}, width);
          continue;
        }
        // In the order of action_score.
        const float structural = cells[kind];
        const int32_t end = action_count(relations_);
        float limit = chosen_.size() < width ? kLeast : chosen_.back().score;
        if (s.score + (largest[kind - kLeft] + structural) < limit) continue;
        for (int32_t action = arc_action(kind, 0); action < end; action += 2) {
          const float score = s.score + (cells[action] + structural);
          if (score < limit) continue;
          offer({score, at, action}, width);
          if (chosen_.size() == width) limit = chosen_.back().score;
        }
      }
    }
  }

  void offer(const Candidate& it, size_t width) {
    if (chosen_.size() == width && !(it < chosen_.back())) return;
    if (chosen_.size() < width) chosen_.emplace_back();
    size_t at = chosen_.size() - 1;
    for (; at > 0 && it < chosen_[at - 1]; at--) chosen_[at] = chosen_[at - 1];
    chosen_[at] = it;
  }

  void keep(int32_t gold) {
    for (const Candidate& it : chosen_) {
      State next = after(states_, it.parent, it.action);
      next.score = it.score;
      next.off = states_[it.parent].off || it.action != gold;
      states_.push_back(next);
    }
    layers_.push_back(static_cast<int32_t>(states_.size()));
  }

  static constexpr float kLeast = std::numeric_limits<float>::lowest();

  Scorer<Rows>& scorer_;
  const int relations_;
  const int beam_;
  bool keeps_known_ = false;
  Oracle known_;
  States states_;
  std::vector<int32_t> layers_;  // step -> its first state
  std::vector<Candidate> chosen_;
};

}  // namespace latperc::parsing
