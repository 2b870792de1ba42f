// What is known of word types: the values of attributes that are functions of the word.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashing/index.hh"

namespace latperc {

class Lexemes {
 public:
  static constexpr int kBlock = 64;  // words that are asked for at a time

  size_t size() const { return index_.size(); }
  size_t bytes() const { return index_.bytes() + 8 * values_.capacity(); }

  void clear() {
    index_.clear();
    values_.clear();
    values_.shrink_to_fit();
  }

  // A word that is not there yet. Whatever fails, there are no values without a word.
  void add(uint64_t word, const std::vector<uint64_t>& values) {
    values_.resize(size() * values.size());
    values_.insert(values_.end(), values.begin(), values.end());
    index_.insert(word, static_cast<int32_t>(size()) + 1);
  }
  bool has(uint64_t word) const { return index_.find(word) != KeyMap::kNone; }

  // The numbers of up to kBlock words, so many places apart. RETURNS: whether all are known.
  bool find(const uint64_t* words, size_t step, int count, int32_t* numbers) const {
    uint64_t keys[kBlock];
    for (int i = 0; i < count; i++) {
      keys[i] = words[i * step];
      index_.prefetch(keys[i]);
    }
    find_all(index_, keys, static_cast<size_t>(count), numbers);
    bool all = true;
    for (int i = 0; i < count; i++) all &= numbers[i] != KeyMap::kNone;
    return all;
  }

  // Value k of each of these words goes to column to[k] of rows of so many columns.
  void copy(const int32_t* numbers, int count, const std::vector<int32_t>& to, size_t columns,
            uint64_t* out) const {
    const size_t width = to.size();
#if defined(__GNUC__)
    for (int i = 0; i < count; i++) {
      __builtin_prefetch(row(numbers[i], width));
      __builtin_prefetch(row(numbers[i], width) + width - 1);
    }
#endif
    for (int i = 0; i < count; i++, out += columns) {
      const uint64_t* values = row(numbers[i], width);
      for (size_t k = 0; k < width; k++) out[to[k]] = values[k];
    }
  }

 private:
  const uint64_t* row(int32_t number, size_t width) const {
    return values_.data() + static_cast<size_t>(number - 1) * width;
  }

  KeyMap index_;  // word -> number (1, 2, ...)
  std::vector<uint64_t> values_;
};

}  // namespace latperc
