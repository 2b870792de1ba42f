// An exact map from 64-bit keys to small integers, with one cache line per look-up.
//
// A bucket has 64 bytes: five keys, a flag for entries that overflowed to the next bucket, and
// five values. The five comparisons have no branch, so that neither hits nor misses are
// mispredicted: otherwise the look-up of features dominates decoding.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/checked.hh"
#include "common/memory.hh"
#include "simd/wide.hh"

namespace latperc {

class KeyMap {
 public:
  static constexpr int kSlots = 5;
  // Values are 1, 2, ...; an empty slot has key 0 and value kNone, so that looking up key 0
  // also returns "not found".
  static constexpr int32_t kNone = 0;

  KeyMap() { allocate(kSmallestBits); }
  KeyMap(const KeyMap&) = delete;
  KeyMap& operator=(const KeyMap&) = delete;

  size_t size() const { return size_; }
  size_t bytes() const { return sizeof(Bucket) << bits_; }

  void clear() {
    size_ = 0;
    allocate(kSmallestBits);
  }

  // Makes room for n keys with few overflows, and keeps the contents.
  void reserve(size_t n, double load) {
    int bits = bits_;
    while (static_cast<double>(n) > load * kSlots * static_cast<double>(1ULL << bits)) bits++;
    if (bits > bits_) rehash(bits);
  }

  int32_t find(uint64_t key) const {
    const Bucket* bucket = buckets_ + home(key);
    for (;;) {
      int32_t value = kNone;
      for (int i = 0; i < kSlots; i++) {  // masks: compilers turn ?: into branches here
        value |= bucket->value[1 + i] & -static_cast<int32_t>(bucket->key[i] == key);
      }
      if (!bucket->overflowed()) return value;
      if (value != kNone) return value;
      if (++bucket == buckets_ + (1ULL << bits_)) bucket = buckets_;
    }
  }

  // Like find, in vectors of any instruction set.
  LATPERC_INLINE int32_t find_one(uint64_t key) const {
#if defined(LATPERC_VECTORS)
    typedef uint64_t Four __attribute__((vector_size(32)));
    typedef uint64_t Two __attribute__((vector_size(16)));
    const Bucket* bucket = buckets_ + home(key);
    const Four places = {1, 2, 3, 4};
    Four keys;
    std::memcpy(&keys, bucket->key, sizeof(keys));
    const Four equal = reinterpret_cast<Four>(keys == key) & places;
    Two half[2];
    std::memcpy(half, &equal, sizeof(equal));
    half[0] |= half[1];
    const uint64_t last = bucket->key[4] == key ? 5 : 0;
    if (__builtin_expect(key == 0, 0)) return find(key);  // equal to empty slots
    const uint64_t at = half[0][0] | half[0][1] | last;
    const int32_t value = bucket->value[at];
    if (__builtin_expect(at == 0 && value != 0, 0)) return find(key);
    return value;
#else
    return find(key);
#endif
  }

#if defined(LATPERC_WIDE)
  // Like find, with the bucket in one vector.
  LATPERC_WIDE_CODE LATPERC_INLINE int32_t find_wide(uint64_t key) const {
    const Bucket* bucket = buckets_ + home(key);
    const __m512i keys = _mm512_load_si512(bucket);
    const unsigned equal =
        _mm512_cmpeq_epi64_mask(keys, _mm512_set1_epi64(static_cast<int64_t>(key))) & 0x1f;
    const int32_t value = bucket->value[32 - _lzcnt_u32(equal)];
    if (__builtin_expect((equal == 0 && value != 0) || key == 0, 0)) return find(key);
    return value;
  }
#endif

  void prefetch(uint64_t key) const {
#if defined(__GNUC__)
    __builtin_prefetch(buckets_ + home(key));
#else
    (void)key;
#endif
  }

