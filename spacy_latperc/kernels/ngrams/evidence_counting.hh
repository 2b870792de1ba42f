// Builds the tables of a text: counts all n-grams, and keeps those that fit.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "common/signals.hh"
#include "ngrams/counting.hh"
#include "ngrams/evidence_table.hh"

namespace latperc {

class EvidenceCounting {
 public:
  // keys: word number -> hash of the word. most: the limit on the bytes of the tables.
  EvidenceCounting(const int32_t* ids, const int64_t* bounds, size_t sentences,
                   const std::vector<uint64_t>& keys, int order, size_t most) {
    NgramText text(ids, bounds, sentences, static_cast<int32_t>(keys.size()), order);
    discounts = text.discounts();
    choose_least(text.counts(), most);
    text.visit(least, [&](const Ngram& ngram) { add(ngram, keys); });
  }

  SlotFilling slots, plain;
  std::vector<uint8_t> adjusted;
  std::vector<uint16_t> total, rest;
  std::vector<uint32_t> least;           // by length: the smallest count that is kept
  std::vector<double> discounts;         // by length
  double tokens = 0, words = 0;          // with ends of sentences, without starts
  double word_total = 0, word_rest = 0;  // total and rest of the empty context

 private:
  // Finds the lowest counts with which the tables are small enough. They are raised from the
  // longest n-grams to the shorter ones, and last for pairs of words.
  void choose_least(std::vector<std::vector<size_t>> frequent, size_t most) {
    for (std::vector<size_t>& counts : frequent) {
      // Numbers of n-grams that occur at least so often.
      for (size_t c = counts.size() - 1; c > 1; c--) counts[c - 1] += counts[c];
    }
    const int order = static_cast<int>(frequent.size());
    least.assign(order, 1);
    if (fits(frequent, most)) return;
    for (uint32_t t = 2; t < NgramText::kCounts; t++) {
      for (int k = order; k >= 2; k--) {
        least[k - 1] = k == 2 && order > 2 ? t - 1 : t;
        if (fits(frequent, most)) return;
      }
    }
    throw std::invalid_argument("the words alone need more room");
  }

  bool fits(const std::vector<std::vector<size_t>>& frequent, size_t most) {
    constexpr size_t kSlot = sizeof(uint32_t), kBeside = 1 + 2 * sizeof(uint16_t);
    const size_t last = least.size() - 1;
    size_t entries = 0, plain_ones = 1 + frequent[last][least[last]];
    for (size_t k = 0; k < last; k++) {
      const size_t several = frequent[k][std::max(least[k], 2u)];
      entries += several + (k == 0);  // the start of a sentence
      plain_ones += frequent[k][least[k]] - several;
    }
    if (SlotFilling::room(entries) * (kSlot + kBeside) + SlotFilling::room(plain_ones) * kSlot >
        most) {
      return false;
    }
    slots.open(entries);
    plain.open(plain_ones);
    adjusted.assign(slots.slots.size(), 0);
    total.assign(adjusted.size(), 0);
    rest.assign(adjusted.size(), 0);
    return true;
  }

  void add(const Ngram& ngram, const std::vector<uint64_t>& keys) {
    if (ngram.length == 0) {
      word_total = ngram.total;
      word_rest = ngram.rest;
      return;
    }
    if (ngram.length == 1 && ngram.count > 0 && !ngram.is_begin()) {
      tokens += ngram.count;
      words++;
    }
    if (ngram.count < least[ngram.length - 1]) return;
    uint64_t h = EvidenceTable::start();
    for (int i = 0; i < ngram.length; i++) h = EvidenceTable::longer(h, keys[ngram.words[i]]);
    const int order = static_cast<int>(least.size());
    const bool is_plain = EvidenceTable::is_plain(ngram.length, order, ngram.count);
    SlotFilling& table = is_plain ? plain : slots;
    const size_t at = table.place(h);
    if (table.count(at) > 0) return;  // a collision of marks, one in millions
    table.set(at, ngram.count);
    if (is_plain) return;
    adjusted[at] = CountCodes::shared().code(ngram.adjusted);
    total[at] = SumCodes::shared().code(ngram.total);
    rest[at] = RestCodes::shared().code(ngram.rest);
  }
};

}  // namespace latperc
