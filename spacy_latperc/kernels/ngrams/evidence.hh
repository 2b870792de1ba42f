// What a text says of a sentence: how often its n-grams occur there, and how probable its
// words are. The n-grams of a sentence that the text itself has can be left out.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ngrams/evidence_table.hh"

namespace latperc {

// What is asked of a sentence. By token:
struct EvidenceColumns {
  uint8_t* left;   // words in the longest known n-gram that ends here
  uint8_t* right;  // that begins here
  float* prob;     // log probability after the words before
  float* next;     // of the following word, or of the end
  float* gap;      // of the following word if this one were not there
  float* count;    // how often the word occurs
  float* pair;     // after the word before
  float* middle;   // between the words on both sides
};

// Of all that the text has.
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

  // Leaves out what these sentences gave to the table; each as often as it is there.
  void leave_out(const uint64_t* keys, const int64_t* bounds, size_t sentences) {
    own_.clear();
    fewer_ = EvidenceTotals();
    for (size_t s = 0; s < sentences; s++) {
      const uint64_t* row = keys + bounds[s];
      const size_t n = static_cast<size_t>(bounds[s + 1] - bounds[s]);
      const SlotTable& table = table_.plain;
      const double copies = table.count(table.find(mix(EvidenceTable::sentence(row, n))));
      if (copies > 0) collect(row, n, copies);
    }
    count_own();
  }

  void judge(const uint64_t* keys, size_t n, const EvidenceColumns& out, size_t first) {
    // What is read later is asked for early, so that memory answers meanwhile.
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
  // What is known of an n-gram: see EvidenceTable.
  struct Known {
    double count = 0, adjusted = 0, total = 0, rest = 0;
  };

  // An n-gram of the sentences that are left out, and what it loses without them.
  struct Own {
    // Its hash, and those without the last word and without the first, all mixed.
    uint64_t mixed = 0, context = 0, suffix = 0;
    size_t length = 0;
    bool opening = false;  // a sentence
    double times = 0;
    Known fewer;
    bool operator<(const Own& other) const { return mixed < other.mixed; }
  };

  void pad(const uint64_t* keys, size_t n) {
    row_.assign(1, EvidenceTable::kBegin);
    row_.insert(row_.end(), keys, keys + n);
    row_.push_back(EvidenceTable::kEnd);
  }

  void collect(const uint64_t* keys, size_t n, double copies) {
    pad(keys, n);
    const size_t order = static_cast<size_t>(order_), places = row_.size();
    hash_.resize(places * order);
    for (size_t start = 0; start < places; start++) {
      uint64_t h = EvidenceTable::start();
      for (size_t m = 0; m < order && start + m < places; m++) {
        h = hash_[start * order + m] = EvidenceTable::longer(h, row_[start + m]);
      }
    }
    for (size_t start = 0; start < places; start++) {
      for (size_t m = 0; m < order && start + m < places; m++) {
        Own own;
        own.mixed = mix(hash_[start * order + m]);
        own.length = m + 1;
        own.opening = start == 0;
        own.context = mix(m ? hash_[start * order + m - 1] : EvidenceTable::start());
        own.suffix = mix(m ? hash_[(start + 1) * order + m - 1] : EvidenceTable::start());
        own.times = copies;
        own_.push_back(own);
      }
    }
  }

  void count_own() {
    std::sort(own_.begin(), own_.end());
    size_t kept = 0;
    for (const Own& own : own_) {
      if (kept && own_[kept - 1].mixed == own.mixed) {
        own_[kept - 1].times += own.times;
      } else {
        own_[kept++] = own;
      }
    }
    own_.resize(kept);
    // What the rest of the text does not have follows nothing there, and is no left word.
    for (Own& own : own_) {
      own.fewer.count = own.times;
      if (in_text(own.mixed, own.length).count > own.times) continue;
      if (own.length == 1) {
        fewer_.words += !own.opening;
        continue;
      }
      if (Own* suffix = find_own(own.suffix)) suffix->fewer.adjusted++;
    }
    for (Own& own : own_) {
      if (by_count(own)) own.fewer.adjusted = own.times;
      if (own.length == 1 && own.opening) continue;  // follows nothing
      const Known before = in_text(own.mixed, own.length);
      // Of what is too rare to be in the table nothing is left.
      const double adjusted = before.count > 0 ? before.adjusted : own.fewer.adjusted;
      const double left = std::max(adjusted - own.fewer.adjusted, 0.0);
      const double fewer_rest = rest_of(own.length, before.count, adjusted) -
                                rest_of(own.length, before.count - own.times, left);
      if (own.length == 1) {
        fewer_.word_total += adjusted - left;
        fewer_.word_rest += fewer_rest;
      } else if (Own* context = find_own(own.context)) {
        context->fewer.total += adjusted - left;
        context->fewer.rest += fewer_rest;
      }
    }
  }

  // Whether its adjusted count is its count.
  bool by_count(const Own& own) const {
    return own.opening || own.length == static_cast<size_t>(order_);
  }

  // What an n-gram leaves to the shorter one.
  double rest_of(size_t length, double count, double adjusted) const {
    if (count < least_[length - 1]) return adjusted;
    return std::min(discount(static_cast<int>(length), adjusted), adjusted);
  }

  double discount(int length, double count) const { return count > 0 ? discounts_[length - 1] : 0; }

  Own* find_own(uint64_t mixed) {
    Own wanted;
    wanted.mixed = mixed;
    auto at = std::lower_bound(own_.begin(), own_.end(), wanted);
    return at != own_.end() && at->mixed == mixed ? &*at : nullptr;
  }

  // Nothing left out.
  Known in_text(uint64_t mixed, size_t length) const {
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

  Known ask(uint64_t mixed, size_t length) {
    Known known = in_text(mixed, length);
    if (!own_.empty()) {
      if (const Own* own = find_own(mixed)) {
        known.count -= own->fewer.count;
        known.adjusted = std::max(known.adjusted - own->fewer.adjusted, 0.0);
        known.total = std::max(known.total - own->fewer.total, 0.0);
        known.rest -= own->fewer.rest;
      }
    }
    return known.count < least_[length - 1] ? Known() : known;
  }

  // The hashes of all n-grams of the sentence, and of those that leap over a word.
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

  // A hash mixed, whose mark is asked for.
  uint64_t mixed_mark(uint64_t hash) const {
    const uint64_t mixed = mix(hash);
    table_.prefetch_mark(mixed);
    return mixed;
  }

  // All n-grams of the sentence, from the shortest, as far as they are known.
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
    text.total = std::max(totals_.word_total - fewer_.word_total, 0.0);
    text.rest = totals_.word_rest - fewer_.word_rest;
    // Of all words and an unknown one.
    return mixed(1, word, text, 1 / (std::max(totals_.words - fewer_.words, 0.0) + 1));
  }

  // The share of a word in a context, with what the shorter context says.
  double mixed(int length, const Known& gram, const Known& context, double shorter) const {
    if (context.total <= 0) return shorter;
    // Rounded numbers may differ by more than is left.
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

  // Of the word after i, behind the words before i: at most two of them.
  double across(size_t i) {
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
  EvidenceTotals totals_, fewer_;
  std::vector<Own> own_;
  std::vector<uint64_t> row_, hash_, mixed_, leaps_;
  std::vector<Known> known_;
  std::vector<size_t> asked_;
  std::vector<double> alone_;
};

}  // namespace latperc
