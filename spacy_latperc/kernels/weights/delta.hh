// A sparse change of the weights, which is summed before it is applied.
//
// A feature may be right at one token and wrong at another: only the sum has the true norm of
// the change and shows which features need a row.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "hashing/hash.hh"
#include "hashing/values.hh"
#include "simd/lanes.hh"

namespace latperc {

class Delta {
 public:
  struct Entry {
    int32_t block;
    int32_t feature;
    uint64_t cell;
    float value;
  };
  // The same cell of all rows of a template over vectors.
  struct Vector {
    int32_t block;
    const DenseTemplate* of;
    uint64_t cell;
    std::vector<float> values;

    bool alike(const Vector& other) const {
      return of == other.of && cell == other.cell && block == other.block;
    }
  };

  Delta() : slots_(256, 0) {}

  void clear() {
    for (size_t at : used_) slots_[at] = 0;
    used_.clear();
    entries_.clear();
    n_vectors_ = 0;
  }

  // Adds the numbers, times a factor, to a cell of the rows of a template over vectors.
  void add_vector(int32_t block, const DenseTemplate* of, uint64_t cell, const float* numbers,
                  size_t width, float factor) {
    size_t v = 0;
    for (; v < n_vectors_; v++) {
      const Vector& known = vectors_[v];
      if (known.of == of && known.cell == cell && known.block == block) break;
    }
    if (v == n_vectors_) {  // the memory of earlier ones is used again
      if (n_vectors_++ == vectors_.size()) vectors_.emplace_back();
      vectors_[v].block = block;
      vectors_[v].of = of;
      vectors_[v].cell = cell;
      vectors_[v].values.clear();
    }
    std::vector<float>& values = vectors_[v].values;
    if (values.size() < width) values.resize(width, 0.0f);
    simd::add_scaled(numbers, factor, width, values.data());
  }

  void add(int32_t block, int32_t feature, uint64_t cell, float value) {
    if (entries_.size() * 2 >= slots_.size()) grow();
    size_t at = home(block, feature, cell);
    while (slots_[at]) {
      Entry& entry = entries_[slots_[at] - 1];
      if (entry.feature == feature && entry.cell == cell && entry.block == block) {
        entry.value += value;
        return;
      }
      at = (at + 1) & (slots_.size() - 1);
    }
    // Written in place: a copy would stall on its members, which were just written.
    entries_.emplace_back();
    Entry& fresh = entries_.back();
    fresh.block = block;
    fresh.feature = feature;
    fresh.cell = cell;
    fresh.value = value;
    occupy(at, entries_.size());
  }

  void add_scaled(const Delta& other, float scale) {
    for (const Entry& entry : other.entries_) {
      add(entry.block, entry.feature, entry.cell, scale * entry.value);
    }
    other.for_vectors([&](const Vector& v) {
      add_vector(v.block, v.of, v.cell, v.values.data(), v.values.size(), scale);
    });
  }

  const std::vector<Entry>& entries() const { return entries_; }
  template <class Visit>
  void for_vectors(const Visit& visit) const {
    for (size_t v = 0; v < n_vectors_; v++) visit(vectors_[v]);
  }

  double dot(const Delta& other) const {
    if (entries_.size() > other.entries_.size()) return other.dot(*this);
    double total = 0.0;
    for (const Entry& entry : entries_) {
      total += static_cast<double>(entry.value) * other.value(entry);
    }
    for_vectors([&](const Vector& mine) {
      other.for_vectors([&](const Vector& v) {
        if (v.alike(mine)) total += product(v.values, mine.values);
      });
    });
    return total;
  }

  double squared_norm() const {
    double total = 0.0;
    for (const Entry& entry : entries_) total += static_cast<double>(entry.value) * entry.value;
    for_vectors([&](const Vector& v) { total += product(v.values, v.values); });
    return total;
  }

 private:
  static double product(const std::vector<float>& x, const std::vector<float>& y) {
    double total = 0.0;
    for (size_t k = 0; k < std::min(x.size(), y.size()); k++) {
      total += static_cast<double>(x[k]) * y[k];
    }
    return total;
  }

  // The value at the cell of an entry of another change.
  float value(const Entry& place) const {
    size_t at = home(place.block, place.feature, place.cell);
    while (slots_[at]) {
      const Entry& entry = entries_[slots_[at] - 1];
      if (entry.feature == place.feature && entry.cell == place.cell &&
          entry.block == place.block) {
        return entry.value;
      }
      at = (at + 1) & (slots_.size() - 1);
    }
    return 0.0f;
  }

  size_t home(int32_t block, int32_t feature, uint64_t cell) const {
    const uint64_t key = (static_cast<uint64_t>(block) << 60) ^
                         (static_cast<uint64_t>(static_cast<uint32_t>(feature)) << 28) ^ cell;
    // The high bits: the low ones do not depend on the feature.
    return static_cast<size_t>((key * 0x9e3779b97f4a7c15ULL) >> 40) & (slots_.size() - 1);
  }

  void occupy(size_t at, size_t entry_number) {
    slots_[at] = static_cast<uint32_t>(entry_number);
    used_.push_back(at);
  }

  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    used_.clear();
    for (size_t i = 0; i < entries_.size(); i++) {
      size_t at = home(entries_[i].block, entries_[i].feature, entries_[i].cell);
      while (slots_[at]) at = (at + 1) & (slots_.size() - 1);
      occupy(at, i + 1);
    }
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // open addressing; entry number, 0 for a free slot
  std::vector<size_t> used_;
  std::vector<Vector> vectors_;  // the first n_vectors_
  size_t n_vectors_ = 0;
};

}  // namespace latperc
