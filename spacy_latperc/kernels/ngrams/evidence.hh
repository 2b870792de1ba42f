// The evidence of a text for a sentence: the counts of its n-grams, and the probabilities of its
// words.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ngrams/evidence_table.hh"

namespace latperc {

// The evidence by token.
struct EvidenceColumns {
  uint8_t* left;   // the length of the longest known n-gram that ends here
  uint8_t* right;  // and of that which begins here
  float* prob;     // log probability after the words before
  float* next;     // that of the next word, or of the end
  float* gap;      // that of the next word if this one were missing
  float* count;    // the count of the word
  float* pair;     // that of the word after its predecessor
  float* middle;   // that of the word between its neighbours
};

// Totals of the text.
struct EvidenceTotals {
  double words = 0;
  double word_total = 0, word_rest = 0;  // see EvidenceCounting
};

class Evidence {
 public:
  // discounts: by length.
  Evidence(EvidenceTable table, int order, const std::vector<uint32_t>& least,
           const std::vector<double>& discounts, EvidenceTotals totals)
      : table_(table), order_(order), least_(least), discounts_(discounts), totals_(totals) {}

  void judge(const uint64_t* keys, size_t n, const EvidenceColumns& out, size_t first) {
    pad(keys, n);
    name_all();
    look_up();
    for (size_t i = 1; i <= n; i++) {
      const size_t at = first + i - 1;
      out.left[at] = static_cast<uint8_t>(known_left(i));
      out.right[at] = static_cast<uint8_t>(known_right(i));
      if (i == 1) out.prob[at] = static_cast<float>(std::log(probability(i)));
      out.next[at] = static_cast<float>(std::log(probability(i + 1)));
      if (i > 1) out.prob[at] = out.next[at - 1];
      out.gap[at] = static_cast<float>(std::log(across(i)));
      out.count[at] = static_cast<float>(count(i, 1));
      out.pair[at] = static_cast<float>(count(i - 1, 2));
      out.middle[at] = order_ > 2 ? static_cast<float>(count(i - 1, 3)) : 0;
    }
  }

 private:
  // The table entry of an n-gram: see EvidenceTable.
  struct Known {
    double count = 0, adjusted = 0, total = 0, rest = 0;
  };

  void pad(const uint64_t* keys, size_t n) {
    row_.assign(1, EvidenceTable::kBegin);
    row_.insert(row_.end(), keys, keys + n);
    row_.push_back(EvidenceTable::kEnd);
  }

  double discount(int length, double count) const { return count > 0 ? discounts_[length - 1] : 0; }

  Known ask(uint64_t mixed, size_t length) const {
    const Known known = in_table(mixed, length);
    return known.count < least_[length - 1] ? Known() : known;
  }

  Known in_table(uint64_t mixed, size_t length) const {
    Known known;
    if (!table_.may_have(mixed)) return known;
    const bool longest = length == static_cast<size_t>(order_);
    const size_t slot = longest ? SlotTable::kNone : table_.slots.find(mixed);
    if (slot == SlotTable::kNone) {
      const double count = table_.plain.count(table_.plain.find(mixed));
      if (longest) {
        known.count = known.adjusted = count;
      } else if (count == 1) {
        known.count = known.adjusted = known.total = 1;
        known.rest = least_[length] > 1 ? 1 : discount(static_cast<int>(length) + 1, 1);
      }
      return known;
    }
    known.count = table_.slots.count(slot);
    known.adjusted = CountCodes::shared().number(table_.adjusted[slot]);
    known.total = SumCodes::shared().number(table_.total[slot]);
    known.rest = RestCodes::shared().number(table_.rest[slot]);
    return known;
  }

  // Hashes all n-grams of the sentence, and those that skip a word.
  void name_all() {
    const size_t places = row_.size();
    hash_.resize(places * order_);
    mixed_.resize(places * order_);
    leaps_.assign(2 * places, 0);
    for (size_t start = 0; start < places; start++) {
      uint64_t h = EvidenceTable::start();
      for (int length = 1; length <= order_ && start + length <= places; length++) {
        h = EvidenceTable::longer(h, row_[start + length - 1]);
        hash_[start * order_ + length - 1] = h;
        mixed_[start * order_ + length - 1] = mixed_mark(h);
      }
    }
    for (size_t i = 1; i + 1 < places; i++) {
      for (size_t m = 1; m <= std::min<size_t>({i, 2, static_cast<size_t>(order_ - 1)}); m++) {
        const uint64_t before = hash_[(i - m) * order_ + m - 1];
        leaps_[2 * i + m - 1] = mixed_mark(EvidenceTable::longer(before, row_[i + 1]));
      }
    }
  }

