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
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "common/checked.hh"
#include "common/threads.hh"
#include "simd/lanes.hh"
#include "weights/mixing.hh"
#include "weights/trainer.hh"

namespace latperc {

// The planes of a block that are kept; the others are null.
struct KeptPlanes {
  float* w;
  float* a;
  float* g;

  explicit KeptPlanes(TrainedRows& rows)
      : w(rows.w.data()),
        a(rows.averaged ? rows.a.data() : nullptr),
        g(rows.second ? rows.g.data() : nullptr) {}
};

// Cells to be mixed: rows, or parts of rows, of one length. Each is in the weights and in all
// shards, somewhere else.
class MixedPlaces {
 public:
  static constexpr size_t kRoom = 256;

  explicit MixedPlaces(size_t shards)
      : shards_(shards), weights_(kRoom), places_(shards * kRoom), changed_(shards * kRoom) {}

  size_t size() const { return size_; }
  void clear() { size_ = 0; }
  // Writes down another one, and counts it if some shard has changed it.
  //
  // where(s): its place in a shard, and which of its groups that has changed.
  template <class Where>
  LATPERC_INLINE void add(size_t place, const Where& where) {
    uint8_t any = 0;
    for (size_t s = 0; s < shards_; s++) {
      const std::pair<size_t, uint8_t> found = where(s);
      places_[s * kRoom + size_] = static_cast<int32_t>(found.first);
      changed_[s * kRoom + size_] = found.second;
      any |= found.second;
    }
    weights_[size_] = static_cast<int32_t>(place);
    size_ += any != 0;
  }

  LATPERC_INLINE size_t of_weights(size_t k) const { return static_cast<size_t>(weights_[k]); }
  LATPERC_INLINE size_t of_shard(size_t s, size_t k) const {
    return static_cast<size_t>(places_[s * kRoom + k]);
  }
  LATPERC_INLINE uint8_t changed(size_t s, size_t k) const { return changed_[s * kRoom + k]; }
  LATPERC_INLINE uint8_t changed(size_t k) const {
    uint8_t any = 0;
    for (size_t s = 0; s < shards_; s++) any |= changed(s, k);
    return any;
  }

 private:
  size_t shards_, size_ = 0;
  std::vector<int32_t> weights_, places_;
  std::vector<uint8_t> changed_;
};

// What is mixed, and how.
struct Mixture {
  bool by_changes;  // each weight among the shards that changed it
  double examples;  // of all shards
  std::vector<double> own;
  std::vector<Share> shares;
};

namespace simd {

// How the cells of a block are mixed.
struct BlockMixture {
  const Mixture& how;
  KeptPlanes weights;
  const std::vector<KeptPlanes>& shards;
  size_t length;  // of a place, in cells
  int group_bits;

  // Mixes N cells of place k, from this one on.
  template <int N, bool by_changes>
  LATPERC_INLINE void mix(const MixedPlaces& places, size_t k, size_t cell, uint8_t group) const {
    const size_t at = places.of_weights(k) * length + cell;
    float w[N], before_w[N], step[N];
    double changed_by[N], times[N];
    for (int j = 0; j < N; j++) w[j] = before_w[j] = weights.w[at + j];
    for (int j = 0; j < N; j++) changed_by[j] = 0.0;
    for (size_t s = 0; by_changes && s < shards.size(); s++) {
      if (!(places.changed(s, k) & group)) continue;
      const float* const now = shards[s].w + places.of_shard(s, k) * length + cell;
      const double own = how.own[s];
      for (int j = 0; j < N; j++) {
        changed_by[j] += std::fabs(now[j] - before_w[j]) > kSameWeight ? own : 0.0;
      }
    }
    float a[N], before_a[N];
    for (int j = 0; weights.a && j < N; j++) a[j] = before_a[j] = weights.a[at + j];
    float g[N], before_g[N];
    for (int j = 0; weights.g && j < N; j++) g[j] = before_g[j] = weights.g[at + j];
    for (size_t s = 0; s < shards.size(); s++) {
      if (!(places.changed(s, k) & group)) continue;
      const Share share = how.shares[s];
      const size_t there = places.of_shard(s, k) * length + cell;
      const float* now = shards[s].w + there;
      for (int j = 0; j < N; j++) step[j] = now[j] - before_w[j];
      for (int j = 0; j < N; j++) {
        times[j] =
            by_changes && std::fabs(step[j]) > kSameWeight ? how.examples / changed_by[j] : 1.0;
      }
      for (int j = 0; j < N; j++) w[j] += share.to_weight(step[j], times[j]);
      if (weights.a) {
        now = shards[s].a + there;
        for (int j = 0; j < N; j++) {
          a[j] += share.to_accumulator(step[j], now[j] - before_a[j], times[j]);
        }
      }
      if (weights.g) {
        now = shards[s].g + there;
        for (int j = 0; j < N; j++) g[j] += share.to_memory(now[j] - before_g[j]);
      }
    }
    give<N>(weights, at, w, a, g);
    for (size_t s = 0; s < shards.size(); s++) {
      give<N>(shards[s], places.of_shard(s, k) * length + cell, w, a, g);
    }
  }

