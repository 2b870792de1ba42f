// State scores of frozen chains: rows of weights and cached sums, token by token.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/lanes.hh"

namespace latperc {
namespace simd {

// The rows of some tokens. A code r is row r of w, and -1 - r is row r of `memo`.
struct CodedRows {
  const float* w;
  const float* memo;
  size_t stride;         // floats of a row
  const int32_t* codes;  // [tokens, count]
  int count;

  LATPERC_INLINE const float* row(int32_t code) const {
    const float* const plane = code < 0 ? memo : w;
    return plane + static_cast<size_t>(code < 0 ? ~code : code) * stride;
  }
};

// V lanes of out [tokens, pitch] += the rows of each token, one after the other.
template <class Lane, int V>
LATPERC_INLINE void add_coded_strip(const CodedRows& rows, size_t first, int64_t tokens,
                                    size_t pitch, float* out) {
  constexpr size_t kWidth = sizeof(Lane) / sizeof(float);
  const int32_t* codes = rows.codes;
  for (int64_t i = 0; i < tokens; i++, codes += rows.count, out += pitch) {
    Lane sum[V];
    for (int v = 0; v < V; v++) load(sum[v], out + first + v * kWidth);
    for (int t = 0; t < rows.count; t++) {
      const float* const row = rows.row(codes[t]) + first;
      for (int v = 0; v < V; v++) {
        Lane x;
        load(x, row + v * kWidth);
        sum[v] += x;
      }
    }
    for (int v = 0; v < V; v++) store(out + first + v * kWidth, sum[v]);
  }
}

// out [tokens, pitch] += the rows of each token.
LATPERC_CLONES static void add_coded_rows(const CodedRows& rows, int64_t tokens, size_t pitch,
                                          float* out) {
  size_t j = 0;
  for (; j + 48 <= rows.stride; j += 48) add_coded_strip<Eight, 6>(rows, j, tokens, pitch, out);
  for (; j + 24 <= rows.stride; j += 24) add_coded_strip<Eight, 3>(rows, j, tokens, pitch, out);
  for (; j + 8 <= rows.stride; j += 8) add_coded_strip<Eight, 1>(rows, j, tokens, pitch, out);
  if (j + 4 <= rows.stride) add_coded_strip<Four, 1>(rows, j, tokens, pitch, out);
}

}  // namespace simd
}  // namespace latperc