  // Mixes a hash, and prefetches its mark.
  uint64_t mixed_mark(uint64_t hash) const {
    const uint64_t mixed = mix(hash);
    table_.prefetch_mark(mixed);
    return mixed;
  }

  // Looks up all n-grams of the sentence, from the shortest, as long as their prefixes are known.
  // The tables are prefetched one length at a time.
  void look_up() {
    const size_t places = row_.size();
    known_.assign(places * order_, Known());
    asked_.resize(places);
    for (size_t start = 0; start < places; start++) asked_[start] = start;
    for (int length = 1; length <= order_; length++) {
      const size_t reach = static_cast<size_t>(length);
      const auto outside = [&](size_t start) {
        return start + reach > places || (length > 1 && known(start, length - 1).count <= 0);
      };
      asked_.erase(std::remove_if(asked_.begin(), asked_.end(), outside), asked_.end());
      for (size_t start : asked_) prefetch(mixed_[start * order_ + length - 1], length);
      for (size_t start : asked_) {
        const size_t at = start * order_ + length - 1;
        known_[at] = ask(mixed_[at], length);
      }
    }
    alone_.resize(places);
    for (size_t i = 0; i < places; i++) alone_[i] = alone(known(i, 1));
    for (size_t at = 0; at < leaps_.size(); at++) {
      if (leaps_[at]) prefetch(leaps_[at], static_cast<int>(at % 2) + 2);
    }
  }

  void prefetch(uint64_t mixed, int length) const {
    if (table_.may_have(mixed)) table_.prefetch(mixed, length == order_);
  }

  const Known& known(size_t start, int length) const { return known_[start * order_ + length - 1]; }

  double count(size_t start, int length) const {
    return start + length <= row_.size() ? known(start, length).count : 0;
  }

  int known_left(size_t i) const {
    int length = 0;
    while (length < order_ && static_cast<size_t>(length) <= i && count(i - length, length + 1) > 0)
      length++;
    return length;
  }

  int known_right(size_t i) const {
    int length = 0;
    while (length < order_ && count(i, length + 1) > 0) length++;
    return length;
  }

  double alone(const Known& word) const {
    Known text;
    text.total = totals_.word_total;
    text.rest = totals_.word_rest;
    // All words, and an unknown one, share the rest.
    return mixed(1, word, text, 1 / (totals_.words + 1));
  }

  // The probability of a word in a context, interpolated with that in the shorter context.
  double mixed(int length, const Known& gram, const Known& context, double shorter) const {
    if (context.total <= 0) return shorter;
    // Rounded numbers may differ by more than the rest.
    const double rest = std::clamp(context.rest, kLeastRest * context.total, context.total);
    const double own = std::max(gram.adjusted - discount(length, gram.adjusted), 0.0);
    return std::min((own + rest * shorter) / context.total, 1.0);
  }

  double probability(size_t i) const {
    double p = alone_[i];
    for (int m = 1; m < order_ && static_cast<size_t>(m) <= i; m++) {
      const Known& context = known(i - m, m);
      if (context.count <= 0) break;
      p = mixed(m + 1, known(i - m, m + 1), context, p);
    }
    return p;
  }

  // The probability of the word after i behind at most two words before i.
  double across(size_t i) const {
    double p = alone_[i + 1];
    for (int m = 1; m < std::min(order_, 3) && static_cast<size_t>(m) <= i; m++) {
      const Known& context = known(i - m, m);
      if (context.count <= 0) break;
      p = mixed(m + 1, ask(leaps_[2 * i + static_cast<size_t>(m) - 1], m + 1), context, p);
    }
    return p;
  }

  static constexpr double kLeastRest = 1e-5;

  EvidenceTable table_;
  int order_;
  std::vector<uint32_t> least_;
  std::vector<double> discounts_;
  EvidenceTotals totals_;
  std::vector<uint64_t> row_, hash_, mixed_, leaps_;
  std::vector<Known> known_;
  std::vector<size_t> asked_;
  std::vector<double> alone_;
};

}  // namespace latperc