  template <bool by_changes>
  LATPERC_INLINE void mix_all(const MixedPlaces& places) const {
    const size_t size = size_t{1} << group_bits;
    for (size_t k = 0; k < std::min(kAhead, places.size()); k++) ask_for(places, k);
    for (size_t k = 0; k < places.size(); k++) {
      if (k + kAhead < places.size()) ask_for(places, k + kAhead);
      const unsigned groups = places.changed(k);
      for (size_t first = 0; first < length; first += size) {
        const unsigned group = 1u << (first >> group_bits);
        if (!(groups & group)) continue;
        const size_t last = std::min(first + size, length);
        size_t cell = first;
        for (; cell + 8 <= last; cell += 8) mix<8, by_changes>(places, k, cell, group);
        for (; cell < last; cell += 4) mix<4, by_changes>(places, k, cell, group);
      }
    }
  }

 private:
  static constexpr size_t kAhead = 6;  // places that are asked for early

  template <int N>
  LATPERC_INLINE static void give(const KeptPlanes& planes, size_t at, const float* w,
                                  const float* a, const float* g) {
    std::memcpy(planes.w + at, w, N * sizeof(float));
    if (planes.a) std::memcpy(planes.a + at, a, N * sizeof(float));
    if (planes.g) std::memcpy(planes.g + at, g, N * sizeof(float));
  }

