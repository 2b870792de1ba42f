// What a text says of a sentence: how often its n-grams occur there, and how probable its
// words are. Counts lie in one table of hashes, a byte each. The n-grams of a sentence
// that the text itself has can be left out.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "common/signals.hh"
#include "hashing/hash.hh"
#include "ngrams/counting.hh"

namespace latperc {

// A count in a byte: exact up to kExact, then the nearest of steps of 14 per cent.
class CountCodes {
 public:
  static constexpr int kExact = 127;

  CountCodes() {
    double next = kExact;
    for (int code = 0; code < 256; code++) {
      if (code > kExact) next *= 1.14;
      value_[code] = code <= kExact ? code : std::floor(next);
    }
  }
  double count(uint8_t code) const { return value_[code]; }
  uint8_t code(double count) const {
    if (count <= kExact) return static_cast<uint8_t>(count);
    const double* above = std::upper_bound(value_ + kExact, value_ + 256, count);
    if (above == value_ + 256) return 255;
    const double* below = above - 1;
    return static_cast<uint8_t>((count - *below <= *above - count ? below : above) - value_);
  }

 private:
  double value_[256];
};

// A slot holds 24 bits of the hash of an n-gram and the code of its count; 0 is free.
struct EvidenceTable {
  static constexpr uint64_t kBegin = 1, kEnd = 2;  // in place of hashes of words
  static constexpr uint64_t kGram = 3, kSentence = 4;
  static constexpr size_t kSlotBytes = sizeof(uint32_t) + 1;
  static constexpr double kFull = 0.75;

  const uint32_t* slots = nullptr;
  const uint8_t* followers = nullptr;  // codes: how many words follow it
  size_t size = 0;

  static uint64_t start() { return kGram; }
  static uint64_t longer(uint64_t h, uint64_t word) { return join(h, word); }
  static uint64_t sentence(const uint64_t* words, size_t n) {
    uint64_t h = kSentence;
    for (size_t i = 0; i < n; i++) h = join(h, words[i]);
    return h;
  }
  static uint32_t mark(uint64_t mixed) { return static_cast<uint32_t>(mixed) << 8; }
  size_t home(uint64_t mixed) const { return static_cast<size_t>((mixed >> 32) * size >> 32); }

  // The slot of an n-gram, or the free one where its search ends.
  size_t slot(uint64_t h) const {
    const uint64_t mixed = mix(h);
    const uint32_t wanted = mark(mixed);
    size_t at = home(mixed);
    while (slots[at] && (slots[at] & ~0xffu) != wanted) at = at + 1 == size ? 0 : at + 1;
    return at;
  }
};

// The table of a text, under construction.
class EvidenceBuilder {
 public:
  static constexpr size_t kCounts = 4096;

  // found: by length, how many n-grams occur 1, 2, ... times; the last stands for all above.
  // sentences: to be kept as well. most: bytes of the table.
  EvidenceBuilder(std::vector<std::vector<size_t>> found, size_t sentences, size_t most)
      : frequent_(std::move(found)) {
    for (std::vector<size_t>& counts : frequent_) {
      counts.resize(kCounts, 0);
      const double one = static_cast<double>(counts[1]), two = static_cast<double>(counts[2]);
      discounts.push_back(counts[1] ? one / (one + 2 * two) : 0.5);
      // How many occur so often or more.
      for (size_t c = kCounts - 1; c > 1; c--) counts[c - 1] += counts[c];
    }
    choose_least(sentences, most);
  }

  std::vector<uint32_t> slots;
  std::vector<uint8_t> followers;
  std::vector<uint32_t> least;    // by length: rarer n-grams are left out
  std::vector<double> discounts;  // by length

  // Which n-gram comes first makes a difference: by length, then in the order of words.
  void add(uint64_t h, double count, double following) {
    const size_t at = table().slot(h);
    if (slots[at]) return;  // another one has the same mark here, one in millions
    slots[at] = EvidenceTable::mark(mix(h)) | codes_.code(count);
    followers[at] = codes_.code(following);
  }
  // Sentences come after all n-grams, in the order of the text.
  void add_sentence(uint64_t h) {
    const size_t at = table().slot(h);
    const double before = slots[at] ? codes_.count(slots[at] & 0xff) : 0;
    slots[at] = EvidenceTable::mark(mix(h)) | codes_.code(before + 1);
  }

