// Gold trees, whole or partial, and the actions that lead to them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "parser/state.hh"

namespace latperc::parsing {

constexpr int32_t kUnknown = -1;

struct KnownTree {
  const int32_t* heads = nullptr;      // [n] a root is its own head; unknown ones -1
  const int32_t* relations = nullptr;  // [n] unknown ones -1

  bool any() const { return heads != nullptr; }
};

class Oracle {
 public:
  // Reads the tree of the first n tokens; later ones belong to other sentences.
  void read(const KnownTree& tree, int32_t n) {
    tree_ = tree;
    n_ = n;
    first_.assign(n, n);
    last_.assign(n, kNothing);
    whole_ = true;
    for (int32_t i = 0; i < n; i++) {
      const int32_t h = tree.heads[i];
      if (h < 0 || (h != i && tree.relations[i] < 0)) whole_ = false;
      if (h < 0 || h == i) continue;
      first_[h] = std::min(first_[h], i);
      last_[h] = std::max(last_[h], i);
    }
  }

  // True if every head and relation is known.
  bool whole() const { return whole_; }
  // The known relation of a token; -1 for none.
  int32_t relation(int32_t token) const { return token < n_ ? tree_.relations[token] : kUnknown; }
  // The known relation of an arc; -1 if it is open, or if the arc is not known.
  int32_t relation_of_arc(const Arc& arc) const {
    const bool known = arc.child < n_ && tree_.heads[arc.child] == arc.head;
    return known ? tree_.relations[arc.child] : kUnknown;
  }

  // The next action towards a whole projective tree of one sentence, with arcs as early as
  // possible. A tree that is not projective is replaced by another one.
  int next(const States& states, const State& s) const {
    if (s.top >= 0) {
      const bool more = s.front < n_;
      const int32_t second = states[s.below].top;
      if (more && tree_.heads[s.top] == s.front) return arc(kLeft, s.top);
      if (second >= 0 && tree_.heads[s.top] == second && last_[s.top] < s.front) {
        return arc(kRight, s.top);
      }
      if (!more) return second >= 0 ? arc(kRight, s.top) : kRoot;
    }
    return kShift;
  }

  // The number of known heads that an action puts out of reach for ever (Goldberg and
  // Nivre 2013, with one root for each sentence), without heads that it attaches rightly or that
  // were out of reach before. Heads of a tree that are each in reach are so together.
  int lost(const States& states, const State& s, int kind) const {
    int count = 0;
    if (kind == kShift) {
      const int32_t b = s.front;
      if (b >= n_) return 0;
      if (s.top >= 0) {
        if (tree_.heads[b] == b) count++;
        for (const State* at = &states[s.below]; tree_.heads[b] >= 0 && tree_.heads[b] < s.top;
             at = &states[at->below]) {
          if (at->top < tree_.heads[b]) break;
          if (at->top == tree_.heads[b]) count++;
        }
        for (const State* at = &s; at->top >= first_[b]; at = &states[at->below]) {
          if (tree_.heads[at->top] == b) count++;
        }
      }
      return count;
    }
    if (s.top >= n_) return 0;
    const int32_t head = tree_.heads[s.top];
    const bool is_alone = alone(states, s);
    // The possible heads of the top: the second, the buffer, the root.
    if (head >= 0) {
      const int32_t second = states[s.below].top;
      const bool in_reach =
          head == s.top ? is_alone : head >= s.front || (head == second && second >= 0);
      const bool right = kind == kLeft    ? head == s.front
                         : kind == kRight ? head == second
                                          : head == s.top;
      if (in_reach && !right) count++;
    }
    for (int32_t i = std::max(s.front, first_[s.top]); i <= last_[s.top]; i++) {
      if (tree_.heads[i] == s.top) count++;
    }
    return count;
  }

 private:
  int arc(int kind, int32_t child) const { return arc_action(kind, tree_.relations[child]); }

  KnownTree tree_;
  int32_t n_ = 0;
  bool whole_ = false;
  std::vector<int32_t> first_, last_;  // children of each token
};

}  // namespace latperc::parsing
