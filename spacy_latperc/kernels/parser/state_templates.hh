// Templates over states: what stands at places of the stack and the buffer, and at their
// children, in; 64-bit hashes of features out.
//
// Templates that look at the same facts of a state are a group: two states that agree in
// these facts have the same features there, and the same sums of weights (state_scorer.hh). In a
// group, conjunctions that begin alike are joined once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/checked.hh"
#include "hashing/hash.hh"
#include "hashing/templates.hh"
#include "parser/state.hh"

namespace latperc::parsing {

// Facts of a state. Places of tokens come first, then what is counted and labelled there.
enum Fact : int {
  kS0, kS1, kS2, kB0, kB1, kB2, kB3,
  kS0L1, kS0L2, kS0R1, kS0R2, kS1L1, kS1L2, kS1R1, kS1R2, kS2L1, kS2L2, kS2R1, kS2R2,
  kB0L1, kB0L2,
  kPlaces,
  // The relation of each child, in the order of the children above.
  kRelations = kPlaces,
  kLefts = kRelations + (kPlaces - kS0L1),  // of s0, s1, s2, b0
  kRights = kLefts + 4,                     // of s0, s1, s2
  kGapS0B0 = kRights + 3,                   // tokens between, up to a limit
  kGapS1S0,
  kFacts,
};
constexpr int kLargestGap = 10;
// Features are told apart by 40 bits, which files keep in three bytes each: of two million
// features two pairs are one.
constexpr uint64_t kKeyBits = ~uint64_t{0} << 24;

class Facts {
 public:
  int32_t operator[](int fact) const { return value_[fact]; }

  // What there is to know of a state over a text of n tokens.
  void read(const States& states, const State& s, int32_t n) {
    const State& second = states[s.top >= 0 ? s.below : 0];
    const bool deep = s.top >= 0 && second.top >= 0;
    const State& third = states[deep ? second.below : 0];
    stack(0, s.top >= 0 ? &s : nullptr);
    stack(1, deep ? &second : nullptr);
    stack(2, deep && third.top >= 0 ? &third : nullptr);
    for (int i = 0; i < 4; i++) value_[kB0 + i] = s.front + i;
    value_[kB0L1] = s.front_l1;
    value_[kB0L2] = s.front_l2;
    value_[kRelations + kB0L1 - kS0L1] = labelled(s.front_l1, s.front_l1_relation);
    value_[kRelations + kB0L2 - kS0L1] = labelled(s.front_l2, s.front_l2_relation);
    value_[kLefts + 3] = s.front_lefts;
    const bool both = s.top >= 0 && s.front < n;
    value_[kGapS0B0] = both ? std::min(s.front - s.top, kLargestGap) : 0;
    value_[kGapS1S0] = deep ? std::min(s.top - second.top, kLargestGap) : 0;
  }

 private:
  static int32_t labelled(int32_t child, uint16_t relation) {
    return child < 0 ? kNothing : relation;
  }
  void stack(int k, const State* s) {
    static const State empty;
    if (!s) s = &empty;
    value_[kS0 + k] = s->top;
    int32_t* const child = value_ + kS0L1 + 4 * k;
    child[0] = s->l1;
    child[1] = s->l2;
    child[2] = s->r1;
    child[3] = s->r2;
    int32_t* const relation = value_ + kRelations + 4 * k;
    relation[0] = labelled(s->l1, s->l1_relation);
    relation[1] = labelled(s->l2, s->l2_relation);
    relation[2] = labelled(s->r1, s->r1_relation);
    relation[3] = labelled(s->r2, s->r2_relation);
    value_[kLefts + k] = s->lefts;
    value_[kRights + k] = s->rights;
  }

  int32_t value_[kFacts];
};

// One thing that a template looks at: an attribute of the token at a place, or a fact.
struct Look {
  int32_t fact;
  int32_t column;  // of the attributes; below 0: the fact itself
};

inline bool operator==(const Look& a, const Look& b) {
  return a.fact == b.fact && a.column == b.column;
}

class StateTemplates {
 public:
  struct Join {
    int32_t before;  // join of the group; below 0: none
    int32_t look;    // of the group
  };
  struct Group {
    std::vector<int32_t> facts;  // that its templates depend on, sorted
    std::vector<Look> looks;
    std::vector<Join> joins;
    std::vector<int32_t> end;    // template of the group -> its last join
    std::vector<uint64_t> seed;  // template of the group -> its own hash
    std::vector<int32_t> number;  // template of the group -> template
  };

  explicit StateTemplates(int columns = 0) : columns_(columns) {}

