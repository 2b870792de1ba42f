// One step of a search over many states, where most of those before cannot matter to most of
// those after: see lattice/blocked_scores.hh.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "simd/predecessors.hh"
#include "simd/wide.hh"

namespace latperc {
namespace simd {

constexpr int kBlock = 16;       // columns
constexpr int kRowsAtOnce = 64;  // whose bounds are looked at together
constexpr int kDeepest = 127;    // levels add up in a byte

// Scores of transitions from rows to blocks of columns. The largest score of a row in a block is
// at most as many levels below that of all rows as `level` says.
struct ScoreBlocks {
  int rows, blocks;
  size_t pitch;          // rows, padded to kRowsAtOnce
  const float* scores;   // [blocks, rows, kBlock]
  const uint8_t* level;  // [blocks, pitch]
  const float* most;     // [blocks] the largest score of all rows
  float levels;          // in a score of 1
};

// The scores before a step: the highest of them apart.
struct Before {
  static constexpr int kLeaders = 8;
  const float* score;  // [rows]
  int leaders;
  int32_t leader[kLeaders];
  float next;      // the highest of the others
  uint8_t* level;  // [pitch] how many levels each is below that, at least
};

template <class Lane, int V>
LATPERC_INLINE void raise_block(const float* row, float score, Lane* best) {
  LATPERC_UNROLL
  for (int v = 0; v < V; v++) {
    Lane s;
    load(s, row + v * (sizeof(Lane) / sizeof(float)));
    s += score;
    larger(best[v], s);
  }
}

LATPERC_INLINE float least_of(const float* best) {
  float each[kBlock];
  for (int j = 0; j < kBlock; j++) each[j] = best[j];
  for (int half = kBlock / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; j++) each[j] = each[j + half] < each[j] ? each[j + half] : each[j];
  }
  return each[0];
}

// The deepest level, of a score before and of a transition together, at which a sum can be above
// `least`; -1 if there is none. Rounded outwards: sums are rounded, and levels.
LATPERC_INLINE int deepest_level(const ScoreBlocks& to, float next, float most, float least) {
  if (!(next + most > least)) return -1;
  const double gap = static_cast<double>(next) + most - least;
  const double slack = 1e-6 * (std::fabs(next) + std::fabs(most) + std::fabs(least));
  const double level = (gap + slack) * to.levels + 2.0;
  return level < 2 * kDeepest ? static_cast<int>(level) : 2 * kDeepest;
}

// Bit r: whether row r of kRowsAtOnce is not too deep.
LATPERC_INLINE uint64_t rows_above(const uint8_t* x, const uint8_t* y, int deepest) {
  uint64_t bits = 0;
#if defined(LATPERC_VECTORS) && defined(__SSE2__)
  const __m128i limit = _mm_set1_epi8(static_cast<char>(deepest));
  LATPERC_UNROLL
  for (int r = 0; r < kRowsAtOnce; r += 16) {
    const __m128i sum = _mm_add_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + r)),
                                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(y + r)));
    const __m128i above = _mm_cmpeq_epi8(_mm_min_epu8(sum, limit), sum);
    bits |= static_cast<uint64_t>(_mm_movemask_epi8(above)) << r;
  }
#else
  for (int r = 0; r < kRowsAtOnce; r++) {
    bits |= static_cast<uint64_t>(x[r] + y[r] <= deepest) << r;
  }
#endif
  return bits;
}

LATPERC_INLINE void find_levels(const ScoreBlocks& to, const Before& before) {
  for (int k = 0; k < to.rows; k++) {
    const float level = (before.next - before.score[k]) * to.levels;
    const float above = level > 0.0f ? level : 0.0f;  // leaders are
    before.level[k] = static_cast<uint8_t>(above < kDeepest ? above : float{kDeepest});
  }
  // These were looked at.
  for (int r = 0; r < before.leaders; r++) before.level[before.leader[r]] = kDeepest;
}

// Rows that a block is going to look at: asked for some blocks before, since the memory answers
// slowly.
struct Wanted {
  static constexpr int kMost = 128;
  static constexpr int kAhead = 4;  // blocks
  int count;
  int32_t row[kMost];
};

