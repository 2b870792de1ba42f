// The number of tokens of each class next to each context.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clusters/neighbours.hh"

namespace latperc {

class ClassRows {
 public:
  struct Cell {
    int32_t cls;
    int32_t n;
  };

  // A context with fewer neighbours than there are classes has an unordered list of cells;
  // other contexts have one cell per class.
  ClassRows(const Neighbours& beside, int32_t classes)
      : classes_(classes),
        start_(beside.contexts() + 1, 0),
        used_(beside.contexts(), 0),
        total_(beside.contexts(), 0) {
    for (size_t i = 0; i < beside.context.size(); i++) {
      const size_t row = static_cast<size_t>(beside.context[i]);
      start_[row + 1]++;
      total_[row] += beside.count[i];
    }
    for (size_t r = 0; r + 1 < start_.size(); r++) {
      if (start_[r + 1] > classes) start_[r + 1] = classes;
      start_[r + 1] += start_[r];
    }
    cells_.resize(static_cast<size_t>(start_.back()));
    for (size_t r = 0; r + 1 < start_.size(); r++) {
      if (!full(r)) continue;
      used_[r] = classes;
      for (int32_t c = 0; c < classes; c++) cells_[start_[r] + c] = {c, 0};
    }
  }

  // True if the row has one cell per class, in order.
  bool full(size_t row) const { return start_[row + 1] - start_[row] == classes_; }
  const Cell* begin(size_t row) const { return cells_.data() + start_[row]; }
  const Cell* end(size_t row) const { return begin(row) + used_[row]; }
  size_t rows() const { return used_.size(); }
  int64_t total(size_t row) const { return total_[row]; }

  int32_t get(size_t row, int32_t cls) const {
    if (full(row)) return begin(row)[cls].n;
    for (const Cell* cell = begin(row); cell != end(row); cell++) {
      if (cell->cls == cls) return cell->n;
    }
    return 0;
  }

  // n may be negative; the result must not be.
  void add(size_t row, int32_t cls, int32_t n) {
    Cell* const first = cells_.data() + start_[row];
    if (full(row)) {
      first[cls].n += n;
      return;
    }
    int32_t k = 0;
    while (k < used_[row] && first[k].cls != cls) k++;
    if (k == used_[row]) first[used_[row]++] = {cls, 0};
    first[k].n += n;
    if (first[k].n == 0) first[k] = first[--used_[row]];
  }

 private:
  int32_t classes_;
  std::vector<int64_t> start_;
  std::vector<int32_t> used_;
  std::vector<int64_t> total_;  // of a row, once every word has a class
  std::vector<Cell> cells_;
};

}  // namespace latperc
