// A cache of the attributes of word types.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "hashing/index.hh"
#include "hashing/text.hh"

namespace latperc {

// The attributes of words, which do not move while there is a reference to them.
class WordValues {
 public:
  size_t bytes() const { return 8 * (blocks_.size() * size_ + listed_); }
  const uint64_t* row(size_t word, size_t width) const {
    return blocks_[word / kRows].get() + word % kRows * width;
  }
  // Returns the memory for one more word, whose number is that of all words before.
  uint64_t* make(size_t word, size_t width) {
    if (word / kRows == blocks_.size()) {
      size_ = kRows * width;
      blocks_.emplace_back(new uint64_t[size_]);
    }
    return blocks_[word / kRows].get() + word % kRows * width;
  }
  // Stores the distinct n-grams of characters of a text.
  // RETURNS: where their number is, followed by their hashes.
  const uint64_t* store_ngrams(const Text& text, size_t n) {
    std::vector<uint64_t> list;
    list.reserve(text.size() + 1);
    list.push_back(0);
    for (size_t at = 0; at + n <= text.size(); at++) {
      const uint64_t hash = text.hash(at, at + n, 0);
      if (std::find(list.begin() + 1, list.end(), hash) == list.end()) list.push_back(hash);
    }
    list[0] = list.size() - 1;
    listed_ += list.size();
    lists_.push_back(std::move(list));
    return lists_.back().data();
  }

 private:
  static constexpr size_t kRows = 1024;  // per block

  std::vector<std::unique_ptr<uint64_t[]>> blocks_;
  std::vector<std::vector<uint64_t>> lists_;  // of n-grams
  size_t size_ = 0;                           // values per block
  size_t listed_ = 0;                         // values in lists
};

class Lexemes {
 public:
  static constexpr int kBlock = 64;  // words looked up at a time

  Lexemes() { index_.reserve(kRoom, kLoad); }

  size_t size() const { return index_.size(); }
  size_t bytes() const { return index_.bytes() + values_->bytes(); }

  // Clears the cache; holders of a reference keep the old values.
  void clear() {
    index_.clear();
    index_.reserve(kRoom, kLoad);
    values_ = std::make_shared<WordValues>();
  }
  const std::shared_ptr<WordValues>& values() const { return values_; }
  uint64_t store_ngrams(const Text& text, size_t n) {
    return reinterpret_cast<uintptr_t>(values_->store_ngrams(text, n));
  }

  // Adds the values of a word unless it is cached. If this fails, nothing has changed.
  void add(uint64_t word, const std::vector<uint64_t>& values) {
    std::copy(values.begin(), values.end(), values_->make(size(), values.size()));
    index_.insert(word, static_cast<int32_t>(size()) + 1);
  }
  bool has(uint64_t word) const { return index_.find(word) != KeyMap::kNone; }

  // Finds the numbers of up to kBlock words, `step` apart. RETURNS: true if all are cached.
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

  // Finds the values of the words with these numbers.
  void locate(const int32_t* numbers, int count, size_t width, const uint64_t** out) const {
    for (int i = 0; i < count; i++) {
      out[i] = values_->row(static_cast<size_t>(numbers[i]) - 1, width);
    }
  }

 private:
  // A text of 50,000 words has 10,000 word types: growing costs more than reserving memory
  // that is not touched before it is needed.
  static constexpr size_t kRoom = 1u << 14;
  static constexpr double kLoad = 0.5;

  KeyMap index_;  // word -> number (1, 2, ...)
  std::shared_ptr<WordValues> values_ = std::make_shared<WordValues>();
};

}  // namespace latperc
