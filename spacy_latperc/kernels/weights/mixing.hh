// Iterative parameter mixing (McDonald, Hall and Mann 2010): shards learn a pass apart, each
// from the same weights w, and the weights of the next pass are
//     w + sum_s share_s (w_s - w),   share_s = examples of s / examples of all.
//
// The accumulator of the average goes along. With c examples before, w' = w + sum_s d_s
// share_s, and every weight vector that any shard had counted once, as if it had been seen in
// one line, the average w - a / c (see weights/trained_weights.hh) stays right if
//     a' = a + sum_s [e_s + ((c + n) share_s - (c + n_s)) d_s],
// where d_s and e_s are what shard s changed w and a by, n_s its examples and n those of all.
// What a step remembers of a weight is mixed like the weights.
//
// Where each shard sees few of the examples that a feature has, its weight hardly moves in
// this way. So each weight may be mixed among the shards that changed it, as if there were no
// others: k share_s takes the place of share_s, with k examples of all for each example of
// those who changed the weight.
//
// Where shards are on several machines, each mixes a range of the features (mixed_values) and
// the others take what came out (take_values). Those of one process are mixed where they are
// (weights/mixing_in_place.hh): every cell goes through the same additions in the same order.
//
// Shards mark what they change, so that nothing else is looked at. Where penalties fall due,
// all rows change.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "weights/trainer.hh"

namespace latperc {

// Weights that went and came back differ by so much at most, and have not changed.
constexpr float kSameWeight = 2e-6f;

// What the changes of one shard add to what is mixed, after the equations above.
struct Share {
  double of_all;     // of the examples of all shards
  double all_after;  // examples: those before, and of all shards
  double own_after;  // those before, and its own

  Share(int64_t before, int64_t own, int64_t all)
      : of_all(static_cast<double>(own) / static_cast<double>(all)),
        all_after(static_cast<double>(before) + static_cast<double>(all)),
        own_after(static_cast<double>(before) + static_cast<double>(own)) {}

