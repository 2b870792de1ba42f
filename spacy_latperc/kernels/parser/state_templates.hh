// Templates over states: tokens at places of the stack and the buffer, and their children, in;
// 64-bit hashes of features out.
//
// Templates that read the same facts of a state form a group: states that agree in these facts
// share the features of the group and their sum of weights (state_scorer.hh). In a group, common
// prefixes of conjunctions are hashed once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/checked.hh"
#include "hashing/hash.hh"
#include "hashing/templates.hh"
#include "parser/state.hh"

namespace latperc::parsing {

// Facts of a state: places of tokens, then relations and counts.
enum Fact : int {
  kS0,
  kS1,
  kS2,
  kB0,
  kB1,
  kB2,
  kB3,
  kS0L1,
  kS0L2,
  kS0R1,
  kS0R2,
  kS1L1,
  kS1L2,
  kS1R1,
  kS1R2,
  kS2L1,
  kS2L2,
  kS2R1,
  kS2R2,
  kB0L1,
  kB0L2,
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
// The parts that facts depend on: the tokens s0, s1, s2 and b0, and their left and right sides
// (of b0 only the left). The children of a side change together: a fact about one of them
// depends on all, and on their parent.
constexpr int kPartB0 = 3, kSides = 4, kParts = kSides + 7;
// Features have hashes of 40 bits, which files store in three bytes each: two million features
// have about two collisions.
constexpr uint64_t kKeyBits = ~uint64_t{0} << 24;

inline int32_t labelled(int32_t child, uint16_t relation) {
  return child < 0 ? kNothing : relation;
}

class Facts {
 public:
  int32_t operator[](int fact) const { return value_[fact]; }
  // Well mixed, so that sums of them tell states apart.
  uint64_t part(int part) const { return part_[part]; }

  // Reads the facts of a state over a text of n tokens.
  void read(const States& states, const State& s, int32_t n) {
    const State& second = states[s.top >= 0 ? s.below : 0];
    const bool deep = s.top >= 0 && second.top >= 0;
    const State& third = states[deep ? second.below : 0];
    stack(0, s.top >= 0 ? &s : nullptr);
    stack(1, deep ? &second : nullptr);
    stack(2, deep && third.top >= 0 ? &third : nullptr);
    for (int i = 0; i < 4; i++) value_[kB0 + i] = s.front + i;
    side(kB0L1 - kS0L1, s.front_left);
    value_[kLefts + 3] = s.front_lefts;
    const bool both = s.top >= 0 && s.front < n;
    value_[kGapS0B0] = both ? std::min(s.front - s.top, kLargestGap) : 0;
    value_[kGapS1S0] = deep ? std::min(s.top - second.top, kLargestGap) : 0;
    for (int k = 0; k < kSides; k++) part_[k] = packed(k, value_[kS0 + k], 0);
    for (int side = 0; side < kParts - kSides; side++) {
      const int32_t* const child = value_ + kS0L1 + 2 * side;
      const int32_t* const relation = value_ + kRelations + 2 * side;
      const int count = side % 2 ? kRights + side / 2 : kLefts + side / 2;
      part_[kSides + side] = packed(kSides + side, value_[kS0 + side / 2], child[0]) +
                             packed(kParts + side, child[1], value_[count]) +
                             packed(2 * kParts + side, relation[0], relation[1]);
    }
  }

 private:
  static uint64_t packed(int place, int32_t a, int32_t b) {
    const uint64_t both =
        static_cast<uint64_t>(static_cast<uint32_t>(a)) << 32 | static_cast<uint32_t>(b);
    return mix(both ^ (static_cast<uint64_t>(place) + 1) * 0x9e3779b97f4a7c15ULL);
  }
  void stack(int k, const State* s) {
    static const State empty;
    if (!s) s = &empty;
    value_[kS0 + k] = s->top;
    side(4 * k, s->left);
    side(4 * k + 2, s->right);
    value_[kLefts + k] = s->lefts;
    value_[kRights + k] = s->rights;
  }
  void side(int at, const Children& it) {
    value_[kS0L1 + at] = it.first;
    value_[kS0L1 + at + 1] = it.second;
    value_[kRelations + at] = labelled(it.first, it.first_relation);
    value_[kRelations + at + 1] = labelled(it.second, it.second_relation);
  }

  int32_t value_[kFacts];
  uint64_t part_[kParts];
};

// A part of a template: an attribute of the token at a place, or a fact.
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
    std::vector<int32_t> parts;  // the parts that its templates depend on, sorted
    std::vector<Look> looks;
    std::vector<Join> joins;
    std::vector<int32_t> end;     // template of the group -> its last join
    std::vector<uint64_t> seed;   // template of the group -> its own hash
    std::vector<int32_t> number;  // template of the group -> template
  };

  explicit StateTemplates(int columns = 0) : columns_(columns) {}

  void add(uint64_t seed, const std::vector<Look>& looks) {
    std::vector<int32_t> parts;
    for (const Look& look : looks) add_part(look.fact, &parts);
    Group& group = group_of(fewest(parts));
    int32_t at = -1;
    for (const Look& look : looks) at = join_of(group, at, look_of(group, look));
    group.end.push_back(at);
    group.seed.push_back(seed);
    group.number.push_back(size_++);
  }

  int size() const { return size_; }
  int columns() const { return columns_; }
  const std::vector<Group>& groups() const { return groups_; }

  // A key that states of a text share if they agree in the facts of a group.
  static uint64_t key(const Group& group, const Facts& facts, uint64_t text) {
    uint64_t h = text;
    for (int32_t part : group.parts) h += facts.part(part);
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

  // Adds the parts that a fact depends on: see Facts::part.
  static void add_part(int32_t fact, std::vector<int32_t>* parts) {
    if (fact <= kS2) {
      parts->push_back(fact);
    } else if (fact <= kB3) {
      parts->push_back(kPartB0);
    } else if (fact < kPlaces) {
      parts->push_back(kSides + (fact - kS0L1) / 2);
    } else if (fact < kLefts) {
      parts->push_back(kSides + (fact - kRelations) / 2);
    } else if (fact < kRights) {
      parts->push_back(kSides + 2 * (fact - kLefts));
    } else if (fact < kGapS0B0) {
      parts->push_back(kSides + 2 * (fact - kRights) + 1);
    } else {
      parts->push_back(kS0);
      parts->push_back(fact == kGapS0B0 ? kPartB0 : kS1);
    }
  }
  // The same parts without those that others imply.
  static std::vector<int32_t> fewest(std::vector<int32_t> parts) {
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    const std::vector<int32_t> all = parts;
    const auto said = [&](int32_t part) {
      if (part >= kSides) return false;
      return std::any_of(all.begin(), all.end(), [&](int32_t other) {
        return other >= kSides && (other - kSides) / 2 == part;
      });
    };
    parts.erase(std::remove_if(parts.begin(), parts.end(), said), parts.end());
    return parts;
  }

  Group& group_of(const std::vector<int32_t>& parts) {
    for (Group& group : groups_) {
      if (group.parts == parts) return group;
    }
    groups_.emplace_back();
    groups_.back().parts = parts;
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
