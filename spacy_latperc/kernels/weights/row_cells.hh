// Rows in the form of files: the nonzero cells, row by row, numbered without the padding of the
// last axis.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "weights/trained_weights.hh"
#include "weights/weights.hh"

namespace latperc {

inline size_t padded_cell(const BlockShape& shape, size_t cell) {
  const size_t units = static_cast<size_t>(shape.units);
  return cell / units * static_cast<size_t>(shape.pitch) + cell % units;
}
inline size_t cell_number(const BlockShape& shape, size_t padded) {
  const size_t pitch = static_cast<size_t>(shape.pitch);
  return padded / pitch * static_cast<size_t>(shape.units) + padded % pitch;
}

struct RowCells {
  std::vector<uint32_t> sizes;  // the number of cells of each row
  std::vector<uint32_t> cells;
  std::vector<size_t> places;  // the place of each cell in a plane

  // Finds the cells of rows 1, 2, ... that are not zero in every plane, in ascending order.
  void find(const BlockShape& shape, const RowParts& parts, size_t rows,
            const std::vector<const Plane*>& planes) {
    sizes.clear();
    cells.clear();
    places.clear();
    std::vector<std::pair<uint32_t, size_t>> of_row;  // history, place
    for (size_t r = 1; r < rows; r++) {
      const int32_t row = static_cast<int32_t>(r);
      const size_t before = cells.size();
      of_row.clear();
      for (size_t k = 0; k < parts.count(row); k++) {
        of_row.emplace_back(parts.history(row, k), parts.begin(row) + k * parts.pitch());
      }
      if (!parts.full(row)) std::sort(of_row.begin(), of_row.end());
      for (const auto& [history, at] : of_row) {
        for (int first = 0; first < shape.units; first += kAtOnce) {
          if (!any(planes, [&](const float* plane) { return blank(plane + at + first); })) continue;
          for (int j = first; j < std::min(first + kAtOnce, shape.units); j++) {
            if (!any(planes, [&](const float* plane) { return plane[at + j] == 0.0f; })) continue;
            cells.push_back(history * static_cast<uint32_t>(shape.units) + j);
            places.push_back(at + j);
          }
        }
      }
      sizes.push_back(static_cast<uint32_t>(cells.size() - before));
    }
  }

 private:
  // Most cells are zero, so several are tested together.
  static constexpr int kAtOnce = 4;
  static bool blank(const float* cells) {
    uint64_t bits[2];
    static_assert(sizeof(bits) == kAtOnce * sizeof(float), "one test covers all cells");
    std::memcpy(bits, cells, sizeof(bits));
    return (bits[0] | bits[1]) == 0;
  }
  // True if is_zero is false for a plane in use.
  template <class IsZero>
  static bool any(const std::vector<const Plane*>& planes, const IsZero& is_zero) {
    for (const Plane* plane : planes) {
      if (plane->size() && !is_zero(plane->data())) return true;
    }
    return false;
  }
};

// The histories of cells, each once, in ascending order.
inline void histories_of(const BlockShape& shape, const uint32_t* cells, size_t count,
                         std::vector<uint32_t>* histories) {
  histories->clear();
  for (size_t i = 0; i < count; i++) {
    const uint32_t history = cells[i] / static_cast<uint32_t>(shape.units);
    if (histories->empty() || histories->back() != history) histories->push_back(history);
  }
  if (std::is_sorted(histories->begin(), histories->end())) return;
  std::sort(histories->begin(), histories->end());
  histories->erase(std::unique(histories->begin(), histories->end()), histories->end());
}

// The nonzero averaged weights of a block: the cells that RowCells finds after freezing.
struct AverageCells {
  std::vector<int32_t> features;  // of each row
  std::vector<uint32_t> sizes;    // the number of cells of each row
  std::vector<uint32_t> cells;
  std::vector<float> values;

  void find(TrainedWeights& weights, size_t b) {
    const BlockShape& shape = weights.shape(b);
    const TrainedRows& rows = weights.rows(b);
    std::vector<float> row;
    std::vector<std::pair<uint32_t, size_t>> of_row;  // history, place in the row
    for (size_t r = 1; r < rows.rows(); r++) {
      const int32_t which = static_cast<int32_t>(r);
      const size_t before = cells.size();
      weights.average_row(b, which, &row);
      of_row.clear();
      for (size_t k = 0; k < rows.parts.count(which); k++) {
        of_row.emplace_back(rows.parts.history(which, k), k * rows.parts.pitch());
      }
      if (!rows.parts.full(which)) std::sort(of_row.begin(), of_row.end());
      for (const auto& [history, at] : of_row) {
        simd::for_each_nonzero(row.data() + at, shape.units, [&](int j) {
          cells.push_back(history * static_cast<uint32_t>(shape.units) + j);
          values.push_back(row[at + j]);
        });
      }
      if (cells.size() == before) continue;
      features.push_back(rows.feature_of[r]);
      sizes.push_back(static_cast<uint32_t>(cells.size() - before));
    }
  }
};

}  // namespace latperc