  // Of what a shard changed a weight, its accumulator and its memory by.
  // times: how many examples there are for each one of those who changed it.
  LATPERC_INLINE float to_weight(float w, double times) const {
    return static_cast<float>(of_all * times * w);
  }
  LATPERC_INLINE float to_accumulator(float w, float a, double times) const {
    return static_cast<float>(a + (all_after * (of_all * times) - own_after) * w);
  }
  LATPERC_INLINE float to_memory(float g) const { return static_cast<float>(of_all * g); }
};

// What a shard changed in a block. Features follow one another, each with its cells.
struct BlockDeltas {
  std::vector<int32_t> features;
  std::vector<uint32_t> sizes;  // cells of each feature
  std::vector<uint32_t> cells;
  std::vector<float> w, a, g;  // of each cell; empty where the plane is not kept
};

struct Deltas {
  std::vector<BlockDeltas> blocks;
  int64_t examples = 0;
  double clock = 0.0;  // how much further the clock of the penalties is
};

// Asks early for a row that is going to be compared or changed: rows of different trainers lie
// in different orders.
LATPERC_INLINE void ask_for(const TrainedRows& rows, int32_t row) {
  if (!rows.parts.whole()) return;
  const size_t at = rows.parts.begin(row), size = rows.parts.size(row);
  simd::prefetch_row(rows.w.data() + at, size);
  if (rows.averaged) simd::prefetch_row(rows.a.data() + at, size);
}
constexpr size_t kRowsAhead = 12;

// Calls visit(first cell, its place) for the parts of a row that are kept: pitch floats each.
template <class Visit>
inline void for_each_part(const RowParts& parts, int32_t row, const Visit& visit) {
  for (size_t k = 0; k < parts.count(row); k++) {
    visit(parts.history(row, k) * parts.pitch(), parts.begin(row) + k * parts.pitch());
  }
}

// Calls visit(row) for the rows of a shard that may differ from the weights it began with.
template <class Visit>
inline void for_each_changed_row(Trainer& shard, size_t b, const Visit& visit) {
  const TrainedRows& rows = shard.rows(b);
  const bool all = !rows.marks || shard.step().settings().shrinks();
  for (size_t r = 1; r < rows.rows(); r++) {
    if (all || rows.changed[r]) visit(static_cast<int32_t>(r));
  }
}

// All that a trainer knows, to another with the same blocks, which is a shard from now on.
inline void copy_weights(Trainer& from, Trainer* to) {
  from.catch_up_all();
  to->set_examples(from.examples());
  for (size_t b = 0; b < from.n_blocks(); b++) {
    const BlockShape& shape = from.shape(b);
    TrainedRows& source = from.rows(b);
    TrainedRows& target = to->rows(b);
    target.reset(shape);
    for (size_t r = 1; r < source.rows(); r++) {
      const int32_t row = to->row_for(b, source.feature_of[r]);
      for_each_part(source.parts, static_cast<int32_t>(r), [&](size_t cell, size_t at) {
        const size_t place = target.make(row, cell);
        const size_t n = static_cast<size_t>(shape.pitch) * sizeof(float);
        std::memcpy(target.w.data() + place, source.w.data() + at, n);
        if (source.averaged) std::memcpy(target.a.data() + place, source.a.data() + at, n);
        if (source.second) std::memcpy(target.g.data() + place, source.g.data() + at, n);
        if (source.anchored)
          std::memcpy(target.anchor.data() + place, source.anchor.data() + at, n);
      });
    }
    target.start_marks();
  }
  to->set_clock(from.clock());
}

// Calls visit(feature) for those that are new to a shard since it began with the weights.
template <class Visit>
inline void for_each_new_feature(Trainer& shard, size_t b, const Visit& visit) {
  const TrainedRows& rows = shard.rows(b);
  for (size_t r = rows.old_rows; r < rows.rows(); r++) visit(rows.feature_of[r]);
}

// Gives the weights rows for all features that a shard has rows for: new rows may begin with
// noise, which is no change. Those that were new come as deltas without cells.
inline void meet_features(Trainer& shard, Trainer* weights, Deltas* met) {
  met->blocks.assign(shard.n_blocks(), BlockDeltas());
  for (size_t b = 0; b < shard.n_blocks(); b++) {
    for_each_new_feature(shard, b, [&](int32_t feature) {
      if (weights->rows(b).row(feature)) return;
      weights->row_for(b, feature);
      met->blocks[b].features.push_back(feature);
      met->blocks[b].sizes.push_back(0);
    });
  }
}

// What a shard changed since it had these weights.
inline void find_deltas(Trainer& weights, Trainer& shard, Deltas* out) {
  shard.catch_up_all();
  out->examples = shard.examples() - weights.examples();
  out->clock = shard.clock() - weights.clock();
  out->blocks.assign(shard.n_blocks(), BlockDeltas());
  std::vector<int32_t> changed;
  for (size_t b = 0; b < shard.n_blocks(); b++) {
    const BlockShape& shape = shard.shape(b);
    TrainedRows& now = shard.rows(b);
    TrainedRows& before = weights.rows(b);
    BlockDeltas& found = out->blocks[b];
    const size_t pitch = static_cast<size_t>(shape.pitch);
    constexpr size_t kCells = 4;  // most are the same, and are seen to be so together
    const auto same = [](const Plane& x, size_t i, const Plane& y, size_t j) {
      return std::memcmp(x.data() + i, y.data() + j, kCells * sizeof(float)) == 0;
    };
    const auto differs = [&](const Plane& x, size_t i, const Plane& y, size_t j) {
      return std::memcmp(x.data() + i, y.data() + j, pitch * sizeof(float)) != 0;
    };
    changed.clear();
    for_each_changed_row(shard, b, [&](int32_t r) { changed.push_back(r); });
    for (size_t k = 0; k < changed.size(); k++) {
      if (k + kRowsAhead < changed.size()) {
        const int32_t next = changed[k + kRowsAhead];
        ask_for(now, next);
        ask_for(before, before.row(now.feature_of[next]));
      }
      const int32_t r = changed[k];
      const int32_t feature = now.feature_of[r];
      const int32_t row = before.row(feature);
      const size_t first = found.cells.size();
      for_each_part(now.parts, r, [&](size_t cell, size_t at) {
        const size_t place = before.parts.find(row, cell);
        if (!differs(now.w, at, before.w, place) &&
            !(now.averaged && differs(now.a, at, before.a, place)) &&
            !(now.second && differs(now.g, at, before.g, place))) {
          return;
        }
        for (size_t j = 0; j < static_cast<size_t>(shape.units); j++) {
          if (j % kCells == 0 && same(now.w, at + j, before.w, place + j) &&
              !(now.averaged && !same(now.a, at + j, before.a, place + j)) &&
              !(now.second && !same(now.g, at + j, before.g, place + j))) {
            j += kCells - 1;
            continue;
          }
          const float w = now.w.data()[at + j] - before.w.data()[place + j];
          const float a = now.averaged ? now.a.data()[at + j] - before.a.data()[place + j] : 0.0f;
          const float g = now.second ? now.g.data()[at + j] - before.g.data()[place + j] : 0.0f;
          if (w == 0.0f && a == 0.0f && g == 0.0f) continue;
          found.cells.push_back(static_cast<uint32_t>(cell + j));
          found.w.push_back(w);
          if (now.averaged) found.a.push_back(a);
          if (now.second) found.g.push_back(g);
        }
      });
      if (found.cells.size() == first) continue;
      found.features.push_back(feature);
      found.sizes.push_back(static_cast<uint32_t>(found.cells.size() - first));
    }
  }
}

// Calls visit(row, first change, change after the last) for each feature of a block.
template <class Visit>
inline void for_each_change(Trainer* trainer, size_t b, const BlockDeltas& deltas,
                            const Visit& visit) {
  size_t at = 0;
  const TrainedRows& rows = trainer->rows(b);
  for (size_t f = 0; f < deltas.features.size(); f++) {
    if (f + kRowsAhead < deltas.features.size()) {
      ask_for(rows, rows.row(deltas.features[f + kRowsAhead]));
    }
    const int32_t row = trainer->row_for(b, deltas.features[f]);
    visit(row, at, at + deltas.sizes[f]);
    at += deltas.sizes[f];
  }
}

// Of the weights of a block, by place, the examples of the shards that changed them. Only the
// pages that are written to take memory.
class ChangedBy {
 public:
  ChangedBy(const std::vector<const Deltas*>& shards, Trainer* weights, size_t b) {
    for_each(shards, weights, b, [](size_t, float, int64_t) {});  // no cell moves after this
    const size_t size = weights->rows(b).w.size();
    examples_.reset(static_cast<int64_t*>(std::calloc(size, sizeof(int64_t))));
    if (size && !examples_) throw std::bad_alloc();
    for_each(shards, weights, b, [&](size_t at, float w, int64_t n) {
      if (std::fabs(w) > kSameWeight) examples_.get()[at] += n;
    });
  }
  // How many of n examples there are for each example of those who changed it.
  double times(size_t at, float w, double n) const {
    return std::fabs(w) > kSameWeight ? n / static_cast<double>(examples_.get()[at]) : 1.0;
  }

