// Weights in training: rows of features, steps that change them, averages.
//
// After c examples the average of a weight is w - a / c (Daume's trick): a step that adds x to
// w adds x times the number of earlier examples to a. before_example and after_example enclose
// each example; they also restart epochs for modified averaging.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/checked.hh"
#include "hashing/hash.hh"
#include "hashing/patterns.hh"
#include "hashing/values.hh"
#include "lattice/lattice.hh"
#include "weights/averaging.hh"
#include "weights/delta.hh"
#include "weights/steps.hh"
#include "weights/weights.hh"

namespace latperc {

struct InitialNoise {
  float scale = 0.0f;
  uint64_t seed = 0;
};

class TrainedWeights {
 public:
  TrainedWeights(const Layout& layout, const std::vector<BlockShape>& shapes,
                 const std::vector<int32_t>& constants, int templates, const Averaging& averaging,
                 const StepSettings& step, const InitialNoise& noise)
      : layout_(layout),
        shapes_(shapes),
        constants_(constants),
        templates_(templates),
        averaging_(averaging),
        step_(step),
        noise_(noise) {
    for (const BlockShape& shape : shapes_) {
      rows_.emplace_back(new TrainedRows());
      rows_.back()->averaged = averaging.on;
      rows_.back()->second = step.adagrad;
      rows_.back()->reset(shape);
      has_.emplace_back(templates, 0);
      for (int32_t t : shape.templates) has_.back()[t] = 1;
    }
  }

  // The index behind the feature ids: hashes (for noise) and counts (for the cut-off).
  void set_index(const std::vector<uint64_t>* keys, const std::vector<int32_t>* counts,
                 int32_t min_count) {
    keys_ = keys;
    counts_ = counts;
    min_count_ = min_count;
  }

  // The ids of the features of a sentence's first and last token; 0 for none.
  void set_boundaries(int32_t start, int32_t end) {
    start_ = start;
    end_ = end;
  }
  bool has_boundaries(size_t b) const { return start_ > 0 && shapes_[b].kind == Kind::state; }
  int32_t start_feature() const { return start_; }
  int32_t end_feature() const { return end_; }

  const Layout& layout() const { return layout_; }
  const Step& step() const { return step_; }
  size_t n_blocks() const { return shapes_.size(); }
  const BlockShape& shape(size_t b) const { return shapes_[b]; }
  TrainedRows& rows(size_t b) { return *rows_[b]; }
  int templates() const { return templates_; }
  int constants(size_t b) const { return constants_[b]; }
  // A counter that grows whenever scores of transitions may change.
  uint64_t changes_of_transitions() const {
    uint64_t changes = 0;
    for (size_t b = 0; b < shapes_.size(); b++) {
      if (shapes_[b].kind != Kind::state) changes += rows_[b]->changes;
    }
    return changes;
  }

  // True if a feature was seen often enough to have weights.
  bool admitted(int32_t feature) const {
    return feature > 0 && (min_count_ <= 1 || (*counts_)[feature] >= min_count_);
  }

  // Calls visit(feature, value) for the admitted weighted features of block b at token i.
  template <class Visit>
  void for_weighted(const WeightedIds& weighted, size_t b, int64_t i, const Visit& visit) const {
    for (int64_t k = weighted.first(i); k < weighted.last(i); k++) {
      const WeightedId& feature = weighted.items[k];
      if (has_[b][feature.which] && admitted(feature.id)) visit(feature.id, feature.value);
    }
  }

  // Calls visit(vectors, the vector of the token) for the templates of block b over vectors.
  template <class Visit>
  void for_vectors(const WeightedIds& weighted, size_t b, int64_t i, int64_t n,
                   const Visit& visit) const {
    if (!weighted.dense) return;
    for (const DenseNumbers& vectors : *weighted.dense) {
      const float* numbers =
          has_[b][vectors.of->which] ? vectors.at(weighted.start, i, n) : nullptr;
      if (numbers) visit(vectors, numbers);
    }
  }

