// Vectors of numbers times rows of weights, several tokens at a time. Every sum has one order, so
// that every instruction set gives the same bits.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/lanes.hh"

namespace latperc {
namespace simd {

// Rows of weights, one for each number of a vector; with a, their averages w - a * inverse_c.
struct DenseRows {
  const float* w;
  const float* a;
  float inverse_c;
  size_t stride;
  const int32_t* rows;
  int width;
};

// N tokens and V lanes of out[i] += sum over k of x[i, k] * row k.
template <class Lane, int N, int V, bool kAveraged>
LATPERC_INLINE void dense_strip(const DenseRows& m, const float* x, size_t j, size_t pitch,
                                float* out) {
  constexpr size_t kWidth = sizeof(Lane) / sizeof(float);
  const size_t width = static_cast<size_t>(m.width);
  Lane sum[N][V];
  LATPERC_UNROLL for (int i = 0; i < N; i++) {
    LATPERC_UNROLL for (int v = 0; v < V; v++) load(sum[i][v], out + i * pitch + v * kWidth);
  }
  for (size_t k = 0; k < width; k++) {
    const size_t at = static_cast<size_t>(m.rows[k]) * m.stride + j;
    Lane y[V];
    LATPERC_UNROLL for (int v = 0; v < V; v++) {
      load(y[v], m.w + at + v * kWidth);
      if (kAveraged) {
        Lane a;
        load(a, m.a + at + v * kWidth);
        y[v] -= m.inverse_c * a;
      }
    }
    LATPERC_UNROLL for (int i = 0; i < N; i++) {
      LATPERC_UNROLL for (int v = 0; v < V; v++) sum[i][v] += x[i * width + k] * y[v];
    }
  }
  LATPERC_UNROLL for (int i = 0; i < N; i++) {
    LATPERC_UNROLL for (int v = 0; v < V; v++) store(out + i * pitch + v * kWidth, sum[i][v]);
  }
}

template <int N, bool kAveraged>
LATPERC_INLINE void dense_lanes(const DenseRows& m, const float* x, size_t pitch, float* out) {
  size_t j = 0;
  for (; j + 24 <= m.stride; j += 24) {
    dense_strip<Eight, N, 3, kAveraged>(m, x, j, pitch, out + j);
  }
  for (; j + 8 <= m.stride; j += 8) dense_strip<Eight, N, 1, kAveraged>(m, x, j, pitch, out + j);
  if (j + 4 <= m.stride) dense_strip<Four, N, 1, kAveraged>(m, x, j, pitch, out + j);
}

template <bool kAveraged>
LATPERC_INLINE void dense_tokens(const DenseRows& m, const float* x, int64_t tokens, size_t pitch,
                                 float* out) {
  int64_t i = 0;
  for (; i + 4 <= tokens; i += 4) {
    dense_lanes<4, kAveraged>(m, x + i * m.width, pitch, out + i * pitch);
  }
  for (; i < tokens; i++) dense_lanes<1, kAveraged>(m, x + i * m.width, pitch, out + i * pitch);
}

// out[i] += sum over k of x[i, k] * row k, for so many tokens, `pitch` apart.
LATPERC_CLONES static void add_dense_rows(const DenseRows& m, const float* x, int64_t tokens,
                                          size_t pitch, float* out) {
  if (m.a) {
    dense_tokens<true>(m, x, tokens, pitch, out);
  } else {
    dense_tokens<false>(m, x, tokens, pitch, out);
  }
}

}  // namespace simd
}  // namespace latperc
