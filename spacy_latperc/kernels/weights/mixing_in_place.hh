// Mixing of shards that are in this process (weights/mixing.hh has the equations).
//
// Everything is looked at once: where a shard has changed a group of cells, the group is
// compared, mixed and given to all shards. Rows are dealt out to threads; to which makes no
// difference to any cell. Shards number their rows in the order in which they meet features,
// so each has a list of where the rows of the weights are there.
//
// First all get the rows and parts that any of them has (meet, join). If memory ends there, no
// weight has changed; what follows needs none.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/checked.hh"
#include "common/threads.hh"
#include "simd/lanes.hh"
#include "weights/mixing.hh"
#include "weights/trainer.hh"

namespace latperc {

// Where some cells are in the planes that are kept; the others are null.
struct CellsAt {
  float* w;
  float* a;
  float* g;

  CellsAt() : w(nullptr), a(nullptr), g(nullptr) {}
  CellsAt(TrainedRows& rows, size_t at, size_t count)
      : w(rows.w.data() + at),
        a(rows.averaged ? rows.a.data() + at : nullptr),
        g(rows.second ? rows.g.data() + at : nullptr) {
    require(at + count <= rows.w.size(), "mixed past the end of a plane");
  }
};

// One shard while its cells are mixed.
struct MixedShard {
  Share share;
  double examples;
  CellsAt cells;
  uint8_t changed;  // groups
};

namespace simd {

// Mixes N cells, from this one on, where shards have changed their group.
template <bool by_changes, int N>
LATPERC_INLINE void mix_cells(const CellsAt& weights, const MixedShard* shards, size_t n_shards,
                              size_t first, uint8_t group, double examples) {
  float w[N], before[N], step[N];
  double changed_by[N], times[N];
  std::memcpy(before, weights.w + first, sizeof(before));
  std::memcpy(w, before, sizeof(w));
  const auto find_step = [&](const MixedShard& shard) {
    for (int j = 0; j < N; j++) step[j] = shard.cells.w[first + j] - before[j];
  };
  float a[N], a_before[N], g[N], g_before[N];
  if (weights.a) {
    std::memcpy(a_before, weights.a + first, sizeof(a));
    std::memcpy(a, a_before, sizeof(a));
  }
  if (weights.g) {
    std::memcpy(g_before, weights.g + first, sizeof(g));
    std::memcpy(g, g_before, sizeof(g));
  }
  for (int j = 0; j < N; j++) {
    changed_by[j] = 0.0;
    times[j] = 1.0;
  }
  for (size_t s = 0; by_changes && s < n_shards; s++) {
    if (!(shards[s].changed & group)) continue;
    find_step(shards[s]);
    for (int j = 0; j < N; j++) {
      changed_by[j] += std::fabs(step[j]) > kSameWeight ? shards[s].examples : 0.0;
    }
  }
  for (size_t s = 0; s < n_shards; s++) {
    if (!(shards[s].changed & group)) continue;
    const Share share = shards[s].share;
    find_step(shards[s]);
    for (int j = 0; by_changes && j < N; j++) {
      times[j] = std::fabs(step[j]) > kSameWeight ? examples / changed_by[j] : 1.0;
    }
    for (int j = 0; j < N; j++) w[j] += share.to_weight(step[j], times[j]);
    if (weights.a) {
      const float* const now = shards[s].cells.a + first;
      for (int j = 0; j < N; j++) {
        a[j] += share.to_accumulator(step[j], now[j] - a_before[j], times[j]);
      }
    }
    if (weights.g) {
      const float* const now = shards[s].cells.g + first;
      for (int j = 0; j < N; j++) g[j] += share.to_memory(now[j] - g_before[j]);
    }
  }
  const auto give = [&](const CellsAt& cells) {
    std::memcpy(cells.w + first, w, sizeof(w));
    if (cells.a) std::memcpy(cells.a + first, a, sizeof(a));
    if (cells.g) std::memcpy(cells.g + first, g, sizeof(g));
  };
  give(weights);
  for (size_t s = 0; s < n_shards; s++) give(shards[s].cells);
}

template <bool by_changes>
LATPERC_INLINE void mix_groups(const CellsAt& weights, const MixedShard* shards, size_t n_shards,
                               size_t cells, int group_bits, double examples) {
  uint8_t changed = 0;
  for (size_t s = 0; s < n_shards; s++) changed |= shards[s].changed;
  const size_t size = size_t{1} << group_bits;
  for (size_t first = 0; first < cells; first += size) {
    const uint8_t group = static_cast<uint8_t>(1u << (first >> group_bits));
    if (!(changed & group)) continue;
    const size_t last = std::min(first + size, cells);
    size_t at = first;
    for (; at + 8 <= last; at += 8) {
      mix_cells<by_changes, 8>(weights, shards, n_shards, at, group, examples);
    }
    for (; at < last; at += 4) {
      mix_cells<by_changes, 4>(weights, shards, n_shards, at, group, examples);
    }
  }
}

// Mixes the groups of a row, or of a part of one, that shards have changed.
LATPERC_WIDE_CLONES static void mix_row(const CellsAt& weights, const MixedShard* shards,
                                        size_t n_shards, size_t cells, int group_bits,
                                        bool by_changes, double examples) {
  if (by_changes) {
    mix_groups<true>(weights, shards, n_shards, cells, group_bits, examples);
  } else {
    mix_groups<false>(weights, shards, n_shards, cells, group_bits, examples);
  }
}

}  // namespace simd

class MixingInPlace {
 public:
  // Shards that have learned nothing since copy_weights gave them the weights.
  MixingInPlace(Trainer* weights, const std::vector<Trainer*>& shards)
      : weights_(weights), shards_(shards), twins_(shards.size()) {
    for (auto& of_shard : twins_) of_shard.assign(weights->n_blocks(), {0});
    touched_.resize(weights->n_blocks());
  }

