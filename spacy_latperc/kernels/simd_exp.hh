// Exponentials of many numbers, shifted so that the largest becomes 1.
//
// Plain loops over plain arithmetic, which every compiler can turn into vectors: the same
// bits on every instruction set (no fused multiply-add, no library function). Accurate to
// two units in the last place for x in [kLowest, 0]. Below that the result is 0.
#pragma once
#include <cstdint>
#include <cstring>
#include <limits>

#include "simd.hh"

namespace latperc {

// The range in which sums of products of probabilities are safe: see scaled_sums.hh.
template <class Real>
struct Range;
template <>
struct Range<float> {
  static constexpr float kLowest = -69.0f;  // exponents below are too small
  static constexpr float kTiny = 1e-30f;    // exp(kLowest), and the least probability
};
template <>
struct Range<double> {
  static constexpr double kLowest = -640.0;
  static constexpr double kTiny = 1e-278;
};

namespace simd {

// e^x = 2^n e^r with n = round(x / ln 2): the series for |r| <= ln(2) / 2, its end far
// below the last place. Adding 1.5 * 2^23 rounds, and leaves n in the lowest bits.
LATPERC_INLINE float exponential(float x) {
  const float rounder = 12582912.0f;
  const float t = x * 1.44269504088896341f + rounder;
  const float n = t - rounder;
  const float r = (x - n * 0.693145751953125f) - n * 1.42860682030941723e-6f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = (p * r) * r + r;
  uint32_t bits;
  std::memcpy(&bits, &t, sizeof(bits));
  bits = (bits << 23) + 0x3f800000u;
  float power;
  std::memcpy(&power, &bits, sizeof(power));
  const float y = power + power * p;
  return x >= Range<float>::kLowest ? y : 0.0f;
}

LATPERC_INLINE double exponential(double x) {
  const double rounder = 6755399441055744.0;
  const double t = x * 1.44269504088896340736 + rounder;
  const double n = t - rounder;
  const double r = (x - n * 0.693147180369123816) - n * 1.90821492927058770e-10;
  double p = 1.0 / 6227020800;
  p = p * r + 1.0 / 479001600;
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
  p = (p * r) * r + r;
  uint64_t bits;
  std::memcpy(&bits, &t, sizeof(bits));
  bits = (bits << 52) + 0x3ff0000000000000ull;
  double power;
  std::memcpy(&power, &bits, sizeof(power));
  const double y = power + power * p;
  return x >= Range<double>::kLowest ? y : 0.0;
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

// out = exp(scale * (x - top)) over the first `count` of `width` numbers, 0 in the rest.
// RETURNS: whether all is well; not so if a finite x came out as 0.
template <class T, class Real>
LATPERC_INLINE bool exponentials_of(const T* x, T top, int count, int width, Real scale,
                                    Real* out) {
  const T nothing = -std::numeric_limits<T>::infinity();
  int lost = 0;
  for (int j = 0; j < width; j++) {
    const Real y = exponential(static_cast<Real>(x[j] - top) * scale);
    lost |= static_cast<int>(y == Real(0)) & static_cast<int>(x[j] > nothing);
    out[j] = y;
  }
  // The padding is no number of ours: what it holds may be lost without harm.
  if (lost && count < width) {
    lost = 0;
    for (int j = 0; j < count; j++) lost |= out[j] == Real(0) && x[j] > nothing;
  }
  for (int j = count; j < width; j++) out[j] = Real(0);
  return !lost;
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
