// State scores of chains that learn: rows of weights, token by token.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/wide.hh"

namespace latperc {
namespace simd {

// The rows of some tokens. Those of a group are summed up before they are added, as they are
// when frozen chains remember such sums: the scores are the same bits.
struct GroupedRows {
  const float* w;
  const float* a;  // null, or the rows are w - a / c
  float inverse_c;
  size_t stride;         // floats of a row
  const int32_t* which;  // [tokens, count]
  int count;
  const int32_t* ends;  // of the groups; null where each row is one
  int groups;

  // V lanes of a sum, and H halves of one, += those of a row from a place in it on.
  template <bool kAveraged, class Lane, int V, class Half, int H>
  LATPERC_INLINE void add_row(int32_t row, size_t first, Lane* sum, Half* rest) const {
    constexpr size_t kWidth = sizeof(Lane) / sizeof(float);
    const size_t at = static_cast<size_t>(row) * stride + first;
    LATPERC_UNROLL
    for (int v = 0; v < V; v++) add<kAveraged>(at + v * kWidth, sum[v]);
    LATPERC_UNROLL
    for (int v = 0; v < H; v++) add<kAveraged>(at + V * kWidth, rest[v]);
  }

 private:
  template <bool kAveraged, class Lane>
  LATPERC_INLINE void add(size_t at, Lane& sum) const {
    Lane x;
    load(x, w + at);
    if (kAveraged) {
      Lane y;
      load(y, a + at);
      y *= inverse_c;
      x -= y;
    }
    sum += x;
  }
};

// V lanes of out [tokens, pitch] += the rows of each token. H: and half a lane.
template <bool kAveraged, class Lane, int V, class Half, int H>
LATPERC_INLINE void add_grouped_strip(const GroupedRows& rows, size_t first, int64_t tokens,
                                      size_t pitch, float* out) {
  constexpr size_t kWidth = sizeof(Lane) / sizeof(float);
  const int32_t* which = rows.which;
  for (int64_t i = 0; i < tokens; i++, which += rows.count, out += pitch) {
    Lane sum[V ? V : 1], part[V ? V : 1];
    Half rest[H ? H : 1], part_rest[H ? H : 1];
    LATPERC_UNROLL
    for (int v = 0; v < V; v++) load(sum[v], out + first + v * kWidth);
    LATPERC_UNROLL
    for (int v = 0; v < H; v++) load(rest[v], out + first + V * kWidth);
    for (int g = 0, t = 0; g < rows.groups; g++) {
      const int end = rows.ends ? rows.ends[g] : t + 1;
      if (end - t == 1) {
        rows.add_row<kAveraged, Lane, V, Half, H>(which[t++], first, sum, rest);
        continue;
      }
      LATPERC_UNROLL
      for (int v = 0; v < V; v++) part[v] = Lane{};
      LATPERC_UNROLL
      for (int v = 0; v < H; v++) part_rest[v] = Half{};
      for (; t < end; t++) {
        rows.add_row<kAveraged, Lane, V, Half, H>(which[t], first, part, part_rest);
      }
      LATPERC_UNROLL
      for (int v = 0; v < V; v++) sum[v] += part[v];
      LATPERC_UNROLL
      for (int v = 0; v < H; v++) rest[v] += part_rest[v];
    }
    LATPERC_UNROLL
    for (int v = 0; v < V; v++) store(out + first + v * kWidth, sum[v]);
    LATPERC_UNROLL
    for (int v = 0; v < H; v++) store(out + first + V * kWidth, rest[v]);
  }
}

template <bool kAveraged>
LATPERC_INLINE void add_grouped_strips(const GroupedRows& rows, int64_t tokens, size_t pitch,
                                       float* out) {
  size_t j = 0;
  for (; j + 48 <= rows.stride; j += 48) {
    add_grouped_strip<kAveraged, Eight, 6, Four, 0>(rows, j, tokens, pitch, out);
  }
  for (; j + 24 <= rows.stride; j += 24) {
    add_grouped_strip<kAveraged, Eight, 3, Four, 0>(rows, j, tokens, pitch, out);
  }
  for (; j + 8 <= rows.stride; j += 8) {
    add_grouped_strip<kAveraged, Eight, 1, Four, 0>(rows, j, tokens, pitch, out);
  }
  if (j + 4 <= rows.stride) {
    add_grouped_strip<kAveraged, Four, 1, Four, 0>(rows, j, tokens, pitch, out);
  }
}

LATPERC_CLONES static void add_grouped_rows_narrow(const GroupedRows& rows, int64_t tokens,
                                                   size_t pitch, float* out) {
  if (rows.a) {
    add_grouped_strips<true>(rows, tokens, pitch, out);
  } else {
    add_grouped_strips<false>(rows, tokens, pitch, out);
  }
}

#if defined(LATPERC_WIDE)
// Strips of 48 floats, and the rest in one.
template <bool kAveraged>
LATPERC_WIDE_CODE static void add_grouped_rows_wide(const GroupedRows& rows, int64_t tokens,
                                                    size_t pitch, float* out) {
  size_t j = 0;
  for (; j + 48 <= rows.stride; j += 48) {
    add_grouped_strip<kAveraged, Sixteen, 3, Eight, 0>(rows, j, tokens, pitch, out);
  }
  if (j + 4 == rows.stride) {
    add_grouped_strip<kAveraged, Four, 1, Four, 0>(rows, j, tokens, pitch, out);
    return;
  }
  with_constant<5>(static_cast<int>((rows.stride - j) / 8), [&](auto halves) LATPERC_WIDE_CODE {
    add_grouped_strip<kAveraged, Sixteen, halves / 2, Eight, halves % 2>(rows, j, tokens, pitch,
                                                                         out);
  });
}
#endif

// out [tokens, pitch] += the rows of each token.
inline void add_grouped_rows(const GroupedRows& rows, int64_t tokens, size_t pitch, float* out) {
#if defined(LATPERC_WIDE)
  if (wide()) {
    if (rows.a) {
      add_grouped_rows_wide<true>(rows, tokens, pitch, out);
    } else {
      add_grouped_rows_wide<false>(rows, tokens, pitch, out);
    }
    return;
  }
#endif
  add_grouped_rows_narrow(rows, tokens, pitch, out);
}

}  // namespace simd
}  // namespace latperc
