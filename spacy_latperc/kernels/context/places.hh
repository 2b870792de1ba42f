// What fits into a place of a sentence: a log-bilinear model of a word and of the words on both
// sides of it (Mnih and Hinton 2007).
//
// Each distance has a table of rows, one for each word. The rows of the words beside a place
// are added up, and a word fits as well as its own row looks like the sum. A place lies at a
// word, which is not looked at, or in the gap between two words; there NOTHING may fit.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/lanes.hh"

namespace latperc {

// Symbols that are no words.
struct ContextSymbols {
  static constexpr int32_t kBefore = 0;   // the beginning of a sentence
  static constexpr int32_t kBehind = 1;   // and its end
  static constexpr int32_t kNothing = 2;  // fits between words that belong side by side
  static constexpr int32_t kFirst = 3;    // of the words
};

// A sentence with what lies before and behind it.
struct ContextRow {
  static constexpr int kWidest = 8;  // words to each side
  static constexpr int kSize = 64;   // numbers in the row of a word

  const int32_t* words = nullptr;
  int64_t size = 0;

  int32_t at(int64_t i) const {
    if (i < 0) return ContextSymbols::kBefore;
    return i < size ? words[i] : ContextSymbols::kBehind;
  }

  // Rows of the tables [2 window, symbols]: those of the words before, the nearest first, and
  // of the words behind. The place is word i, or the gap before it.
  void beside(int64_t i, bool gap, int window, size_t symbols, size_t* rows) const {
    for (int d = 0; d < window; d++) {
      rows[d] = d * symbols + at(i - 1 - d);
      rows[window + d] = (window + d) * symbols + at(i + (gap ? 0 : 1) + d);
    }
  }
};

// Words that may be meant in place of one another, by symbol.
struct ContextAlternatives {
  const int64_t* begin = nullptr;  // symbols + 1
  const int32_t* others = nullptr;

  int64_t count(int32_t symbol) const { return begin[symbol + 1] - begin[symbol]; }
};

// Words of which one is often missing or too much.
struct ContextSmallWords {
  const int32_t* words = nullptr;
  int32_t size = 0;
};

}  // namespace latperc
