// N-grams as a trie of sorted arrays, with the successors of a context side by side.
//
// Level k holds the n-grams of k words. A context is an n-gram one level up; the root, node 0 of
// level 0, is the empty context. Level 1 has a node for every word number.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/checked.hh"
#include "ngrams/counting.hh"

namespace latperc {

struct NgramLevel {
  double discount = 0;  // subtracted from every count
  // By node.
  std::vector<int32_t> word;  // ascending within a context
  std::vector<double> sum;    // of the counts of a context up to this node
  // By context.
  std::vector<int32_t> begin{0};  // [contexts + 1] the first node
  std::vector<double> total;      // the divisor of counts
  std::vector<double> rest;       // the weight of the shorter context

  int32_t nodes() const { return static_cast<int32_t>(word.size()); }

  // Adds a node to the last context, which is still open; and closes that context.
  void add(int32_t w, double count) {
    sum.push_back(count + (nodes() > begin.back() ? sum.back() : 0));
    word.push_back(w);
  }
  void close(double all, double left) {
    begin.push_back(nodes());
    total.push_back(all);
    rest.push_back(all > 0 ? left / all : 1);
  }

  double count(int32_t context, int32_t node) const {
    return sum[node] - (node > begin[context] ? sum[node - 1] : 0);
  }

  // The sum of the stored counts of this context.
  double kept(int32_t context) const {
    return begin[context] < begin[context + 1] ? sum[begin[context + 1] - 1] : 0;
  }

  // The node of a word in a context, or -1.
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

  // The node whose part of the summed counts contains `at`, which is below kept(context).
  int32_t locate(int32_t context, double at) const {
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

struct NgramTrie {
  std::vector<NgramLevel> levels;  // levels[k - 1] is level k

  int order() const { return static_cast<int>(levels.size()); }
  int32_t words() const { return levels.empty() ? 0 : levels[0].nodes(); }

  // least: by level, the smallest count of n-grams that are kept; it must not fall.
  void fill(NgramText& text, const std::vector<uint32_t>& least) {
    levels.assign(text.order(), NgramLevel());
    for (int k = 0; k < order(); k++) levels[k].discount = text.discounts()[k];
    text.visit(least, [&](const Ngram& ngram) {
      const int k = ngram.length;
      if (k > 0) {
        const bool kept = ngram.count >= least[k - 1];
        if (!kept && k > 1) return;  // words keep their numbers
        levels[k - 1].add(ngram.words[k - 1], kept && !ngram.is_begin() ? ngram.adjusted : 0);
      }
      if (k < order()) levels[k].close(ngram.total, ngram.rest);
    });
  }
};

}  // namespace latperc
