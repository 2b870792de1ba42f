// Exact search of order 1 for transitions that score the same at every token: a plan is made
// from them once.
//
// States are reordered. First come those with many predecessors: they are scanned as always,
// but only over the predecessors of any of them, and if these are many, only over those that
// bounds do not rule out. Then come those with at most two predecessors (inside a chunk), in
// runs whose predecessors are side by side, so that a run is two additions and a maximum of
// whole vectors. Each part begins at a vector of its own, of 16 places with AVX-512; places in
// between belong to no state and score -inf. Results are those of Viterbi (lattice/search.hh),
// ties included. A token of the default chunker takes 45 ns less than with Viterbi.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "lattice/bounds.hh"
#include "lattice/layout.hh"
#include "simd/planned_wide.hh"
#include "simd/predecessors.hh"

namespace latperc {

class PlannedSearch {
 public:
  bool ready() const { return ready_; }
  void forget() { ready_ = false; }

  // pairs: [S, P] scores of (before, state).
  void plan(const Layout& layout, const float* pairs) {
    lay_out(layout, pairs);
    bounds_.forget();
    if (static_cast<int>(scanned_.size()) >= kWorthBounds) {
      bounds_.plan(to_wide_.data(), room_, 1, wide_, wide_);
    }
    ready_ = true;
  }

  // A sentence of n > 0 tokens with state scores e [n, P], and the results: its best path, [n],
  // and the score of that.
  struct Task {
    const float* e;
    int64_t n;
    int32_t* path;
    float score;
  };
  static constexpr int kAtOnce = 4;  // sentences, whose steps do not wait for each other

  // The best score of a path to each state of the tokens of up to kAtOnce sentences.
  void forward(const Task* tasks, int count) {
    const simd::Plan plan = this->plan();
    for (int t = 0; t < count; t++) rooms_[t].make(static_cast<size_t>(tasks[t].n) * room_);
#if defined(LATPERC_WIDE)
    if (in_wide_vectors()) {
      simd::Way ways[kAtOnce];
      find_ways(tasks, count, ways);
      simd::search_forward_wide(plan, start_.data(), P_, source_.data(), ways, count);
      return;
    }
#endif
    for (int t = 0; t < count; t++) {
      float* alpha = rooms_[t].alpha.data();
      for (int64_t i = 0; i < tasks[t].n; i++) {
        float* out = alpha + i * room_;
        for (int j = 0; j < room_; j++) out[j] = tasks[t].e[i * P_ + source_[j]];
      }
      simd::search_forward(plan, start_.data(), tasks[t].n, rooms_[t].best.data(), alpha);
    }
  }

  // Finds the best paths and scores of the sentences of `forward`, like Viterbi::run.
  void trace(Task* tasks, int count) {
    int at[kAtOnce];
    for (int t = 0; t < count; t++) {
      const int64_t n = tasks[t].n;
      at[t] = find_last(rooms_[t].alpha.data() + (n - 1) * room_, &tasks[t].score);
      if (at[t] >= 0) tasks[t].path[n - 1] = state_[at[t]];
    }
#if defined(LATPERC_WIDE)
    if (in_wide_vectors()) {
      simd::Way ways[kAtOnce];
      int32_t* paths[kAtOnce];
      for (int t = 0; t < count; t++) paths[t] = tasks[t].path;
      find_ways(tasks, count, ways);
      simd::trace_wide(before_.data(), state_.data(), room_, ways, count, at, paths);
      return;
    }
#endif
    for (int t = 0; t < count; t++) {
      const Room& room = rooms_[t];
      for (int64_t i = tasks[t].n - 1; at[t] >= 0 && i > 0; i--) {
        const int before =
            find_before(room.alpha.data() + (i - 1) * room_, at[t], room.best[i * room_ + at[t]]);
        at[t] = std::max(before, 0);  // NaN equals nothing
        tasks[t].path[i - 1] = state_[at[t]];
      }
    }
  }

 private:
  static constexpr int kFew = 2;
  static constexpr int kWorthBounds = 32;  // predecessors

