// The inner loops of scoring and updates, with run-time dispatch where it pays.
//
// Element-wise additions and maxima in a fixed order: every instruction set gives the
// same bits. MSVC, musl and macOS take the baseline version.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

// With LATPERC_SCALAR all loops go number by number, as they do for compilers without
// vector types; tests compare the bytes of models that both make.
#if defined(__GNUC__) && !defined(LATPERC_SCALAR)
#define LATPERC_VECTORS
#endif
#if defined(LATPERC_VECTORS) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define LATPERC_CLONES __attribute__((target_clones("avx2", "default")))
#define LATPERC_INLINE inline __attribute__((always_inline))
#elif defined(__GNUC__)
#define LATPERC_CLONES
#define LATPERC_INLINE inline __attribute__((always_inline))
#else
#define LATPERC_CLONES
#define LATPERC_INLINE inline
#endif
// The same where AVX-512 has instructions that AVX2 lacks.
#if defined(LATPERC_VECTORS) && !defined(__clang__) && defined(__x86_64__) && \
    defined(__GLIBC__) && __GNUC__ >= 12
#define LATPERC_WIDE_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define LATPERC_WIDE_CLONES LATPERC_CLONES
#endif
// Loops over vectors must be unrolled before register allocation: otherwise all vectors may be
// spilled to memory.
#if defined(__clang__)
#define LATPERC_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define LATPERC_UNROLL _Pragma("GCC unroll 16")
#else
#define LATPERC_UNROLL
#endif

