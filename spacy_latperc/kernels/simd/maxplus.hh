// Max-plus products, the steps of a search.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/lanes.hh"

namespace latperc {
namespace simd {

// V lanes of the max-plus product; even and odd states apart, to halve the chain of
// dependent maxima.
template <class Lane, int V>
LATPERC_INLINE void largest_sums(const float* prev, const float* m, size_t ld, const int32_t* live,
                                 int n_live, Lane (&most)[V]) {
  constexpr size_t kWidth = sizeof(Lane) / sizeof(float);
  Lane odd[V];
  for (int v = 0; v < V; v++) {
    fill(most[v], kMinusInf);
    fill(odd[v], kMinusInf);
  }
  int k = 0;
  for (; k + 2 <= n_live; k += 2) {
    const float p0 = prev[live[k]];
    const float p1 = prev[live[k + 1]];
    const float* m0 = m + static_cast<size_t>(live[k]) * ld;
    const float* m1 = m + static_cast<size_t>(live[k + 1]) * ld;
    for (int v = 0; v < V; v++) {
      Lane s0, s1;
      load(s0, m0 + v * kWidth);
      load(s1, m1 + v * kWidth);
      s0 += p0;
      s1 += p1;
      larger(most[v], s0);
      larger(odd[v], s1);
    }
  }
  if (k < n_live) {
    const float p0 = prev[live[k]];
    const float* m0 = m + static_cast<size_t>(live[k]) * ld;
    for (int v = 0; v < V; v++) {
      Lane s0;
      load(s0, m0 + v * kWidth);
      s0 += p0;
      larger(most[v], s0);
    }
  }
  for (int v = 0; v < V; v++) larger(most[v], odd[v]);
}

template <class Lane, int V>
LATPERC_INLINE void maxplus_strip(const float* prev, const float* m, size_t ld, const int32_t* live,
                                  int n_live, float* out) {
  Lane most[V];
  largest_sums(prev, m, ld, live, n_live, most);
  for (int v = 0; v < V; v++) store(out + v * (sizeof(Lane) / sizeof(float)), most[v]);
}

// out[j] = max over the live states k of prev[k] + m[k * ld + j], for j < width.
LATPERC_CLONES static void maxplus(const float* prev, const float* m, size_t ld,
                                   const int32_t* live, int n_live, int width, float* out) {
  int j = 0;
  for (; j + 48 <= width; j += 48) {
    maxplus_strip<Eight, 6>(prev, m + j, ld, live, n_live, out + j);
  }
  for (; j + 24 <= width; j += 24) {
    maxplus_strip<Eight, 3>(prev, m + j, ld, live, n_live, out + j);
  }
  for (; j + 8 <= width; j += 8) {
    maxplus_strip<Eight, 1>(prev, m + j, ld, live, n_live, out + j);
  }
  if (j + 4 <= width) maxplus_strip<Four, 1>(prev, m + j, ld, live, n_live, out + j);
}

}  // namespace simd
}  // namespace latperc