  // The weights of the next pass, for all, in so many threads.
  //
  // by_changes: each weight is mixed among the shards that changed it, and not among all.
  void mix(bool by_changes, size_t threads) {
    meet();
    const size_t n = std::min(threads, shards_.size());
    in_threads(n, [&](size_t k) {
      for (size_t s = k; s < shards_.size(); s += n) join(s);
    });
    int64_t examples = 0;
    for (Trainer* shard : shards_) examples += shard->examples() - weights_->examples();
    const std::vector<MixedShard> shares = shares_of(examples);
    std::vector<std::vector<MixedShard>> of_thread(threads, shares);
    if (examples) {
      in_threads(threads, [&](size_t k) { mix_part(k, threads, by_changes, &of_thread[k]); });
    }
    finish(examples, shares);
  }

 private:
  static constexpr size_t kChunk = 1024;  // rows
  static constexpr size_t kAhead = 6;     // rows that are asked for early

  bool all_changed() const { return weights_->step().settings().shrinks(); }

  // The weights get the rows and parts that shards have.
  void meet() {
    for (size_t b = 0; b < weights_->n_blocks(); b++) {
      TrainedRows& rows = weights_->rows(b);
      touched_[b].clear();
      for (Trainer* shard : shards_) {
        for_each_new_feature(*shard, b, [&](int32_t feature) { weights_->row_for(b, feature); });
        if (rows.parts.whole()) continue;
        const TrainedRows& from = shard->rows(b);
        for_each_changed_row(*shard, b, [&](int32_t r) {
          const int32_t row = rows.row(from.feature_of[r]);
          for_each_part(from.parts, r, [&](size_t cell, size_t) { rows.make(row, cell); });
          touched_[b].push_back(row);
        });
      }
      std::sort(touched_[b].begin(), touched_[b].end());
      touched_[b].erase(std::unique(touched_[b].begin(), touched_[b].end()), touched_[b].end());
    }
  }

  // A shard gets the rows and parts that the weights have.
  void join(size_t s) {
    Trainer& shard = *shards_[s];
    shard.catch_up_all();
    for (size_t b = 0; b < shard.n_blocks(); b++) {
      const TrainedRows& from = weights_->rows(b);
      TrainedRows& to = shard.rows(b);
      std::vector<int32_t>& twins = twins_[s][b];
      twins.reserve(from.rows());
      while (twins.size() < from.rows()) {
        twins.push_back(shard.row_for(b, from.feature_of[twins.size()], 0));
      }
      for (int32_t row : touched_[b]) {
        for_each_part(from.parts, row, [&](size_t cell, size_t) { to.make(twins[row], cell); });
      }
    }
  }

  std::vector<MixedShard> shares_of(int64_t examples) const {
    std::vector<MixedShard> shares;
    for (Trainer* shard : shards_) {
      const int64_t own = shard->examples() - weights_->examples();
      shares.push_back({Share(weights_->examples(), own, std::max<int64_t>(examples, 1)),
                        static_cast<double>(own), CellsAt(), 0});
    }
    return shares;
  }

  void mix_part(size_t part, size_t parts, bool by_changes, std::vector<MixedShard>* shards) {
    const double examples = all_of(*shards);
    for (size_t b = 0; b < weights_->n_blocks(); b++) {
      TrainedRows& rows = weights_->rows(b);
      if (!rows.parts.whole()) {
        for (size_t k = part; k < touched_[b].size(); k += parts) {
          mix_parts_of(b, touched_[b][k], by_changes, examples, shards);
        }
        continue;
      }
      for (size_t first = part * kChunk; first < rows.rows(); first += parts * kChunk) {
        mix_chunk(b, first, std::min(first + kChunk, rows.rows()), by_changes, examples, shards);
      }
    }
  }