namespace latperc {

constexpr float kMinusInf = -std::numeric_limits<float>::infinity();
constexpr float kPlusInf = std::numeric_limits<float>::infinity();
constexpr int kLane = 8;  // rows are padded to a multiple of this many floats

inline int padded(int width) { return width <= 4 ? 4 : (width + kLane - 1) / kLane * kLane; }

namespace simd {

// Prefetches a cache line.
LATPERC_INLINE void prefetch(const void* at) {
#if defined(__GNUC__)
  __builtin_prefetch(at);
#else
  (void)at;
#endif
}

// Prefetches a row; rows of edges are too long to be worth it.
LATPERC_INLINE void prefetch_row(const float* row, size_t stride) {
#if defined(__GNUC__)
  if (stride > 128) return;
  size_t j = 0;
  for (; j + 16 <= stride; j += 16) __builtin_prefetch(row + j);
  if (j < stride) __builtin_prefetch(row + stride - 1);
#else
  (void)row;
  (void)stride;
#endif
}

// Vectors of N floats. Without these types, compilers vectorise down the rows instead of along
// them.
#if defined(LATPERC_VECTORS)
typedef float Eight __attribute__((vector_size(32)));
typedef float Four __attribute__((vector_size(16)));
template <class Lane>
LATPERC_INLINE void larger(Lane& best, const Lane& s) {
  best = s > best ? s : best;
}
#else
template <class T, int N>
struct Numbers {
  T x[N];
  Numbers& operator+=(T y) {
    for (int j = 0; j < N; j++) x[j] += y;
    return *this;
  }
  Numbers& operator+=(const Numbers& other) {
    for (int j = 0; j < N; j++) x[j] += other.x[j];
    return *this;
  }
  Numbers& operator-=(const Numbers& other) {
    for (int j = 0; j < N; j++) x[j] -= other.x[j];
    return *this;
  }
  Numbers& operator*=(T y) {
    for (int j = 0; j < N; j++) x[j] *= y;
    return *this;
  }
  friend Numbers operator*(T y, Numbers z) { return z *= y; }
  friend Numbers operator*(Numbers y, const Numbers& z) {
    for (int j = 0; j < N; j++) y.x[j] *= z.x[j];
    return y;
  }
};
typedef Numbers<float, 8> Eight;
typedef Numbers<float, 4> Four;
typedef Numbers<double, 4> FourDoubles;
template <int N>
LATPERC_INLINE void larger(Numbers<float, N>& best, const Numbers<float, N>& s) {
  for (int j = 0; j < N; j++) best.x[j] = s.x[j] > best.x[j] ? s.x[j] : best.x[j];
}
#endif

template <class Lane, class Real>
LATPERC_INLINE void load(Lane& lane, const Real* p) {
  std::memcpy(&lane, p, sizeof(Lane));
}
template <class Lane, class Real>
LATPERC_INLINE void store(Real* p, const Lane& lane) {
  std::memcpy(p, &lane, sizeof(Lane));
}
template <class Lane>
LATPERC_INLINE void fill(Lane& lane, float x) {
  float all[sizeof(Lane) / sizeof(float)];
  for (size_t j = 0; j < sizeof(Lane) / sizeof(float); j++) all[j] = x;
  std::memcpy(&lane, all, sizeof(Lane));
}

// V lanes of out += the rows.
template <class Lane, int V>
LATPERC_INLINE void add_strip(const float* w, size_t stride, const int32_t* rows, int count,
                              float* out) {
  constexpr size_t kWidth = sizeof(Lane) / sizeof(float);
  Lane sum[V];
  LATPERC_UNROLL
  for (int v = 0; v < V; v++) load(sum[v], out + v * kWidth);
  for (int t = 0; t < count; t++) {
    const float* row = w + static_cast<size_t>(rows[t]) * stride;
    LATPERC_UNROLL
    for (int v = 0; v < V; v++) {
      Lane x;
      load(x, row + v * kWidth);
      sum[v] += x;
    }
  }
  LATPERC_UNROLL
  for (int v = 0; v < V; v++) store(out + v * kWidth, sum[v]);
}

// out += the rows, one after the other.
LATPERC_CLONES static void add_rows(const float* w, size_t stride, const int32_t* rows, int count,
                                    float* out) {
  size_t j = 0;
  for (; j + 48 <= stride; j += 48) add_strip<Eight, 6>(w + j, stride, rows, count, out + j);
  for (; j + 24 <= stride; j += 24) add_strip<Eight, 3>(w + j, stride, rows, count, out + j);
  for (; j + 8 <= stride; j += 8) add_strip<Eight, 1>(w + j, stride, rows, count, out + j);
  if (j + 4 <= stride) add_strip<Four, 1>(w + j, stride, rows, count, out + j);
}

// out += the first `width` floats of the rows, one after the other; w may point into a row.
LATPERC_CLONES static void add_parts(const float* w, size_t stride, size_t width,
                                     const int32_t* rows, int count, float* out) {
  for (int t = 0; t < count; t++) {
    const float* row = w + static_cast<size_t>(rows[t]) * stride;
    for (size_t j = 0; j < width; j++) out[j] += row[j];
  }
}

// The same with w - a / c.
LATPERC_CLONES static void add_averaged_parts(const float* w, const float* a, float inverse_c,
                                              size_t stride, size_t width, const int32_t* rows,
                                              int count, float* out) {
  for (int t = 0; t < count; t++) {
    const size_t at = static_cast<size_t>(rows[t]) * stride;
    for (size_t j = 0; j < width; j++) out[j] += w[at + j] - a[at + j] * inverse_c;
  }
}

// best[j] = max(best[j], score + row[j]).
LATPERC_CLONES static void raise(const float* row, float score, size_t width, float* best) {
  for (size_t j = 0; j < width; j++) {
    const float s = score + row[j];
    best[j] = s > best[j] ? s : best[j];
  }
}

// out += x.
LATPERC_CLONES static void add_to(const float* x, size_t width, float* out) {
  for (size_t j = 0; j < width; j++) out[j] += x[j];
}

// out = w - a / c.
LATPERC_CLONES static void average(const float* w, const float* a, float inverse_c, size_t n,
                                   float* out) {
  for (size_t j = 0; j < n; j++) out[j] = w[j] - a[j] * inverse_c;
}

LATPERC_CLONES static bool all_zero(const float* x, size_t n) {
  int32_t some = 0;
  for (size_t j = 0; j < n; j++) some |= x[j] != 0.0f;
  return some == 0;
}

// Calls visit(j) for the nonzero numbers. Most are zero, so four are tested at once; the padding
// allows reading whole groups of four.
template <class Visit>
LATPERC_INLINE void for_each_nonzero(const float* x, int n, const Visit& visit) {
  for (int first = 0; first < n; first += 4) {
    uint64_t bits[2];
    std::memcpy(bits, x + first, sizeof(bits));
    if ((bits[0] | bits[1]) == 0) continue;
    for (int j = first; j < n && j < first + 4; j++) {
      if (x[j] != 0.0f) visit(j);
    }
  }
}

// out = x + y.
LATPERC_CLONES static void add_to_all(const float* x, float y, size_t n, float* out) {
  for (size_t j = 0; j < n; j++) out[j] = x[j] + y;
}

// out += factor * x.
LATPERC_CLONES static void add_scaled(const float* x, float factor, size_t n, float* out) {
  for (size_t j = 0; j < n; j++) out[j] += factor * x[j];
}

// out += the first `width` floats of the rows, each times its factor, one after the other.
LATPERC_CLONES static void add_scaled_parts(const float* w, size_t stride, size_t width,
                                            const int32_t* rows, const float* factors,
                                            int64_t count, float* out) {
  for (int64_t t = 0; t < count; t++) {
    const float* row = w + static_cast<size_t>(rows[t]) * stride;
    const float factor = factors[t];
    for (size_t j = 0; j < width; j++) out[j] += factor * row[j];
  }
}

// out += factor * (w - a / c).
LATPERC_CLONES static void add_scaled_average(const float* w, const float* a, float inverse_c,
                                              float factor, size_t n, float* out) {
  for (size_t j = 0; j < n; j++) out[j] += factor * (w[j] - a[j] * inverse_c);
}

// factor * x onto each of these rows.
LATPERC_CLONES static void add_to_rows(const float* x, float factor, const int32_t* rows, int count,
                                       size_t stride, float* w) {
  for (int t = 0; t < count; t++) {
    float* row = w + static_cast<size_t>(rows[t]) * stride;
    for (size_t j = 0; j < stride; j++) row[j] += factor * x[j];
  }
}

// One step of AdaGrad: squares += g^2, out[j] = g / sqrt(squares), 0 where g is 0.
LATPERC_CLONES static void adagrad(const float* g, size_t n, float* squares, float* out) {
  for (size_t j = 0; j < n; j++) {
    squares[j] += g[j] * g[j];
    out[j] = g[j] / std::sqrt(squares[j] + 1e-30f);
  }
}

// Weights after the penalties of a share of an epoch (see weights/steps.hh): out may be w.
struct Penalties {
  float share, l1, l2;
};

template <bool kSquares>
LATPERC_INLINE void shrink_strip(const float* w, const float* squares, Penalties p, size_t n,
                                 float* out) {
  for (size_t j = 0; j < n; j++) {
    float share = p.share;
    if (kSquares) share /= squares[j] > 0.0f ? std::sqrt(squares[j]) : 1.0f;
    const float x = w[j] / (1.0f + share * p.l2);
    const float cut = share * p.l1;
    const float more = x > cut ? x - cut : 0.0f;
    const float less = x < -cut ? x + cut : 0.0f;
    out[j] = more + less;
  }
}

// squares: null if the step has none.
LATPERC_CLONES static void shrink(const float* w, const float* squares, Penalties p, size_t n,
                                  float* out) {
  if (squares) {
    shrink_strip<true>(w, squares, p, n, out);
  } else {
    shrink_strip<false>(w, squares, p, n, out);
  }
}

}  // namespace simd
}  // namespace latperc