  // [n, room] of a sentence.
  struct Room {
    std::vector<float> best, alpha;

    void make(size_t size) {
      if (alpha.size() >= size) return;
      alpha.resize(size);
      best.resize(size);
    }
  };

#if defined(LATPERC_WIDE)
  bool in_wide_vectors() const {
    return simd::wide() && part_ == 16 && room_ <= simd::kWidest && P_ <= simd::kWidest;
  }

  void find_ways(const Task* tasks, int count, simd::Way* ways) {
    for (int t = 0; t < count; t++) {
      ways[t] = {tasks[t].e, tasks[t].n, rooms_[t].best.data(), rooms_[t].alpha.data()};
    }
  }
#endif

  // Makes the plan without bounds.
  void lay_out(const Layout& layout, const float* pairs) {
    S_ = layout.states();
    P_ = layout.pitch();
#if defined(LATPERC_WIDE)
    part_ = simd::wide() ? 16 : simd::kWide;
#endif
    place_states(pairs);
    room_ = static_cast<int>(state_.size());
    live_.resize(room_);
    start_.assign(room_, kMinusInf);
    end_.assign(room_, kMinusInf);
    for (int j = 0; j < room_; j++) {
      if (state_[j] >= 0 && layout.may_start(state_[j])) start_[j] = 0.0f;
      if (state_[j] >= 0 && layout.may_end(state_[j])) end_[j] = 0.0f;
    }
    place_scores(pairs);
    find_scanned(pairs);
    find_runs();
  }

  // The predecessor of place `at` that gives `target`; of several that of the lowest state.
  int find_before(const float* alpha, int at, float target) {
    return simd::find_before(alpha, column(at), target, state_.data(), room_);
  }

  // The last place of the best path, or -1; of several that of the lowest state.
  int find_last(const float* last, float* score) const {
    int at = -1;
    *score = kMinusInf;
#if defined(LATPERC_WIDE)
    if (in_wide_vectors()) {
      *score = simd::best_sum_wide(last, end_.data(), room_);
      if (*score == kMinusInf) return at;
      return simd::find_before_wide(last, end_.data(), *score, state_.data(), room_);
    }
#endif
    for (int j = 0; j < room_; j++) {
      const float s = last[j] + end_[j];
      if (s > *score || (s == *score && at >= 0 && state_[j] < state_[at])) {
        *score = s;
        at = j;
      }
    }
    return at;
  }

  simd::Plan plan() {
    return {room_,
            wide_,
            to_wide_.data(),
            scanned_.data(),
            static_cast<int>(scanned_.size()),
            bounds_.ready() ? bounds_.low() : nullptr,
            bounds_.high(),
            live_.data(),
            runs_.data(),
            static_cast<int>(runs_.size()),
            run_scores_.data()};
  }

  // The scores from all places to place j.
  const float* column(int j) const { return before_.data() + static_cast<size_t>(j) * room_; }

  static int round_up(int place, int to) { return (place + to - 1) / to * to; }

