// The products of forward-backward: vector times matrix, rows times vector, sums of outer
// products. Every sum has one order, so that every instruction set gives the same bits.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/exp.hh"
#include "simd/maxplus.hh"

namespace latperc {
namespace simd {

// Lanes have 32 bytes, or 16 in short rows.

// The sums of forward-backward: (+, *).
struct PlusTimes {
  template <class Lane>
  static LATPERC_INLINE void clear(Lane& sum) {
    sum = Lane();
  }
  template <class Real, class Lane>
  static LATPERC_INLINE void add(Real x, const Lane& y, Lane& sum) {
    sum += x * y;
  }
  template <class Lane>
  static LATPERC_INLINE void join(Lane& sum, const Lane& other) {
    sum += other;
  }
};

// out[j] = sum over the live k of x[k] * m[k * ld + j], for j < width.
LATPERC_CLONES static void multiply(const float* x, const float* m, size_t ld, const int32_t* live,
                                    int n_live, int width, float* out) {
  const int j = product_lanes<PlusTimes, Eight>(x, m, ld, live, n_live, width, out, 0);
  product_lanes<PlusTimes, Four>(x, m, ld, live, n_live, width, out, j);
}
LATPERC_CLONES static void multiply(const double* x, const double* m, size_t ld,
                                    const int32_t* live, int n_live, int width, double* out) {
  product_lanes<PlusTimes, FourDoubles>(x, m, ld, live, n_live, width, out, 0);
}

template <class Lane, class Real>
LATPERC_INLINE Real dot_lanes(const Real* x, const Real* y, int width) {
  constexpr int kWidth = sizeof(Lane) / sizeof(Real);
  Lane sum = Lane();
  for (int j = 0; j < width; j += kWidth) {
    Lane a, b;
    load(a, x + j);
    load(b, y + j);
    sum += a * b;
  }
  Real part[kWidth];
  store(part, sum);
  for (int half = kWidth / 2; half > 0; half /= 2) {
    for (int v = 0; v < half; v++) part[v] += part[v + half];
  }
  return part[0];
}

// out[k] = sum over j of m[k * ld + j] * y[j], for k < rows.
LATPERC_CLONES static void multiply_rows(const float* m, size_t ld, const float* y, int rows,
                                         int width, float* out) {
  for (int k = 0; k < rows; k++) {
    out[k] = width % kLane ? dot_lanes<Four>(m + k * ld, y, width)
                           : dot_lanes<Eight>(m + k * ld, y, width);
  }
}
LATPERC_CLONES static void multiply_rows(const double* m, size_t ld, const double* y, int rows,
                                         int width, double* out) {
  for (int k = 0; k < rows; k++) out[k] = dot_lanes<FourDoubles>(m + k * ld, y, width);
}

// K rows and V lanes of out[k, j] += sum over i < n of a[i, k] * g[i, j].
template <class Lane, int K, int V, class Real>
LATPERC_INLINE void outer_strip(const Real* a, const Real* g, int64_t n, size_t ld, Real* out) {
  constexpr size_t kWidth = sizeof(Lane) / sizeof(Real);
  Lane sum[K][V];
  LATPERC_UNROLL for (int k = 0; k < K; k++) {
    LATPERC_UNROLL for (int v = 0; v < V; v++) load(sum[k][v], out + k * ld + v * kWidth);
  }
  for (int64_t i = 0; i < n; i++) {
    Lane y[V];
    LATPERC_UNROLL for (int v = 0; v < V; v++) load(y[v], g + i * ld + v * kWidth);
    LATPERC_UNROLL for (int k = 0; k < K; k++) {
      LATPERC_UNROLL for (int v = 0; v < V; v++) sum[k][v] += a[i * ld + k] * y[v];
    }
  }
  LATPERC_UNROLL for (int k = 0; k < K; k++) {
    LATPERC_UNROLL for (int v = 0; v < V; v++) store(out + k * ld + v * kWidth, sum[k][v]);
  }
}

template <class Lane, int V, class Real>
LATPERC_INLINE void outer_rows(const Real* a, const Real* g, int64_t n, int rows, size_t ld,
                               Real* out) {
  int k = 0;
  for (; k + 4 <= rows; k += 4) outer_strip<Lane, 4, V>(a + k, g, n, ld, out + k * ld);
  for (; k < rows; k++) outer_strip<Lane, 1, V>(a + k, g, n, ld, out + k * ld);
}

// out[k, j] += sum over i < n of a[i, k] * g[i, j]: rows of `width` numbers everywhere.
template <class Lane, class Real>
LATPERC_INLINE void outer_lanes(const Real* a, const Real* g, int64_t n, int rows, int width,
                                Real* out) {
  constexpr int kWidth = sizeof(Lane) / sizeof(Real);
  int j = 0;
  for (; j + 3 * kWidth <= width; j += 3 * kWidth) {
    outer_rows<Lane, 3>(a, g + j, n, rows, width, out + j);
  }
  for (; j + kWidth <= width; j += kWidth) outer_rows<Lane, 1>(a, g + j, n, rows, width, out + j);
}

LATPERC_CLONES static void add_outer(const float* a, const float* g, int64_t n, int rows, int width,
                                     float* out) {
  if (width % kLane) {
    outer_lanes<Four>(a, g, n, rows, width, out);
  } else {
    outer_lanes<Eight>(a, g, n, rows, width, out);
  }
}
LATPERC_CLONES static void add_outer(const double* a, const double* g, int64_t n, int rows,
                                     int width, double* out) {
  outer_lanes<FourDoubles>(a, g, n, rows, width, out);
}

// a *= b. RETURNS: the sum of the products. *weak: some b > 0 gave less than `tiny`.
template <class Real>
LATPERC_INLINE Real weigh_row(Real* a, const Real* b, int width, Real tiny, bool* weak) {
  int few = 0;
  for (int j = 0; j < width; j++) {
    a[j] *= b[j];
    few |= static_cast<int>(b[j] > Real(0)) & static_cast<int>(a[j] < tiny);
  }
  *weak = few != 0;
  Real part[4] = {0, 0, 0, 0};
  for (int j = 0; j < width; j += 4) {
    for (int v = 0; v < 4; v++) part[v] += a[j + v];
  }
  return (part[0] + part[2]) + (part[1] + part[3]);
}

LATPERC_CLONES static float weigh(float* a, const float* b, int width, float tiny, bool* weak) {
  return weigh_row(a, b, width, tiny, weak);
}
LATPERC_CLONES static double weigh(double* a, const double* b, int width, double tiny, bool* weak) {
  return weigh_row(a, b, width, tiny, weak);
}

// states = alpha * beta and g = psi * beta * inverse where alpha > 0, else 0.
template <class Real>
LATPERC_INLINE void meet_row(const Real* alpha, const Real* beta, Real inverse, int width,
                             Real* states, Real* g) {
  for (int j = 0; j < width; j++) {
    const Real both = alpha[j] * beta[j];
    const Real next = g[j] * (beta[j] * inverse);
    states[j] = alpha[j] > Real(0) ? both : Real(0);
    g[j] = alpha[j] > Real(0) ? next : Real(0);
  }
}

LATPERC_CLONES static void meet(const float* alpha, const float* beta, float inverse, int width,
                                float* states, float* g) {
  meet_row(alpha, beta, inverse, width, states, g);
}
LATPERC_CLONES static void meet(const double* alpha, const double* beta, double inverse, int width,
                                double* states, double* g) {
  meet_row(alpha, beta, inverse, width, states, g);
}

}  // namespace simd
}  // namespace latperc
