// 64-bit mixing: features are named by hashes and never by strings.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace latperc {

// The finaliser of splitmix64: every input bit reaches every output bit.
inline uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// One step of a conjunction; the high bits, which choose the bucket, come out mixed.
constexpr uint64_t kJoin = 0x9e3779b97f4a7c15ULL;
inline uint64_t join(uint64_t h, uint64_t value) {
  h = (h ^ value) * kJoin;
  return h ^ (h >> 29);
}

constexpr uint64_t kFinish = 0xd6e8feb86659fd93ULL;
inline uint64_t finish(uint64_t h) { return h * kFinish; }

// Uniform in (-1, 1), a pure function of its key: noise that needs no storage.
inline float noise(uint64_t key) {
  return static_cast<float>(static_cast<int64_t>(mix(key) >> 40) - (1 << 23)) /
         static_cast<float>(1 << 23);
}

// The learner's own generator (splitmix64): same seed, same order, on every platform.
class Random {
 public:
  explicit Random(uint64_t seed = 0) : state(seed) {}
  uint64_t next() { return mix(state += 0x9e3779b97f4a7c15ULL); }
  // Uniform below n (n < 2^32); the bias of at most n / 2^32 does not matter here.
  uint32_t below(uint32_t n) {
    return static_cast<uint32_t>(((next() >> 32) * static_cast<uint64_t>(n)) >> 32);
  }
  uint64_t state;
};

template <class T>
inline void shuffle(std::vector<T>* items, Random* random) {
  const size_t n = items->size();
  for (size_t s = 0; s + 1 < n; s++) {
    const size_t other = s + random->below(static_cast<uint32_t>(n - s));
    std::swap((*items)[s], (*items)[other]);
  }
}

}  // namespace latperc
