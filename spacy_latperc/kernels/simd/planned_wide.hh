// The search of frozen chains for AVX-512, where all scores of a token fit into four vectors:
// the same sums and maxima as in simd/predecessors.hh, of 16 states at a time.
#pragma once
#include "simd/maxplus.hh"
#include "simd/predecessors.hh"

#if defined(LATPERC_WIDE)

namespace latperc {
namespace simd {

constexpr int kWidest = 64;  // places, and scores of a token

// The places that can give a maximum, as bits: see find_live.
template <int R>
LATPERC_WIDE_CODE LATPERC_INLINE uint64_t live_places(const float* before, const Plan& plan) {
  __m512 alpha[R], top = _mm512_set1_ps(kMinusInf);
  for (int v = 0; v < R; v++) {
    alpha[v] = _mm512_loadu_ps(before + 16 * v);
    top = _mm512_max_ps(_mm512_add_ps(alpha[v], _mm512_loadu_ps(plan.low + 16 * v)), top);
  }
  const float most = _mm512_reduce_max_ps(top);
  const __m512 floor = _mm512_set1_ps(most - (most < 0.0f ? -most : most) * 1e-6f);
  uint64_t live = 0;
  for (int v = 0; v < R; v++) {
    const __m512 high = _mm512_add_ps(alpha[v], _mm512_loadu_ps(plan.high + 16 * v));
    const uint64_t bits = _mm512_cmp_ps_mask(high, floor, _CMP_GE_OQ);
    live |= bits << (16 * v);
  }
  return live;
}

// V vectors of `best` from all that are scanned, and `alpha` with these added. R: vectors of
// all places.
template <int R, int V>
LATPERC_WIDE_CODE LATPERC_INLINE void scan_all(const float* before, const Plan& plan, float* best,
                                               float* alpha) {
  constexpr int kChains = V == 1 ? 4 : 2;  // of maxima that wait for each other
  __m512 most[kChains][V];
  for (int c = 0; c < kChains; c++) {
    for (int v = 0; v < V; v++) most[c][v] = _mm512_set1_ps(kMinusInf);
  }
  const auto take = [&](int place, int c) LATPERC_WIDE_CODE {
    const float* m = plan.to_wide + static_cast<size_t>(place) * (16 * V);
    const __m512 p = _mm512_set1_ps(before[place]);
    for (int v = 0; v < V; v++) {
      most[c][v] = _mm512_max_ps(_mm512_add_ps(_mm512_loadu_ps(m + 16 * v), p), most[c][v]);
    }
  };
  if (plan.low) {
    uint64_t live = live_places<R>(before, plan);
    while (live) {
      for (int c = 0; live && c < 4; c++, live &= live - 1) {
        take(static_cast<int>(_tzcnt_u64(live)), c % kChains);
      }
    }
  } else {
    int k = 0;
    for (; k + kChains <= plan.n_scanned; k += kChains) {
      for (int c = 0; c < kChains; c++) take(plan.scanned[k + c], c);
    }
    for (; k < plan.n_scanned; k++) take(plan.scanned[k], 0);
  }
  for (int v = 0; v < V; v++) {
    for (int c = 1; c < kChains; c++) most[0][v] = _mm512_max_ps(most[c][v], most[0][v]);
    _mm512_storeu_ps(best + 16 * v, most[0][v]);
    const __m512 own = _mm512_loadu_ps(alpha + 16 * v);
    _mm512_storeu_ps(alpha + 16 * v, _mm512_add_ps(own, most[0][v]));
  }
}

// A sentence on its way through the search: see search_forward_wide.
struct Way {
  const float* e;
  int64_t n;
  float *best, *alpha;
};

// Tokens [from, to) of W sentences; R vectors of places, of which V are scanned. Each token
// waits for the one before, but sentences do not wait for each other.
template <int R, int V, int W>
LATPERC_WIDE_CODE LATPERC_INLINE void forward_wide(const Plan& plan, const float* start, int P,
                                                   const int32_t* source, const Way* ways,
                                                   int64_t from, int64_t to) {
  constexpr int kRoom = 16 * R;
  __m512i order[R];
  __mmask16 upper[R], own[4];
  for (int v = 0; v < R; v++) {
    order[v] = _mm512_loadu_si512(source + 16 * v);
    upper[v] = _mm512_cmpge_epi32_mask(order[v], _mm512_set1_epi32(32));
  }
  for (int v = 0; v < 4; v++) own[v] = first_of(P - 16 * v);
  const float* e[W];
  float *best[W], *alpha[W];
  for (int w = 0; w < W; w++) {
    e[w] = ways[w].e + from * P;
    best[w] = ways[w].best + from * kRoom;
    alpha[w] = ways[w].alpha + from * kRoom;
  }
  for (int64_t i = from; i < to; i++) {
    LATPERC_UNROLL
    for (int w = 0; w < W; w++) {
      __m512 score[4];
      for (int v = 0; v < (R > 2 ? 4 : R); v++) {
        score[v] = _mm512_maskz_loadu_ps(own[v], e[w] + (16 * v < P ? 16 * v : 0));
      }
      for (int v = 0; v < R; v++) {
        __m512 out = R == 1 ? _mm512_permutexvar_ps(order[v], score[0])
                            : _mm512_permutex2var_ps(score[0], order[v], score[1]);
        if (R > 2) {
          out = _mm512_mask_blend_ps(upper[v], out,
                                     _mm512_permutex2var_ps(score[2], order[v], score[3]));
        }
        if (i == 0) {
          const __m512 first = _mm512_loadu_ps(start + 16 * v);
          _mm512_storeu_ps(best[w] + 16 * v, first);
          out = _mm512_add_ps(first, out);
        }
        _mm512_storeu_ps(alpha[w] + 16 * v, out);
      }
      const float* before = alpha[w] - kRoom;
      if (V > 0 && i > 0) scan_all<R, V ? V : 1>(before, plan, best[w], alpha[w]);
      for (int r = 0; i > 0 && r < plan.n_runs; r++) {
        take_run(before, plan.runs[r], plan.scores, best[w], alpha[w]);
      }
      e[w] += P;
      best[w] += kRoom;
      alpha[w] += kRoom;
    }
  }
}

// As search_forward for one sentence or two, but alpha is out alone: the scores of states are
// e [n, P], and place j has that of state source[j].
LATPERC_WIDE_CODE static void search_forward_wide(const Plan& plan, const float* start, int P,
                                                  const int32_t* source, const Way* ways,
                                                  int count) {
  with_constant<4>(plan.room / 16, [&](auto vectors) LATPERC_WIDE_CODE {
    with_constant<5>(plan.wide / 16 + 1, [&](auto scanned) LATPERC_WIDE_CODE {
      int64_t both = 0;
      if (count == 2) {
        both = ways[0].n < ways[1].n ? ways[0].n : ways[1].n;
        forward_wide<vectors, scanned - 1, 2>(plan, start, P, source, ways, 0, both);
      }
      for (int w = 0; w < count; w++) {
        forward_wide<vectors, scanned - 1, 1>(plan, start, P, source, ways + w, both, ways[w].n);
      }
    });
  });
}

// The largest alpha + scores of all places.
LATPERC_WIDE_CODE static float best_sum_wide(const float* alpha, const float* scores, int room) {
  __m512 most = _mm512_set1_ps(kMinusInf);
  for (int first = 0; first < room; first += 16) {
    most = _mm512_max_ps(
        _mm512_add_ps(_mm512_loadu_ps(alpha + first), _mm512_loadu_ps(scores + first)), most);
  }
  return _mm512_reduce_max_ps(most);
}

// As find_before, for up to kWidest places.
LATPERC_WIDE_CODE static int find_before_wide(const float* alpha, const float* scores, float target,
                                              const int32_t* state, int room) {
  uint64_t bits = 0;
  for (int first = 0; first < room; first += 16) {
    const __m512 sum =
        _mm512_add_ps(_mm512_loadu_ps(alpha + first), _mm512_loadu_ps(scores + first));
    const uint64_t equal = _mm512_cmp_ps_mask(sum, _mm512_set1_ps(target), _CMP_EQ_OQ);
    bits |= equal << first;
  }
  int best = bits ? static_cast<int>(_tzcnt_u64(bits)) : -1;
  for (bits &= bits - 1; bits; bits &= bits - 1) {
    const int k = static_cast<int>(_tzcnt_u64(bits));
    if (state[k] < state[best]) best = k;
  }
  return best;
}

// Back from place at[w] of the last token of each sentence, if it is one: see
// PlannedSearch::trace. columns: [room, room].
LATPERC_WIDE_CODE static void trace_wide(const float* columns, const int32_t* state, int room,
                                         const Way* ways, int count, int* at,
                                         int32_t* const* paths) {
  int64_t most = 0;
  for (int w = 0; w < count; w++) {
    if (at[w] >= 0) most = ways[w].n > most ? ways[w].n : most;
  }
  for (int64_t back = 1; back < most; back++) {
    for (int w = 0; w < count; w++) {
      const int64_t i = ways[w].n - back;
      if (i <= 0 || at[w] < 0) continue;
      const int before = find_before_wide(ways[w].alpha + (i - 1) * room,
                                          columns + static_cast<size_t>(at[w]) * room,
                                          ways[w].best[i * room + at[w]], state, room);
      at[w] = before < 0 ? 0 : before;
      paths[w][i - 1] = state[at[w]];
    }
  }
}

}  // namespace simd
}  // namespace latperc
#endif
