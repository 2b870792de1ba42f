// Sparse rows of weights: the four structural cells (shift, left, right, root) of each feature,
// and the relations that were ever updated, sorted. A dense row over all relations would be 25
// times as large.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hashing/index.hh"
#include "parser/state.hh"
#include "simd/lanes.hh"
#include "weights/steps.hh"

namespace latperc::parsing {

// out += the structural cells of a row, which come first.
inline void add_structural(const float* row, float* out) {
  static_assert(kStructural == 4, "four floats at a time");
  simd::Four sum, more;
  std::memcpy(&sum, out, sizeof(sum));
  std::memcpy(&more, row, sizeof(more));
  sum += more;
  std::memcpy(out, &sum, sizeof(sum));
}

// Rows in training. The cells of all rows share planes; a row that outgrows its place moves to a
// larger one.
class LearningRows {
 public:
  explicit LearningRows(bool averaged, bool squares) {
    cells_.averaged = averaged;
    cells_.second = squares;
    clear();
  }

  void clear() {
    index_.clear();
    keys_.assign(1, 0);
    rows_.assign(1, Row{0, 0, 0});
    cells_.w.clear();
    cells_.a.clear();
    cells_.g.clear();
    names_.clear();
    for (auto& list : free_) list.clear();
    grow(kFirst);  // row 0 is zero
  }

  size_t rows() const { return keys_.size() - 1; }
  uint64_t key(size_t row) const { return keys_[row]; }

  // Reading ---------------------------------------------------------------------------

  void prefetch_key(uint64_t key) const { index_.prefetch(key); }
  int32_t find(uint64_t key) const { return index_.find(key); }
  void prefetch_row(int32_t row) const {
#if defined(__GNUC__)
    __builtin_prefetch(&rows_[row]);
#endif
  }
  void add(int32_t row, float* out) const {
    const Row& it = rows_[row];
    const float* const w = cells_.w.data() + it.begin;
    add_structural(w, out);
    const uint16_t* const name = names_.data() + it.begin;
    for (uint32_t k = kStructural; k < it.size; k++) out[name[k]] += w[k];
  }

  // Writing ---------------------------------------------------------------------------

  int32_t row_for(uint64_t key) {
    const int32_t fresh = static_cast<int32_t>(keys_.size());
    const int32_t row = index_.insert(key, fresh);
    if (row == fresh) {
      keys_.push_back(key);
      rows_.push_back(Row{place_of(0), kStructural, 0});
      clean(rows_.back().begin, 0);
      for (int k = 0; k < kStructural; k++) {
        names_[rows_.back().begin + k] = static_cast<uint16_t>(k);
      }
    }
    return row;
  }
  void change(int32_t row, int cell, float g, const Step& step, float rate, float c) {
    step.change(cells_, place(row, cell), g, rate, c);
  }
  void set(int32_t row, int cell, float w) { cells_.w[place(row, cell)] = w; }

  // Calls visit(cell, w, a) for all cells of a row.
  template <class Visit>
  void for_each(size_t row, const Visit& visit) const {
    const Row& it = rows_[row];
    for (uint32_t k = 0; k < it.size; k++) {
      const size_t at = it.begin + k;
      visit(static_cast<int>(names_[at]), cells_.w.data()[at],
            cells_.averaged ? cells_.a.data()[at] : 0.0f);
    }
  }

  void restart_from_average(float inverse) {
    for (size_t i = 0; i < cells_.w.size(); i++) {
      cells_.w[i] -= cells_.a[i] * inverse;
      cells_.a[i] = 0.0f;
    }
  }

  size_t bytes() const {
    return index_.bytes() + keys_.capacity() * 8 + rows_.capacity() * sizeof(Row) +
           names_.capacity() * 2 +
           (cells_.w.size() + cells_.a.size() + cells_.g.size()) * sizeof(float);
  }

 private:
  static constexpr uint32_t kFirst = 6;  // cells of a fresh row
  static constexpr int kSizes = 20;
  struct Row {
    uint32_t begin;
    uint16_t size, grown;  // cells in use; number of moves
  };

  static uint32_t capacity(int grown) { return kFirst << grown; }

  // The place of a cell in the planes, created if it is missing.
  size_t place(int32_t row, int cell) {
    Row& it = rows_[row];
    if (cell < kStructural) return it.begin + cell;
    uint16_t* const first = names_.data() + it.begin;
    const size_t k = std::lower_bound(first + kStructural, first + it.size, cell) - first;
    if (k < it.size && first[k] == cell) return it.begin + k;
    if (it.size == capacity(it.grown)) move(it);
    const size_t at = it.begin + k;
    const size_t behind = it.size - k;
    shift_plane(cells_.w, at, behind);
    if (cells_.averaged) shift_plane(cells_.a, at, behind);
    if (cells_.second) shift_plane(cells_.g, at, behind);
    std::memmove(names_.data() + at + 1, names_.data() + at, behind * sizeof(uint16_t));
    names_[at] = static_cast<uint16_t>(cell);
    it.size++;
    return at;
  }
  static void shift_plane(Plane& plane, size_t at, size_t behind) {
    std::memmove(plane.data() + at + 1, plane.data() + at, behind * sizeof(float));
    plane[at] = 0.0f;
  }

