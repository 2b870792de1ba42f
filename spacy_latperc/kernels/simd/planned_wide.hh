// The search of frozen chains for AVX-512, if all scores of a token fit into four vectors: the
// sums and maxima of simd/predecessors.hh for 16 states at a time. nlp.pipe gains 7 % of its time
// with the default models.
#pragma once
#include <utility>

#include "simd/predecessors.hh"
#include "simd/wide.hh"

#if defined(LATPERC_WIDE)

namespace latperc {
namespace simd {

constexpr int kWidest = 64;  // limit on places, and on scores of a token

LATPERC_WIDE_CODE LATPERC_INLINE __mmask16 first_of(int count) {
  return static_cast<__mmask16>(count >= 16 ? 0xffff : count <= 0 ? 0 : (1 << count) - 1);
}

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

// A sentence with its results: see search_forward_wide.
struct Way {
  const float* e;
  int64_t n;
  float *best, *alpha;
};

// Computes the largest sums over the scanned places for W sentences: a row of scores is loaded
// once for all of them. R: the number of vectors of all places.
template <int R, int V, int W>
LATPERC_WIDE_CODE LATPERC_INLINE void scan_all(const float* const* before, const Plan& plan,
                                               __m512 (&result)[W][V]) {
  constexpr int kChains = W * V == 1 ? 4 : W * V <= 4 ? 2 : 1;  // of dependent maxima
  __m512 most[kChains][W][V];
  for (int c = 0; c < kChains; c++) {
    for (int w = 0; w < W; w++) {
      for (int v = 0; v < V; v++) most[c][w][v] = _mm512_set1_ps(kMinusInf);
    }
  }
  const auto row = [&](int place) LATPERC_WIDE_CODE {
    return plan.to_wide + static_cast<size_t>(place) * (16 * V);
  };
  if (plan.low) {
    for (int w = 0; w < W; w++) {
      for (uint64_t live = live_places<R>(before[w], plan); live; live &= live - 1) {
        const int place = static_cast<int>(_tzcnt_u64(live));
        const __m512 p = _mm512_set1_ps(before[w][place]);
        for (int v = 0; v < V; v++) {
          const __m512 sum = _mm512_add_ps(_mm512_loadu_ps(row(place) + 16 * v), p);
          most[0][w][v] = _mm512_max_ps(sum, most[0][w][v]);
        }
      }
    }
  } else {
    const auto take = [&](int place, int c) LATPERC_WIDE_CODE {
      LATPERC_UNROLL
      for (int v = 0; v < V; v++) {
        const __m512 m = _mm512_loadu_ps(row(place) + 16 * v);
        LATPERC_UNROLL
        for (int w = 0; w < W; w++) {
          const __m512 p = _mm512_set1_ps(before[w][place]);
          most[c][w][v] = _mm512_max_ps(_mm512_add_ps(m, p), most[c][w][v]);
        }
      }
    };
    int k = 0;
    for (; k + kChains <= plan.n_scanned; k += kChains) {
      LATPERC_UNROLL
      for (int c = 0; c < kChains; c++) take(plan.scanned[k + c], c);
    }
    for (; k < plan.n_scanned; k++) take(plan.scanned[k], 0);
  }
  for (int w = 0; w < W; w++) {
    for (int v = 0; v < V; v++) {
      result[w][v] = most[0][w][v];
      for (int c = 1; c < kChains; c++) result[w][v] = _mm512_max_ps(most[c][w][v], result[w][v]);
    }
  }
}

// Searches tokens [from, to) of W sentences, with R vectors of places, of which V are scanned. A
// token waits for the one before, but sentences do not wait for each other.
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
  const float *e[W], *before[W];
  float *best[W], *alpha[W];
  for (int w = 0; w < W; w++) {
    e[w] = ways[w].e + from * P;
    best[w] = ways[w].best + from * kRoom;
    alpha[w] = ways[w].alpha + from * kRoom;
  }
  for (int64_t i = from; i < to; i++) {
    __m512 most[W][V ? V : 1];
    LATPERC_UNROLL
    for (int w = 0; w < W; w++) before[w] = alpha[w] - kRoom;
    if (V > 0 && i > 0) scan_all<R, V ? V : 1, W>(before, plan, most);
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
        } else if (v < V) {
          _mm512_storeu_ps(best[w] + 16 * v, most[w][v < V ? v : 0]);
          out = _mm512_add_ps(out, most[w][v < V ? v : 0]);
        }
        _mm512_storeu_ps(alpha[w] + 16 * v, out);
      }
      for (int r = 0; i > 0 && r < plan.n_runs; r++) {
        take_run(before[w], plan.runs[r], plan.scores, best[w], alpha[w]);
      }
      e[w] += P;
      best[w] += kRoom;
      alpha[w] += kRoom;
    }
  }
}

// Like search_forward for up to four sentences, but the scores of states are e [n, P], and place j
// has that of state source[j].
LATPERC_WIDE_CODE static void search_forward_wide(const Plan& plan, const float* start, int P,
                                                  const int32_t* source, Way* ways, int count) {
  for (int w = 1; w < count; w++) {  // the longest first
    for (int v = w; v > 0 && ways[v - 1].n < ways[v].n; v--) std::swap(ways[v - 1], ways[v]);
  }
  with_constant<4>(plan.room / 16, [&](auto vectors) LATPERC_WIDE_CODE {
    with_constant<5>(plan.wide / 16 + 1, [&](auto scanned) LATPERC_WIDE_CODE {
      int64_t from = 0;
      for (int left = count; left > 0; left--) {
        const int64_t to = ways[left - 1].n;
        with_constant<4>(left, [&](auto together) LATPERC_WIDE_CODE {
          forward_wide<vectors, scanned - 1, together>(plan, start, P, source, ways, from, to);
        });
        from = to;
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

// Like find_before, for up to kWidest places.
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

// Traces paths back from place at[w] of the last token of each sentence, -1 for none: see
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
