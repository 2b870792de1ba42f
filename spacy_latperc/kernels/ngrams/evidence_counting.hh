// The tables of a text, made by counting all its n-grams and keeping those that fit.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "common/signals.hh"
#include "ngrams/counting.hh"
#include "ngrams/evidence_table.hh"

namespace latperc {

// The tables of a text, under construction.
class EvidenceBuilder {
 public:
  static constexpr size_t kCounts = 4096;

  // found: by length, how many n-grams occur 1, 2, ... times; the last stands for all above.
  // sentences: to be kept as well. most: bytes of the tables.
  EvidenceBuilder(std::vector<std::vector<size_t>> found, size_t sentences, size_t most,
                  EvidenceSmoothing smoothing)
      : frequent_(std::move(found)), left_words_(by_left_words(smoothing)) {
    for (std::vector<size_t>& counts : frequent_) {
      counts.resize(kCounts, 0);
      const double one = static_cast<double>(counts[1]), two = static_cast<double>(counts[2]);
      discounts.insert(discounts.end(), 3, counts[1] ? one / (one + 2 * two) : 0.5);
      // How many occur so often or more.
      for (size_t c = kCounts - 1; c > 1; c--) counts[c - 1] += counts[c];
    }
    choose_least(sentences, most);
  }

  SlotFilling slots, plain;
  std::vector<uint8_t> followers, adjusted;
  std::vector<uint16_t> total, rest;
  std::vector<uint32_t> least;    // by length: rarer n-grams are left out
  std::vector<double> discounts;  // by length, of counts of 1, 2, and 3 or more

  // Which n-gram comes first makes a difference: by length, then in the order of words.
  void add(int length, uint64_t h, double count, double following) {
    const size_t at = place(length, h, count);
    if (at != SlotTable::kNone) followers[at] = CountCodes::shared().code(following);
  }
  // RETURNS: the slot beside which more is to be noted, if it is one of those.
  size_t place(int length, uint64_t h, double count) {
    const bool is_plain = EvidenceTable::is_plain(length, static_cast<int>(least.size()), count);
    SlotFilling& table = is_plain ? plain : slots;
    const size_t at = table.place(h);
    if (table.count(at) > 0) return SlotTable::kNone;  // of the same mark, one in millions
    table.set(at, count);
    return is_plain ? SlotTable::kNone : at;
  }
  // Sentences come after all n-grams, in the order of the text.
  void add_sentence(uint64_t h) {
    const size_t at = plain.place(h);
    plain.set(at, plain.count(at) + 1);
  }

 private:
  // The lowest counts with which the tables are small enough: they rise from the longest
  // n-grams to the shorter ones. Pairs of words are kept a little longer.
  void choose_least(size_t sentences, size_t most) {
    const int order = static_cast<int>(frequent_.size());
    least.assign(order, 1);
    if (fits(sentences, most)) return;
    for (uint32_t t = 2; t < kCounts; t++) {
      for (int k = order; k >= 2; k--) {
        least[k - 1] = k == 2 && order > 2 ? t - 1 : t;
        if (fits(sentences, most)) return;
      }
    }
    throw std::invalid_argument("the words alone need more room");
  }

  bool fits(size_t sentences, size_t most) {
    const size_t last = least.size() - 1;
    const size_t more = left_words_ ? 1 + 2 * sizeof(uint16_t) : 1;  // bytes beside a slot
    size_t entries = 0, plain_ones = sentences + 1 + frequent_[last][least[last]];
    for (size_t k = 0; k < last; k++) {
      const size_t several = frequent_[k][std::max(least[k], 2u)];
      entries += several + (k == 0);  // the begin of a sentence
      plain_ones += frequent_[k][least[k]] - several;
    }
    if (SlotFilling::room(entries) * (sizeof(uint32_t) + more) +
            SlotFilling::room(plain_ones) * sizeof(uint32_t) >
        most) {
      return false;
    }
    slots.open(entries);
    plain.open(plain_ones);
    const size_t size = slots.slots.size();
    followers.assign(left_words_ ? 0 : size, 0);
    adjusted.assign(left_words_ ? size : 0, 0);
    total.assign(adjusted.size(), 0);
    rest.assign(adjusted.size(), 0);
    return true;
  }

