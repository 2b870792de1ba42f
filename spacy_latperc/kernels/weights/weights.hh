// Rows of weights, allocated when a feature is first updated.
//
// A block holds one row per feature: state rows of width U, edge rows of U x U, second-order
// rows of U x U x U, where U is the number of labels or latent states; of long rows only
// the parts that ever changed (weights/row_parts.hh). Each cell has a place in several planes:
// w, the weights, and a, the accumulator of the average w - a / c.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "common/checked.hh"
#include "common/memory.hh"
#include "hashing/hash.hh"
#include "simd/lanes.hh"
#include "weights/block_shape.hh"
#include "weights/row_parts.hh"

namespace latperc {

// A growing array of floats. Untouched pages cost no memory, so initial zeros are not written:
// a file that names many labels must not cost more than its bytes.
class Plane {
 public:
  // A large page is cleared as a whole on its first use, so planes that fill slowly, and often
  // stay small, begin with small pages. (Small pages alone would spend a third of the time of
  // new text on page faults.)
  explicit Plane(bool fills_slowly = false) : small_(fills_slowly ? Memory::kLargePage : 0) {}

  void reserve(size_t n) {
    if (n <= capacity_) return;
    if (memory_.grow(n * sizeof(float))) {
      capacity_ = n;
      return;
    }
    Memory memory(n * sizeof(float), small_);
    if (size_) std::memcpy(memory.data(), data(), size_ * sizeof(float));
    memory_ = std::move(memory);
    capacity_ = n;
    written_ = size_;
  }
  void resize(size_t n) {  // new floats are zero
    if (n > capacity_) grow(n);
    const size_t old = n < written_ ? n : written_;  // zero beyond, as it was allocated
    if (old > size_) std::memset(data() + size_, 0, (old - size_) * sizeof(float));
    size_ = n;
    if (n > written_) written_ = n;
  }
  void clear() { size_ = 0; }
  float* data() { return static_cast<float*>(memory_.data()); }
  const float* data() const { return static_cast<const float*>(memory_.data()); }
  size_t size() const { return size_; }
  float& operator[](size_t i) {
    require(i < size_, "weight past the end of its plane");
    return data()[i];
  }

 private:
  // Grows generously: moving costs time, and untouched room costs nothing.
  void grow(size_t n) {
    try {
      reserve(std::max(n, 4 * capacity_));
    } catch (const std::bad_alloc&) {
      reserve(std::max(n, capacity_ + capacity_ / 2));
    }
  }

  size_t small_;  // bytes in small pages
  Memory memory_;
  size_t size_ = 0;
  size_t capacity_ = 0;
  size_t written_ = 0;  // floats that were in use at some time
};

// Start and end weights (DSL, equations 7 and 16): features of the first and the last token of
// a sentence. All blocks of state rows have them; no template names them.
constexpr uint64_t kStartKey = 0x7f4a7c159e3779b9ULL;
constexpr uint64_t kEndKey = 0xd1b54a32d192ed03ULL;

// The rows of one block in training. Row 0 is all zero and stands for every feature without
// a row, so that summing needs no branch.
struct TrainedRows {
  Plane w;
  Plane a;  // accumulator of the average
  Plane g;  // the statistics of steps: see weights/steps.hh
  RowParts parts;
  bool averaged = true;
  bool second = false;              // true if g is used
  std::vector<double> shrunk_at;    // row -> when it last shrank
  double now = 0.0;                 // shrunk_at of new rows
  std::vector<int32_t> row_of;      // feature id -> row
  std::vector<int32_t> feature_of;  // row -> feature id
  uint64_t changes = 0;             // number of row changes

  int32_t row(int32_t feature) const {
    return static_cast<size_t>(feature) < row_of.size() ? row_of[feature] : 0;
  }
  size_t rows() const { return feature_of.size(); }
  std::vector<const Plane*> planes() const { return {&w, &a, &g}; }

  void reset(const BlockShape& shape) {
    for (Plane* plane : {&w, &a, &g}) plane->clear();
    parts.reset(shape);
    shrunk_at.clear();
    row_of.clear();
    feature_of.clear();
    append(0);
  }
  // The row of a feature that is about to change; created if there is none.
  int32_t row_for(int32_t feature) {
    const int32_t known = row(feature);
    changes++;
    return known ? known : append(feature);
  }

  // The place of a cell of a row in the planes; created if it is not stored.
  size_t make(int32_t row, size_t cell) {
    return parts.make(
        row, cell, [&](size_t floats) { resize(floats); },
        [&](size_t from, size_t to, size_t floats) { move(from, to, floats); });
  }
  // Makes room for `count` parts of a row.
  void widen(int32_t row, size_t count) {
    parts.widen(
        row, count, [&](size_t floats) { resize(floats); },
        [&](size_t from, size_t to, size_t floats) { move(from, to, floats); });
  }

 private:
  template <class Do>
  void for_each_plane(const Do& apply) {
    apply(w);
    if (averaged) apply(a);
    if (second) apply(g);
  }
  void resize(size_t floats) {
    for_each_plane([&](Plane& plane) { plane.resize(floats); });
  }
  void move(size_t from, size_t to, size_t floats) {
    for_each_plane([&](Plane& plane) {
      std::memcpy(plane.data() + to, plane.data() + from, floats * sizeof(float));
      std::memset(plane.data() + from, 0, floats * sizeof(float));
    });
  }

  int32_t append(int32_t feature) {
    const int32_t fresh = static_cast<int32_t>(feature_of.size());
    feature_of.push_back(feature);
    parts.append_row();
    resize(parts.floats());
    shrunk_at.push_back(now);
    if (feature) {
      if (static_cast<size_t>(feature) >= row_of.size()) row_of.resize(feature + 1, 0);
      row_of[feature] = fresh;
    }
    return fresh;
  }
};

}  // namespace latperc