  // The row of a feature, created on the first call. Where nothing else breaks the symmetry of
  // latent states, or of views, new state rows start with small noise.
  int32_t row_for(size_t b, int32_t feature) {
    TrainedRows& rows = *rows_[b];
    const BlockShape& shape = shapes_[b];
    const size_t before = rows.rows();
    const int32_t row = rows.row_for(feature);
    if (rows.rows() > before && noise_.scale > 0 && shape.kind == Kind::state &&
        (layout_.latent == 1 || (shape.latent && layout_.order == 0))) {
      add_noise(b, row, (*keys_)[feature]);
    }
    return row;
  }

  // Small noise on the plain transitions (Figure 1: ||Theta^1|| near 0).
  void start_transitions(size_t b, int32_t feature) {
    if (layout_.latent > 1 && noise_.scale > 0) {
      add_noise(b, row_for(b, feature), (*keys_)[feature]);
    }
  }

  struct PrefetchRowNumbers {
    const int32_t* row_of;
    LATPERC_INLINE void operator()(int32_t id, size_t count) const {
      simd::prefetch(row_of + id);
      if (count > 1) simd::prefetch(row_of + id + count - 1);
    }
  };

  // Prefetches the data of a sentence: first its gold labels and its stored features, and when
  // these have arrived, the numbers of their rows. Inline, since GCC removes calls of functions
  // that only prefetch.
  LATPERC_INLINE void announce(const KeptIds& kept, View<const int32_t> gold) const {
    const size_t tokens = static_cast<size_t>(kept.n);
    const int32_t* const labels = gold.at(0, tokens);
    for (size_t k = 0; k < tokens; k += 16) simd::prefetch(labels + k);
    announce(kept.codes, kept.size);
  }
  LATPERC_INLINE void announce(View<const int32_t> kept, size_t count) const {
    const int32_t* const at = kept.at(0, count);
    for (size_t k = 0; k < count; k += 16) simd::prefetch(at + k);
  }
  LATPERC_INLINE void announce_rows(View<const int32_t> ids, size_t count) const {
    const PrefetchRowNumbers ask{rows_[0]->row_of.data()};
    const int32_t* const at = ids.at(0, count);
    for (size_t k = 0; k < count; k++) ask(at[k], 1);
  }
  // RETURNS: the ids, written to `storage` if they are packed.
  LATPERC_INLINE View<const int32_t> announce_rows(const Patterns& patterns, const KeptIds& kept,
                                                   std::vector<int32_t>* storage) const {
    return patterns.ids(kept, storage, PrefetchRowNumbers{rows_[0]->row_of.data()});
  }

  // Finds the rows of a sentence. answering: with averaged weights.
  void find_rows(View<const int32_t> ids, const WeightedIds& weighted, int64_t n, bool answering,
                 std::vector<Active>* blocks) {
    for (size_t b = 0; b < shapes_.size(); b++) {
      const BlockShape& shape = shapes_[b];
      const TrainedRows& rows = *rows_[b];
      Active& active = (*blocks)[b];
      active.shape = &shape;
      active.constants = constants_[b];
      active.w = rows.w.data();
      active.parts = &rows.parts;
      active.a = answering && rows.averaged ? rows.a.data() : nullptr;
      active.inverse_c = inverse_c();
      active.grouped = answering;
      active.first = has_boundaries(b) ? rows.row(start_) : 0;
      active.last = has_boundaries(b) ? rows.row(end_) : 0;
      const int T = static_cast<int>(shape.templates.size());
      const int V = T - active.constants;
      active.fixed.resize(active.constants);
      active.rows.resize(static_cast<size_t>(n) * V);
      for (int t = 0; t < active.constants; t++) {
        active.fixed[t] = n ? rows.row(ids[shape.templates[t]]) : 0;
      }
      if (rows.parts.whole()) {
        find_whole(ids, n, rows, &active);
      } else {
        find_each(ids, n, rows, &active, PrefetchParts{rows.parts});
        for (int32_t row : active.rows) rows.parts.prefetch_found(row, active.w);
      }
      active.weighted.clear();
      for (int64_t i = 0; weighted.any() && i < n; i++) {
        active.weighted.close();
        for_weighted(weighted, b, i, [&](int32_t feature, float value) {
          const int32_t row = rows.row(feature);
          if (row) active.weighted.add(row, value);
        });
      }
      if (weighted.any()) active.weighted.close();
      find_vectors(b, weighted, n, &active);
      if (!answering && step_.settings().shrinks()) apply_penalties(b, active);
    }
  }

