// Attributes of the tokens of a batch: columns that were read, and attributes of word types,
// which are stored once per type.
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
  View<const uint64_t* const> words;  // the attributes of each token's word, if there are some
  View<const int32_t> place;          // attribute -> column, or -1 - number of the word's value

  uint64_t value(size_t token, int32_t attribute) const {
    const int32_t at = place[attribute];
    return at >= 0 ? columns[token * width + at] : words[token][-1 - at];
  }

  // The n-grams of a word, behind their number; null if attributes are a matrix. Their place
  // is behind the value of the attribute, which a word has for what they depend on.
  const uint64_t* ngrams(size_t token, int32_t attribute) const {
    if (!words.all()) return nullptr;
    return reinterpret_cast<const uint64_t*>(words[token][-place[attribute]]);
  }

  // The attributes from this token on.
  TokenAttributes from(size_t token) const {
    return {columns.from(token * width), width, words.all() ? words.from(token) : words, place};
  }
};

// Writes all attributes as a matrix, [tokens, attributes].
inline void write_matrix(const TokenAttributes& from, size_t tokens, size_t attributes,
                         uint64_t* out) {
  constexpr size_t kAhead = 16;
  constexpr size_t kInLine = 8;
  int32_t last = 0;  // the number of word attributes
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