  void add(uint64_t seed, const std::vector<Look>& looks) {
    std::vector<int32_t> facts;
    for (const Look& look : looks) add_facts(look.fact, &facts);
    std::sort(facts.begin(), facts.end());
    facts.erase(std::unique(facts.begin(), facts.end()), facts.end());
    Group& group = group_of(facts);
    int32_t at = -1;
    for (const Look& look : looks) at = join_of(group, at, look_of(group, look));
    group.end.push_back(at);
    group.seed.push_back(seed);
    group.number.push_back(size_++);
  }

  int size() const { return size_; }
  int columns() const { return columns_; }
  const std::vector<Group>& groups() const { return groups_; }

  // What tells the states that agree in the facts of a group.
  static uint64_t key(const Group& group, const Facts& facts, uint64_t text) {
    uint64_t h = text;
    for (int32_t fact : group.facts) h = join(h, static_cast<uint64_t>(facts[fact]) + 2);
    return mix(h);
  }

  // The features of a group, in the order of its templates.
  void hash(const Group& group, const Facts& facts, View<const uint64_t> attrs, int32_t n,
            std::vector<uint64_t>* scratch, uint64_t* out) const {
    const size_t L = group.looks.size();
    scratch->resize(L + group.joins.size());
    uint64_t* const values = scratch->data();
    uint64_t* const joined = values + L;
    for (size_t i = 0; i < L; i++) values[i] = value(group.looks[i], facts, attrs, n);
    for (size_t i = 0; i < group.joins.size(); i++) {
      const Join& it = group.joins[i];
      joined[i] = join(it.before < 0 ? 0 : joined[it.before], values[it.look]);
    }
    for (size_t t = 0; t < group.end.size(); t++) {
      const uint64_t before = group.end[t] < 0 ? 0 : joined[group.end[t]];
      out[t] = finish(join(before, group.seed[t])) & kKeyBits;
    }
  }

 private:
  uint64_t value(const Look& look, const Facts& facts, View<const uint64_t> attrs,
                 int32_t n) const {
    const int32_t fact = facts[look.fact];
    if (look.column < 0) return mix(static_cast<uint64_t>(fact) + 2);
    if (fact < 0) return padding(-1);
    if (fact >= n) return padding(fact - n + 1);
    return attrs[static_cast<size_t>(fact) * columns_ + look.column];
  }

  // What a fact follows from. The children on one side change together: with one of them
  // all are looked at, which makes fewer groups.
  static void add_facts(int32_t fact, std::vector<int32_t>* facts) {
    if (fact >= kB0 && fact <= kB3) {
      facts->push_back(kB0);
    } else if (fact < kPlaces) {
      facts->push_back(fact);
      if (fact >= kS0L1) add_side((fact - kS0L1) / 2, facts);
    } else if (fact < kLefts) {
      add_side((fact - kRelations) / 2, facts);
    } else if (fact < kRights) {
      add_side(fact == kLefts + 3 ? 6 : 2 * (fact - kLefts), facts);
    } else if (fact < kGapS0B0) {
      add_side(2 * (fact - kRights) + 1, facts);
    } else {
      facts->push_back(kS0);
      facts->push_back(fact == kGapS0B0 ? kB0 : kS1);
    }
  }
  // Sides: the left and the right one of s0, of s1, of s2, and the left one of b0.
  static void add_side(int side, std::vector<int32_t>* facts) {
    for (int k = 0; k < 2; k++) {
      facts->push_back(kS0L1 + 2 * side + k);
      facts->push_back(kRelations + 2 * side + k);
    }
    facts->push_back(side == 6 ? kLefts + 3 : side % 2 ? kRights + side / 2 : kLefts + side / 2);
  }

  Group& group_of(const std::vector<int32_t>& facts) {
    for (Group& group : groups_) {
      if (group.facts == facts) return group;
    }
    groups_.emplace_back();
    groups_.back().facts = facts;
    return groups_.back();
  }
  static int32_t look_of(Group& group, const Look& look) {
    for (size_t i = 0; i < group.looks.size(); i++) {
      if (group.looks[i] == look) return static_cast<int32_t>(i);
    }
    group.looks.push_back(look);
    return static_cast<int32_t>(group.looks.size()) - 1;
  }
  static int32_t join_of(Group& group, int32_t before, int32_t look) {
    for (size_t i = 0; i < group.joins.size(); i++) {
      if (group.joins[i].before == before && group.joins[i].look == look) {
        return static_cast<int32_t>(i);
      }
    }
    group.joins.push_back({before, look});
    return static_cast<int32_t>(group.joins.size()) - 1;
  }

  int columns_;
  int size_ = 0;
  std::vector<Group> groups_;
};

}  // namespace latperc::parsing
