// Training sentence by sentence, with updates on prefixes (rules/prefix.hh).
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "parser/explorer.hh"
#include "parser/parser_rows.hh"
#include "parser/parser_search.hh"
#include "rules/prefix.hh"
#include "weights/averaging.hh"
#include "weights/delta.hh"

namespace latperc::parsing {

// The update of a sentence, for counts and tests.
struct Learned {
  double loss = 0.0;       // wrong heads and relations in the best prefix
  int32_t prefix = 0;      // length of the prefix; 0: no update
  bool violation = false;  // true if the update is by a violation
};

class ParserTrainer {
 public:
  ParserTrainer(const StateTemplates& templates, int relations, int beam,
                const Averaging& averaging, bool adagrad)
      : n_relations_(relations),
        averaging_(averaging),
        step_(StepSettings{adagrad, 0.0, 0.0}),
        rows_(averaging.on, adagrad),
        scorer_(templates, rows_, action_count(relations)),
        search_(scorer_, relations, beam),
        gold_search_(scorer_, relations, beam),
        explorer_(scorer_, relations) {}

  // Learns from a sentence of n tokens at the beginning of a text. RETURNS: false, without
  // changes, if no tree agrees with the known heads.
  bool learn(const Text& text, const KnownTree& tree, int32_t n, Prefix method, float rate,
             Learned* learned) {
    *learned = Learned();
    oracle_.read(tree, n);
    if (!find_gold(text, tree, n)) return false;
    if (averaging_.restarts(c_)) rows_.restart_from_average(inverse_c());
    const int32_t steps = 2 * n;
    best_.clear();
    kept_.clear();
    float gold_score = 0.0f;
    search_.run(
        text, steps, [&](int32_t step) { return gold_actions_[step]; },
        [&](int32_t step) {
          const float* const cells = scorer_.score(gold_states_, gold_states_[step]);
          gold_score = action_score(gold_score, cells, gold_actions_[step]);
          const State& best = search_.best(step + 1);
          best_.push_back({wrong(search_.first(step + 1)), best.score - gold_score});
          kept_.push_back(keeps_gold(step + 1));
          return method != Prefix::early || kept_.back() || !is_violation(best_.back());
        });
    const int32_t done = search_.steps();
    if (!std::isfinite(search_.best(done).score)) {
      learned->loss = HUGE_VAL;
      return true;
    }
    if (best_.back().wrong) learned->loss = count_wrong(tree, n, done);
    if (method != Prefix::standard || best_.back().wrong) {
      learned->prefix = static_cast<int32_t>(choose_prefix(
          method, done, [&](int64_t i) { return best_[i]; },
          [&](int64_t i) { return kept_[i] != 0; }));
    }
    if (learned->prefix) {
      learned->violation = is_violation(best_[learned->prefix - 1]);
    } else if (!whole_ && best_.back().wrong) {
      learned->prefix = take_lost_way(text, n);
      learned->violation = learned->prefix > 0;
    }
    if (learned->prefix) update(learned->prefix, rate);
    c_++;
    return true;
  }

  // The same for a greedy parser with a dynamic oracle, which follows its own
  // actions and learns the best action in each state.
  bool explore(const Text& text, const KnownTree& tree, int32_t n, double follow, float rate,
               Random* random, Learned* learned) {
    *learned = Learned();
    oracle_.read(tree, n);
    if (!find_gold(text, tree, n)) return false;
    if (averaging_.restarts(c_)) rows_.restart_from_average(inverse_c());
    if (!explorer_.run(text, oracle_, n, follow, random)) {
      learned->loss = HUGE_VAL;
      return true;
    }
    begin_update();
    for (const Misstep& it : explorer_.missteps()) {
      const State& s = explorer_.states()[it.state];
      add(explorer_.states(), s, it.right, 1.0f);
      add(explorer_.states(), s, it.taken, -1.0f);
    }
    learned->loss = static_cast<double>(explorer_.missteps().size());
    learned->prefix = static_cast<int32_t>(explorer_.missteps().size());
    learned->violation = learned->prefix > 0;
    apply_update(rate);
    c_++;
    return true;
  }