  // Changes ---------------------------------------------------------------------------

  // The learn rate of the current example.
  float rate() const { return rate_; }
  void set_rate(float rate) { rate_ = rate; }

  // w += rate * scale * delta.
  void apply(const Delta& delta, float scale) {
    const float c = static_cast<float>(c_);
    const std::vector<Delta::Entry>& entries = delta.entries();
    const size_t early = std::min(kAhead, entries.size());
    for (size_t k = 0; k < early; k++) prefetch(entries[k]);
    for (size_t k = 0; k < entries.size(); k++) {
      if (k + early < entries.size()) prefetch(entries[k + early]);
      const Delta::Entry& entry = entries[k];
      if (entry.value == 0.0f) continue;
      step_.change(*rows_[entry.block], grow(entry), scale * entry.value, rate_, c);
    }
    delta.for_vectors([&](const Delta::Vector& v) {
      TrainedRows& rows = *rows_[v.block];
      for (size_t k = 0; k < v.values.size(); k++) {
        if (v.values[k] == 0.0f) continue;
        const int32_t row = row_for(static_cast<size_t>(v.block), v.of->ids[k]);
        step_.change(rows, rows.make(row, v.cell), scale * v.values[k], rate_, c);
      }
    });
  }

  // w += rate * change over one whole row of a block.
  void add_row(size_t b, int32_t feature, const float* change) {
    if (!admitted(feature)) return;
    step_.change_row(*rows_[b], row_for(b, feature), change, rate_, static_cast<float>(c_));
  }

  // The same for several features, without those that are not admitted.
  template <class FeatureAt>
  void add_rows(size_t b, size_t count, const FeatureAt& feature_at, const float* change) {
    which_.clear();
    for (size_t t = 0; t < count; t++) {
      const int32_t feature = feature_at(t);
      if (admitted(feature)) which_.push_back(row_for(b, feature));
    }
    step_.change_rows(*rows_[b], which_, change, shapes_[b].stride(), rate_,
                      static_cast<float>(c_));
  }

  // The same for the weighted features of a token.
  void add_weighted(size_t b, const WeightedIds& weighted, int64_t i, int64_t n,
                    const float* change) {
    const auto add = [&](int32_t feature, float value) {
      scaled_.assign(shapes_[b].stride(), 0.0f);
      simd::add_scaled(change, value, scaled_.size(), scaled_.data());
      add_row(b, feature, scaled_.data());
    };
    for_weighted(weighted, b, i, add);
    for_vectors(weighted, b, i, n, [&](const DenseNumbers& vectors, const float* numbers) {
      for (int32_t k = 0; k < vectors.width; k++) {
        if (numbers[k] != 0.0f) add(vectors.of->ids[k], numbers[k]);
      }
    });
  }

  // w . delta
  double score(const Delta& delta) const {
    double total = 0.0;
    for (const Delta::Entry& entry : delta.entries()) {
      total += static_cast<double>(entry.value) * rows_[entry.block]->w.data()[place(entry)];
    }
    delta.for_vectors([&](const Delta::Vector& v) {
      const TrainedRows& rows = *rows_[v.block];
      for (size_t k = 0; k < v.values.size(); k++) {
        const size_t at = rows.parts.find(rows.row(v.of->ids[k]), v.cell);
        total += static_cast<double>(v.values[k]) * rows.w.data()[at];
      }
    });
    return total;
  }

  // Epochs and averages ---------------------------------------------------------------

  int64_t examples() const { return c_; }
  void set_examples(int64_t c) { c_ = c; }
  void set_averaging(const Averaging& averaging) { averaging_ = averaging; }
  float inverse_c() const { return averaging_.on && c_ > 0 ? 1.0f / static_cast<float>(c_) : 0.0f; }

  // The count of examples goes on over a restart, so that the average stays cumulative.
  void before_example() {
    if (averaging_.restarts(c_)) restart_from_average();
  }
  void after_example() {
    c_++;
    if (step_.settings().shrinks()) {
      step_.advance(rate_, averaging_.epoch_size);
      for (auto& rows : rows_) rows->now = step_.clock();
    }
  }

