// The attributes of the tokens of a batch: columns of the text, and values of word types, which
// are stored once for all tokens of a type.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/checked.hh"
#include "simd/lanes.hh"

namespace latperc {

struct TokenAttributes {
  View<const uint64_t> columns;  // [tokens, width]
  size_t width = 0;
  View<const uint64_t* const> words;  // of each token the values of its word, if any are wanted
  View<const int32_t> place;          // attribute -> column, or -1 - number of the word's value

  uint64_t value(size_t token, int32_t attribute) const {
    const int32_t at = place[attribute];
    return at >= 0 ? columns[token * width + at] : words[token][-1 - at];
  }

  // Those of the tokens from this one on.
  TokenAttributes from(size_t token) const {
    return {columns.from(token * width), width, words.all() ? words.from(token) : words, place};
  }
};

// All of them, [tokens, attributes].
inline void write_matrix(const TokenAttributes& from, size_t tokens, size_t attributes,
                         uint64_t* out) {
  constexpr size_t kAhead = 16;
  constexpr size_t kInLine = 8;
  int32_t last = 0;  // of the values of words
  for (size_t a = 0; a < attributes; a++) last = std::max(last, -from.place[a]);
  for (size_t i = 0; i < tokens; i++) {
    if (last > 0 && i + kAhead < tokens) {
      const uint64_t* word = from.words[i + kAhead];
      for (int32_t k = 0; k < last; k += kInLine) simd::prefetch(word + k);
      simd::prefetch(word + last - 1);
    }
    for (size_t a = 0; a < attributes; a++) *out++ = from.value(i, static_cast<int32_t>(a));
  }
}

}  // namespace latperc