  LearningRows& rows() { return rows_; }
  const LearningRows& rows() const { return rows_; }
  int64_t examples() const { return c_; }
  void set_examples(int64_t c) { c_ = c; }
  void set_averaging(const Averaging& averaging) { averaging_ = averaging; }
  float inverse_c() const { return averaging_.on && c_ > 0 ? 1.0f / static_cast<float>(c_) : 0.0f; }

  // Calls visit(row, cell, averaged weight).
  template <class Visit>
  void for_each_row(const Visit& visit) const {
    const float inverse = inverse_c();
    for (size_t r = 1; r <= rows_.rows(); r++) {
      rows_.for_each(r, [&](int cell, float w, float a) { visit(r, cell, w - a * inverse); });
    }
  }

 private:
  // Finds the gold actions and their states.
  bool find_gold(const Text& text, const KnownTree& tree, int32_t n) {
    n_ = n;
    whole_ = oracle_.whole();
    if (whole_) {
      gold_states_.clear();
      gold_states_.emplace_back();
      gold_actions_.clear();
      for (int32_t step = 0; step < 2 * n; step++) {
        const State& s = gold_states_.back();
        const int action = oracle_.next(gold_states_, s);
        const Arc arc = arc_of(gold_states_, s, kind_of(action));
        if (arc.child >= 0 && tree.heads[arc.child] != arc.head) return false;
        gold_actions_.push_back(action);
        gold_states_.push_back(after(gold_states_, step, action));
      }
      return true;
    }
    // A partial tree is completed by the search: the best tree that agrees with it.
    no_starts_.assign(n, 0);
    Text inside = text;
    inside.limits.n = n;
    inside.limits.may_start = no_starts_.data();
    inside.known = tree;
    gold_search_.run(inside);
    if (gold_search_.steps() < 2 * n) return false;
    gold_search_.trace(gold_search_.first(2 * n), &before_, &gold_actions_);
    heads_.resize(n);
    relations_.resize(n);
    gold_search_.arcs(gold_search_.first(2 * n), n, heads_.data(), relations_.data());
    follow_gold();
    return count_against(tree, n) == 0;
  }

  // With a partial tree, right trees may be crowded out of the beam by prefixes that turn wrong
  // later: the result is wrong, and scores less than the best right tree. But when the last right
  // state left the beam, all states in the beam scored at least as much as its best right
  // successor, which becomes the gold prefix. RETURNS: its length.
  int32_t take_lost_way(const Text& text, int32_t n) {
    const States& states = search_.states();
    ScoredAction best;
    int32_t from = kNothing;
    int32_t step = search_.steps();
    for (; step >= 0 && from < 0; step--) {
      for (int32_t at = search_.first(step); at < search_.end(step); at++) {
        if (wrong(at)) continue;
        if (step == search_.steps()) {  // it did not leave the beam: the best is better
          from = at;
          break;
        }
        const State& s = states[at];
        const float* const cells = scorer_.score(states, s);
        next_.find(states, s, text.limits, oracle_, n, n_relations_, s.score, cells);
        if (next_.right.action < 0 || (from >= 0 && !(next_.right.score > best.score))) continue;
        best = next_.right;
        from = at;
      }
    }
    if (from < 0) return 0;
    search_.trace(from, &before_, &gold_actions_);
    if (best.action >= 0) gold_actions_.push_back(best.action);
    follow_gold();
    return static_cast<int32_t>(gold_actions_.size());
  }

  // Computes the states of the gold actions.
  void follow_gold() {
    gold_states_.clear();
    gold_states_.emplace_back();
    for (size_t step = 0; step < gold_actions_.size(); step++) {
      gold_states_.push_back(after(gold_states_, static_cast<int32_t>(step), gold_actions_[step]));
    }
  }