 private:
  // The lowest counts with which the table is small enough: they rise from the longest
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
    size_t entries = sentences + 1;
    for (size_t k = 0; k < least.size(); k++) entries += frequent_[k][least[k]];
    const double wanted = static_cast<double>(entries) / EvidenceTable::kFull + 8;
    if (wanted * EvidenceTable::kSlotBytes > static_cast<double>(most)) return false;
    slots.assign(static_cast<size_t>(wanted), 0);
    followers.assign(slots.size(), 0);
    return true;
  }

  EvidenceTable table() const { return {slots.data(), followers.data(), slots.size()}; }

  CountCodes codes_;
  std::vector<std::vector<size_t>> frequent_;
};

// The table of a text that fits into memory.
class EvidenceCounting {
 public:
  // keys: by word number, the hash of the word. most: bytes of the table.
  EvidenceCounting(const int32_t* ids, const int64_t* bounds, size_t sentences,
                   const std::vector<uint64_t>& keys, int order, size_t most, bool keep_sentences)
      : counting_(ids, bounds, sentences, static_cast<int32_t>(keys.size()), order,
                  Smoothing::kNone, std::vector<uint32_t>(order, 1)),
        table(count_counts(order), keep_sentences ? sentences : 0, most) {
    fill(keys, sentences);
    if (keep_sentences) add_sentences(ids, bounds, sentences, keys);
  }

 private:
  SignalCheck signals_;
  NgramCounting counting_;

 public:
  EvidenceBuilder table;
  double tokens = 0, words = 0;  // ends of sentences are words, their begins are none

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
          if (count < table.least[k - 1]) continue;
          const std::vector<int32_t>* next = last ? nullptr : &counting_.level(k + 1).begin;
          table.add(h, count, next ? (*next)[node + 1] - (*next)[node] : 0);
        }
      }
      contexts.swap(hashes);
    }
  }

  void add_sentences(const int32_t* ids, const int64_t* bounds, size_t sentences,
                     const std::vector<uint64_t>& keys) {
    std::vector<uint64_t> row;
    for (size_t s = 0; s < sentences; s++) {
      if (s % kLookEvery == 0) signals_.look();
      row.clear();
      for (int64_t i = bounds[s]; i < bounds[s + 1]; i++) row.push_back(keys[ids[i]]);
      table.add_sentence(EvidenceTable::sentence(row.data(), row.size()));
    }
  }
};

// What is asked of a sentence. By token:
struct EvidenceColumns {
  uint8_t* left;    // words in the longest known n-gram that ends here
  uint8_t* right;   // that begins here
  float* prob;      // log probability after the words before
  float* next;      // of the following word, or of the end
  float* gap;       // of the following word if this one were not there
  float* count;     // how often the word occurs
  float* pair;      // after the word before
  float* middle;    // between the words on both sides
  float* better;    // by how much another word of the alternatives would fit better
};

// Words that may be meant in place of one another, by their hashes.
struct EvidenceAlternatives {
  const uint64_t* words = nullptr;  // they rise
  const int64_t* begin = nullptr;   // words + 1
  const uint64_t* others = nullptr;
  size_t size = 0;
};

enum class EvidenceSmoothing : int { kWittenBell = 0, kAbsolute = 1, kNone = 2 };

class Evidence {
 public:
  Evidence(EvidenceTable table, int order, const std::vector<uint32_t>& least,
           const std::vector<double>& discounts, double tokens, double words,
           EvidenceSmoothing smoothing, EvidenceAlternatives alternatives)
      : table_(table), order_(order), least_(least), discounts_(discounts), tokens_(tokens),
        words_(words), smoothing_(smoothing), alternatives_(alternatives) {}

  static constexpr float kNoOther = -1e9f;

