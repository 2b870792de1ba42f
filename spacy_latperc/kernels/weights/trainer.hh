// A chain while it learns: rows by feature id, the counter of examples, the averages.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/checked.hh"
#include "hashing/hash.hh"
#include "lattice/kbest.hh"
#include "lattice/lattice.hh"
#include "lattice/search.hh"
#include "lattice/searcher.hh"
#include "weights/delta.hh"
#include "weights/steps.hh"
#include "weights/update_log.hh"
#include "weights/weights.hh"

namespace latperc {

constexpr int32_t kUnknown = -1;  // a token without a gold label

struct Sentence {
  View<const int32_t> ids;  // [n, templates]
  int64_t n;
  View<const int32_t> gold;   // [n] a label, kUnknown, or -2 - s: one of label set s
  View<const uint8_t> sets;   // [sets, labels] 1 for the labels of a set
  int labels;

  bool allows(int64_t i, int label) const {
    const int32_t g = gold[i];
    if (g >= kUnknown) return g == kUnknown || g == label;
    return sets[static_cast<size_t>(kUnknown - 1 - g) * labels + label];
  }
};

struct Averaging {
  bool on = true;
  int64_t pass_size = 0;      // examples in a pass
  int64_t restart_every = 0;  // passes; 0: never (plain averaging)
};

struct InitialNoise {
  float scale = 0.0f;
  uint64_t seed = 0;
};

class Trainer {
 public:
  Trainer(const Layout& layout, const std::vector<BlockShape>& shapes,
          const std::vector<int32_t>& constants, int templates, const Averaging& averaging,
          const StepSettings& step, const InitialNoise& noise)
      : layout_(layout), shapes_(shapes), constants_(constants), templates_(templates),
        averaging_(averaging), step_(step), noise_(noise), lattice_(layout_) {
    for (const BlockShape& shape : shapes_) {
      rows_.emplace_back(new TrainedRows());
      rows_.back()->averaged = averaging.on;
      rows_.back()->second = step.second();
      rows_.back()->pulled = step.pull > 0.0;
      rows_.back()->reset(shape);
    }
    lattice_.blocks.resize(shapes_.size());
  }

  // The index behind the feature ids: hashes (for noise) and counts (for the cut-off).
  void watch(const std::vector<uint64_t>* keys, const std::vector<int32_t>* counts,
             int32_t min_count) {
    keys_ = keys;
    counts_ = counts;
    min_count_ = min_count;
  }

  const Layout& layout() const { return layout_; }
  Lattice& lattice() { return lattice_; }
  const Step& step() const { return step_; }
  const BlockShape& shape(size_t b) const { return shapes_[b]; }
  TrainedRows& rows(size_t b) { return *rows_[b]; }
  size_t n_blocks() const { return shapes_.size(); }
  int templates() const { return templates_; }
  int constants(size_t b) const { return constants_[b]; }
  int32_t feature(const Sentence& x, int64_t i, int32_t t) const {
    return x.ids[static_cast<size_t>(i) * templates_ + t];
  }
  // Whether a feature was seen often enough to have weights.
  bool admitted(int32_t feature) const {
    return feature > 0 && (min_count_ <= 1 || (*counts_)[feature] >= min_count_);
  }
  int64_t examples() const { return c_; }
  void set_examples(int64_t c) { c_ = c; }
  void set_averaging(const Averaging& averaging) { averaging_ = averaging; }
  float inverse_c() const { return averaging_.on && c_ > 0 ? 1.0f / static_cast<float>(c_) : 0.0f; }

