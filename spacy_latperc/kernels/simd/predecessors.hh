// The steps of the search of frozen chains: see lattice/planned_search.hh.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/maxplus.hh"

#if defined(LATPERC_VECTORS) && defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace latperc {
namespace simd {

constexpr int kWide = 8;  // places of a vector

// The places begin .. begin + kWide - 1, and the two predecessors of each.
struct Run {
  int begin;
  bool neighbours;  // true if predecessors of neighbours are neighbours
  int32_t before[2][kWide];
  size_t scores;  // of the first, then of the second
};

// The plan of a search: the scores of transitions in its order.
struct Plan {
  int room, wide;        // the number of places, and of those that are scanned
  const float* to_wide;  // [room, wide]
  const int32_t* scanned;
  int n_scanned;
  const float* low;  // null, or bounds: see lattice/bounds.hh
  const float* high;
  int32_t* live;  // [room], for find_live
  const Run* runs;
  int n_runs;
  const float* scores;  // of runs
};

LATPERC_INLINE int lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
  return __builtin_ctzll(bits);
#else
  int at = 0;
  for (; !(bits & 1); bits >>= 1) at++;
  return at;
#endif
}

// Bit k: 1 if x[k] + y[k] is `target`, or with kReaching at least that. count: a multiple of 4.
template <bool kReaching>
LATPERC_INLINE uint64_t compare_sums(const float* x, const float* y, float target, int count) {
  uint64_t bits = 0;
#if defined(LATPERC_VECTORS) && defined(__SSE2__)
  const __m128 wanted = _mm_set1_ps(target);
  for (int k = 0; k < count; k += 4) {
    const __m128 sum = _mm_add_ps(_mm_loadu_ps(x + k), _mm_loadu_ps(y + k));
    const __m128 found = kReaching ? _mm_cmpge_ps(sum, wanted) : _mm_cmpeq_ps(sum, wanted);
    bits |= static_cast<uint64_t>(_mm_movemask_ps(found)) << k;
  }
#else
  for (int k = 0; k < count; k++) {
    const float sum = x[k] + y[k];
    bits |= static_cast<uint64_t>(kReaching ? sum >= target : sum == target) << k;
  }
#endif
  return bits;
}

// Computes V vectors of `best`, and adds them to `alpha`.
template <int V>
LATPERC_INLINE void scan_strip(const float* before, const Plan& plan, const int32_t* scanned,
                               int n_scanned, int first, float* best, float* alpha) {
  Eight most[V];
  product_strip<MaxPlus>(before, plan.to_wide + first, static_cast<size_t>(plan.wide), scanned,
                         n_scanned, most);
  for (int v = 0; v < V; v++) {
    store(best + first + v * kWide, most[v]);
    Eight sum;
    load(sum, alpha + first + v * kWide);
    sum += most[v];
    store(alpha + first + v * kWide, sum);
  }
}

LATPERC_INLINE void take_run(const float* before, const Run& run, const float* scores, float* best,
                             float* alpha) {
  Eight one, two, m;
  if (run.neighbours) {
    load(one, before + run.before[0][0]);
    load(two, before + run.before[1][0]);
  } else {
    float each[2][kWide];
    for (int w = 0; w < 2; w++) {
      for (int v = 0; v < kWide; v++) each[w][v] = before[run.before[w][v]];
    }
    load(one, each[0]);
    load(two, each[1]);
  }
  load(m, scores + run.scores);
  one += m;
  load(m, scores + run.scores + kWide);
  two += m;
  larger(one, two);
  store(best + run.begin, one);
  load(two, alpha + run.begin);
  two += one;
  store(alpha + run.begin, two);
}

// Writes the places that can give a maximum to `live`: see lattice/bounds.hh. RETURNS: their
// number.
LATPERC_INLINE int find_live(const float* before, const float* low, const float* high, int room,
                             int32_t* live) {
  Eight top;
  fill(top, kMinusInf);
  for (int k = 0; k < room; k += kWide) {
    Eight x, y;
    load(x, before + k);
    load(y, low + k);
    x += y;
    larger(top, x);
  }
  float each[kWide];
  store(each, top);
  for (int half = kWide / 2; half > 0; half /= 2) {
    for (int v = 0; v < half; v++) each[v] = each[v + half] > each[v] ? each[v + half] : each[v];
  }
  // The sums are rounded by less than this share.
  const float floor = each[0] - (each[0] < 0.0f ? -each[0] : each[0]) * 1e-6f;
  int n = 0;
  for (int first = 0; first < room; first += 64) {
    const int count = room - first < 64 ? room - first : 64;
    uint64_t bits = compare_sums<true>(before + first, high + first, floor, count);
    for (; bits; bits &= bits - 1) live[n++] = first + lowest_bit(bits);
  }
  return n;
}

LATPERC_CLONES static int live_places_of(const float* before, const float* low, const float* high,
                                         int room, int32_t* live) {
  return find_live(before, low, high, room, live);
}

// best: [n, room], the best score of a path to each state without its own score. alpha: the scores
// of states on entry, the best scores of paths with these on return.
LATPERC_CLONES static void search_forward(const Plan& plan, const float* start, int64_t n,
                                          float* best, float* alpha) {
  for (int j = 0; j < plan.room; j++) {
    best[j] = start[j];
    alpha[j] = start[j] + alpha[j];
  }
  for (int64_t i = 1; i < n; i++) {
    const float* before = alpha;
    best += plan.room;
    alpha += plan.room;
    const int32_t* scanned = plan.scanned;
    int n_scanned = plan.n_scanned;
    if (plan.low) {
      n_scanned = find_live(before, plan.low, plan.high, plan.room, plan.live);
      scanned = plan.live;
    }
    int j = 0;
    for (; j + 6 * kWide <= plan.wide; j += 6 * kWide) {
      scan_strip<6>(before, plan, scanned, n_scanned, j, best, alpha);
    }
    for (; j + 3 * kWide <= plan.wide; j += 3 * kWide) {
      scan_strip<3>(before, plan, scanned, n_scanned, j, best, alpha);
    }
    if (j + 2 * kWide <= plan.wide) {
      scan_strip<2>(before, plan, scanned, n_scanned, j, best, alpha);
    } else if (j + kWide <= plan.wide) {
      scan_strip<1>(before, plan, scanned, n_scanned, j, best, alpha);
    }
    for (int r = 0; r < plan.n_runs; r++) {
      take_run(before, plan.runs[r], plan.scores, best, alpha);
    }
  }
}

// The place k with alpha[k] + scores[k] == target; of several that of the lowest state.
LATPERC_CLONES static int find_before(const float* alpha, const float* scores, float target,
                                      const int32_t* state, int room) {
  int best = -1;
  for (int first = 0; first < room; first += 64) {
    const int count = room - first < 64 ? room - first : 64;
    uint64_t bits = compare_sums<false>(alpha + first, scores + first, target, count);
    for (; bits; bits &= bits - 1) {
      const int k = first + lowest_bit(bits);
      if (best < 0 || state[k] < state[best]) best = k;
    }
  }
  return best;
}

// The first k with alpha[k] + scores[k] == target; -1 if there is none. count: a multiple of 4.
LATPERC_INLINE int first_equal(const float* alpha, const float* scores, float target, int count) {
  for (int first = 0; first < count; first += 64) {
    const int some = count - first < 64 ? count - first : 64;
    const uint64_t bits = compare_sums<false>(alpha + first, scores + first, target, some);
    if (bits) return first + lowest_bit(bits);
  }
  return -1;
}

}  // namespace simd
}  // namespace latperc
