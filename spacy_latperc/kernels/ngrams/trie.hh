// n-grams as a trie of sorted arrays: the successors of a context lie side by side.
//
// Level k holds the n-grams of k words. A context is an n-gram one level up; the root,
// node 0 of level 0, is the empty one. Level 1 has a node for every word number.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/checked.hh"

namespace latperc {

struct NgramLevel {
  // By node.
  std::vector<int32_t> word;    // rises within a context
  std::vector<uint32_t> sum;    // of the counts of a context up to this node
  std::vector<int32_t> suffix;  // the node without its first word, a level up
  // By context.
  std::vector<int32_t> begin;   // contexts + 1
  std::vector<uint32_t> total;  // what counts are divided by
  std::vector<double> rest;     // the share that goes to the shorter context

  size_t contexts() const { return total.size(); }
  int32_t nodes() const { return static_cast<int32_t>(word.size()); }

  uint32_t count(int32_t context, int32_t node) const {
    return sum[node] - (node > begin[context] ? sum[node - 1] : 0);
  }

  // The sum of the counts in this context that are left.
  uint32_t kept(int32_t context) const {
    return begin[context] < begin[context + 1] ? sum[begin[context + 1] - 1] : 0;
  }

  // The node of this word in this context, or -1.
  int32_t find(int32_t context, int32_t w) const {
    int32_t low = begin[context];
    const int32_t end = begin[context + 1];
    int32_t high = end;
    while (low < high) {
      const int32_t middle = low + (high - low) / 2;
      if (word[middle] < w) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < end && word[low] == w ? low : -1;
  }

  // The node into whose share of the counts this falls; at < kept(context).
  int32_t locate(int32_t context, uint32_t at) const {
    int32_t low = begin[context];
    int32_t high = begin[context + 1] - 1;
    while (low < high) {
      const int32_t middle = low + (high - low) / 2;
      if (sum[middle] <= at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

enum class Smoothing : int { kNone = 0, kKneserNey = 1 };

struct NgramTrie {
  static constexpr int kMaxOrder = 5;

  Smoothing smoothing = Smoothing::kNone;
  std::vector<NgramLevel> levels;  // levels[k - 1] is level k
  // What is taken from a count of 1, 2, and 3 or more, three for each level.
  std::vector<double> discounts;

  int order() const { return static_cast<int>(levels.size()); }
  int32_t words() const { return levels.empty() ? 0 : levels[0].nodes(); }

  double discount(int level, uint32_t count) const {
    return discounts[3 * (level - 1) + std::min<uint32_t>(count, 3) - 1];
  }

  // Node -> node one level up without the first word.
  int32_t suffix(int level, int32_t node) const {
    return level == 1 ? 0 : levels[level - 1].suffix[node];
  }

  // Whether every number in it is one that the kernels may follow.
  bool sound() const {
    if (levels.empty() || order() > kMaxOrder) return false;
    if (discounts.size() != 3 * levels.size() || words() < 4) return false;
    for (size_t d = 0; d < discounts.size(); d++) {
      const double most = static_cast<double>(d % 3 + 1);
      if (!(discounts[d] >= 0 && discounts[d] <= most)) return false;
    }
    for (int k = 1; k <= order(); k++) {
      if (!sound(k)) return false;
    }
    return true;
  }

  // The shares that go to shorter contexts follow from the rest.
  void fill_rest() {
    for (int k = 1; k <= order(); k++) {
      NgramLevel& level = levels[k - 1];
      level.rest.assign(level.contexts(), 1.0);
      for (size_t c = 0; c < level.contexts(); c++) {
        const uint32_t total = level.total[c];
        if (total == 0) continue;
        const int32_t context = static_cast<int32_t>(c);
        double rest = static_cast<double>(total - level.kept(context));
        for (int32_t node = level.begin[c]; node < level.begin[c + 1]; node++) {
          const uint32_t count = level.count(context, node);
          if (count) rest += discount(k, count);
        }
        level.rest[c] = rest / static_cast<double>(total);
      }
    }
  }

 private:
  bool sound(int k) const {
    const NgramLevel& level = levels[k - 1];
    const size_t nodes = level.word.size();
    const size_t contexts = k == 1 ? 1 : levels[k - 2].word.size();
    if (nodes >= INT32_MAX || level.sum.size() != nodes || level.suffix.size() != nodes ||
        level.total.size() != contexts || level.begin.size() != contexts + 1 ||
        level.begin[0] != 0 || level.begin[contexts] != level.nodes()) {
      return false;
    }
    for (size_t c = 0; c < contexts; c++) {
      const int32_t begin = level.begin[c], end = level.begin[c + 1];
      if (end < begin || end > level.nodes()) return false;
      int32_t word = -1;
      uint32_t sum = 0;
      for (int32_t node = begin; node < end; node++) {
        if (level.word[node] <= word || level.sum[node] < sum) return false;
        word = level.word[node];
        sum = level.sum[node];
        if (k == 1) continue;
        const int32_t shorter = level.suffix[node];
        if (shorter < 0 || shorter >= levels[k - 2].nodes()) return false;
        if (levels[k - 2].word[shorter] != word) return false;
      }
      if (word >= words() || sum > level.total[c]) return false;
    }
    return k > 1 || level.word.back() == words() - 1;
  }
};

}  // namespace latperc
