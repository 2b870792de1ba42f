// Which states are equal: nothing that is to come can tell them apart.
//
// What is to come depends on the tokens of the whole stack and on the front, and on those
// of their children that templates look at. Whatever else two states differ in (relations
// and arcs deep inside of trees) is over. Of equal states a search may keep the best alone:
// whatever the others could still reach, it reaches with a score that is no less. (Dynamic
// programming for parsing: Huang and Sagae 2010. They also merge states that agree in the
// top of the stack alone, and go on with all that may lie below it; this does not.)
#pragma once
#include <cstdint>
#include <vector>

#include "hashing/hash.hh"
#include "parser/state_templates.hh"

namespace latperc::parsing {

class StateIdentity {
 public:
  explicit StateIdentity(const StateTemplates& templates) {
    for (const auto& group : templates.groups()) {
      for (const Look& look : group.looks) note(look.fact);
    }
    // The first child on a side becomes the second one when another comes.
    for (Side* side : {&left_, &right_}) {
      side->first = side->first || side->second;
      side->first_relation = side->first_relation || side->second_relation;
    }
  }

  // Of the stack of a state, given that of what is below its top.
  uint64_t stack(const State& s, uint64_t below) const {
    if (s.top < 0) return kEmpty;
    uint64_t h = join(below, number(s.top));
    h = seen(left_, s.left, s.lefts, h);
    return mix(seen(right_, s.right, s.rights, h));
  }
  // Of the state, given that of its stack.
  uint64_t whole(const State& s, uint64_t stack) const {
    // A sentence may only begin with a front that has no children.
    const uint64_t h = join(join(stack, number(s.front)), s.front_lefts > 0);
    return mix(seen(left_, s.front_left, s.front_lefts, h));
  }

  static constexpr uint64_t kEmpty = 0x9e3779b97f4a7c15ULL;

 private:
  struct Side {
    bool first = false, second = false, first_relation = false, second_relation = false;
    bool count = false;
  };

  void note(int32_t fact) {
    if (fact >= kS0L1 && fact < kPlaces) {
      Side& side = side_of(fact - kS0L1);
      ((fact - kS0L1) % 2 ? side.second : side.first) = true;
    } else if (fact >= kRelations && fact < kLefts) {
      Side& side = side_of(fact - kRelations);
      ((fact - kRelations) % 2 ? side.second_relation : side.first_relation) = true;
    } else if (fact >= kLefts && fact < kGapS0B0) {
      (fact < kRights ? left_ : right_).count = true;
    }
  }
  Side& side_of(int32_t child) { return child / 2 % 2 ? right_ : left_; }

  static uint64_t number(int32_t x) { return static_cast<uint64_t>(static_cast<uint32_t>(x)); }
  static uint64_t seen(const Side& side, const Children& it, uint8_t count, uint64_t h) {
    if (side.first) h = join(h, number(it.first));
    if (side.second) h = join(h, number(it.second));
    if (side.first_relation) h = join(h, number(labelled(it.first, it.first_relation)));
    if (side.second_relation) h = join(h, number(labelled(it.second, it.second_relation)));
    if (side.count) h = join(h, count);
    return h;
  }

  Side left_, right_;
};

}  // namespace latperc::parsing
