// Words and their numbers. It is exact: words are compared by their bytes, not by hashes alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "hashing/hash.hh"

namespace latperc {

class Vocabulary {
 public:
  // The first three have no spelling, so that a text may contain the word "<s>".
  enum : int32_t { kBegin, kEnd, kUnknown, kFirst };

  Vocabulary() : starts_(1, 0), slots_(1024, 0) {}

  // The number of words, including the three above.
  int32_t size() const { return static_cast<int32_t>(starts_.size() - 1) + kFirst; }

  const char* data(int32_t id) const { return bytes_.data() + starts_[id - kFirst]; }
  size_t length(int32_t id) const {
    return static_cast<size_t>(starts_[id - kFirst + 1] - starts_[id - kFirst]);
  }

  int32_t find(const char* word, size_t length) const {
    const int32_t found = slots_[slot(word, length)];
    return found ? found : kUnknown;
  }

  int32_t add(const char* word, size_t length) {
    size_t at = slot(word, length);
    if (slots_[at]) return slots_[at];
    if (static_cast<size_t>(size()) * 2 > slots_.size()) {
      grow();
      at = slot(word, length);
    }
    const int32_t id = size();
    if (id == INT32_MAX) throw std::length_error("too many different words");
    bytes_.insert(bytes_.end(), word, word + length);
    starts_.push_back(static_cast<int64_t>(bytes_.size()));
    slots_[at] = id;
    return id;
  }

  const std::vector<char>& bytes() const { return bytes_; }
  const std::vector<int64_t>& starts() const { return starts_; }

 private:
  static uint64_t hash(const char* word, size_t length) {
    uint64_t h = length;
    while (length >= 8) {
      uint64_t part;
      std::memcpy(&part, word, 8);
      h = join(h, part);
      word += 8;
      length -= 8;
    }
    uint64_t rest = 0;
    if (length) std::memcpy(&rest, word, length);
    return mix(join(h, rest));
  }

  // The slot of the word, or the empty slot where it would be.
  size_t slot(const char* word, size_t length) const {
    const size_t mask = slots_.size() - 1;
    size_t at = static_cast<size_t>(hash(word, length)) & mask;
    while (slots_[at]) {
      const int32_t id = slots_[at];
      if (this->length(id) == length && (length == 0 || std::memcmp(data(id), word, length) == 0)) {
        break;
      }
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (int32_t id = kFirst; id < size(); id++) slots_[slot(data(id), length(id))] = id;
  }

  std::vector<char> bytes_;
  std::vector<int64_t> starts_;
  std::vector<int32_t> slots_;  // 0: empty
};

}  // namespace latperc