  // The averaged weights of the stored cells of a row.
  void average_row(size_t b, int32_t row, std::vector<float>* out) const {
    const TrainedRows& rows = *rows_[b];
    const size_t at = rows.parts.begin(row);
    const float inverse = inverse_c();
    out->resize(rows.parts.size(row));
    if (step_.settings().shrinks()) {
      const float c = static_cast<float>(c_);
      for (size_t i = 0; i < out->size(); i++) {
        (*out)[i] = step_.averaged(rows, static_cast<size_t>(row), at + i, c, inverse);
      }
    } else if (inverse > 0.0f) {
      simd::average(rows.w.data() + at, rows.a.data() + at, inverse, out->size(), out->data());
    } else {
      std::copy_n(rows.w.data() + at, out->size(), out->data());
    }
  }

  void restart_from_average() {
    catch_up_all();
    const float inverse = inverse_c();
    for (auto& rows : rows_) {
      rows->changes++;
      for (size_t i = 0; i < rows->w.size(); i++) {
        rows->w[i] -= rows->a[i] * inverse;
        rows->a[i] = 0.0f;
      }
    }
  }

  // Applies all penalties that are due.
  void catch_up_all() {
    if (!step_.settings().shrinks()) return;
    for (size_t b = 0; b < shapes_.size(); b++) {
      for (size_t r = 1; r < rows_[b]->rows(); r++) {
        step_.apply_penalties(*rows_[b], static_cast<int32_t>(r), static_cast<float>(c_));
      }
    }
  }
  // The sum of the penalties that are due.
  double clock() const { return step_.clock(); }
  void set_clock(double clock) {
    if (clock == step_.clock() && !step_.settings().shrinks()) return;
    step_.set_clock(clock);
    for (auto& rows : rows_) {
      rows->now = clock;
      std::fill(rows->shrunk_at.begin(), rows->shrunk_at.end(), clock);
    }
  }

 private:
  // The rows of templates over vectors.
  void find_vectors(size_t b, const WeightedIds& weighted, int64_t n, Active* active) const {
    size_t found = 0;
    active->vectors.resize(weighted.dense && n ? weighted.dense->size() : 0);
    for (size_t d = 0; d < active->vectors.size(); d++) {
      const DenseNumbers& vectors = (*weighted.dense)[d];
      if (!has_[b][vectors.of->which]) continue;
      ActiveVectors& v = active->vectors[found++];
      v.n = n;
      v.offset = vectors.of->offset;
      v.numbers = vectors.numbers.at(static_cast<size_t>(weighted.start) * vectors.width,
                                     static_cast<size_t>(n) * vectors.width);
      v.rows.resize(static_cast<size_t>(vectors.width));
      for (int32_t k = 0; k < vectors.width; k++) v.rows[k] = rows_[b]->row(vectors.of->ids[k]);
    }
    active->vectors.resize(found);
  }

  // Finds the rows of the features of a sentence, and calls announce(row) for each.
  template <class Announce>
  LATPERC_INLINE void find_each(View<const int32_t> ids, int64_t n, const TrainedRows& rows,
                                Active* active, const Announce& announce) const {
    // Locals, so that the compiler knows that writes to `out` change none of them.
    const int V = active->varying();
    const int32_t* const templates = active->shape->templates.data() + active->constants;
    const int32_t* const row_of = rows.row_of.data();
    const size_t known = rows.row_of.size();
    int32_t* out = active->rows.data();
    for (int64_t i = 0; i < n; i++) {
      const int32_t* const at = ids.at(static_cast<size_t>(i) * templates_, templates_);
      for (int t = 0; t < V; t++) {
        const size_t feature = static_cast<size_t>(at[templates[t]]);
        const int32_t row = feature < known ? row_of[feature] : 0;
        *out++ = row;
        announce(row);
      }
    }
  }

