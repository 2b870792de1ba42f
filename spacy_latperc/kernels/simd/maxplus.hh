// Products of vectors and matrices, the steps of searches and sums.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/lanes.hh"

namespace latperc {
namespace simd {

// The sums of a search: (max, +). Those of forward-backward are PlusTimes in simd/products.hh.
struct MaxPlus {
  template <class Lane>
  static LATPERC_INLINE void clear(Lane& sum) {
    fill(sum, kMinusInf);
  }
  template <class Lane>
  static LATPERC_INLINE void add(float x, Lane& y, Lane& sum) {
    y += x;
    larger(sum, y);
  }
  template <class Lane>
  static LATPERC_INLINE void join(Lane& sum, const Lane& other) {
    larger(sum, other);
  }
};

// V lanes of the product of x and m over the live k: with (max, +) the largest x[k] + m[k * ld +
// j]. Even and odd states are summed apart, to halve the chain of dependent operations.
template <class Algebra, class Lane, int V, class Real>
LATPERC_INLINE void product_strip(const Real* x, const Real* m, size_t ld, const int32_t* live,
                                  int n_live, Lane (&sum)[V]) {
  constexpr size_t kWidth = sizeof(Lane) / sizeof(Real);
  Lane odd[V];
  for (int v = 0; v < V; v++) {
    Algebra::clear(sum[v]);
    Algebra::clear(odd[v]);
  }
  int k = 0;
  for (; k + 2 <= n_live; k += 2) {
    const Real x0 = x[live[k]];
    const Real x1 = x[live[k + 1]];
    const Real* m0 = m + static_cast<size_t>(live[k]) * ld;
    const Real* m1 = m + static_cast<size_t>(live[k + 1]) * ld;
    for (int v = 0; v < V; v++) {
      Lane y0, y1;
      load(y0, m0 + v * kWidth);
      load(y1, m1 + v * kWidth);
      Algebra::add(x0, y0, sum[v]);
      Algebra::add(x1, y1, odd[v]);
    }
  }
  if (k < n_live) {
    const Real* m0 = m + static_cast<size_t>(live[k]) * ld;
    for (int v = 0; v < V; v++) {
      Lane y0;
      load(y0, m0 + v * kWidth);
      Algebra::add(x[live[k]], y0, sum[v]);
    }
  }
  for (int v = 0; v < V; v++) Algebra::join(sum[v], odd[v]);
}

template <class Algebra, class Lane, int V, class Real>
LATPERC_INLINE void store_product(const Real* x, const Real* m, size_t ld, const int32_t* live,
                                  int n_live, Real* out) {
  Lane sum[V];
  product_strip<Algebra>(x, m, ld, live, n_live, sum);
  for (int v = 0; v < V; v++) store(out + v * (sizeof(Lane) / sizeof(Real)), sum[v]);
}

// Writes out[j, ...) in whole lanes. RETURNS: the number of columns done.
template <class Algebra, class Lane, class Real>
LATPERC_INLINE int product_lanes(const Real* x, const Real* m, size_t ld, const int32_t* live,
                                 int n_live, int width, Real* out, int j) {
  constexpr int kWidth = sizeof(Lane) / sizeof(Real);
  for (; j + 6 * kWidth <= width; j += 6 * kWidth) {
    store_product<Algebra, Lane, 6>(x, m + j, ld, live, n_live, out + j);
  }
  for (; j + 3 * kWidth <= width; j += 3 * kWidth) {
    store_product<Algebra, Lane, 3>(x, m + j, ld, live, n_live, out + j);
  }
  for (; j + kWidth <= width; j += kWidth) {
    store_product<Algebra, Lane, 1>(x, m + j, ld, live, n_live, out + j);
  }
  return j;
}

// out[j] = max over the live states k of prev[k] + m[k * ld + j], for j < width.
LATPERC_CLONES static void maxplus(const float* prev, const float* m, size_t ld,
                                   const int32_t* live, int n_live, int width, float* out) {
  const int j = product_lanes<MaxPlus, Eight>(prev, m, ld, live, n_live, width, out, 0);
  product_lanes<MaxPlus, Four>(prev, m, ld, live, n_live, width, out, j);
}

}  // namespace simd
}  // namespace latperc
