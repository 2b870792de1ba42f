// Probabilities and samples from an n-gram trie.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashing/hash.hh"
#include "hashing/vocabulary.hh"
#include "ngrams/trie.hh"

namespace latperc {

// A history: its nodes from the empty one to the longest that the trie knows.
struct NgramHistory {
  int length = 0;
  int32_t node[NgramTrie::kMaxOrder] = {0};
};

class NgramModel {
 public:
  explicit NgramModel(const NgramTrie& trie)
      : trie_(trie),
        longest_(trie.order() - 1),
        uniform_(1.0 / (trie.words() - 1)) {}  // all but the begin of a sentence

  NgramHistory opening() const {
    NgramHistory history;
    if (longest_ > 0) set(history, 1, Vocabulary::kBegin);
    return history;
  }

  // What follows these words; only the last ones matter.
  NgramHistory history(const int32_t* words, size_t n) const {
    NgramHistory found;
    for (size_t i = 0; i < n; i++) found = after(found, words[i]);
    return found;
  }

  NgramHistory after(const NgramHistory& history, int32_t word) const {
    NgramHistory next;
    for (int k = history.length; k >= 0; k--) {
      const int32_t node = find(k, history.node[k], word);
      if (node < 0) continue;
      enter(next, k + 1, node);
      break;
    }
    return next;
  }

  // Interpolated from the empty context upwards.
  double probability(const NgramHistory& history, int32_t word) const {
    if (word == Vocabulary::kBegin) return 0;
    double p = uniform_;
    for (int k = 0; k <= history.length; k++) {
      const NgramLevel& level = trie_.levels[k];
      const int32_t context = history.node[k];
      p *= level.rest[context];
      const int32_t node = find(k, context, word);
      if (node < 0) continue;
      const uint32_t count = level.count(context, node);
      if (count) p += (count - trie_.discount(k + 1, count)) / level.total[context];
    }
    return p;
  }

  // Natural logarithm, the end of the sentence included.
  double log_probability(const int32_t* words, size_t n) const {
    NgramHistory history = opening();
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
      sum += std::log(probability(history, words[i]));
      history = after(history, words[i]);
    }
    return sum + std::log(probability(history, Vocabulary::kEnd));
  }

  // The next word, END and UNKNOWN among them; history becomes that after it.
  //
  // A number in [0, total) falls on a word, and on the part of its count that is left
  // after the discount or on the part that is not; then the shorter context decides.
  int32_t draw(NgramHistory& history, Random& random) const {
    for (int k = history.length; k >= 0; k--) {
      const NgramLevel& level = trie_.levels[k];
      const int32_t context = history.node[k];
      const uint32_t total = level.total[context];
      if (total == 0) continue;
      const double at = fraction(random) * total;
      if (at >= level.kept(context)) continue;
      const int32_t node = level.locate(context, static_cast<uint32_t>(at));
      const uint32_t count = level.count(context, node);
      const double within = at - (level.sum[node] - count);
      if (within >= count - trie_.discount(k + 1, count)) continue;
      return move(history, k, node, level.word[node]);
    }
    const double any = fraction(random) * (trie_.words() - 1);
    const int32_t word = static_cast<int32_t>(any) + 1;
    return move(history, 0, word, word);
  }

  // A sentence of shortest to longest known words, all else is drawn again.
  // RETURNS: how often it was drawn; 0 when `attempts` were not enough.
  int64_t sample(Random& random, int64_t shortest, int64_t longest, int64_t attempts,
                 std::vector<int32_t>& words) const {
    for (int64_t attempt = 1; attempt <= attempts; attempt++) {
      words.clear();
      NgramHistory history = opening();
      for (;;) {
        const int32_t word = draw(history, random);
        if (word == Vocabulary::kEnd) {
          if (static_cast<int64_t>(words.size()) < shortest) break;
          return attempt;
        }
        if (word == Vocabulary::kUnknown) break;
        if (static_cast<int64_t>(words.size()) == longest) break;
        words.push_back(word);
      }
    }
    words.clear();
    return 0;
  }

 private:
  static double fraction(Random& random) {
    return static_cast<double>(random.next() >> 11) * (1.0 / 9007199254740992.0);
  }

  int32_t find(int k, int32_t context, int32_t word) const {
    return k == 0 ? word : trie_.levels[k].find(context, word);
  }

  void set(NgramHistory& history, int length, int32_t node) const {
    history.length = length;
    for (int k = length; k > 0; k--) {
      history.node[k] = node;
      node = trie_.suffix(k, node);
    }
  }

  // The history that ends with the n-gram `node` of level k.
  void enter(NgramHistory& next, int k, int32_t node) const {
    if (k > longest_) {
      node = trie_.suffix(k, node);
      k--;
    }
    set(next, k, node);
  }

  // The word came from context k, but a longer one may know it as well.
  int32_t move(NgramHistory& history, int k, int32_t node, int32_t word) const {
    int from = k;
    for (int longer = history.length; longer > k; longer--) {
      const int32_t found = find(longer, history.node[longer], word);
      if (found < 0) continue;
      node = found;
      from = longer;
      break;
    }
    enter(history, from + 1, node);
    return word;
  }

  const NgramTrie& trie_;
  int longest_;  // history that matters
  double uniform_;
};

}  // namespace latperc