  // The row of a feature, made when it is first asked for. Where nothing else breaks the
  // symmetry of latent states, or of views, new state rows start with small noise.
  int32_t row_for(size_t b, int32_t feature) {
    TrainedRows& rows = *rows_[b];
    const BlockShape& shape = shapes_[b];
    const size_t before = rows.rows();
    const int32_t row = rows.row_for(shape, feature);
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

  // Rules speak to these ------------------------------------------------------------

  void load(const Sentence& x) {
    resolve(x.ids, x.n, false);
    lattice_.prepare_constants();
    lattice_.prepare_states();
  }

  // State scores plus a cost on every state of a wrong label.
  const float* augmented(const Sentence& x, float cost) {
    if (cost == 0.0f) return lattice_.e.data();
    scores_ = lattice_.e;
    for (int64_t i = 0; i < x.n; i++) {
      if (x.gold[i] == kUnknown) continue;
      float* row = scores_.data() + i * lattice_.P;
      if (x.gold[i] < kUnknown) {
        for (int j = 0; j < lattice_.S; j++) {
          if (!x.allows(i, layout_.label_of(j))) row[j] += cost;
        }
        continue;
      }
      const float* plain = lattice_.e.data() + i * lattice_.P;
      for (int j = 0; j < lattice_.P; j++) row[j] += cost;
      const int first = x.gold[i] * layout_.latent;
      for (int j = first; j < first + layout_.latent; j++) row[j] = plain[j];
    }
    return scores_.data();
  }

  // State scores, -inf where the gold does not allow a state.
  const float* inside_gold(const Sentence& x) {
    scores_ = lattice_.e;
    for (int64_t i = 0; i < x.n; i++) {
      if (x.gold[i] == kUnknown) continue;
      float* row = scores_.data() + i * lattice_.P;
      for (int j = 0; j < lattice_.S; j++) {
        if (!x.allows(i, layout_.label_of(j))) row[j] = kMinusInf;
      }
    }
    return scores_.data();
  }

  // One path, and no search, is all that the gold allows.
  bool spelled_out(const Sentence& x) const {
    if (layout_.latent > 1) return false;
    for (int64_t i = 0; i < x.n; i++) {
      if (x.gold[i] < 0) return false;
    }
    return true;
  }

  float search(const float* e, bool masked, std::vector<int32_t>* path) {
    path->assign(static_cast<size_t>(lattice_.n), 0);
    return searcher_.run(lattice_, e, masked, path->data());
  }

  // What the last search kept, if it was one with a beam; complete() leaves it alone.
  const Beam& beam() const { return searcher_.beam(); }

  // Up to k best paths with label sequences of their own, best first.
  void kbest(const float* e, bool masked, int k, std::vector<std::vector<int32_t>>* paths,
             std::vector<float>* scores) {
    kbest_.run(lattice_, e, masked, k, paths, scores);
  }

  int64_t wrong_labels(const Sentence& x, const std::vector<int32_t>& path) const {
    int64_t wrong = 0;
    for (int64_t i = 0; i < x.n; i++) {
      wrong += !x.allows(i, layout_.label_of(path[i]));
    }
    return wrong;
  }

  // The best path inside the gold labels, and its score. One latent value and every
  // label known: nothing to search.
  float complete(const Sentence& x, std::vector<int32_t>* path) {
    if (spelled_out(x)) {
      path->assign(x.gold.at(0, static_cast<size_t>(x.n)),
                   x.gold.at(0, static_cast<size_t>(x.n)) + x.n);
      return path_score(lattice_, lattice_.e.data(), path->data());
    }
    path->assign(static_cast<size_t>(x.n), 0);
    return completer_.run(lattice_, inside_gold(x), true, path->data());
  }

  // delta += coefficient * [f(better, x) - f(worse, x)] over the first n tokens.
  // Features where the paths agree cancel and are not looked at.
  void difference(const Sentence& x, const std::vector<int32_t>& better,
                  const std::vector<int32_t>& worse, float coefficient, int64_t n,
                  Delta* delta) const {
    for (size_t b = 0; b < shapes_.size(); b++) {
      const BlockShape& shape = shapes_[b];
      const int history = static_cast<int>(shape.kind);
      const int unit = shape.latent ? 1 : layout_.latent;
      for (int64_t i = history; i < n; i++) {
        bool same = true;
        for (int k = 0; k <= history; k++) same = same && better[i - k] / unit == worse[i - k] / unit;
        if (same) continue;
        const size_t up = cell(shape, unit, better, i);
        const size_t down = cell(shape, unit, worse, i);
        for (int32_t t : shape.templates) {
          const int32_t feature = x.ids[static_cast<size_t>(i) * templates_ + t];
          if (!admitted(feature)) continue;
          delta->add(static_cast<int32_t>(b), feature, up, coefficient);
          delta->add(static_cast<int32_t>(b), feature, down, -coefficient);
        }
      }
    }
  }

  // delta += coefficient * f(path, x).
  void add_path(const Sentence& x, const std::vector<int32_t>& path, float coefficient,
                Delta* delta) const {
    for (size_t b = 0; b < shapes_.size(); b++) {
      const BlockShape& shape = shapes_[b];
      const int unit = shape.latent ? 1 : layout_.latent;
      for (int64_t i = static_cast<int64_t>(shape.kind); i < x.n; i++) {
        const size_t at = cell(shape, unit, path, i);
        for (int32_t t : shape.templates) {
          const int32_t feature = this->feature(x, i, t);
          if (admitted(feature)) delta->add(static_cast<int32_t>(b), feature, at, coefficient);
        }
      }
    }
  }

  // w += rate * scale * delta, and the same times c for the average.
  void apply(const Delta& delta, float scale) {
    const float c = static_cast<float>(c_);
    for (const Delta::Entry& entry : delta.entries()) {
      if (entry.value == 0.0f) continue;
      TrainedRows& rows = *rows_[entry.block];
      const int32_t row = row_for(static_cast<size_t>(entry.block), entry.feature);
      const size_t at = static_cast<size_t>(row) * shapes_[entry.block].stride() + entry.cell;
      step_.change(rows, at, scale * entry.value, rate_, c);
    }
    diary_.write(c_, delta, rate_ * scale);
  }

  // One change of an update of before, made again.
  void change(size_t b, int32_t feature, size_t cell, float value) {
    const size_t at = static_cast<size_t>(row_for(b, feature)) * shapes_[b].stride() + cell;
    step_.change(*rows_[b], at, value, 1.0f, static_cast<float>(c_));
  }
  Diary& diary() { return diary_; }

  // w . delta
  double score(const Delta& delta) const {
    double total = 0.0;
    for (const Delta::Entry& entry : delta.entries()) {
      const TrainedRows& rows = *rows_[entry.block];
      const size_t at = static_cast<size_t>(rows.row(entry.feature)) *
                            shapes_[entry.block].stride() + entry.cell;
      total += static_cast<double>(entry.value) * rows.w.data()[at];
    }
    return total;
  }

  // AROW's measure of how sure the weights behind a change are: delta' V delta.
  double confidence(const Delta& delta) const {
    double total = 0.0;
    for (const Delta::Entry& entry : delta.entries()) {
      const TrainedRows& rows = *rows_[entry.block];
      const size_t at = static_cast<size_t>(rows.row(entry.feature)) *
                            shapes_[entry.block].stride() + entry.cell;
      total += static_cast<double>(entry.value) * entry.value * Step::variance(rows, at);
    }
    return total;
  }

  // w += alpha * V delta;  V -= beta * (V delta)^2 on the diagonal.
  void apply_with_variances(const Delta& delta, double alpha, double beta) {
    const float c = static_cast<float>(c_);
    for (const Delta::Entry& entry : delta.entries()) {
      if (entry.value == 0.0f) continue;
      TrainedRows& rows = *rows_[entry.block];
      const int32_t row = row_for(static_cast<size_t>(entry.block), entry.feature);
      const size_t at = static_cast<size_t>(row) * shapes_[entry.block].stride() + entry.cell;
      step_.change_with_variance(rows, at, entry.value, rate_ * alpha, beta, c);
    }
  }

  // The difference of two whole paths, kept here: squared_norm() and apply(scale) are
  // about the last one.
  void compare(const Sentence& x, const std::vector<int32_t>& better,
               const std::vector<int32_t>& worse) {
    delta_.clear();
    difference(x, better, worse, 1.0f, x.n, &delta_);
  }
  // w += rate * change over one whole row of a block.
  void add_row(size_t b, int32_t feature, const float* change) {
    if (!admitted(feature)) return;
    const size_t stride = shapes_[b].stride();
    const size_t at = static_cast<size_t>(row_for(b, feature)) * stride;
    step_.change_row(*rows_[b], at, change, stride, rate_, static_cast<float>(c_));
  }

  // The same for the rows of several templates at a token.
  void add_rows(size_t b, const Sentence& x, int64_t i, const int32_t* templates, size_t count,
                const float* change) {
    which_.clear();
    for (size_t t = 0; t < count; t++) {
      const int32_t feature = this->feature(x, i, templates[t]);
      if (admitted(feature)) which_.push_back(row_for(b, feature));
    }
    step_.change_rows(*rows_[b], which_, change, shapes_[b].stride(), rate_,
                      static_cast<float>(c_));
  }

  double squared_norm() const { return delta_.squared_norm(); }

  void apply(float scale) { apply(delta_, scale); }

  // Learn rate of the example at work.
  float rate() const { return rate_; }
  void set_rate(float rate) { rate_ = rate; }

  // Passes and averages ---------------------------------------------------------------

  // Modified averaging (Sun et al. 2009, 3.1): pass q starts from the average of all
  // that went before when q % k == 0. c stays, so that the average stays cumulative.
  void before_example() {
    const int64_t pass = averaging_.pass_size, k = averaging_.restart_every;
    if (!averaging_.on || pass <= 0 || k <= 0 || c_ == 0 || c_ % pass != 0) return;
    if ((c_ / pass + 1) % k == 0) restart_from_average();
  }
  void after_example() {
    c_++;
    if (step_.settings().shrinks()) {
      step_.advance(rate_, averaging_.pass_size);
      for (auto& rows : rows_) rows->now = step_.clock();
    }
  }

  // Rows that were not read for a while shrink to what they are now.
  void settle() {
    if (!step_.settings().shrinks()) return;
    for (size_t b = 0; b < shapes_.size(); b++) {
      for (size_t r = 1; r < rows_[b]->rows(); r++) {
        step_.catch_up(*rows_[b], static_cast<int32_t>(r), shapes_[b].stride(),
                       static_cast<float>(c_));
      }
    }
  }
  double clock() const { return step_.clock(); }
  void set_clock(double clock) {
    step_.set_clock(clock);
    for (auto& rows : rows_) {
      rows->now = clock;
      std::fill(rows->stamp.begin(), rows->stamp.end(), clock);
    }
  }

  void restart_from_average() {
    settle();
    const float inverse = inverse_c();
    for (auto& rows : rows_) {
      for (size_t i = 0; i < rows->w.size(); i++) {
        rows->w[i] -= rows->a[i] * inverse;
        rows->a[i] = 0.0f;
      }
    }
  }

  // Search with averaged weights, for predictions between two updates.
  float decode(View<const int32_t> ids, int64_t n, View<const uint8_t> allowed, bool masked,
               std::vector<int32_t>* path) {
    settle();
    resolve(ids, n, true);
    lattice_.prepare_constants();
    lattice_.prepare_states();
    if (masked) forbid(lattice_, allowed);
    return search(lattice_.e.data(), masked, path);
  }

  static void forbid(Lattice& lattice, View<const uint8_t> allowed) {
    const int L = lattice.layout.labels;
    for (int64_t i = 0; i < lattice.n; i++) {
      for (int j = 0; j < lattice.S; j++) {
        if (!allowed[static_cast<size_t>(i) * L + lattice.layout.label_of(j)]) {
          lattice.e[i * lattice.P + j] = kMinusInf;
        }
      }
    }
  }

 private:
  static size_t cell(const BlockShape& shape, int unit, const std::vector<int32_t>& path, int64_t i) {
    const int history = static_cast<int>(shape.kind);
    return shape.cell(history >= 2 ? path[i - 2] / unit : 0, history >= 1 ? path[i - 1] / unit : 0,
                      path[i] / unit);
  }

  void add_noise(size_t b, int32_t row, uint64_t key) {
    const BlockShape& shape = shapes_[b];
    const int U = shape.units;
    const int outer = shape.kind == Kind::state ? 1 : U;
    float* w = rows_[b]->w.data() + static_cast<size_t>(row) * shape.stride();
    for (int k = 0; k < outer; k++) {
      for (int j = 0; j < U; j++) {
        const uint64_t cell = static_cast<uint64_t>(k) * U + j + 1;
        w[static_cast<size_t>(k) * shape.pitch + j] +=
            noise_.scale * noise(mix(noise_.seed ^ key) + cell);
      }
    }
  }

  void resolve(View<const int32_t> ids, int64_t n, bool answering) {
    lattice_.n = n;
    for (size_t b = 0; b < shapes_.size(); b++) {
      const BlockShape& shape = shapes_[b];
      const TrainedRows& rows = *rows_[b];
      Active& active = lattice_.blocks[b];
      active.shape = &shape;
      active.constants = constants_[b];
      active.w = rows.w.data();
      active.a = answering && rows.averaged ? rows.a.data() : nullptr;
      active.inverse_c = inverse_c();
      active.grouped = answering;
      const int T = static_cast<int>(shape.templates.size());
      const int V = T - active.constants;
      const size_t stride = shape.stride();
      active.fixed.resize(active.constants);
      active.rows.resize(static_cast<size_t>(n) * V);
      for (int t = 0; t < active.constants; t++) {
        active.fixed[t] = n ? rows.row(ids[shape.templates[t]]) : 0;
      }
      // Nothing that is written here may look to the compiler like what is read.
      const int32_t* const templates = shape.templates.data() + active.constants;
      const int32_t* const row_of = rows.row_of.data();
      const size_t known = rows.row_of.size();
      const float* const w = active.w;
      int32_t* out = active.rows.data();
      for (int64_t i = 0; i < n; i++) {
        const int32_t* const at = ids.at(static_cast<size_t>(i) * templates_, templates_);
        for (int t = 0; t < V; t++) {
          const size_t feature = static_cast<size_t>(at[templates[t]]);
          const int32_t row = feature < known ? row_of[feature] : 0;
          *out++ = row;
          simd::prefetch_row(w + static_cast<size_t>(row) * stride, stride);
        }
      }
      if (!answering && step_.settings().shrinks()) catch_up(b, active);
    }
  }

  // Rows that are about to be read shrink to what they are now.
  void catch_up(size_t b, const Active& active) {
    const float c = static_cast<float>(c_);
    const size_t stride = shapes_[b].stride();
    for (const std::vector<int32_t>* which : {&active.fixed, &active.rows}) {
      for (int32_t row : *which) {
        if (row && step_.worth(*rows_[b], row)) step_.catch_up(*rows_[b], row, stride, c);
      }
    }
  }

  const Layout layout_;
  const std::vector<BlockShape> shapes_;
  const std::vector<int32_t> constants_;
  const int templates_;
  Averaging averaging_;
  Step step_;
  Diary diary_;
  float rate_ = 1.0f;
  const InitialNoise noise_;
  std::vector<std::unique_ptr<TrainedRows>> rows_;
  const std::vector<uint64_t>* keys_ = nullptr;
  const std::vector<int32_t>* counts_ = nullptr;
  int32_t min_count_ = 1;
  int64_t c_ = 0;
  Lattice lattice_;
  Searcher searcher_, completer_;
  KBest kbest_;
  Delta delta_;
  std::vector<float> scores_;
  std::vector<int32_t> which_;  // rows at work
};

}  // namespace latperc
