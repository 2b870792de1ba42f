// The parts of the rows of a block that are stored.
//
// A row of edge or second-order features has a cell for every pair or triple of units, and
// most never change. Therefore a row is stored in parts: the cells after one history, as many
// as the pitch. The parts of a row lie side by side in the planes of the block and are
// identified by their place; place 0 is all zero. A row has room for some parts, in order of
// arrival, and moves when it needs more. A row that needs more than half of all parts gets
// room for all, in the order of their histories, as in a dense row.
//
// Rows of states, and short rows of edges, are whole: dense, one after the other.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <new>
#include <vector>

#include "simd/parts.hh"
#include "weights/block_shape.hh"

namespace latperc {

class RowParts {
 public:
  // Rows of up to so many floats are whole: parts would cost more time than they save.
  static constexpr size_t kShort = 48;
  // A row that needs more than 1 / kShare of all parts gets room for all: there are few such
  // rows, and they are read often.
  static constexpr size_t kShare = 2;

  void reset(const BlockShape& shape) {
    whole_ = shape.kind == Kind::state || shape.stride() <= kShort;
    histories_ = static_cast<uint32_t>(shape.histories());
    pitch_ = static_cast<size_t>(shape.pitch);
    places_ = whole_ ? 0 : 1;
    rows_.clear();
    history_.assign(places_, 0);
    left_.clear();
  }

  bool whole() const { return whole_; }
  uint32_t histories() const { return histories_; }
  size_t pitch() const { return pitch_; }
  // The floats of a plane in use.
  size_t floats() const { return places_ * pitch_; }
  simd::PartView view() const { return {rows_.data(), history_.data(), histories_, pitch_}; }

  // The number of parts of a row, and where the first begins in a plane.
  size_t count(int32_t row) const { return whole_ ? histories_ : rows_[row].count; }
  size_t begin(int32_t row) const {
    return whole_ ? static_cast<size_t>(row) * histories_ * pitch_ : rows_[row].first * pitch_;
  }
  size_t size(int32_t row) const { return count(row) * pitch_; }
  // The history of part k of these.
  uint32_t history(int32_t row, size_t k) const {
    return whole_ ? static_cast<uint32_t>(k) : history_[rows_[row].first + k];
  }
  bool full(int32_t row) const { return whole_ || rows_[row].room == histories_; }

  // The place of a cell of a row in a plane; a cell that stays zero if it is not stored.
  size_t find(int32_t row, size_t cell) const {
    if (whole_) return static_cast<size_t>(row) * histories_ * pitch_ + cell;
    return simd::find_part(view(), row, history_of(cell)) * pitch_ + cell % pitch_;
  }

  // Prefetches the entry of a row that is not whole, before the row itself.
  // Inline, since GCC removes calls of functions that only prefetch.
  LATPERC_INLINE void prefetch(int32_t row) const {
    simd::prefetch_row(reinterpret_cast<const float*>(rows_.data() + row), 1);
  }
  LATPERC_INLINE void prefetch_found(int32_t row, const float* plane) const {
    simd::prefetch_parts(plane, view(), row);
  }

  // Appends a row without parts, or a whole row.
  void append_row() {
    if (whole_) {
      places_ += histories_;
    } else {
      rows_.push_back({0, 0, 0});
    }
  }
  // Appends a row of these parts, in their order, without room for more.
  void append_row(const std::vector<uint32_t>& histories) {
    append_row();
    if (whole_ || histories.empty()) return;
    const bool all = kShare * histories.size() > histories_;
    const uint32_t room = all ? histories_ : static_cast<uint32_t>(histories.size());
    const uint32_t first = reserve(room, [](size_t) {});
    for (uint32_t k = 0; k < room; k++) history_[first + k] = all ? k : histories[k];
    rows_.back() = {first, room, room};
  }

  // Like find, but creates the part if it is missing. grow(floats) enlarges the planes;
  // move(from, to, floats) moves cells and leaves zeros.
  template <class Grow, class Move>
  size_t make(int32_t row, size_t cell, const Grow& grow, const Move& move) {
    const size_t found = find(row, cell);
    if (whole_ || found >= pitch_) return found;
    widen(row, rows_[row].count + 1, grow, move);
    simd::PartRow& r = rows_[row];
    if (r.room == histories_) return r.first * pitch_ + cell;
    history_[r.first + r.count] = history_of(cell);
    return (r.first + r.count++) * pitch_ + cell % pitch_;
  }

  // Makes room for `parts` parts in a row: a power of two, or all.
  template <class Grow, class Move>
  void widen(int32_t row, size_t parts, const Grow& grow, const Move& move) {
    if (whole_ || parts <= rows_[row].room) return;
    uint32_t room = 1;
    while (room < parts) room *= 2;
    if (kShare * room > histories_) room = histories_;
    const uint32_t first = reserve(room, grow);
    const simd::PartRow old = rows_[row];
    if (room < histories_) {
      move(old.first * pitch_, first * pitch_, old.count * pitch_);
      std::copy_n(history_.begin() + old.first, old.count, history_.begin() + first);
      rows_[row] = {first, old.count, room};
    } else {
      for (uint32_t k = old.first; k < old.first + old.count; k++) {
        move(k * pitch_, (first + history_[k]) * pitch_, pitch_);
      }
      for (uint32_t k = 0; k < room; k++) history_[first + k] = k;
      rows_[row] = {first, room, room};
    }
    if (old.room) left_[old.room].push_back(old.first);
  }

  size_t bytes() const {
    return sizeof(simd::PartRow) * rows_.capacity() + sizeof(uint32_t) * history_.capacity();
  }

 private:
  uint32_t history_of(size_t cell) const { return static_cast<uint32_t>(cell / pitch_); }

  // Reserves `room` places side by side: those of a row that moved, or new ones.
  template <class Grow>
  uint32_t reserve(uint32_t room, const Grow& grow) {
    const auto left = left_.find(room);
    if (left != left_.end() && !left->second.empty()) {
      const uint32_t first = left->second.back();
      left->second.pop_back();
      return first;
    }
    if (places_ + room > INT32_MAX) throw std::bad_alloc();
    grow((places_ + room) * pitch_);
    history_.resize(places_ + room);
    places_ += room;
    return static_cast<uint32_t>(places_ - room);
  }

  uint32_t histories_ = 1;
  size_t pitch_ = 0;
  bool whole_ = true;
  size_t places_ = 0;
  std::vector<simd::PartRow> rows_;
  std::vector<uint32_t> history_;                   // of the part at each place
  std::map<uint32_t, std::vector<uint32_t>> left_;  // by room: free places of rows that moved
};

}  // namespace latperc
