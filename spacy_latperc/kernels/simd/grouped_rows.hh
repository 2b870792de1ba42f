// State scores of chains in training: rows of weights, token by token.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/lanes.hh"

namespace latperc {
namespace simd {

// The rows of some tokens. The rows of a group are summed before they are added, as in the cached
// sums of frozen chains, so that the scores have the same bits.
struct GroupedRows {
  const float* w;
  const float* a;  // if not null, the rows are w - a / c
  float inverse_c;
  size_t stride;         // floats of a row
  const int32_t* which;  // [tokens, count]
  int count;
  const int32_t* ends;  // of the groups; null where each row is one
  int groups;

  // V lanes of a sum += the lanes of a row from place `first` on.
  template <bool kAveraged, class Lane, int V>
  LATPERC_INLINE void add_row(int32_t row, size_t first, Lane* sum) const {
    const size_t at = static_cast<size_t>(row) * stride + first;
    LATPERC_UNROLL
    for (int v = 0; v < V; v++) {
      constexpr size_t kWidth = sizeof(Lane) / sizeof(float);
      Lane x;
      load(x, w + at + v * kWidth);
      if (kAveraged) {
        Lane y;
        load(y, a + at + v * kWidth);
        y *= inverse_c;
        x -= y;
      }
      sum[v] += x;
    }
  }
};

// V lanes of out [tokens, pitch] += the rows of each token.
template <bool kAveraged, class Lane, int V>
LATPERC_INLINE void add_grouped_strip(const GroupedRows& rows, size_t first, int64_t tokens,
                                      size_t pitch, float* out) {
  constexpr size_t kWidth = sizeof(Lane) / sizeof(float);
  const int32_t* which = rows.which;
  for (int64_t i = 0; i < tokens; i++, which += rows.count, out += pitch) {
    Lane sum[V], part[V];
    LATPERC_UNROLL
    for (int v = 0; v < V; v++) load(sum[v], out + first + v * kWidth);
    for (int g = 0, t = 0; g < rows.groups; g++) {
      const int end = rows.ends ? rows.ends[g] : t + 1;
      if (end - t == 1) {
        rows.add_row<kAveraged, Lane, V>(which[t++], first, sum);
        continue;
      }
      LATPERC_UNROLL
      for (int v = 0; v < V; v++) part[v] = Lane{};
      for (; t < end; t++) rows.add_row<kAveraged, Lane, V>(which[t], first, part);
      LATPERC_UNROLL
      for (int v = 0; v < V; v++) sum[v] += part[v];
    }
    LATPERC_UNROLL
    for (int v = 0; v < V; v++) store(out + first + v * kWidth, sum[v]);
  }
}

template <bool kAveraged>
LATPERC_INLINE void add_grouped_strips(const GroupedRows& rows, int64_t tokens, size_t pitch,
                                       float* out) {
  const size_t stride = rows.stride;
  size_t j = 0;
  for (; j + 48 <= stride; j += 48) {
    add_grouped_strip<kAveraged, Eight, 6>(rows, j, tokens, pitch, out);
  }
  for (; j + 24 <= stride; j += 24) {
    add_grouped_strip<kAveraged, Eight, 3>(rows, j, tokens, pitch, out);
  }
  for (; j + 8 <= stride; j += 8) {
    add_grouped_strip<kAveraged, Eight, 1>(rows, j, tokens, pitch, out);
  }
  if (j + 4 <= stride) add_grouped_strip<kAveraged, Four, 1>(rows, j, tokens, pitch, out);
}

// out [tokens, pitch] += the rows of each token.
LATPERC_CLONES static void add_grouped_rows(const GroupedRows& rows, int64_t tokens, size_t pitch,
                                            float* out) {
  if (rows.a) {
    add_grouped_strips<true>(rows, tokens, pitch, out);
  } else {
    add_grouped_strips<false>(rows, tokens, pitch, out);
  }
}

}  // namespace simd
}  // namespace latperc
