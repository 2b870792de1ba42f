// Which parts of the rows of a block are kept.
//
// A row of edge or second-order features has a cell for every pair or triple of units, and
// most are never changed. So a row is kept in parts: the cells that follow one history, as
// many as the pitch. Parts of all rows lie in the planes of the block, one after the other
// as they were made, and a part is known by its place there; place 0 is all zero. A row of
// state features is one part, whose place is the number of the row.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "simd/lanes.hh"

namespace latperc {

class RowParts {
 public:
  // histories: parts that a row may have.
  void reset(size_t histories) {
    histories_ = histories;
    places_ = histories == 1 ? 0 : 1;
    parts_.clear();
  }
  // Whether each row is one part.
  bool whole() const { return histories_ == 1; }
  // Places in use.
  size_t places() const { return places_; }

  void append_row() {
    if (whole()) {
      places_++;
    } else {
      parts_.emplace_back();
    }
  }

  // The parts of a row that are kept, in the order of their histories.
  template <class Visit>
  void for_each(int32_t row, const Visit& visit) const {
    if (whole()) {
      visit(simd::Part{0, row});
    } else {
      for (const simd::Part& part : parts_[row]) visit(part);
    }
  }
  const std::vector<simd::Part>& of(int32_t row) const { return parts_[row]; }
  std::vector<simd::Part> list(int32_t row) const {
    std::vector<simd::Part> result;
    for_each(row, [&](const simd::Part& part) { result.push_back(part); });
    return result;
  }

  // The place of a part; 0 where it is not kept.
  int32_t find(int32_t row, uint32_t history) const {
    if (whole()) return row;
    const std::vector<simd::Part>& parts = parts_[row];
    if (parts.size() == histories_) return parts[history].place;
    const auto at = std::lower_bound(parts.begin(), parts.end(), history, before);
    return at == parts.end() || at->history != history ? 0 : at->place;
  }
  // The same, made when it is first asked for.
  int32_t make(int32_t row, uint32_t history) {
    const int32_t found = find(row, history);
    if (found || whole()) return found;
    std::vector<simd::Part>& parts = parts_[row];
    const auto at = std::lower_bound(parts.begin(), parts.end(), history, before);
    const int32_t place = static_cast<int32_t>(places_++);
    parts.insert(at, simd::Part{history, place});
    return place;
  }

  size_t bytes() const {
    size_t total = sizeof(parts_[0]) * parts_.capacity();
    for (const auto& parts : parts_) total += sizeof(parts[0]) * parts.capacity();
    return total;
  }

 private:
  static bool before(const simd::Part& part, uint32_t history) { return part.history < history; }

  size_t histories_ = 1;
  size_t places_ = 0;
  std::vector<std::vector<simd::Part>> parts_;  // of each row; empty for state rows
};

}  // namespace latperc