  // Rows that are whole.
  void mix_chunk(size_t b, size_t first, size_t last, bool by_changes, double examples,
                 std::vector<MixedShard>* shards) {
    std::array<int32_t, kChunk> found;
    size_t count = 0;
    for (size_t r = std::max<size_t>(first, 1); r < last; r++) {
      uint8_t changed = 0;
      for (size_t s = 0; s < shards_.size(); s++) changed |= changed_of(s, b, r);
      found[count] = static_cast<int32_t>(r);
      count += changed != 0;
    }
    TrainedRows& rows = weights_->rows(b);
    const size_t stride = weights_->shape(b).stride();
    const auto place = [&](int32_t row) { return static_cast<size_t>(row) * stride; };
    for (size_t k = 0; k < std::min(kAhead, count); k++) ask_for_groups(b, found[k]);
    for (size_t k = 0; k < count; k++) {
      if (k + kAhead < count) ask_for_groups(b, found[k + kAhead]);
      for (size_t s = 0; s < shards_.size(); s++) {
        (*shards)[s].cells = CellsAt(shards_[s]->rows(b), place(twins_[s][b][found[k]]), stride);
        (*shards)[s].changed = changed_of(s, b, static_cast<size_t>(found[k]));
      }
      simd::mix_row(CellsAt(rows, place(found[k]), stride), shards->data(), shards->size(), stride,
                    rows.group_bits, by_changes, examples);
    }
  }

  void mix_parts_of(size_t b, int32_t row, bool by_changes, double examples,
                    std::vector<MixedShard>* shards) {
    TrainedRows& rows = weights_->rows(b);
    const size_t pitch = rows.parts.pitch();
    for_each_part(rows.parts, row, [&](size_t cell, size_t at) {
      for (size_t s = 0; s < shards_.size(); s++) {
        TrainedRows& own = shards_[s]->rows(b);
        const int32_t twin = twins_[s][b][row];
        (*shards)[s].cells = CellsAt(own, own.parts.find(twin, cell), pitch);
        const bool changed = changed_of(s, b, static_cast<size_t>(row)) != 0;
        (*shards)[s].changed = changed ? TrainedRows::kAllGroups : 0;
      }
      simd::mix_row(CellsAt(rows, at, pitch), shards->data(), shards->size(), pitch,
                    rows.group_bits, by_changes, examples);
    });
  }

  void finish(int64_t examples, const std::vector<MixedShard>& shares) {
    double clock = weights_->clock();
    for (size_t s = 0; s < shards_.size() && examples; s++) {
      clock += shares[s].share.of_all * (shards_[s]->clock() - weights_->clock());
    }
    set_progress(weights_, weights_->examples() + examples, clock);
    for (Trainer* shard : shards_) {
      set_progress(shard, weights_->examples(), clock);
      for (size_t b = 0; b < shard->n_blocks(); b++) shard->rows(b).start_marks();
    }
  }

  static void set_progress(Trainer* trainer, int64_t examples, double clock) {
    trainer->set_examples(examples);
    trainer->set_clock(clock);
    for (size_t b = 0; b < trainer->n_blocks(); b++) trainer->rows(b).changes++;
  }

  static double all_of(const std::vector<MixedShard>& shards) {
    double all = 0.0;
    for (const MixedShard& shard : shards) all += shard.examples;
    return all;
  }

  // The groups of a row of the weights that a shard has changed.
  uint8_t changed_of(size_t s, size_t b, size_t row) const {
    if (all_changed()) return TrainedRows::kAllGroups;
    return shards_[s]->rows(b).changed[twins_[s][b][row]];
  }

  // Asks early for what is going to be mixed.
  LATPERC_INLINE void ask_for_groups(size_t b, int32_t row) const {
    TrainedRows& rows = weights_->rows(b);
    const size_t stride = weights_->shape(b).stride();
    uint8_t changed = 0;
    for (size_t s = 0; s < shards_.size(); s++) changed |= changed_of(s, b, row);
    for (size_t first = 0; first < stride; first += size_t{1} << rows.group_bits) {
      if (!(changed >> (first >> rows.group_bits) & 1)) continue;
      ask_for_cells(rows, row * stride + first);
      for (size_t s = 0; s < shards_.size(); s++) {
        ask_for_cells(shards_[s]->rows(b), twins_[s][b][row] * stride + first);
      }
    }
  }
  LATPERC_INLINE static void ask_for_cells(const TrainedRows& rows, size_t at) {
    simd::prefetch(rows.w.data() + at);
    if (rows.averaged) simd::prefetch(rows.a.data() + at);
    if (rows.second) simd::prefetch(rows.g.data() + at);
  }

  Trainer* const weights_;
  const std::vector<Trainer*> shards_;
  std::vector<std::vector<std::vector<int32_t>>> twins_;  // shard, block, row -> row there
  std::vector<std::vector<int32_t>> touched_;             // block -> rows in parts that changed
};

}  // namespace latperc
