// Violation-fixing perceptron (Huang, Fayong, Guo 2012, "Structured Perceptron with Inexact
// Search"), for beam search: updates are valid for a wrong prefix z that scores no less than the
// gold prefix y, a violation. The methods choose different prefixes:
//   standard  the whole sentence, violation or not
//   early     the first prefix after which gold is out of the beam
//   latest    the longest violation
//   max       the largest violation; ties go to the longest
// Chains and parsers share this choice.
#pragma once
#include <cstdint>

namespace latperc {

enum class Prefix : int { standard = 0, early = 1, latest = 2, max = 3 };

struct BestPrefix {
  bool wrong;  // the best prefix of this length is not gold
  float gap;   // its score - the gold score
};

inline bool is_violation(const BestPrefix& it) { return it.wrong && it.gap >= 0.0f; }

// The length of the prefix to learn from, 1 .. n; 0 for none. at(i) is the best prefix of length
// i + 1; kept(i) is true if gold is in the beam after it.
template <class At, class Kept>
inline int64_t choose_prefix(Prefix method, int64_t n, const At& at, const Kept& kept) {
  if (method == Prefix::standard) return n;
  int64_t chosen = 0;
  float worst = 0.0f;
  for (int64_t i = 0; i < n; i++) {
    const BestPrefix best = at(i);
    if (!is_violation(best)) continue;
    if (method == Prefix::early && i + 1 < n && kept(i)) continue;
    if (method == Prefix::early) return i + 1;
    if (method == Prefix::max && best.gap < worst) continue;
    worst = best.gap;
    chosen = i + 1;
  }
  return chosen;
}

}  // namespace latperc