  std::vector<std::vector<size_t>> frequent_;
  bool left_words_;
};

// Counts a text into its tables.
class EvidenceCounting {
 public:
  // keys: by word number, the hash of the word. most: bytes of the tables.
  EvidenceCounting(const int32_t* ids, const int64_t* bounds, size_t sentences,
                   const std::vector<uint64_t>& keys, int order, EvidenceSmoothing smoothing,
                   size_t most, bool keep_sentences)
      : left_words_(by_left_words(smoothing)),
        counting_(ids, bounds, sentences, static_cast<int32_t>(keys.size()), order,
                  left_words_ ? Smoothing::kKneserNey : Smoothing::kNone,
                  std::vector<uint32_t>(order, 1)),
        tables(count_counts(order), keep_sentences ? sentences : 0, most, smoothing) {
    if (left_words_) {
      adjusted_ = counting_.adjusted();
      for (int k = 1; k <= order; k++) counting_.set_discounts(k - 1, adjusted_[k - 1]);
      tables.discounts = counting_.discounts();
      std::tie(word_total, word_rest) = sums(1, 0);
    }
    fill(keys, sentences);
    if (keep_sentences) add_sentences(ids, bounds, sentences, keys);
  }

 private:
  bool left_words_;
  SignalCheck signals_;
  NgramCounting counting_;
  std::vector<std::vector<uint32_t>> adjusted_;  // as Kneser and Ney count

 public:
  EvidenceBuilder tables;
  double tokens = 0, words = 0;          // ends of sentences are words, their begins are none
  double word_total = 0, word_rest = 0;  // as total and rest, of no words at all

 private:
  std::vector<std::vector<size_t>> count_counts(int order) {
    std::vector<std::vector<size_t>> found;
    for (int k = 1; k <= order; k++) {
      signals_.look();
      found.emplace_back(EvidenceBuilder::kCounts, 0);
      for (uint32_t count : counting_.raw(k)) {
        found.back()[std::min<size_t>(count, EvidenceBuilder::kCounts - 1)]++;
      }
    }
    return found;
  }

  void fill(const std::vector<uint64_t>& keys, size_t sentences) {
    std::vector<uint64_t> contexts(1, EvidenceTable::start()), hashes;
    for (int k = 1; k <= counting_.order(); k++) {
      const NgramLevel& level = counting_.level(k);
      const std::vector<uint32_t>& raw = counting_.raw(k);
      const bool last = k == counting_.order();
      hashes.assign(last ? 0 : level.word.size(), 0);
      for (size_t c = 0; c + 1 < level.begin.size(); c++) {
        if (c % kLookEvery == 0) signals_.look();
        for (int32_t node = level.begin[c]; node < level.begin[c + 1]; node++) {
          const bool opening = k == 1 && node == Vocabulary::kBegin;
          const double count = opening ? static_cast<double>(sentences) : raw[node];
          const uint64_t h = EvidenceTable::longer(contexts[c], keys[level.word[node]]);
          if (!last) hashes[node] = h;
          if (k == 1 && !opening && count > 0) {
            tokens += count;
            words++;
          }
          if (count >= tables.least[k - 1]) add(h, count, k, node);
        }
      }
      contexts.swap(hashes);
    }
  }

  void add(uint64_t h, double count, int k, int32_t node) {
    if (!left_words_) {
      const std::vector<int32_t>* next =
          k < counting_.order() ? &counting_.level(k + 1).begin : nullptr;
      tables.add(k, h, count, next ? (*next)[node + 1] - (*next)[node] : 0);
      return;
    }
    const size_t at = tables.place(k, h, count);
    if (at == SlotTable::kNone) return;
    const std::pair<double, double> found = sums(k + 1, node);
    tables.adjusted[at] = CountCodes::shared().code(adjusted_[k - 1][node]);
    tables.total[at] = SumCodes::shared().code(found.first);
    tables.rest[at] = RestCodes::shared().code(found.second);
  }

  // The adjusted counts of what follows a context, and what is left of them to shorter
  // contexts: the discounts of what is kept, and all of the others.
  std::pair<double, double> sums(int k, size_t context) const {
    const NgramLevel& level = counting_.level(k);
    const double* discount = tables.discounts.data() + 3 * static_cast<size_t>(k - 1);
    double sum = 0, left = 0;
    for (int32_t node = level.begin[context]; node < level.begin[context + 1]; node++) {
      const uint32_t count = adjusted_[k - 1][node];
      if (count == 0) continue;
      const bool kept = counting_.raw(k)[node] >= tables.least[k - 1];
      sum += count;
      left += kept ? discount[std::min(count, 3u) - 1] : count;
    }
    return {sum, left};
  }

  void add_sentences(const int32_t* ids, const int64_t* bounds, size_t sentences,
                     const std::vector<uint64_t>& keys) {
    std::vector<uint64_t> row;
    for (size_t s = 0; s < sentences; s++) {
      if (s % kLookEvery == 0) signals_.look();
      row.clear();
      for (int64_t i = bounds[s]; i < bounds[s + 1]; i++) row.push_back(keys[ids[i]]);
      tables.add_sentence(EvidenceTable::sentence(row.data(), row.size()));
    }
  }
};

}  // namespace latperc
