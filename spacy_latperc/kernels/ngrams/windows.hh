// N-grams of texts that are larger than memory: counted in pieces, as sorted runs that can be
// merged.
//
// At each place of a sentence a window of so many words begins, or fewer where the sentence
// ends. Sorted windows, and how often each occurs, hold the counts of all shorter n-grams too:
// of those that the windows begin with. The order is that of NgramCounting: n-grams of a
// length follow one another by the numbers of their words.
//
// A window is a key of two numbers: kWordBits for each word, from the highest on; what lies
// behind the end of a sentence is 0, which is the begin of a sentence and stands nowhere else
// but first.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/signals.hh"
#include "hashing/vocabulary.hh"
#include "ngrams/counting.hh"

namespace latperc {

struct Window {
  static constexpr int kWords = 5;
  static constexpr int kWordBits = 25;
  static constexpr uint64_t kMask = (uint64_t(1) << kWordBits) - 1;
  // The third word is in both numbers: its upper bits end the first.
  static constexpr int kUpper = 64 - 2 * kWordBits, kLower = kWordBits - kUpper;

  uint64_t high = 0, low = 0;

  void set(int i, int32_t number) {
    const uint64_t word = static_cast<uint32_t>(number);
    if (i < 2) high |= word << (64 - (i + 1) * kWordBits);
    if (i == 2) high |= word >> kLower;
    if (i == 2) low |= (word & ((uint64_t(1) << kLower) - 1)) << (2 * kWordBits);
    if (i > 2) low |= word << ((kWords - 1 - i) * kWordBits);
  }
  int32_t word(int i) const {
    uint64_t found = 0;
    if (i < 2) found = high >> (64 - (i + 1) * kWordBits);
    if (i == 2) found = (high & ((uint64_t(1) << kUpper) - 1)) << kLower | low >> (2 * kWordBits);
    if (i > 2) found = low >> ((kWords - 1 - i) * kWordBits);
    return static_cast<int32_t>(found & kMask);
  }
  bool operator<(const Window& other) const {
    return high != other.high ? high < other.high : low < other.low;
  }
  bool operator==(const Window& other) const { return high == other.high && low == other.low; }
};

// A sorted run: windows, each once, and how often they occur.
struct WindowRun {
  std::vector<uint64_t> high, low;
  std::vector<uint32_t> count;

  void add(const Window& window, uint64_t times) {
    if (high.empty() || high.back() != window.high || low.back() != window.low) {
      high.push_back(window.high);
      low.push_back(window.low);
      count.push_back(0);
    }
    count.back() = static_cast<uint32_t>(std::min<uint64_t>(count.back() + times, UINT32_MAX));
  }
};

inline void count_windows(const int32_t* ids, const int64_t* bounds, size_t sentences, int order,
                          WindowRun* out) {
  std::vector<Window> windows;
  if (sentences) {
    windows.reserve(static_cast<size_t>(bounds[sentences] - bounds[0]) + 2 * sentences);
  }
  std::vector<int32_t> text;
  SignalCheck signals;
  for (size_t s = 0; s < sentences; s++) {
    signals.look();
    text.assign(1, Vocabulary::kBegin);
    text.insert(text.end(), ids + bounds[s], ids + bounds[s + 1]);
    text.push_back(Vocabulary::kEnd);
    for (size_t i = 0; i < text.size(); i++) {
      Window window;
      for (int k = 0; k < order && i + k < text.size(); k++) window.set(k, text[i + k]);
      windows.push_back(window);
    }
  }
  std::sort(windows.begin(), windows.end());
  for (const Window& window : windows) out->add(window, 1);
}

// A run of someone else.
struct WindowView {
  const uint64_t* high;
  const uint64_t* low;
  const uint32_t* count;
  size_t size;
  Window at(size_t i) const { return {high[i], low[i]}; }
};

inline void merge_windows(const std::vector<WindowView>& runs, WindowRun* out) {
  using Next = std::pair<Window, size_t>;  // of which run
  const auto later = [](const Next& a, const Next& b) { return b.first < a.first; };
  std::priority_queue<Next, std::vector<Next>, decltype(later)> waiting(later);
  std::vector<size_t> at(runs.size(), 0);
  size_t most = 0;
  for (size_t r = 0; r < runs.size(); r++) {
    if (runs[r].size) waiting.push({runs[r].at(0), r});
    most = std::max(most, runs[r].size);
  }
  out->high.reserve(most);
  out->low.reserve(most);
  out->count.reserve(most);
  SignalCheck signals;
  size_t steps = 0;
  while (!waiting.empty()) {
    if (steps++ % kLookEvery == 0) signals.look();
    const auto [window, r] = waiting.top();
    waiting.pop();
    const WindowView& run = runs[r];
    out->add(window, run.count[at[r]]);
    if (++at[r] < run.size) waiting.push({run.at(at[r]), r});
  }
}

}  // namespace latperc