  // Calls visit(key, value) for all entries.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (size_t b = 0; b < 1ULL << bits_; b++) {
      for (int i = 0; i < kSlots; i++) {
        if (buckets_[b].value[1 + i]) visit(buckets_[b].key[i], buckets_[b].value[1 + i]);
      }
    }
  }

  // Returns the value of the key, after setting it to `fresh` if the key is new.
  int32_t insert(uint64_t key, int32_t fresh) {
    const int32_t value = find(key);
    if (value != kNone) return value;
    if (static_cast<double>(size_ + 1) > kGrowAt * kSlots * static_cast<double>(1ULL << bits_)) {
      rehash(bits_ + 1);
    }
    place(key, fresh);
    size_++;
    return fresh;
  }

 private:
  static constexpr int kSmallestBits = 4;
  static constexpr double kGrowAt = 0.8;

  struct Bucket {
    uint64_t key[kSlots];
    int32_t value[1 + kSlots];  // the first: whether an entry overflowed
    bool overflowed() const { return value[0] != 0; }
  };
  static_assert(sizeof(Bucket) == 64, "a bucket is one cache line");

  size_t home(uint64_t key) const { return static_cast<size_t>(key >> (64 - bits_)); }

  void allocate(int bits) {
    memory_ = Memory(sizeof(Bucket) << bits);
    buckets_ = static_cast<Bucket*>(memory_.data());
    bits_ = bits;
  }

  void place(uint64_t key, int32_t value) {
    Bucket* bucket = buckets_ + home(key);
    for (;;) {
      for (int i = 0; i < kSlots; i++) {
        if (bucket->value[1 + i] == kNone) {
          bucket->key[i] = key;
          bucket->value[1 + i] = value;
          return;
        }
      }
      bucket->value[0] = 1;
      if (++bucket == buckets_ + (1ULL << bits_)) bucket = buckets_;
    }
  }

  void rehash(int bits) {
    const Memory old_memory = std::move(memory_);
    const Bucket* old = buckets_;
    const size_t n = 1ULL << bits_;
    memory_ = Memory();
    allocate(bits);
    for (size_t b = 0; b < n; b++) {
      for (int i = 0; i < kSlots; i++) {
        if (old[b].value[1 + i] != kNone) place(old[b].key[i], old[b].value[1 + i]);
      }
    }
  }

  Memory memory_;
  Bucket* buckets_ = nullptr;
  int bits_ = 0;
  size_t size_ = 0;
};

// Looks up n keys.
LATPERC_CLONES static void find_all_narrow(const KeyMap& map, const uint64_t* keys, size_t n,
                                           int32_t* values) {
  for (size_t i = 0; i < n; i++) values[i] = map.find_one(keys[i]);
}

#if defined(LATPERC_WIDE)
LATPERC_WIDE_CODE static void find_all_wide(const KeyMap& map, const uint64_t* keys, size_t n,
                                            int32_t* values) {
  for (size_t i = 0; i < n; i++) values[i] = map.find_wide(keys[i]);
}
#endif

inline void find_all(const KeyMap& map, const uint64_t* keys, size_t n, int32_t* values) {
#if defined(LATPERC_WIDE)
  if (simd::wide()) {
    find_all_wide(map, keys, n, values);
    return;
  }
#endif
  find_all_narrow(map, keys, n, values);
}

// Looks up a tile of keys, [columns, room] with `rows` rows, and writes [rows, columns]. All
// buckets are prefetched before the first look-up.
inline void find_ids(const KeyMap& map, View<const uint64_t> keys, int room, int rows, int columns,
                     int32_t* values) {
  constexpr int kMost = 64;
  int32_t found[kMost];
  require(rows <= kMost && rows <= room, "tile of keys too long");
  const auto column = [&](int c) {
    return keys.at(static_cast<size_t>(c) * room, static_cast<size_t>(rows));
  };
  for (int c = 0; c < columns; c++) {
    const uint64_t* const at = column(c);
    for (int r = 0; r < rows; r++) map.prefetch(at[r]);
  }
  for (int c = 0; c < columns; c++) {
    find_all(map, column(c), static_cast<size_t>(rows), found);
    for (int r = 0; r < rows; r++) values[static_cast<size_t>(r) * columns + c] = found[r];
  }
}

}  // namespace latperc