LATPERC_INLINE void ask_for_leaders(const ScoreBlocks& to, const Before& before, int b) {
  const float* const scores = to.scores + static_cast<size_t>(b) * to.rows * kBlock;
  for (int r = 0; r < before.leaders; r++) {
    prefetch(scores + static_cast<size_t>(before.leader[r]) * kBlock);
  }
}

// best = max(best, the sums of these rows).
template <class Lane, int V>
LATPERC_INLINE void take_wanted(const float* scores, const Before& before, Wanted* wanted,
                                float* out) {
  Lane best[V];
  LATPERC_UNROLL
  for (int v = 0; v < V; v++) load(best[v], out + v * (kBlock / V));
  for (int i = 0; i < wanted->count; i++) {
    const int32_t k = wanted->row[i];
    raise_block<Lane, V>(scores + static_cast<size_t>(k) * kBlock, before.score[k], best);
  }
  LATPERC_UNROLL
  for (int v = 0; v < V; v++) store(out + v * (kBlock / V), best[v]);
  wanted->count = 0;
}

// out [blocks, kBlock]: the largest sums of a score before and that of a transition.
template <class Lane, int V>
LATPERC_INLINE void take_largest(const ScoreBlocks& to, const Before& before, float* out) {
  const size_t size = static_cast<size_t>(to.rows) * kBlock;  // of a block
  const bool others = before.next > kMinusInf;
  bool levels_known = false;
  Wanted all[Wanted::kAhead];
  for (Wanted& wanted : all) wanted.count = 0;
  for (int b = 0; b < Wanted::kAhead && b < to.blocks; b++) ask_for_leaders(to, before, b);
  for (int b = 0; b < to.blocks + Wanted::kAhead; b++) {
    Wanted& wanted = all[b % Wanted::kAhead];
    if (wanted.count) {
      const int asked = b - Wanted::kAhead;
      take_wanted<Lane, V>(to.scores + asked * size, before, &wanted, out + asked * kBlock);
    }
    if (b >= to.blocks) continue;
    if (b + Wanted::kAhead < to.blocks) ask_for_leaders(to, before, b + Wanted::kAhead);
    const float* const scores = to.scores + b * size;
    const uint8_t* const level = to.level + static_cast<size_t>(b) * to.pitch;
    float* const block = out + b * kBlock;
    Lane best[V];
    LATPERC_UNROLL
    for (int v = 0; v < V; v++) fill(best[v], kMinusInf);
    for (int r = 0; r < before.leaders; r++) {
      const int32_t k = before.leader[r];
      raise_block<Lane, V>(scores + static_cast<size_t>(k) * kBlock, before.score[k], best);
    }
    LATPERC_UNROLL
    for (int v = 0; v < V; v++) store(block + v * (kBlock / V), best[v]);
    int deepest = others ? deepest_level(to, before.next, to.most[b], least_of(block)) : -1;
    if (deepest >= 0 && !levels_known) {
      find_levels(to, before);
      levels_known = true;
    }
    for (int first = 0; first < to.rows && deepest >= 0; first += kRowsAtOnce) {
      uint64_t above = rows_above(before.level + first, level + first, deepest);
      if (to.rows - first < kRowsAtOnce) above &= (uint64_t{1} << (to.rows - first)) - 1;
      for (; above; above &= above - 1) {
        const int k = first + lowest_bit(above);
        wanted.row[wanted.count++] = k;
        prefetch(scores + static_cast<size_t>(k) * kBlock);
      }
      if (wanted.count <= Wanted::kMost - kRowsAtOnce) continue;
      // So many that it pays to ask for more of the others.
      take_wanted<Lane, V>(scores, before, &wanted, block);
      deepest = deepest_level(to, before.next, to.most[b], least_of(block));
    }
  }
}

LATPERC_CLONES static void take_largest_narrow(const ScoreBlocks& to, const Before& before,
                                               float* out) {
  take_largest<Eight, 2>(to, before, out);
}

#if defined(LATPERC_WIDE)
LATPERC_WIDE_CODE static void take_largest_wide(const ScoreBlocks& to, const Before& before,
                                                float* out) {
  take_largest<Sixteen, 1>(to, before, out);
}
#endif

inline void take_largest(const ScoreBlocks& to, const Before& before, float* out) {
#if defined(LATPERC_WIDE)
  if (wide()) {
    take_largest_wide(to, before, out);
    return;
  }
#endif
  take_largest_narrow(to, before, out);
}

}  // namespace simd
}  // namespace latperc
