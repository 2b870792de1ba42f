// The n-grams of a text in sorted order, counted by sorting the places where they begin.
//
// The places of a word form a block, sorted by the following words. N-grams with a common prefix
// are then side by side, and one pass over all places counts n-grams of every length, with eight
// bytes of memory for each word of the text.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "common/signals.hh"
#include "hashing/vocabulary.hh"

namespace latperc {

constexpr int kMaxOrder = 5;
constexpr size_t kLookEvery = 1u << 16;  // items of a loop without sentences

// An n-gram with its counts.
struct Ngram {
  const int32_t* words;
  int length;
  uint32_t count;
  // The Kneser-Ney count: of the longest n-grams, and of those at the start of a sentence, the
  // occurrences, of others the different words to the left.
  uint32_t adjusted;
  // The sum of the adjusted counts of the n-grams that are one word longer, and the part of it
  // that goes to shorter contexts (discounts, and counts of rare n-grams).
  double total, rest;

  // True for the start of a sentence, which follows nothing.
  bool is_begin() const { return length == 1 && words[0] == Vocabulary::kBegin; }
};

class NgramText {
 public:
  static constexpr size_t kCounts = 4096;

  // ids, bounds: sentences of words below `words`, without start and end symbols.
  NgramText(const int32_t* ids, const int64_t* bounds, size_t sentences, int32_t words, int order)
      : order_(order), words_(words) {
    const size_t size =
        sentences ? static_cast<size_t>(bounds[sentences] - bounds[0]) + 2 * sentences : 0;
    if (size >= INT32_MAX - kMaxOrder) throw std::length_error("too much text for n-grams");
    text_.reserve(size + kMaxOrder);
    for (size_t s = 0; s < sentences; s++) {
      text_.push_back(Vocabulary::kBegin);
      text_.insert(text_.end(), ids + bounds[s], ids + bounds[s + 1]);
      text_.push_back(Vocabulary::kEnd);
    }
    text_.insert(text_.end(), kMaxOrder, Vocabulary::kBegin);
    sort_places(size);
    count_counts();
  }

  int order() const { return order_; }
  int32_t words() const { return words_; }
  // By length: the number of n-grams that occur 1, 2, ... times, the last also for more.
  const std::vector<std::vector<size_t>>& counts() const { return counts_; }
  // By length: the Kneser-Ney discount; 0.5 if the text is too small.
  const std::vector<double>& discounts() const { return discounts_; }

  // Calls visitor(ngram) for every n-gram after those that it is a prefix of, and last for the
  // empty one. Words that do not occur are visited, too.
  // least: by length, the smallest count of n-grams that are not rare.
  template <class Visitor>
  void visit(const std::vector<uint32_t>& least, Visitor&& visitor) {
    std::vector<int64_t> last(words_, -1);  // left word -> its last place
    Open open[kMaxOrder + 1];
    int32_t path[kMaxOrder];
    const auto close = [&](int length) {
      const Open& found = open[length];
      const bool by_count = length == order_ || path[0] == Vocabulary::kBegin;
      const uint32_t adjusted = by_count ? found.count : found.left_words;
      const Ngram ngram{path, length, found.count, adjusted, found.total, found.rest};
      if (length > 0 && !ngram.is_begin()) {
        const bool rare = found.count < least[length - 1];
        open[length - 1].total += adjusted;
        open[length - 1].rest += rare ? adjusted : discounts_[length - 1];
      }
      visitor(ngram);
      open[length] = Open();
    };
    size_t i = 0;
    for (int32_t word = 0; word < words_; word++) {
      signals_.look();
      int length = 1;
      path[0] = word;
      open[1].start = static_cast<int64_t>(i);
      for (; i < ends_[word]; i++) {
        if (i % kLookEvery == 0) signals_.look();
        if (i + kAhead < places_.size()) __builtin_prefetch(&text_[places_[i + kAhead]]);
        const int32_t* here = text_.data() + places_[i];
        int same = 1;
        while (same < length && here[same] == path[same]) same++;
        for (; length > same; length--) close(length);
        while (length < order_ && here[length] != Vocabulary::kBegin) {
          path[length] = here[length];
          open[++length].start = static_cast<int64_t>(i);
        }
        for (int k = 1; k <= length; k++) open[k].count++;
        if (word == Vocabulary::kBegin) continue;
        for (int k = 1; k <= length; k++) open[k].left_words += last[here[-1]] < open[k].start;
        last[here[-1]] = static_cast<int64_t>(i);
      }
      for (; length > 0; length--) close(length);
    }
    close(0);
  }

 private:
  static constexpr size_t kAhead = 8;

  // An n-gram that is still being counted.
  struct Open {
    int64_t start = 0;
    uint32_t count = 0, left_words = 0;
    double total = 0, rest = 0;
  };

  void sort_places(size_t size) {
    ends_.assign(words_ + 1, 0);
    for (size_t i = 0; i < size; i++) ends_[text_[i] + 1]++;
    for (int32_t w = 0; w < words_; w++) ends_[w + 1] += ends_[w];
    places_.resize(size);
    for (size_t i = 0; i < size; i++) places_[ends_[text_[i]]++] = static_cast<int32_t>(i);
    ends_.pop_back();  // the starts of the words have become their ends
    struct Place {
      uint64_t near, far;
      int32_t at;
      bool operator<(const Place& other) const {
        return std::tie(near, far) < std::tie(other.near, other.far);
      }
    };
    const auto two = [](const int32_t* words) {
      return static_cast<uint64_t>(words[0]) << 32 | static_cast<uint32_t>(words[1]);
    };
    std::vector<Place> block;
    size_t begin = 0;
    for (size_t end : ends_) {
      signals_.look();
      block.clear();
      for (size_t i = begin; i < end; i++) {
        const int32_t* next = text_.data() + places_[i] + 1;
        block.push_back({two(next), order_ > 3 ? two(next + 2) : 0, places_[i]});
      }
      std::sort(block.begin(), block.end());
      for (size_t i = begin; i < end; i++) places_[i] = block[i - begin].at;
      begin = end;
    }
  }

  void count_counts() {
    counts_.assign(order_, std::vector<size_t>(kCounts, 0));
    discounts_.assign(order_, 0.0);
    std::vector<double> once(order_, 0.0), twice(order_, 0.0);
    visit(std::vector<uint32_t>(order_, 1), [&](const Ngram& ngram) {
      const int k = ngram.length - 1;
      if (k < 0 || ngram.count == 0 || ngram.is_begin()) return;
      counts_[k][std::min<size_t>(ngram.count, kCounts - 1)]++;
      once[k] += ngram.adjusted == 1;
      twice[k] += ngram.adjusted == 2;
    });
    for (int k = 0; k < order_; k++) {
      discounts_[k] = once[k] > 0 ? once[k] / (once[k] + 2 * twice[k]) : 0.5;
    }
  }

  SignalCheck signals_;
  int order_;
  int32_t words_;
  std::vector<int32_t> text_;    // sentences with start and end symbols
  std::vector<int32_t> places_;  // in the text, sorted by the n-grams that begin there
  std::vector<size_t> ends_;     // word -> the end of its places
  std::vector<std::vector<size_t>> counts_;
  std::vector<double> discounts_;
};

}  // namespace latperc
