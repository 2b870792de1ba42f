// Sums of rows that are stored in parts: see weights/row_parts.hh.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/lanes.hh"

namespace latperc {
namespace simd {

// The places of the parts of a row, [first, first + count), with room for more.
struct PartRow {
  uint32_t first;
  uint32_t count;
  uint32_t room;
};

// The rows of a block in parts. A row with room for all parts has them by history.
struct PartView {
  const PartRow* rows;
  const uint32_t* history;  // of the part at each place
  uint32_t histories;
  size_t pitch;

  bool full(int32_t row) const { return rows[row].room == histories; }
};

// The place of a part of a row; 0, which is all zero, if it is not stored.
LATPERC_INLINE size_t find_part(const PartView& parts, int32_t row, uint32_t history) {
  const PartRow r = parts.rows[row];
  if (r.room == parts.histories) return static_cast<size_t>(r.first) + history;
  const uint32_t* const known = parts.history + r.first;
  for (uint32_t k = 0; k < r.count; k++) {
    if (known[k] == history) return static_cast<size_t>(r.first) + k;
  }
  return 0;
}

// Prefetches a row, whose PartRow must have been prefetched before.
LATPERC_INLINE void prefetch_parts(const float* w, const PartView& parts, int32_t row) {
#if defined(__GNUC__)
  const PartRow r = parts.rows[row];
  const float* const at = w + r.first * parts.pitch;
  const size_t floats = r.count * parts.pitch;
  __builtin_prefetch(parts.history + r.first);
  for (size_t j = 0; j < floats && j < 128; j += 16) __builtin_prefetch(at + j);
#else
  (void)w;
  (void)parts;
  (void)row;
#endif
}

// out += n floats of each row, where rows begin at multiples of the pitch.
LATPERC_INLINE void add_long_rows(const float* w, size_t pitch, size_t n, const int32_t* rows,
                                  int count, float* out) {
  size_t j = 0;
  for (; j + 48 <= n; j += 48) add_strip<Eight, 6>(w + j, pitch, rows, count, out + j);
  for (; j + 24 <= n; j += 24) add_strip<Eight, 3>(w + j, pitch, rows, count, out + j);
  for (; j + 8 <= n; j += 8) add_strip<Eight, 1>(w + j, pitch, rows, count, out + j);
  if (j + 4 <= n) add_strip<Four, 1>(w + j, pitch, rows, count, out + j);
}

// One row: V lanes a part.
template <class Lane, int V>
LATPERC_INLINE void add_part_strip(const float* from, const uint32_t* history, uint32_t count,
                                   size_t pitch, float* out) {
  constexpr size_t kWidth = sizeof(Lane) / sizeof(float);
  for (uint32_t k = 0; k < count; k++) {
    float* const to = out + history[k] * pitch;
    for (int v = 0; v < V; v++) {
      Lane sum, more;
      load(sum, to + v * kWidth);
      load(more, from + k * pitch + v * kWidth);
      sum += more;
      store(to + v * kWidth, sum);
    }
  }
}

// Consecutive rows with room for all parts are summed like dense rows.
template <class Lane, int V>
LATPERC_INLINE void add_part_rows_of(const float* w, const PartView& parts, const int32_t* rows,
                                     int count, float* out) {
  constexpr int kRun = 16;
  int32_t run[kRun];
  int running = 0;
  for (int t = 0; t < count; t++) {
    const PartRow r = parts.rows[rows[t]];
    if (r.room == parts.histories) {
      run[running++] = static_cast<int32_t>(r.first);
      if (running == kRun) {
        add_long_rows(w, parts.pitch, parts.histories * parts.pitch, run, running, out);
        running = 0;
      }
      continue;
    }
    if (r.count == 0) continue;
    if (running) {
      add_long_rows(w, parts.pitch, parts.histories * parts.pitch, run, running, out);
      running = 0;
    }
    const float* const from = w + r.first * parts.pitch;
    const uint32_t* const history = parts.history + r.first;
    for (size_t j = 0; j < parts.pitch; j += V * sizeof(Lane) / sizeof(float)) {
      add_part_strip<Lane, V>(from + j, history, r.count, parts.pitch, out + j);
    }
  }
  if (running) add_long_rows(w, parts.pitch, parts.histories * parts.pitch, run, running, out);
}

// out += the rows, one after the other.
LATPERC_CLONES static void add_part_rows(const float* w, const PartView& parts, const int32_t* rows,
                                         int count, float* out) {
  if (parts.pitch % 24 == 0) {
    add_part_rows_of<Eight, 3>(w, parts, rows, count, out);
  } else if (parts.pitch % 16 == 0) {
    add_part_rows_of<Eight, 2>(w, parts, rows, count, out);
  } else if (parts.pitch % 8 == 0) {
    add_part_rows_of<Eight, 1>(w, parts, rows, count, out);
  } else {
    add_part_rows_of<Four, 1>(w, parts, rows, count, out);
  }
}

// The same with w - a / c.
LATPERC_CLONES static void add_averaged_part_rows(const float* w, const float* a, float inverse_c,
                                                  const PartView& parts, const int32_t* rows,
                                                  int count, float* out) {
  const size_t pitch = parts.pitch;
  for (int t = 0; t < count; t++) {
    const PartRow r = parts.rows[rows[t]];
    for (uint32_t k = 0; k < r.count; k++) {
      const size_t at = (r.first + k) * pitch;
      float* const to = out + parts.history[r.first + k] * pitch;
      for (size_t j = 0; j < pitch; j++) to[j] += w[at + j] - a[at + j] * inverse_c;
    }
  }
}

}  // namespace simd
}  // namespace latperc