  void move(Row& it) {
    const uint32_t from = it.begin;
    const uint32_t to = place_of(it.grown + 1);
    clean(to, it.grown + 1);
    for (Plane* plane : {&cells_.w, &cells_.a, &cells_.g}) {
      if (plane->size() == 0) continue;
      std::memcpy(plane->data() + to, plane->data() + from, it.size * sizeof(float));
    }
    std::memcpy(names_.data() + to, names_.data() + from, it.size * sizeof(uint16_t));
    free_[it.grown].push_back(from);
    it.begin = to;
    it.grown++;
  }
  uint32_t place_of(int grown) {
    if (!free_[grown].empty()) {
      const uint32_t place = free_[grown].back();
      free_[grown].pop_back();
      return place;
    }
    const uint32_t place = static_cast<uint32_t>(names_.size());
    grow(capacity(grown));
    return place;
  }
  void clean(uint32_t begin, int grown) {
    for (Plane* plane : {&cells_.w, &cells_.a, &cells_.g}) {
      if (plane->size()) std::memset(plane->data() + begin, 0, capacity(grown) * sizeof(float));
    }
  }
  void grow(uint32_t more) {
    const size_t size = names_.size() + more;
    names_.resize(size);
    cells_.w.resize(size);
    if (cells_.averaged) cells_.a.resize(size);
    if (cells_.second) cells_.g.resize(size);
  }

  KeyMap index_;
  std::vector<uint64_t> keys_;  // row -> hash of its feature
  std::vector<Row> rows_;
  TrainedRows cells_;            // only its planes are used
  std::vector<uint16_t> names_;  // place in the planes -> cell
  std::vector<uint32_t> free_[kSizes];
};

// Frozen rows, each in one piece of a plane: structural weights, the number of relations, the
// relations, and their weights. Integers are stored by their bits.
class AnsweringRows {
 public:
  AnsweringRows() { data_.resize(1); }

  void reserve(size_t rows, size_t cells) {
    index_.reserve(rows, 0.5);
    data_.reserve(rows * (kStructural + 1) + 2 * cells + 1);
    keys_.reserve(rows);
    places_.reserve(rows);
  }
  // Appends the nonzero cells of a feature, which are sorted.
  void append(uint64_t key, const std::vector<std::pair<int, float>>& cells) {
    if (index_.find(key) != KeyMap::kNone) throw std::invalid_argument("a feature occurs twice");
    size_t count = 0;
    for (const auto& cell : cells) count += cell.first >= kStructural;
    const size_t at = data_.size();
    data_.resize(at + kStructural + 1 + 2 * count);
    float* const row = data_.data() + at;
    write(count, row + kStructural);
    float* name = row + kStructural + 1;
    for (const auto& cell : cells) {
      if (cell.first < kStructural) {
        row[cell.first] = cell.second;
      } else {
        write(static_cast<size_t>(cell.first), name);
        name[count] = cell.second;
        name++;
      }
    }
    index_.insert(key, static_cast<int32_t>(at));
    keys_.push_back(key);
    places_.push_back(static_cast<int32_t>(at));
  }

  size_t rows() const { return keys_.size(); }
  uint64_t key(size_t row) const { return keys_[row]; }

  void prefetch_key(uint64_t key) const { index_.prefetch(key); }
  int32_t find(uint64_t key) const { return index_.find(key); }
  void prefetch_row(int32_t at) const {
#if defined(__GNUC__)
    __builtin_prefetch(data_.data() + at);
    __builtin_prefetch(data_.data() + at + 14);
#else
    (void)at;
#endif
  }
  void add(int32_t at, float* out) const {
    const float* const row = data_.data() + at;
    add_structural(row, out);
    const uint32_t count = read(row[kStructural]);
    const float* const names = row + kStructural + 1;
    const float* const weights = names + count;
    for (uint32_t k = 0; k < count; k++) out[read(names[k])] += weights[k];
  }

  // Calls visit(cell, weight) for the nonzero cells of a row.
  template <class Visit>
  void for_each(size_t row, const Visit& visit) const {
    const float* const it = data_.data() + places_[row];
    for (int k = 0; k < kStructural; k++) {
      if (it[k] != 0.0f) visit(k, it[k]);
    }
    const uint32_t count = read(it[kStructural]);
    const float* const names = it + kStructural + 1;
    for (uint32_t k = 0; k < count; k++) {
      visit(static_cast<int>(read(names[k])), names[count + k]);
    }
  }

  size_t bytes() const {
    return index_.bytes() + keys_.capacity() * 8 + places_.capacity() * 4 + data_.size() * 4;
  }

 private:
  static uint32_t read(float x) {
    uint32_t number;
    std::memcpy(&number, &x, sizeof(number));
    return number;
  }
  static void write(size_t number, float* x) {
    const uint32_t bits = static_cast<uint32_t>(number);
    std::memcpy(x, &bits, sizeof(bits));
  }

  KeyMap index_;  // hash of a feature -> place of its row
  Plane data_;
  std::vector<uint64_t> keys_;
  std::vector<int32_t> places_;
};

}  // namespace latperc::parsing