  LATPERC_INLINE void ask_for(const MixedPlaces& places, size_t k) const {
    const unsigned groups = places.changed(k);
    for (size_t first = 0; first < length; first += size_t{1} << group_bits) {
      if (!(groups >> (first >> group_bits) & 1)) continue;
      ask_for(weights, places.of_weights(k) * length + first);
      for (size_t s = 0; s < shards.size(); s++) {
        ask_for(shards[s], places.of_shard(s, k) * length + first);
      }
    }
  }
  LATPERC_INLINE static void ask_for(const KeptPlanes& planes, size_t at) {
    prefetch(planes.w + at);
    if (planes.a) prefetch(planes.a + at);
    if (planes.g) prefetch(planes.g + at);
  }
};

LATPERC_WIDE_CLONES static void mix_places(const BlockMixture& block, const MixedPlaces& places) {
  if (block.how.by_changes) {
    block.mix_all<true>(places);
  } else {
    block.mix_all<false>(places);
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
    const Mixture how = mixture(by_changes);
    std::vector<std::vector<KeptPlanes>> planes(weights_->n_blocks());
    for (size_t b = 0; b < planes.size(); b++) {
      for (Trainer* shard : shards_) planes[b].emplace_back(shard->rows(b));
    }
    std::vector<MixedPlaces> places(threads, MixedPlaces(shards_.size()));
    if (how.examples > 0.0) {
      in_threads(threads, [&](size_t k) { mix_part(k, threads, how, planes, &places[k]); });
    }
    finish(how);
  }

 private:
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

  Mixture mixture(bool by_changes) const {
    Mixture how{by_changes, 0.0, {}, {}};
    int64_t all = 0;
    for (Trainer* shard : shards_) all += shard->examples() - weights_->examples();
    for (Trainer* shard : shards_) {
      const int64_t own = shard->examples() - weights_->examples();
      how.own.push_back(static_cast<double>(own));
      if (all) how.shares.emplace_back(weights_->examples(), own, all);
    }
    how.examples = static_cast<double>(all);
    return how;
  }

  void mix_part(size_t part, size_t parts, const Mixture& how,
                const std::vector<std::vector<KeptPlanes>>& planes, MixedPlaces* places) {
    for (size_t b = 0; b < weights_->n_blocks(); b++) {
      TrainedRows& rows = weights_->rows(b);
      const bool whole = rows.parts.whole();
      const simd::BlockMixture block{how, KeptPlanes(rows), planes[b],
                                     whole ? weights_->shape(b).stride() : rows.parts.pitch(),
                                     rows.group_bits};
      const size_t count = whole ? rows.rows() : touched_[b].size();
      for (size_t first = part * kAtOnce; first < count; first += parts * kAtOnce) {
        const size_t last = std::min(first + kAtOnce, count);
        if (whole) {
          mix_rows(b, std::max<size_t>(first, 1), last, block, places);
        } else {
          mix_parts_of(b, first, last, block, places);
        }
      }
    }
  }

  void mix_rows(size_t b, size_t first, size_t last, const simd::BlockMixture& block,
                MixedPlaces* places) {
    std::vector<std::pair<const int32_t*, const uint8_t*>> of_shards;
    for (size_t s = 0; s < shards_.size(); s++) {
      of_shards.emplace_back(twins_[s][b].data(), shards_[s]->rows(b).changed.data());
    }
    const bool all = all_changed();
    places->clear();
    for (size_t r = first; r < last; r++) {
      places->add(r, [&](size_t s) {
        const int32_t row = of_shards[s].first[r];
        return std::make_pair(static_cast<size_t>(row), all ? kAll : of_shards[s].second[row]);
      });
    }
    simd::mix_places(block, *places);
  }

  void mix_parts_of(size_t b, size_t first, size_t last, const simd::BlockMixture& block,
                    MixedPlaces* places) {
    const RowParts& parts = weights_->rows(b).parts;
    places->clear();
    for (size_t k = first; k < last; k++) {
      const size_t row = static_cast<size_t>(touched_[b][k]);
      for_each_part(parts, touched_[b][k], [&](size_t cell, size_t at) {
        places->add(at / parts.pitch(), [&](size_t s) {
          const TrainedRows& own = shards_[s]->rows(b);
          const int32_t twin = twins_[s][b][row];
          const bool changed = all_changed() || own.changed[twin];
          return std::make_pair(own.parts.find(twin, cell) / parts.pitch(),
                                changed ? kAll : uint8_t{0});
        });
        if (places->size() < MixedPlaces::kRoom) return;
        simd::mix_places(block, *places);
        places->clear();
      });
    }
    simd::mix_places(block, *places);
  }

  void finish(const Mixture& how) {
    const int64_t examples = weights_->examples() + static_cast<int64_t>(how.examples);
    double clock = weights_->clock();
    for (size_t s = 0; s < how.shares.size(); s++) {
      clock += how.shares[s].of_all * (shards_[s]->clock() - weights_->clock());
    }
    set_progress(weights_, examples, clock);
    for (Trainer* shard : shards_) {
      set_progress(shard, examples, clock);
      for (size_t b = 0; b < shard->n_blocks(); b++) shard->rows(b).start_marks();
    }
  }

  static void set_progress(Trainer* trainer, int64_t examples, double clock) {
    trainer->set_examples(examples);
    trainer->set_clock(clock);
    for (size_t b = 0; b < trainer->n_blocks(); b++) trainer->rows(b).changes++;
  }

  static constexpr size_t kAtOnce = MixedPlaces::kRoom;  // rows
  static constexpr uint8_t kAll = TrainedRows::kAllGroups;

  Trainer* const weights_;
  const std::vector<Trainer*> shards_;
  std::vector<std::vector<std::vector<int32_t>>> twins_;  // shard, block, row -> row there
  std::vector<std::vector<int32_t>> touched_;             // block -> rows in parts that changed
};

}  // namespace latperc
