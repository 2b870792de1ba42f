// A string in the interpreter's format: one, two or four bytes per character.
#pragma once
#include <cstddef>
#include <cstdint>

#include "hashing/hash.hh"

namespace latperc {

class Text {
 public:
  Text() = default;
  // width: bytes per character.
  Text(const void* data, int width, size_t size) : data_(data), width_(width), size_(size) {}

  size_t size() const { return size_; }

  // Returns f(characters, length).
  template <class F>
  auto visit(const F& f) const {
    if (width_ == 1) return f(static_cast<const uint8_t*>(data_), size_);
    if (width_ == 2) return f(static_cast<const uint16_t*>(data_), size_);
    return f(static_cast<const uint32_t*>(data_), size_);
  }

  // Hashes the characters from start to stop, as code points rather than bytes, so that equal
  // strings have equal hashes on every platform.
  uint64_t hash(size_t start, size_t stop, uint64_t seed) const {
    return visit([=](const auto* characters, size_t) {
      uint64_t h = seed + static_cast<uint64_t>(stop - start);
      for (size_t i = start; i < stop; i++) h = join(h, static_cast<uint64_t>(characters[i]) + 1);
      return mix(h);
    });
  }

 private:
  const void* data_ = nullptr;
  int width_ = 1;
  size_t size_ = 0;
};

}  // namespace latperc
