// States of incremental dependency parsers, and their actions.
//
// A state is one cache line and never changes. It holds the top of the stack and the front of
// the buffer with their outermost children. The rest of the stack is the state that had it on
// top (`below`), and the history is the state in which the last action was taken (`parent`).
// So the states of a beam share their common parts, and an action copies one cache line.
//
// The system is arc-hybrid (Kuhlmann, Gomez-Rodriguez, Satta 2011):
//
//   shift   the front of the buffer goes on the stack
//   left    the top becomes a child of the front and leaves the stack
//   right   the top becomes a child of the second and leaves the stack
//   root    the top, alone on the stack, ends a sentence as its root
//
// Every token is shifted once and attached once, to the root in one case a sentence. A text of
// n tokens takes 2 n actions, however many sentences it has, so that scores after the same
// number of actions can be compared.
#pragma once
#include <cstdint>
#include <vector>

#include "common/checked.hh"

namespace latperc::parsing {

// Actions are numbered by their cells in a row of weights: four structural cells, then a left and
// a right arc for each relation. New relations are appended, so cells keep their numbers.
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
  uint8_t lefts = 0, rights = 0, front_lefts = 0;  // numbers of children, at most 255
  uint8_t off = 0;                                 // 1 if it is not on the gold path
  int32_t below = kNothing, parent = kNothing;     // states
  float score = 0.0f;
  uint16_t action = 0;  // that led here
  uint16_t spare = 0;
};
static_assert(sizeof(State) == 64, "a state is one cache line");

using States = std::vector<State>;

// The limits of a text, whose tokens are numbered from 0.
struct Limits {
  int32_t n = 0;
  const uint8_t* may_start = nullptr;  // [n] 1 if a sentence may begin here
};

inline bool alone(const States& states, const State& s) {
  return s.top >= 0 && states[s.below].top < 0;
}

inline bool allowed(const States& states, const Limits& limits, const State& s, int kind) {
  const bool more = s.front < limits.n;
  switch (kind) {
    case kShift:
      return more;
    case kLeft:
      return more && s.top >= 0;
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
inline Arc arc_of(const States& states, const State& s, int kind) {
  switch (kind) {
    case kShift:
      return {kNothing, kNothing};
    case kLeft:
      return {s.front, s.top};
    case kRight:
      return {states[s.below].top, s.top};
    default:
      return {s.top, s.top};
  }
}

inline uint8_t one_more(uint8_t count) { return count < 255 ? count + 1 : count; }

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
inline State after(const States& states, int32_t at, int action) {
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
  } else {
    // The stack is that before the top was shifted, with one more child.
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
