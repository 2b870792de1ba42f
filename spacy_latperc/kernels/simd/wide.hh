// Functions for AVX-512, for loops in which it pays over AVX2. Callers check wide() first.
#pragma once
#include <type_traits>

#include "simd/lanes.hh"

#if defined(LATPERC_VECTORS) && !defined(__clang__) && defined(__x86_64__) && __GNUC__ >= 9
#include <immintrin.h>
#define LATPERC_WIDE
#define LATPERC_WIDE_CODE \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,lzcnt,bmi,popcnt")))
#endif

namespace latperc {
namespace simd {

#if defined(LATPERC_WIDE)
inline bool wide_is_allowed = true;  // for tests, which compare both

inline bool wide() {
  static const bool there =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return there && wide_is_allowed;
}

// f(n) with n as a constant of the compiler, if it is 1 to kMost; else nothing.
template <int kMost, class F>
LATPERC_WIDE_CODE LATPERC_INLINE void with_constant(int n, const F& f) {
  if (n == kMost) {
    f(std::integral_constant<int, kMost>());
  } else if constexpr (kMost > 1) {
    with_constant<kMost - 1>(n, f);
  }
}

// RETURNS: true if the build has such functions and the processor supports them.
inline bool allow_wide(bool allowed) {
  wide_is_allowed = true;
  const bool there = wide();
  wide_is_allowed = allowed;
  return there;
}
#else
inline bool allow_wide(bool) { return false; }
#endif

}  // namespace simd
}  // namespace latperc
