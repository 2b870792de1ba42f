// Exponentials of many numbers, shifted so that the largest becomes 1.
//
// The same bits on every instruction set: no fused multiply-add, no library function.
// Accurate to two units in the last place for x in [kLowest, 0]; 0 below that.
#pragma once
#include <cstdint>
#include <cstring>
#include <limits>

#include "simd/lanes.hh"

namespace latperc {

// The range in which sums of products of probabilities are safe: see sums/scaled_sums.hh.
template <class Real>
struct Range;
template <>
struct Range<float> {
  static constexpr float kLowest = -69.0f;  // exponents below are too small
  static constexpr float kTiny = 1e-30f;    // below exp(kLowest): the least probability
};
template <>
struct Range<double> {
  static constexpr double kLowest = -640.0;
  static constexpr double kTiny = 1e-278;
};

namespace simd {

// Numbers side by side, and the integers that hold their bits.
#if defined(LATPERC_VECTORS)
typedef double FourDoubles __attribute__((vector_size(32)));
typedef uint32_t EightWords __attribute__((vector_size(32)));
typedef uint32_t FourWords __attribute__((vector_size(16)));
typedef uint64_t FourLongWords __attribute__((vector_size(32)));
#endif

template <class Lane>
struct Parts {  // a lane of one
  typedef Lane Number;
  typedef uint32_t Word;
};
template <>
struct Parts<double> {
  typedef double Number;
  typedef uint64_t Word;
};
#if defined(LATPERC_VECTORS)
template <>
struct Parts<Eight> {
  typedef float Number;
  typedef EightWords Word;
};
template <>
struct Parts<Four> {
  typedef float Number;
  typedef FourWords Word;
};
template <>
struct Parts<FourDoubles> {
  typedef double Number;
  typedef FourLongWords Word;
};
#endif

// Results come through references: a vector that is returned would need an ABI.
template <class Lane>
LATPERC_INLINE void power_of_two(const Lane& t, float, Lane& power) {
  typename Parts<Lane>::Word bits;
  std::memcpy(&bits, &t, sizeof(bits));
  bits = (bits << 23) + 0x3f800000u;
  std::memcpy(&power, &bits, sizeof(power));
}
template <class Lane>
LATPERC_INLINE void power_of_two(const Lane& t, double, Lane& power) {
  typename Parts<Lane>::Word bits;
  std::memcpy(&bits, &t, sizeof(bits));
  bits = (bits << 52) + 0x3ff0000000000000ull;
  std::memcpy(&power, &bits, sizeof(power));
}

// x - n ln 2, with ln 2 in two parts: the first has so few bits that n times it is exact.
template <class Lane>
LATPERC_INLINE void rest_of(const Lane& x, const Lane& n, float, Lane& r) {
  r = (x - n * 0.693145751953125f) - n * 1.42860682030941723e-6f;
}
template <class Lane>
LATPERC_INLINE void rest_of(const Lane& x, const Lane& n, double, Lane& r) {
  r = (x - n * 0.69314718036912381649) - n * 1.90821492927058782e-10;
}

// p = 1/2! + r/3! + r^2/4! + ...: e^r = 1 + r + r^2 p. For |r| <= ln(2) / 2 what is left
// out is far below the last place.
template <class Lane>
LATPERC_INLINE void series(const Lane& r, float, Lane& p) {
  p = r * (1.0f / 5040) + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
}
template <class Lane>
LATPERC_INLINE void series(const Lane& r, double, Lane& p) {
  p = r * (1.0 / 6227020800) + 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
}

// e^x = 2^n e^r, n = round(x / ln 2). Adding 1.5 * 2^23 (2^52) rounds, and leaves n in the
// lowest bits.
template <class Lane>
LATPERC_INLINE void exponential(const Lane& x, Lane& y) {
  typedef typename Parts<Lane>::Number Number;
  const Number rounder = sizeof(Number) == 4 ? Number(12582912.0) : Number(6755399441055744.0);
  const Lane t = x * Number(1.44269504088896340736) + rounder;
  const Lane n = t - rounder;
  Lane r, p, power;
  rest_of(x, n, Number(), r);
  series(r, Number(), p);
  power_of_two(t, Number(), power);
  y = power + power * ((p * r) * r + r);
  y = x >= Range<Number>::kLowest ? y : Lane();
}

template <class T>
LATPERC_INLINE T largest_of(const T* x, int count) {
  T part[kLane];
  for (int v = 0; v < kLane; v++) part[v] = -std::numeric_limits<T>::infinity();
  int j = 0;
  for (; j + kLane <= count; j += kLane) {
    for (int v = 0; v < kLane; v++) part[v] = x[j + v] > part[v] ? x[j + v] : part[v];
  }
  T best = -std::numeric_limits<T>::infinity();
  for (; j < count; j++) best = x[j] > best ? x[j] : best;
  for (int v = 0; v < kLane; v++) best = part[v] > best ? part[v] : best;
  return best;
}

// out[j] = exp(scale * (x[j] - top)), in whole lanes. A result of 0 is a loss
// unless x = -inf: *least becomes the smallest of the others before `count`.
template <class Lane, class T, class Real>
LATPERC_INLINE void exponential_lanes(const T* x, T top, int count, int width, Real scale,
                                      Real* out, Real* least) {
  constexpr int kWidth = sizeof(Lane) / sizeof(Real);
  Real part[kWidth];
  for (int v = 0; v < kWidth; v++) part[v] = Real(1);
  Lane low, one;
  std::memcpy(&one, part, sizeof(Lane));
  low = one;
  int j = 0;
  for (; j + kWidth <= width; j += kWidth) {
    Real shifted[kWidth];
    for (int v = 0; v < kWidth; v++) shifted[v] = static_cast<Real>(x[j + v] - top) * scale;
    Lane s, y;
    std::memcpy(&s, shifted, sizeof(Lane));
    exponential(s, y);
    std::memcpy(out + j, &y, sizeof(Lane));
    if (j + kWidth > count) break;
    const Lane given = s > -std::numeric_limits<Real>::infinity() ? y : one;
    low = given < low ? given : low;
  }
  std::memcpy(part, &low, sizeof(Lane));
  for (int v = 0; v < kWidth; v++) *least = part[v] < *least ? part[v] : *least;
  for (int i = j; i < j + kWidth && i < count; i++) {
    if (x[i] > -std::numeric_limits<T>::infinity() && out[i] < *least) *least = out[i];
  }
}

#if defined(LATPERC_VECTORS)
template <class Real>
struct Wide {
  typedef Eight Lane;
  typedef Four Half;  // the shortest rows
};
template <>
struct Wide<double> {
  typedef FourDoubles Lane;
  typedef FourDoubles Half;
};
#else
template <class Real>
struct Wide {
  typedef Real Lane;
  typedef Real Half;
};
#endif

// out = exp(scale * (x - top)) over the first `count` of `width` numbers, 0 in the rest.
// RETURNS: whether all is well; not so if a finite x came out as 0.
template <class T, class Real>
LATPERC_INLINE bool exponentials_of(const T* x, T top, int count, int width, Real scale,
                                    Real* out) {
  Real least = Real(1);
  if (width % kLane) {
    exponential_lanes<typename Wide<Real>::Half>(x, top, count, width, scale, out, &least);
  } else {
    exponential_lanes<typename Wide<Real>::Lane>(x, top, count, width, scale, out, &least);
  }
  for (int j = count; j < width; j++) out[j] = Real(0);
  return least > Real(0);
}

LATPERC_CLONES static float largest(const float* x, int count) { return largest_of(x, count); }
LATPERC_CLONES static double largest(const double* x, int count) { return largest_of(x, count); }

LATPERC_CLONES static bool exponentials(const float* x, float top, int count, int width,
                                        float scale, float* out) {
  return exponentials_of(x, top, count, width, scale, out);
}
LATPERC_CLONES static bool exponentials(const float* x, float top, int count, int width,
                                        double scale, double* out) {
  return exponentials_of(x, top, count, width, scale, out);
}
LATPERC_CLONES static bool exponentials(const double* x, double top, int count, int width,
                                        double scale, double* out) {
  return exponentials_of(x, top, count, width, scale, out);
}
LATPERC_CLONES static bool exponentials(const double* x, double top, int count, int width,
                                        float scale, float* out) {
  return exponentials_of(x, top, count, width, scale, out);
}

}  // namespace simd
}  // namespace latperc