  // Leaves out what these sentences gave to the table; each as often as it is there.
  void leave_out(const uint64_t* keys, const int64_t* bounds, size_t sentences) {
    own_.clear();
    fewer_tokens_ = fewer_words_ = 0;
    for (size_t s = 0; s < sentences; s++) {
      const uint64_t* row = keys + bounds[s];
      const size_t n = static_cast<size_t>(bounds[s + 1] - bounds[s]);
      const double copies = count_at(table_.slot(EvidenceTable::sentence(row, n)));
      if (copies > 0) collect(row, n, copies);
    }
    count_own();
  }

  void judge(const uint64_t* keys, size_t n, const EvidenceColumns& out, size_t first) {
    pad(keys, n);
    const size_t places = n + 2;
    hash_.resize(places * order_);
    count_.assign(places * order_, 0);
    followers_.assign(places * order_, 0);
    for (size_t start = 0; start < places; start++) look_up(start, places);
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
      out.better[at] = static_cast<float>(better(i));
    }
  }

 private:
  struct Own {
    uint64_t hash = 0, context = 0;
    size_t length = 0;
    double times = 0, fewer = 0;  // fewer words that follow it
    bool operator<(const Own& other) const { return hash < other.hash; }
  };

  double count_at(size_t slot) const { return codes_.count(table_.slots[slot] & 0xff); }

  void pad(const uint64_t* keys, size_t n) {
    row_.assign(1, EvidenceTable::kBegin);
    row_.insert(row_.end(), keys, keys + n);
    row_.push_back(EvidenceTable::kEnd);
  }

  void collect(const uint64_t* keys, size_t n, double copies) {
    pad(keys, n);
    for (size_t start = 0; start < row_.size(); start++) {
      Own own;
      own.hash = EvidenceTable::start();
      own.times = copies;
      for (own.length = 1; own.length <= static_cast<size_t>(order_); own.length++) {
        if (start + own.length > row_.size()) break;
        own.context = own.hash;
        own.hash = EvidenceTable::longer(own.hash, row_[start + own.length - 1]);
        own_.push_back(own);
      }
    }
    fewer_tokens_ += copies * static_cast<double>(n + 1);
  }

  void count_own() {
    std::sort(own_.begin(), own_.end());
    size_t kept = 0;
    for (const Own& own : own_) {
      if (kept && own_[kept - 1].hash == own.hash) {
        own_[kept - 1].times += own.times;
      } else {
        own_[kept++] = own;
      }
    }
    own_.resize(kept);
    // What the rest of the text does not have follows nothing there.
    for (const Own& own : own_) {
      if (count_at(table_.slot(own.hash)) > own.times) continue;
      if (own.length == 1) {
        fewer_words_ += own.hash != EvidenceTable::longer(EvidenceTable::start(),
                                                          EvidenceTable::kBegin);
      } else if (Own* context = find_own(own.context)) {
        context->fewer++;
      }
    }
  }

  Own* find_own(uint64_t hash) {
    Own wanted;
    wanted.hash = hash;
    auto at = std::lower_bound(own_.begin(), own_.end(), wanted);
    return at != own_.end() && at->hash == hash ? &*at : nullptr;
  }

  // How often an n-gram occurs, and how many words follow it.
  std::pair<double, double> counts(uint64_t hash, size_t length) {
    const size_t slot = table_.slot(hash);
    double count = count_at(slot), following = codes_.count(table_.followers[slot]);
    if (!own_.empty()) {
      if (const Own* own = find_own(hash)) {
        count -= own->times;
        following -= own->fewer;
      }
    }
    if (count < least_[length - 1]) return {0, 0};
    return {count, std::max(following, 0.0)};
  }

  void look_up(size_t start, size_t places) {
    uint64_t h = EvidenceTable::start();
    bool known = true;
    for (int length = 1; length <= order_ && start + length <= places; length++) {
      const size_t at = start * order_ + length - 1;
      h = EvidenceTable::longer(h, row_[start + length - 1]);
      hash_[at] = h;
      if (!known) continue;
      std::tie(count_[at], followers_[at]) = counts(h, length);
      known = count_[at] > 0;
    }
  }

  double count(size_t start, int length) const {
    return start + length <= row_.size() ? count_[start * order_ + length - 1] : 0;
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

  double alone(double count) const {
    const double tokens = std::max(tokens_ - fewer_tokens_, 1.0);
    const double words = std::max(words_ - fewer_words_, 0.0);
    const double equal = 1 / (words + 2);
    return mixed(1, count, tokens, words, equal);
  }

  // The share of a word in a context, with what the shorter context says.
  double mixed(int length, double count, double total, double kinds, double shorter) const {
    if (smoothing_ == EvidenceSmoothing::kNone) {
      return count > 0 ? std::min(count / total, 1.0) : 0.4 * shorter;
    }
    if (smoothing_ == EvidenceSmoothing::kWittenBell) {
      return (count + (kinds + 1e-3) * shorter) / (total + kinds + 1e-3);
    }
    const double discount = discounts_[length - 1];
    const double rest = std::min(discount * std::max(kinds, 1.0), total);
    return std::min((std::max(count - discount, 0.0) + rest * shorter) / total, 1.0);
  }

  double probability(size_t i) const {
    double p = alone(count(i, 1));
    for (int m = 1; m < order_ && static_cast<size_t>(m) <= i; m++) {
      const double total = count(i - m, m);
      if (total <= 0) break;
      p = mixed(m + 1, count(i - m, m + 1), total, followers_[(i - m) * order_ + m - 1], p);
    }
    return p;
  }

  // By how much the best of the alternatives fits better; below 0: the word is best.
  double better(size_t i) {
    const uint64_t* end = alternatives_.words + alternatives_.size;
    const uint64_t* found = std::lower_bound(alternatives_.words, end, row_[i]);
    if (found == end || *found != row_[i]) return kNoOther;
    const size_t word = static_cast<size_t>(found - alternatives_.words);
    const double here = fit(i, row_[i]);
    double best = kNoOther;
    for (int64_t a = alternatives_.begin[word]; a < alternatives_.begin[word + 1]; a++) {
      best = std::max(best, fit(i, alternatives_.others[a]) - here);
    }
    return best;
  }

  // How well a word would fit at place i: it and the next two words, after at most two.
  double fit(size_t i, uint64_t word) {
    uint64_t near[5];  // two words before, the word, two words behind
    const size_t first = i < 2 ? 2 - i : 0;
    const size_t last = std::min<size_t>(5, row_.size() + 2 - i);
    for (size_t k = first; k < last; k++) near[k] = k == 2 ? word : row_[i + k - 2];
    double sum = 0;
    for (size_t k = 2; k < last; k++) {
      sum += std::log(after(near + first, static_cast<int>(k - first)));
    }
    return sum;
  }

  // The probability of words[n] after at most two of those before it.
  double after(const uint64_t* words, int n) {
    const uint64_t start = EvidenceTable::start();
    double p = alone(counts(EvidenceTable::longer(start, words[n]), 1).first);
    for (int m = 1; m <= std::min({n, 2, order_ - 1}); m++) {
      uint64_t h = start;
      for (int k = n - m; k < n; k++) h = EvidenceTable::longer(h, words[k]);
      const std::pair<double, double> context = counts(h, m);
      if (context.first <= 0) break;
      const double count = counts(EvidenceTable::longer(h, words[n]), m + 1).first;
      p = mixed(m + 1, count, context.first, context.second, p);
    }
    return p;
  }

  // Of the word after i, behind the words before i: at most two of them.
  double across(size_t i) {
    double p = alone(count(i + 1, 1));
    for (int m = 1; m < std::min(order_, 3) && static_cast<size_t>(m) <= i; m++) {
      const size_t context = (i - m) * order_ + m - 1;
      if (count_[context] <= 0) break;
      const uint64_t h = EvidenceTable::longer(hash_[context], row_[i + 1]);
      p = mixed(m + 1, counts(h, m + 1).first, count_[context], followers_[context], p);
    }
    return p;
  }

  CountCodes codes_;
  EvidenceTable table_;
  int order_;
  std::vector<uint32_t> least_;
  std::vector<double> discounts_;
  double tokens_, words_;
  EvidenceSmoothing smoothing_;
  EvidenceAlternatives alternatives_;
  double fewer_tokens_ = 0, fewer_words_ = 0;
  std::vector<Own> own_;
  std::vector<uint64_t> row_, hash_;
  std::vector<double> count_, followers_;
};

}  // namespace latperc
