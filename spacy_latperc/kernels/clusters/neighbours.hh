// The neighbours of each word of a text, with counts.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "common/signals.hh"

namespace latperc {

// A context is a word on the left or, with two sides, on the right. Rare words share one
// context per side; the end of the sentence is another.
struct Neighbours {
  int32_t words = 0;
  int sides = 1;
  std::vector<int64_t> start;    // [words + 1] the first context of each word
  std::vector<int32_t> context;  // of each word in ascending order
  std::vector<int32_t> count;
  std::vector<int64_t> total;  // the frequency of each word

  size_t contexts() const { return static_cast<size_t>(sides) * side(); }
  size_t degree(int32_t word) const { return static_cast<size_t>(start[word + 1] - start[word]); }

  // ids: word numbers from 0 to words - 1; `words` stands for any rare word.
  Neighbours(const int32_t* ids, const int64_t* bounds, size_t sentences, int32_t words, int sides)
      : words(words), sides(sides), start(static_cast<size_t>(words) + 1, 0), total(words, 0) {
    const int64_t tokens = sentences ? bounds[sentences] - bounds[0] : 0;
    if (tokens >= INT32_MAX) throw std::length_error("too much text for clusters");
    if (contexts() >= INT32_MAX) throw std::length_error("too many different words for clusters");
    SignalCheck signals;
    for (size_t s = 0; s < sentences; s++) {
      signals.look();
      for (int64_t i = bounds[s]; i < bounds[s + 1]; i++) {
        if (ids[i] < words) total[ids[i]]++;
      }
    }
    for (int32_t w = 0; w < words; w++) start[w + 1] = start[w] + sides * total[w];
    context.resize(static_cast<size_t>(start[words]));
    std::vector<int64_t> at(start.begin(), start.end() - 1);
    for (size_t s = 0; s < sentences; s++) {
      signals.look();
      for (int64_t i = bounds[s]; i < bounds[s + 1]; i++) {
        const int32_t w = ids[i];
        if (w == words) continue;
        context[at[w]++] = i > bounds[s] ? ids[i - 1] : words + 1;
        if (sides == 2) {
          const int32_t right = i + 1 < bounds[s + 1] ? ids[i + 1] : words + 1;
          context[at[w]++] = right + static_cast<int32_t>(side());
        }
      }
    }
    count_equal(signals);
  }

 private:
  size_t side() const { return static_cast<size_t>(words) + 2; }

  void count_equal(SignalCheck& signals) {
    size_t to = 0;
    int64_t first = 0;
    for (int32_t w = 0; w < words; w++) {
      signals.look();
      const int64_t last = start[w + 1];
      std::sort(context.begin() + first, context.begin() + last);
      start[w] = static_cast<int64_t>(to);
      for (int64_t i = first; i < last; i++) {
        if (i == first || context[i] != context[to - 1]) {
          context[to++] = context[i];
          count.push_back(0);
        }
        count.back()++;
      }
      first = last;
    }
    start[words] = static_cast<int64_t>(to);
    context.resize(to);
    context.shrink_to_fit();
    count.shrink_to_fit();
  }
};

}  // namespace latperc
