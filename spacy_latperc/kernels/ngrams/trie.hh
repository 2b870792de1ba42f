// n-grams as a trie of sorted arrays: the successors of a context lie side by side.
//
// Level k holds the n-grams of k words. A context is an n-gram one level up; the root,
// node 0 of level 0, is the empty one. Level 1 has a node for every word number.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/checked.hh"
#include "ngrams/counting.hh"

namespace latperc {

struct NgramLevel {
  double discount = 0;  // what is taken from every count
  // By node.
  std::vector<int32_t> word;  // rises within a context
  std::vector<double> sum;    // of the counts of a context up to this node
  // By context.
  std::vector<int32_t> begin{0};  // contexts + 1
  std::vector<double> total;      // what counts are divided by
  std::vector<double> rest;       // the share that goes to the shorter context

  int32_t nodes() const { return static_cast<int32_t>(word.size()); }

  // Adds a node to the last context, which is still open, or closes the context.
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

  // The sum of the counts in this context that are left.
  double kept(int32_t context) const {
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

  // least: by level, how often an n-gram must occur to be kept; never falls.
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
