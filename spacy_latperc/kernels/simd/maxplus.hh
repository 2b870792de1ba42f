// Max-plus products, the steps of a search.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/wide.hh"

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

LATPERC_CLONES static void maxplus_narrow(const float* prev, const float* m, size_t ld,
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

#if defined(LATPERC_WIDE)
LATPERC_WIDE_CODE LATPERC_INLINE __mmask16 first_of(int count) {
  return static_cast<__mmask16>(count >= 16 ? 0xffff : count <= 0 ? 0 : (1 << count) - 1);
}

// V vectors; last: the places of the last one.
template <int V>
LATPERC_WIDE_CODE LATPERC_INLINE void maxplus_strip_wide(const float* prev, const float* m,
                                                         size_t ld, const int32_t* live, int n_live,
                                                         __mmask16 last, float* out) {
  constexpr int kChains = V == 1 ? 4 : 2;  // of maxima that wait for each other
  __m512 most[kChains][V];
  for (int c = 0; c < kChains; c++) {
    for (int v = 0; v < V; v++) most[c][v] = _mm512_set1_ps(kMinusInf);
  }
  const auto take = [&](int k, int c) LATPERC_WIDE_CODE {
    const float* row = m + static_cast<size_t>(live[k]) * ld;
    const __m512 p = _mm512_set1_ps(prev[live[k]]);
    for (int v = 0; v < V; v++) {
      const __m512 s =
          v + 1 < V ? _mm512_loadu_ps(row + 16 * v) : _mm512_maskz_loadu_ps(last, row + 16 * v);
      most[c][v] = _mm512_max_ps(_mm512_add_ps(s, p), most[c][v]);
    }
  };
  int k = 0;
  for (; k + kChains <= n_live; k += kChains) {
    for (int c = 0; c < kChains; c++) take(k + c, c);
  }
  for (; k < n_live; k++) take(k, 0);
  for (int v = 0; v < V; v++) {
    for (int c = 1; c < kChains; c++) most[0][v] = _mm512_max_ps(most[c][v], most[0][v]);
    if (v + 1 < V) {
      _mm512_storeu_ps(out + 16 * v, most[0][v]);
    } else {
      _mm512_mask_storeu_ps(out + 16 * v, last, most[0][v]);
    }
  }
}

LATPERC_WIDE_CODE static void maxplus_wide(const float* prev, const float* m, size_t ld,
                                           const int32_t* live, int n_live, int width, float* out) {
  constexpr __mmask16 kAll = 0xffff;
  int j = 0;
  for (; j + 64 <= width; j += 64) {
    maxplus_strip_wide<4>(prev, m + j, ld, live, n_live, kAll, out + j);
  }
  const __mmask16 last = first_of((width - j) % 16 ? (width - j) % 16 : 16);
  with_constant<4>((width - j + 15) / 16, [&](auto vectors) LATPERC_WIDE_CODE {
    maxplus_strip_wide<vectors>(prev, m + j, ld, live, n_live, last, out + j);
  });
}
#endif

// out[j] = max over the live states k of prev[k] + m[k * ld + j], for j < width.
inline void maxplus(const float* prev, const float* m, size_t ld, const int32_t* live, int n_live,
                    int width, float* out) {
#if defined(LATPERC_WIDE)
  if (wide()) {
    maxplus_wide(prev, m, ld, live, n_live, width, out);
    return;
  }
#endif
  maxplus_narrow(prev, m, ld, live, n_live, width, out);
}

}  // namespace simd
}  // namespace latperc
