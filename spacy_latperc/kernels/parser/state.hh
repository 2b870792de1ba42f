// States of incremental dependency parsers, and what actions make of them.
//
// A state is one cache line and never changes. It says what is on top of the stack and in
// front of the buffer, with their outermost children; what is below the top of the stack
// is the state that had it on top (`below`), and what was done before is the state that an
// action was taken in (`parent`). So all states of a beam share what they have in common,
// and an action copies nothing but one line.
//
// Both systems attach every token once: n shifts, and n attachments of which one of each
// sentence is to the root. A text of n tokens takes 2 n actions, however many sentences it
// has, so that scores after the same number of actions can be compared.
//
//   shift                          the front of the buffer goes on the stack
//   left   arc-hybrid              the top becomes a child of the front, and is taken off
//          arc-standard            the second becomes a child of the top, and is taken off
//   right                          the top becomes a child of the second, and is taken off
//   root                           the top, alone on the stack, ends a sentence as its root
//
// Arc-standard: Nivre 2004. Arc-hybrid: Kuhlmann, Gomez-Rodriguez, Satta 2011.
#pragma once
#include <cstdint>
#include <vector>

#include "common/checked.hh"

namespace latperc::parsing {

enum class System : int { hybrid = 0, standard = 1 };

// Actions by their cell in a row of weights: four structural cells, then the relations,
// each as a left arc and as a right one. New relations come behind, so cells stay.
constexpr int kShift = 0, kLeft = 1, kRight = 2, kRoot = 3;
constexpr int kStructural = 4;

inline int action_count(int relations) { return kStructural + 2 * relations; }
inline int kind_of(int action) {
  return action < kStructural ? action : action % 2 == 0 ? kLeft : kRight;
}
inline int relation_of(int action) { return (action - kStructural) / 2; }
inline int arc_action(int kind, int relation) {
  return kStructural + 2 * relation + (kind == kRight ? 1 : 0);
}

constexpr int32_t kNothing = -1;

// The two outermost children of a token on one side, the outermost first.
struct Children {
  int32_t first = kNothing, second = kNothing;
  uint16_t first_relation = 0, second_relation = 0;

  void add(int32_t child, int relation) {
    second = first;
    second_relation = first_relation;
    first = child;
    first_relation = static_cast<uint16_t>(relation);
  }
};

struct State {
  int32_t top = kNothing;  // token; nothing: the stack is empty
  Children left, right;    // of the top
  int32_t front = 0;       // token; beyond the last: the buffer is empty
  Children front_left;
  uint8_t lefts = 0, rights = 0, front_lefts = 0;  // children, as far as one can count
  uint8_t off = 0;                                 // not on the way to gold any more
  int32_t below = kNothing, parent = kNothing;     // states
  float score = 0.0f;
  uint16_t action = 0;  // that led here
  uint16_t spare = 0;
};
static_assert(sizeof(State) == 64, "a state is one cache line");

using States = std::vector<State>;

// What a text allows. Tokens are numbered from the first one of the text.
struct Limits {
  int32_t n = 0;
  const uint8_t* may_start = nullptr;  // [n] whether a sentence may begin here
};

inline bool alone(const States& states, const State& s) {
  return s.top >= 0 && states[s.below].top < 0;
}

inline bool allowed(System system, const States& states, const Limits& limits, const State& s,
                    int kind) {
  const bool more = s.front < limits.n;
  switch (kind) {
    case kShift:
      return more;
    case kLeft:
      if (system == System::hybrid) return more && s.top >= 0;
      return s.top >= 0 && !alone(states, s);
    case kRight:
      return s.top >= 0 && !alone(states, s);
    default:
      // The next sentence begins with the front, which must not have children before it.
      return alone(states, s) && (!more || (s.front_lefts == 0 && limits.may_start[s.front]));
  }
}

struct Arc {
  int32_t head, child;  // a root is its own head
};

// The arc that an action of this kind makes; nothing for a shift.
inline Arc arc_of(System system, const States& states, const State& s, int kind) {
  switch (kind) {
    case kShift:
      return {kNothing, kNothing};
    case kLeft:
      if (system == System::hybrid) return {s.front, s.top};
      return {s.top, states[s.below].top};
    case kRight:
      return {states[s.below].top, s.top};
    default:
      return {s.top, s.top};
  }
}

inline uint8_t one_more(uint8_t count) { return count < 255 ? count + 1 : count; }

inline void add_left(State* s, int32_t child, int relation) {
  s->left.add(child, relation);
  s->lefts = one_more(s->lefts);
}

inline void add_right(State* s, int32_t child, int relation) {
  s->right.add(child, relation);
  s->rights = one_more(s->rights);
}

inline void add_to_front(State* s, int32_t child, int relation) {
  s->front_left.add(child, relation);
  s->front_lefts = one_more(s->front_lefts);
}

inline void take_top_of(const State& other, State* s) {
  s->top = other.top;
  s->left = other.left;
  s->right = other.right;
  s->lefts = other.lefts;
  s->rights = other.rights;
  s->below = other.below;
}

inline void take_front(const State& from, State* s) {
  s->front = from.front;
  s->front_left = from.front_left;
  s->front_lefts = from.front_lefts;
}

// The state after an action in state number `at`.
inline State after(System system, const States& states, int32_t at, int action) {
  const State& s = states[at];
  State next;
  const int kind = kind_of(action);
  const int relation = kind == kLeft || kind == kRight ? relation_of(action) : 0;
  if (kind == kShift) {
    next.top = s.front;
    next.left = s.front_left;
    next.lefts = s.front_lefts;
    next.below = at;
    next.front = s.front + 1;
  } else if (kind == kLeft && system == System::standard) {
    take_top_of(s, &next);
    next.below = states[s.below].below;
    add_left(&next, states[s.below].top, relation);
    take_front(s, &next);
  } else {
    // The stack is what it was before the top came on it, with one more child.
    take_top_of(states[s.below], &next);
    take_front(s, &next);
    if (kind == kRight) {
      add_right(&next, s.top, relation);
    } else if (kind == kLeft) {
      add_to_front(&next, s.top, relation);
    }
  }
  next.parent = at;
  next.action = static_cast<uint16_t>(action);
  return next;
}

}  // namespace latperc::parsing
