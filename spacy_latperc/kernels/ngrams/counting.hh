// Counting n-grams by sorting, level by level.
//
// An n-gram is named by the node of its first words and by its last word, so that its
// key fits into 64 bits at every order.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/signals.hh"
#include "hashing/vocabulary.hh"
#include "ngrams/trie.hh"

namespace latperc {

constexpr size_t kLookEvery = 1u << 16;  // items of a loop without sentences

// Sorts keys, and values along with them, by the lowest `bits` bits; stable.
inline void radix_sort(std::vector<uint64_t>& keys, std::vector<int32_t>& values, int bits,
                       SignalCheck& signals) {
  constexpr int kDigit = 11;
  constexpr size_t kBuckets = size_t(1) << kDigit;
  std::vector<uint64_t> other_keys(keys.size());
  std::vector<int32_t> other_values(values.size());
  for (int shift = 0; shift < bits; shift += kDigit) {
    std::vector<size_t> at(kBuckets + 1, 0);
    signals.look();
    for (uint64_t key : keys) at[((key >> shift) & (kBuckets - 1)) + 1]++;
    for (size_t b = 0; b < kBuckets; b++) at[b + 1] += at[b];
    for (size_t i = 0; i < keys.size(); i++) {
      if (i % kLookEvery == 0) signals.look();
      const size_t to = at[(keys[i] >> shift) & (kBuckets - 1)]++;
      other_keys[to] = keys[i];
      other_values[to] = values[i];
    }
    keys.swap(other_keys);
    values.swap(other_values);
  }
}

inline int bits_for(uint64_t n) {
  int bits = 1;
  while (bits < 63 && (uint64_t(1) << bits) < n) bits++;
  return bits;
}

class NgramCounting {
 public:
  // ids, bounds: sentences without their begin and end, words below `words`.
  // least: by level, how often an n-gram must occur to be kept; never falls.
  NgramCounting(const int32_t* ids, const int64_t* bounds, size_t sentences, int32_t words,
                int order, Smoothing smoothing, const std::vector<uint32_t>& least)
      : words_(words), smoothing_(smoothing), least_(least) {
    const size_t size =
        sentences ? static_cast<size_t>(bounds[sentences] - bounds[0]) + 2 * sentences : 0;
    if (size >= INT32_MAX) throw std::length_error("too much text for n-grams");
    text_.reserve(size);
    for (size_t s = 0; s < sentences; s++) {
      text_.push_back(Vocabulary::kBegin);
      text_.insert(text_.end(), ids + bounds[s], ids + bounds[s + 1]);
      text_.push_back(Vocabulary::kEnd);
    }
    node_ = text_;
    raw_.resize(order);
    trie_.smoothing = smoothing;
    trie_.levels.resize(order);
    trie_.discounts.assign(3 * raw_.size(), 0.0);
    count_words();
    for (int k = 2; k <= order; k++) count_level(k);
    release(text_);
    release(node_);
  }

  // How many n-grams of the highest order the text has.
  size_t longest() const { return raw_.back().size(); }

  // Before `finish`: the n-grams of a length, and how often each occurs.
  int order() const { return static_cast<int>(raw_.size()); }
  const NgramLevel& level(int k) const { return trie_.levels[k - 1]; }
  const std::vector<uint32_t>& raw(int k) const { return raw_[k - 1]; }
  const std::vector<double>& discounts() const { return trie_.discounts; }

  // Kneser-Ney counts the words to the left of a shorter n-gram, not its occurrences;
  // but nothing stands to the left of the begin of a sentence.
  std::vector<std::vector<uint32_t>> adjusted() const {
    std::vector<std::vector<uint32_t>> counts = raw_;
    if (smoothing_ == Smoothing::kNone) return counts;
    int32_t opening = 1;  // how many nodes of the level open a sentence: the first ones
    for (size_t k = 0; k + 1 < raw_.size(); k++) {
      if (k) opening = trie_.levels[k].begin[opening];
      std::fill(counts[k].begin() + opening, counts[k].end(), 0u);
      for (int32_t shorter : trie_.levels[k + 1].suffix) {
        if (shorter >= opening) counts[k][shorter]++;
      }
    }
    return counts;
  }

  // Kneser and Ney's discount, from the counts of counts; 0.5 where the text is too small.
  void set_discounts(size_t k, const std::vector<uint32_t>& counts) {
    if (smoothing_ == Smoothing::kNone) return;
    double n[3] = {0, 0, 0};
    for (uint32_t count : counts) {
      if (count == 1 || count == 2) n[count]++;
    }
    const double one = n[1] > 0 ? n[1] / (n[1] + 2 * n[2]) : 0.5;
    std::fill_n(trie_.discounts.begin() + 3 * static_cast<std::ptrdiff_t>(k), 3, one);
  }