  // True if the actions that led to a state are wrong. For a whole tree there is one right
  // sequence; for a partial tree all actions that put no known head out of reach are right.
  bool wrong(int32_t at) {
    const bool off = search_.states()[at].off != 0;
    if (whole_ || !off) return off;
    search_.trace(at, &before_, &actions_);
    const States& states = search_.states();
    for (size_t i = 0; i < before_.size(); i++) {
      const State& s = states[before_[i]];
      const int kind = kind_of(actions_[i]);
      if (!stays(s, n_, kind) || oracle_.lost(states, s, kind) > 0) return true;
      if (kind == kLeft || kind == kRight) {
        const int32_t known = oracle_.relation(s.top);
        if (known >= 0 && known != relation_of(actions_[i])) return true;
      }
    }
    return false;
  }

  bool keeps_gold(int32_t step) const {
    for (int32_t at = search_.first(step); at < search_.end(step); at++) {
      if (!search_.states()[at].off) return true;
    }
    return false;
  }

  double count_wrong(const KnownTree& tree, int32_t n, int32_t step) {
    const int32_t most = search_.best(step).front;
    const size_t size = static_cast<size_t>(std::max(most, n)) + 1;
    heads_.resize(size);
    relations_.resize(size);
    search_.arcs(search_.first(step), static_cast<int32_t>(size), heads_.data(), relations_.data());
    return count_against(tree, n);
  }
  double count_against(const KnownTree& tree, int32_t n) const {
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++) {
      const int32_t h = tree.heads[i], r = tree.relations[i];
      const bool root = h == i;
      count += (h >= 0 && heads_[i] != h) || (!root && r >= 0 && relations_[i] != r);
    }
    return static_cast<double>(count);
  }

  // w += rate * (f(gold prefix) - f(best prefix))
  void update(int32_t prefix, float rate) {
    search_.trace(search_.first(prefix), &before_, &actions_);
    begin_update();
    int32_t step = 0;
    while (step < prefix && actions_[step] == gold_actions_[step]) step++;
    for (; step < prefix; step++) {
      add(gold_states_, gold_states_[step], gold_actions_[step], 1.0f);
      add(search_.states(), search_.states()[before_[step]], actions_[step], -1.0f);
    }
    apply_update(rate);
  }
  void begin_update() {
    delta_.clear();
    fresh_.clear();
    fresh_keys_.assign(1, 0);
  }
  void apply_update(float rate) {
    const float c = static_cast<float>(c_);
    for (const Delta::Entry& entry : delta_.entries()) {
      if (entry.value == 0.0f) continue;
      int32_t row = entry.feature;
      if (row < 0) row = rows_.row_for(fresh_keys_[-row]);
      rows_.change(row, static_cast<int>(entry.cell), entry.value, step_, rate, c);
    }
  }
  void add(const States& states, const State& s, int action, float value) {
    for (uint64_t key : scorer_.features(states, s)) {
      int32_t row = rows_.find(key);
      if (row == KeyMap::kNone) {
        const int32_t next = static_cast<int32_t>(fresh_keys_.size());
        const int32_t number = fresh_.insert(key, next);
        if (number == next) fresh_keys_.push_back(key);
        row = -number;
      }
      delta_.add(0, row, static_cast<uint64_t>(kind_of(action)), value);
      if (action >= kStructural) delta_.add(0, row, static_cast<uint64_t>(action), value);
    }
  }

  const int n_relations_;
  Averaging averaging_;
  Step step_;
  LearningRows rows_;
  Scorer<LearningRows> scorer_;
  ParserSearch<LearningRows> search_, gold_search_;
  Explorer explorer_;
  Oracle oracle_;
  BestActions next_;
  int64_t c_ = 0;
  int32_t n_ = 0;  // tokens of the sentence
  bool whole_ = true;
  States gold_states_;
  std::vector<int32_t> gold_actions_, actions_, before_;
  std::vector<BestPrefix> best_;
  std::vector<uint8_t> kept_, no_starts_;
  std::vector<int32_t> heads_, relations_;
  Delta delta_;
  KeyMap fresh_;  // features of the update without a row
  std::vector<uint64_t> fresh_keys_;
};

}  // namespace latperc::parsing