  // States with equal numbers of predecessors and successors are side by side, so that the kinds
  // of chunk labels line up; those that precede runs come first.
  void place_states(const float* pairs) {
    std::vector<int> in(S_, 0), out(S_, 0);
    std::vector<uint8_t> inner(S_, 0);  // precedes a state with few predecessors
    const auto may = [&](int k, int j) {
      return pairs[static_cast<size_t>(k) * P_ + j] > kMinusInf;
    };
    for (int k = 0; k < S_; k++) {
      for (int j = 0; j < S_; j++) {
        in[j] += may(k, j);
        out[k] += may(k, j);
      }
    }
    for (int k = 0; k < S_; k++) {
      for (int j = 0; j < S_; j++) inner[k] |= in[j] <= kFew && may(k, j);
    }
    const auto kind = [&](int32_t j) {
      return std::make_tuple(in[j] <= kFew, !inner[j], in[j], out[j]);
    };
    std::vector<int32_t> order(S_);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t x, int32_t y) { return kind(x) < kind(y); });
    state_.clear();
    wide_ = -1;
    for (int r = 0; r < S_; r++) {
      const bool few = in[order[r]] <= kFew;
      if (few && (wide_ < 0 || kind(order[r]) != kind(order[r - 1]))) {
        const int to = wide_ < 0 ? part_ : simd::kWide;
        state_.resize(round_up(static_cast<int>(state_.size()), to), -1);
        if (wide_ < 0) wide_ = static_cast<int>(state_.size());
      }
      state_.push_back(order[r]);
    }
    state_.resize(round_up(static_cast<int>(state_.size()), part_), -1);
    if (wide_ < 0) wide_ = static_cast<int>(state_.size());
    source_.clear();
    for (int32_t state : state_) source_.push_back(std::max(state, 0));
  }

  // The score of the transition from place k to place j.
  float score(const float* pairs, int k, int j) const {
    if (state_[k] < 0 || state_[j] < 0) return kMinusInf;
    return pairs[static_cast<size_t>(state_[k]) * P_ + state_[j]];
  }

  void place_scores(const float* pairs) {
    to_wide_.assign(static_cast<size_t>(room_) * wide_, kMinusInf);
    before_.assign(static_cast<size_t>(room_) * room_, kMinusInf);
    for (int k = 0; k < room_; k++) {
      for (int j = 0; j < room_; j++) {
        if (j < wide_) to_wide_[static_cast<size_t>(k) * wide_ + j] = score(pairs, k, j);
        before_[static_cast<size_t>(j) * room_ + k] = score(pairs, k, j);
      }
    }
  }

  void find_scanned(const float* pairs) {
    scanned_.clear();
    for (int k = 0; k < room_; k++) {
      bool any = false;
      for (int j = 0; j < wide_ && !any; j++) any = score(pairs, k, j) > kMinusInf;
      if (any) scanned_.push_back(k);
    }
  }

  // Finds the two predecessors of each state behind the scanned ones: in vectors if they are
  // neighbours, otherwise one by one.
  void find_runs() {
    runs_.clear();
    run_scores_.clear();
    for (int first = wide_; first < room_; first += simd::kWide) {
      simd::Run run;
      run.begin = first;
      run.neighbours = true;
      run.scores = run_scores_.size();
      int count[simd::kWide];
      for (int v = 0; v < simd::kWide; v++) {
        count[v] = 0;
        run.before[0][v] = run.before[1][v] = 0;
        for (int k = 0; k < room_; k++) {
          if (column(first + v)[k] > kMinusInf) run.before[count[v]++][v] = k;
        }
        if (count[v] == 1) run.before[1][v] = run.before[0][v];
        if (count[v] == 0) continue;  // all scores are -inf
        for (const auto& before : run.before) {
          run.neighbours = run.neighbours && count[0] > 0 && before[v] == before[0] + v &&
                           before[0] + simd::kWide <= room_;
        }
      }
      for (auto& before : run.before) {
        for (int v = 0; v < simd::kWide; v++) {
          if (run.neighbours) before[v] = before[0] + v;
          run_scores_.push_back(count[v] ? column(first + v)[before[v]] : kMinusInf);
        }
      }
      runs_.push_back(run);
    }
  }

  bool ready_ = false;
  int S_ = 0, P_ = 0;
  int part_ = simd::kWide;          // places of a vector
  int room_ = 0;                    // number of places
  int wide_ = 0;                    // number of scanned places
  std::vector<int32_t> state_;      // place -> state, or -1
  std::vector<int32_t> source_;     // the same, with 0 for -1
  std::vector<float> start_, end_;  // [room] 0, or -inf if no path may start or end there
  std::vector<float> to_wide_;      // [room, wide] scores from all places to the scanned ones
  std::vector<float> before_;       // [room, room] scores to each place from all
  std::vector<int32_t> scanned_;    // predecessors of the scanned places
  Bounds bounds_;                   // of the scanned places; or not ready
  std::vector<int32_t> live_;       // [room]
  std::vector<simd::Run> runs_;     // behind the scanned places
  std::vector<float> run_scores_;   // scores of the runs
  Room rooms_[kAtOnce];
};

}  // namespace latperc