  NgramTrie finish() {
    std::vector<std::vector<uint32_t>> counts = adjusted();
    for (size_t k = 0; k < raw_.size(); k++) set_discounts(k, counts[k]);
    std::vector<int32_t> fresh_context(1, 0);
    for (size_t k = 0; k < raw_.size(); k++) fresh_context = prune(k, counts[k], fresh_context);
    trie_.fill_rest();
    return std::move(trie_);
  }

 private:
  template <class T>
  static void release(std::vector<T>& v) {
    std::vector<T>().swap(v);
  }

  void count_words() {
    NgramLevel& level = trie_.levels[0];
    level.word.resize(words_);
    level.suffix.assign(words_, 0);
    for (int32_t w = 0; w < words_; w++) level.word[w] = w;
    level.begin = {0, words_};
    raw_[0].assign(words_, 0);
    for (int32_t w : text_) raw_[0][w]++;
    raw_[0][Vocabulary::kBegin] = 0;  // nothing is ever followed by it
  }

  void count_level(int k) {
    const size_t contexts = trie_.levels[k - 2].word.size();
    const int word_bits = bits_for(static_cast<uint64_t>(words_));
    std::vector<uint64_t> keys;
    std::vector<int32_t> places;
    keys.reserve(text_.size());
    places.reserve(text_.size());
    for (size_t i = 1; i < text_.size(); i++) {
      if (i % kLookEvery == 0) signals_.look();
      if (text_[i] == Vocabulary::kBegin || node_[i - 1] < 0) continue;
      keys.push_back(static_cast<uint64_t>(node_[i - 1]) << word_bits |
                     static_cast<uint32_t>(text_[i]));
      places.push_back(static_cast<int32_t>(i));
    }
    radix_sort(keys, places, word_bits + bits_for(contexts), signals_);
    NgramLevel& level = trie_.levels[k - 1];
    std::vector<uint32_t>& raw = raw_[k - 1];
    level.begin.assign(contexts + 1, 0);
    std::vector<int32_t> shorter = std::move(node_);
    node_.assign(text_.size(), -1);
    for (size_t i = 0; i < keys.size(); i++) {
      if (i % kLookEvery == 0) signals_.look();
      if (i == 0 || keys[i] != keys[i - 1]) {
        level.word.push_back(static_cast<int32_t>(keys[i] & ((uint64_t(1) << word_bits) - 1)));
        level.suffix.push_back(shorter[places[i]]);
        level.begin[(keys[i] >> word_bits) + 1]++;
        raw.push_back(0);
      }
      raw.back()++;
      node_[places[i]] = level.nodes() - 1;
    }
    for (size_t c = 0; c < contexts; c++) level.begin[c + 1] += level.begin[c];
  }

  // Drops the rare n-grams of a level and the successors of the rare ones a level up;
  // what they held stays in the total. RETURNS: old node -> new node or -1.
  std::vector<int32_t> prune(size_t k, const std::vector<uint32_t>& counts,
                             const std::vector<int32_t>& fresh_context) {
    signals_.look();
    NgramLevel& level = trie_.levels[k];
    NgramLevel kept;
    std::vector<int32_t> fresh(level.word.size(), -1);
    kept.begin.push_back(0);
    for (size_t c = 0; c + 1 < level.begin.size(); c++) {
      if (fresh_context[c] < 0) continue;
      uint32_t total = 0, sum = 0;
      for (int32_t node = level.begin[c]; node < level.begin[c + 1]; node++) {
        total += counts[node];
        const bool frequent = raw_[k][node] >= least_[k];
        if (!frequent && k > 0) continue;  // words keep their numbers
        if (frequent) sum += counts[node];
        fresh[node] = kept.nodes();
        kept.word.push_back(level.word[node]);
        kept.sum.push_back(sum);
        kept.suffix.push_back(k ? fresh_suffix_[level.suffix[node]] : 0);
      }
      if (smoothing_ == Smoothing::kNone) total = sum;
      kept.total.push_back(total);
      kept.begin.push_back(kept.nodes());
    }
    level = std::move(kept);
    fresh_suffix_ = fresh;
    return fresh;
  }

  SignalCheck signals_;
  int32_t words_;
  Smoothing smoothing_;
  std::vector<uint32_t> least_;
  std::vector<int32_t> text_;
  std::vector<int32_t> node_;  // by place: the n-gram that ends there, -1 for none
  std::vector<std::vector<uint32_t>> raw_;
  std::vector<int32_t> fresh_suffix_;
  NgramTrie trie_;
};

}  // namespace latperc
