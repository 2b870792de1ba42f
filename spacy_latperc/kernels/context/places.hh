// A log-bilinear model of a word and the words on both sides of it (Mnih and Hinton 2007).
//
// Each distance has a table of rows, one for each word. The rows of the words around a place are
// summed; the score of a word is the product of its own row with the sum. A place is a word, which
// is ignored, or a gap between two words, in which the symbol NOTHING may fit.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/lanes.hh"

namespace latperc {

// Symbols other than words.
struct ContextSymbols {
  static constexpr int32_t kBefore = 0;   // before a sentence
  static constexpr int32_t kBehind = 1;   // after a sentence
  static constexpr int32_t kNothing = 2;  // no word, in gaps
  static constexpr int32_t kFirst = 3;    // the first word
};

// A sentence with padding on both sides.
struct ContextRow {
  static constexpr int kWidest = 8;  // words to each side
  static constexpr int kSize = 64;   // numbers in the row of a word

  const int32_t* words = nullptr;
  int64_t size = 0;

  int32_t at(int64_t i) const {
    if (i < 0) return ContextSymbols::kBefore;
    return i < size ? words[i] : ContextSymbols::kBehind;
  }

  // Finds the rows in tables [2 window, symbols] of the words before the place, the nearest first,
  // and of those after it. The place is word i, or the gap before it.
  void beside(int64_t i, bool gap, int window, size_t symbols, size_t* rows) const {
    for (int d = 0; d < window; d++) {
      rows[d] = d * symbols + at(i - 1 - d);
      rows[window + d] = (window + d) * symbols + at(i + (gap ? 0 : 1) + d);
    }
  }
};

// The alternatives of words, by symbol.
struct ContextAlternatives {
  const int64_t* begin = nullptr;  // symbols + 1
  const int32_t* others = nullptr;

  int64_t count(int32_t symbol) const { return begin[symbol + 1] - begin[symbol]; }
};

// Small words, which are often missing or redundant.
struct ContextSmallWords {
  const int32_t* words = nullptr;
  int32_t size = 0;
};

}  // namespace latperc
