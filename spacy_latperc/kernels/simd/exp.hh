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
  static constexpr float kLowest = -69.0f;  // the smallest exponent
  static constexpr float kTiny = 1e-30f;    // the smallest probability, below exp(kLowest)
};
template <>
struct Range<double> {
  static constexpr double kLowest = -640.0;
  static constexpr double kTiny = 1e-278;
};

namespace simd {

// Vectors of numbers, and of the integers with their bits.
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

// The constants of one precision. ln 2 has two parts, the first with so few bits that n times it
// is exact. With p = 1/2! + r/3! + r^2/4! + ... is e^r = 1 + r + r^2 p: for |r| <= ln(2) / 2 the
// remaining terms are far below the last place.
template <class Real>
struct Exponential;
template <>
struct Exponential<float> {
  static constexpr float kRounder = 12582912.0f;
  static constexpr float kLogOfTwo[] = {0.693145751953125f, 1.42860682030941723e-6f};
  static constexpr float kSeries[] = {1.0f / 5040, 1.0f / 720, 1.0f / 120,
                                      1.0f / 24,   1.0f / 6,   0.5f};
  static constexpr uint32_t kOne = 0x3f800000u;
  static constexpr int kMantissa = 23;
};
template <>
struct Exponential<double> {
  static constexpr double kRounder = 6755399441055744.0;
  static constexpr double kLogOfTwo[] = {0.69314718036912381649, 1.90821492927058782e-10};
  static constexpr double kSeries[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
      1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5};
  static constexpr uint64_t kOne = 0x3ff0000000000000ull;
  static constexpr int kMantissa = 52;
};

// e^x = 2^n e^r, n = round(x / ln 2). Adding 1.5 * 2^23 (2^52) rounds, and leaves n in the
// lowest bits. The result is written to a reference: returning a vector would depend on the
// ABI.
template <class Lane>
LATPERC_INLINE void exponential(const Lane& x, Lane& y) {
  typedef typename Parts<Lane>::Number Number;
  typedef Exponential<Number> Constant;
  const Lane t = x * Number(1.44269504088896340736) + Constant::kRounder;
  const Lane n = t - Constant::kRounder;
  const Lane r = (x - n * Constant::kLogOfTwo[0]) - n * Constant::kLogOfTwo[1];
  Lane p = r * Constant::kSeries[0] + Constant::kSeries[1];
  constexpr int kTerms = sizeof(Constant::kSeries) / sizeof(Number);
  LATPERC_UNROLL for (int k = 2; k < kTerms; k++) p = p * r + Constant::kSeries[k];
  typename Parts<Lane>::Word bits;
  std::memcpy(&bits, &t, sizeof(bits));
  bits = (bits << Constant::kMantissa) + Constant::kOne;
  Lane power;
  std::memcpy(&power, &bits, sizeof(power));
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

// out[j] = exp(scale * (x[j] - top)), in whole lanes. A result of 0 is an underflow unless
// x = -inf: *least becomes the smallest of the other results before `count`.
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
// RETURNS: false if a finite x gave 0.
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
