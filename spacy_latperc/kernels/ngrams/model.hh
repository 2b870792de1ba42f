// Probabilities and samples from an n-gram trie.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashing/hash.hh"
#include "hashing/vocabulary.hh"
#include "ngrams/trie.hh"

namespace latperc {

// A history: the nodes of its last k words by k; -1 if the trie has none.
struct NgramHistory {
  int length = 0;  // the longest with a node
  int32_t node[kMaxOrder] = {0};
};

class NgramModel {
 public:
  explicit NgramModel(const NgramTrie& trie)
      : trie_(trie),
        longest_(trie.order() - 1),
        uniform_(1.0 / (trie.words() - 1)) {}  // all but the begin of a sentence

  NgramHistory opening() const { return after(NgramHistory(), Vocabulary::kBegin); }

  // The history after these words, of which only the last ones matter.
  NgramHistory history(const int32_t* words, size_t n) const {
    NgramHistory found;
    for (size_t i = 0; i < n; i++) found = after(found, words[i]);
    return found;
  }

  NgramHistory after(const NgramHistory& history, int32_t word) const {
    NgramHistory next;
    for (int k = 0; k <= history.length && k < longest_; k++) {
      next.node[k + 1] = find(k, history.node[k], word);
      if (next.node[k + 1] >= 0) next.length = k + 1;
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
      if (context < 0) continue;
      p *= level.rest[context];
      const int32_t node = find(k, context, word);
      if (node < 0) continue;
      const double count = level.count(context, node);
      if (count != 0) p += (count - level.discount) / level.total[context];
    }
    return std::max(p, kLowest);
  }

  // The natural logarithm of the probability of a sentence with its end.
  double log_probability(const int32_t* words, size_t n) const {
    NgramHistory history = opening();
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
      sum += std::log(probability(history, words[i]));
      history = after(history, words[i]);
    }
    return sum + std::log(probability(history, Vocabulary::kEnd));
  }

  // Draws the next word, which may be END or UNKNOWN, and updates the history.
  //
  // A random number in [0, total) falls on the discounted count of a word, or on a discount; then
  // the shorter context decides.
  int32_t draw(NgramHistory& history, Random& random) const {
    for (int k = history.length; k >= 0; k--) {
      const NgramLevel& level = trie_.levels[k];
      const int32_t context = history.node[k];
      if (context < 0 || level.total[context] == 0) continue;
      const double at = fraction(random) * level.total[context];
      if (at >= level.kept(context)) continue;
      const int32_t node = level.locate(context, at);
      const double count = level.count(context, node);
      const double within = at - (level.sum[node] - count);
      if (within >= count - level.discount) continue;
      history = after(history, level.word[node]);
      return level.word[node];
    }
    const double any = fraction(random) * (trie_.words() - 1);
    const int32_t word = static_cast<int32_t>(any) + 1;
    history = after(history, word);
    return word;
  }

  // Draws sentences until one has `shortest` to `longest` words, all of them known.
  // RETURNS: the number of attempts; 0 if `attempts` were not enough.
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
  static constexpr double kLowest = 1e-99;  // the 0 of ARPA files

  static double fraction(Random& random) {
    return static_cast<double>(random.next() >> 11) * (1.0 / 9007199254740992.0);
  }

  int32_t find(int k, int32_t context, int32_t word) const {
    if (context < 0) return -1;
    return k == 0 ? word : trie_.levels[k].find(context, word);
  }

  const NgramTrie& trie_;
  int longest_;  // the length of the longest history
  double uniform_;
};

// Adds a level of n-grams with known probabilities to a trie. Their counts are the differences to
// the probabilities in the shorter context.
// rows: the words of each n-gram, sorted. rests: the rest of each context.
// negative: is increased by the number of n-grams that are less probable than in the shorter
// context.
// RETURNS: the first n-gram that is repeated or lacks its context; n if there is none.
inline size_t add_level(NgramTrie& trie, const int32_t* rows, const double* p, size_t n,
                        const double* rests, size_t& negative) {
  constexpr double kRounding = 1e-5;
  trie.levels.emplace_back();
  const size_t k = trie.levels.size();
  const NgramModel model(trie);
  NgramLevel& level = trie.levels.back();
  SignalCheck signals;
  for (size_t i = 0; i < n; i++) {
    if (i % kLookEvery == 0) signals.look();
    const int32_t* row = rows + i * k;
    const int32_t word = row[k - 1];
    const int32_t context = model.history(row, k - 1).node[k - 1];
    if (context < 0) return i;
    while (static_cast<int32_t>(level.total.size()) < context)
      level.close(1, rests[level.total.size()]);
    if (level.nodes() > level.begin.back() && level.word.back() >= word) return i;
    double own =
        k > 1 ? p[i] - rests[context] * model.probability(model.history(row + 1, k - 2), word)
              : p[i];
    if (std::abs(own) < kRounding * p[i] || word == Vocabulary::kBegin) own = 0;
    negative += own < 0;
    level.add(word, own);
  }
  const size_t contexts = k > 1 ? trie.levels[k - 2].word.size() : 1;
  while (level.total.size() < contexts) level.close(1, rests[level.total.size()]);
  return n;
}

}  // namespace latperc