 private:
  struct Free {
    void operator()(int64_t* memory) const { std::free(memory); }
  };
  std::unique_ptr<int64_t, Free> examples_;

  template <class Visit>
  static void for_each(const std::vector<const Deltas*>& shards, Trainer* weights, size_t b,
                       const Visit& visit) {
    TrainedRows& rows = weights->rows(b);
    for (const Deltas* shard : shards) {
      const BlockDeltas& deltas = shard->blocks[b];
      for_each_change(weights, b, deltas, [&](int32_t row, size_t first, size_t last) {
        for (size_t i = first; i < last; i++) {
          visit(rows.make(row, deltas.cells[i]), deltas.w[i], shard->examples);
        }
      });
    }
  }
};

// The weights of the next pass, in the place of those that the shards began with.
//
// by_changes: each weight is mixed among the shards that changed it, and not among all.
inline void mix_deltas(const std::vector<const Deltas*>& shards, bool by_changes,
                       Trainer* weights) {
  int64_t examples = 0;
  for (const Deltas* shard : shards) examples += shard->examples;
  if (examples == 0) return;
  const double n = static_cast<double>(examples);
  for (size_t b = 0; b < weights->n_blocks(); b++) {
    std::unique_ptr<ChangedBy> changed;
    if (by_changes) changed = std::make_unique<ChangedBy>(shards, weights, b);
    TrainedRows& rows = weights->rows(b);
    for (const Deltas* shard : shards) {
      const BlockDeltas& deltas = shard->blocks[b];
      const Share share(weights->examples(), shard->examples, examples);
      for_each_change(weights, b, deltas, [&](int32_t row, size_t first, size_t last) {
        for (size_t i = first; i < last; i++) {
          const size_t at = rows.make(row, deltas.cells[i]);
          const float w = deltas.w[i];
          const double times = changed ? changed->times(at, w, n) : 1.0;
          if (rows.second) rows.g[at] += share.to_memory(deltas.g[i]);
          rows.w[at] += share.to_weight(w, times);
          if (rows.averaged) rows.a[at] += share.to_accumulator(w, deltas.a[i], times);
        }
      });
    }
  }
  double clock = weights->clock();
  for (const Deltas* shard : shards) {
    clock += Share(weights->examples(), shard->examples, examples).of_all * shard->clock;
  }
  weights->set_examples(weights->examples() + examples);
  weights->set_clock(clock);
}

// Puts what some deltas hold, not as changes but as the weights themselves, in the place of
// those of a trainer. It then has learned as much as whoever mixed them.
inline void take_values(const Deltas& values, Trainer* trainer) {
  for (size_t b = 0; b < values.blocks.size(); b++) {
    const BlockDeltas& block = values.blocks[b];
    TrainedRows& rows = trainer->rows(b);
    for_each_change(trainer, b, block, [&](int32_t row, size_t first, size_t last) {
      for (size_t i = first; i < last; i++) {
        const size_t at = rows.make(row, block.cells[i]);
        rows.w[at] = block.w[i];
        if (rows.averaged) rows.a[at] = block.a[i];
        if (rows.second) rows.g[at] = block.g[i];
      }
    });
    if (rows.marks) rows.start_marks();
  }
  trainer->set_examples(values.examples);
  trainer->set_clock(values.clock);
}

// The features and cells that some deltas change, each once, in rising order.
inline void find_changed(const std::vector<const Deltas*>& shards, size_t b, BlockDeltas* out) {
  std::vector<uint64_t> changed;  // feature << 32 | cell
  std::vector<int32_t> met;
  for (const Deltas* shard : shards) {
    const BlockDeltas& block = shard->blocks[b];
    size_t at = 0;
    for (size_t f = 0; f < block.features.size(); f++) {
      const uint64_t feature = static_cast<uint32_t>(block.features[f]);
      if (block.sizes[f] == 0) met.push_back(block.features[f]);
      for (uint32_t k = 0; k < block.sizes[f]; k++, at++) {
        changed.push_back(feature << 32 | block.cells[at]);
      }
    }
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (uint64_t key : changed) {
    const int32_t feature = static_cast<int32_t>(key >> 32);
    if (out->features.empty() || out->features.back() != feature) {
      out->features.push_back(feature);
      out->sizes.push_back(0);
    }
    out->sizes.back()++;
    out->cells.push_back(static_cast<uint32_t>(key));
  }
  std::sort(met.begin(), met.end());
  met.erase(std::unique(met.begin(), met.end()), met.end());
  for (int32_t feature : met) {
    out->features.push_back(feature);
    out->sizes.push_back(0);
  }
}

// What mix_deltas makes of the weights, where they change: for take_values. The weights stay
// as they are, so that this can be done once more.
inline void mixed_values(const std::vector<const Deltas*>& shards, bool by_changes,
                         Trainer* weights, Deltas* out) {
  const int64_t examples = weights->examples();
  const double clock = weights->clock();
  out->blocks.assign(weights->n_blocks(), BlockDeltas());
  const auto read = [&](size_t b, BlockDeltas* block) {
    TrainedRows& rows = weights->rows(b);
    for_each_change(weights, b, *block, [&](int32_t row, size_t first, size_t last) {
      for (size_t i = first; i < last; i++) {
        const size_t at = rows.make(row, block->cells[i]);
        block->w.push_back(rows.w[at]);
        if (rows.averaged) block->a.push_back(rows.a[at]);
        if (rows.second) block->g.push_back(rows.g[at]);
      }
    });
  };
  Deltas before;
  before.examples = examples;
  before.clock = clock;
  before.blocks.assign(weights->n_blocks(), BlockDeltas());
  for (size_t b = 0; b < weights->n_blocks(); b++) {
    find_changed(shards, b, &out->blocks[b]);
    before.blocks[b] = out->blocks[b];
    read(b, &before.blocks[b]);
  }
  mix_deltas(shards, by_changes, weights);
  for (size_t b = 0; b < weights->n_blocks(); b++) read(b, &out->blocks[b]);
  out->examples = weights->examples();
  out->clock = weights->clock();
  take_values(before, weights);
}

}  // namespace latperc