  // The same for whole rows, which are prefetched with their averages. Row lengths of the default
  // models as compile-time constants save 8 % of an epoch.
  void find_whole(View<const int32_t> ids, int64_t n, const TrainedRows& rows,
                  Active* active) const {
    const float *const w = active->w, *const a = active->a;
    const size_t stride = active->shape->stride();
    if (stride == 48 && !a) return find_each(ids, n, rows, active, PrefetchRow<48>{w, a, stride});
    if (stride == 24 && !a) return find_each(ids, n, rows, active, PrefetchRow<24>{w, a, stride});
    find_each(ids, n, rows, active, PrefetchRow<0>{w, a, stride});
  }
  // No lambdas: GCC removes calls that only prefetch unless they are inlined.
  // kStride: floats of a row without an average, or 0 for any number.
  template <size_t kStride>
  struct PrefetchRow {
    const float *w, *a;  // the rows, and null or their averages
    size_t stride;
    LATPERC_INLINE void operator()(int32_t row) const {
      const size_t floats = kStride ? kStride : stride;
      const size_t at = static_cast<size_t>(row) * floats;
      simd::prefetch_row(w + at, floats);
      if (!kStride && a) simd::prefetch_row(a + at, floats);
    }
  };
  struct PrefetchParts {
    const RowParts& parts;
    LATPERC_INLINE void operator()(int32_t row) const { parts.prefetch(row); }
  };

  // The place of an entry of a change in the planes of its block; entries without a row read the
  // zeros of row 0.
  size_t place(const Delta::Entry& entry) const {
    const TrainedRows& rows = *rows_[entry.block];
    return rows.parts.find(rows.row(entry.feature), entry.cell);
  }
  // Prefetches the accumulator that a change will write, which the search has not read. Inline,
  // since GCC removes calls of functions that only prefetch.
  static constexpr size_t kAhead = 64;
  LATPERC_INLINE void prefetch(const Delta::Entry& entry) const {
    const TrainedRows& rows = *rows_[entry.block];
    if (!rows.averaged || !rows.parts.whole()) return;
    const size_t at = rows.parts.find(rows.row(entry.feature), entry.cell);
    simd::prefetch_row(rows.a.data() + at, 1);
  }
  size_t grow(const Delta::Entry& entry) {
    TrainedRows& rows = *rows_[entry.block];
    return rows.make(row_for(static_cast<size_t>(entry.block), entry.feature), entry.cell);
  }

  void add_noise(size_t b, int32_t row, uint64_t key) {
    const BlockShape& shape = shapes_[b];
    const int U = shape.units;
    const int outer = shape.kind == Kind::state ? 1 : U;
    rows_[b]->widen(row, static_cast<size_t>(outer));
    float* w = rows_[b]->w.data() + rows_[b]->parts.begin(row);
    for (int k = 0; k < outer; k++) {
      for (int j = 0; j < U; j++) {
        const uint64_t cell = static_cast<uint64_t>(k) * U + j + 1;
        w[static_cast<size_t>(k) * shape.pitch + j] +=
            noise_.scale * noise(mix(noise_.seed ^ key) + cell);
      }
    }
  }

  // Applies the penalties that are due on rows that are about to be read.
  void apply_penalties(size_t b, const Active& active) {
    const float c = static_cast<float>(c_);
    const auto look = [&](int32_t row) {
      if (row && step_.worth(*rows_[b], row)) step_.apply_penalties(*rows_[b], row, c);
    };
    for (const std::vector<int32_t>* which : {&active.fixed, &active.rows, &active.weighted.rows}) {
      for (int32_t row : *which) look(row);
    }
    for (const ActiveVectors& vectors : active.vectors) {
      for (int32_t row : vectors.rows) look(row);
    }
    look(active.first);
    look(active.last);
  }

  const Layout layout_;
  const std::vector<BlockShape> shapes_;
  const std::vector<int32_t> constants_;
  std::vector<std::vector<uint8_t>> has_;  // [blocks, templates]
  const int templates_;
  Averaging averaging_;
  Step step_;
  float rate_ = 1.0f;
  const InitialNoise noise_;
  std::vector<std::unique_ptr<TrainedRows>> rows_;
  const std::vector<uint64_t>* keys_ = nullptr;
  const std::vector<int32_t>* counts_ = nullptr;
  int32_t min_count_ = 1;
  int32_t start_ = 0, end_ = 0;
  int64_t c_ = 0;
  std::vector<int32_t> which_;  // rows to change
  std::vector<float> scaled_;   // a change times the weight of a feature
};

}  // namespace latperc
