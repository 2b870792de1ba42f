// The trainer: the interface of a chain in training to rules.
//
// A rule (rules/rule.hh) is given one sentence at a time. It
//   1. calls load(x), which scores the sentence with the weights of now; everything below is
//      then about that sentence;
//   2. searches: search() and kbest() under scores of its choice (lattice().e as they are,
//      augmented() with a cost on wrong labels, inside_gold() without them), best_gold_path() for
//      the best path that agrees with the gold; or sums over paths, with a Sums of its own;
//   3. compares paths: difference() and add_path() write feature counts to a Delta;
//   4. changes weights: apply(), add_row() and add_rows(), of TrainedWeights. The rule need
//      not know how a change is written (rate, AdaGrad, penalties, averages), nor of epochs.
// Weights must not change between load() and the last search or sum: pairs of states are
// scored when a search asks for them.
#pragma once
#include <cstdint>
#include <vector>

#include "common/checked.hh"
#include "lattice/gold.hh"
#include "lattice/kbest.hh"
#include "lattice/lattice.hh"
#include "lattice/search.hh"
#include "lattice/searcher.hh"
#include "weights/delta.hh"
#include "weights/trained_weights.hh"

namespace latperc {

class Trainer : public TrainedWeights {
 public:
  Trainer(const Layout& layout, const std::vector<BlockShape>& shapes,
          const std::vector<int32_t>& constants, int templates, const Averaging& averaging,
          const StepSettings& step, const InitialNoise& noise)
      : TrainedWeights(layout, shapes, constants, templates, averaging, step, noise),
        lattice_(this->layout()) {
    lattice_.blocks.resize(n_blocks());
  }

  Lattice& lattice() { return lattice_; }
  int32_t feature(const Sentence& x, int64_t i, int32_t t) const {
    return x.ids[static_cast<size_t>(i) * templates() + t];
  }

  void load(const Sentence& x) { prepare(x.ids, x.weighted, x.n, x.external, false); }
  // The same in two steps, so that the memory has time to answer in between. answering: with
  // averaged weights, summed as frozen rows are.
  void find(const Sentence& x, bool answering) {
    lattice_.n = x.n;
    find_rows(x.ids, x.weighted, x.n, answering, &lattice_.blocks);
  }
  void score_found(const Sentence& x, bool answering) { prepare_found(x.external, answering); }

  // Search ----------------------------------------------------------------------------

  // State scores plus a cost on every state of a wrong label.
  const float* augmented(const Sentence& x, float cost) {
    return add_cost(lattice_, x, cost, &scores_);
  }
  // State scores, -inf where the gold does not allow a state.
  const float* inside_gold(const Sentence& x) {
    return latperc::inside_gold(lattice_, x, &scores_);
  }
  // The same outside the labels of a path.
  const float* inside_labels(const std::vector<int32_t>& path) {
    return latperc::inside_labels(lattice_, path, &scores_);
  }
  bool fully_labelled(const Sentence& x) const { return latperc::fully_labelled(layout(), x); }
  int64_t wrong_labels(const Sentence& x, const std::vector<int32_t>& path) const {
    return count_wrong(layout(), x, path);
  }

  // The best path under state scores e, and its score; -inf if there is none.
  // masked: e may hold -inf.
  float search(const float* e, bool masked, std::vector<int32_t>* path) {
    path->assign(static_cast<size_t>(lattice_.n), 0);
    return searcher_.run(lattice_, e, masked, path->data());
  }

  // The beam of the last search, if it had one; best_gold_path() does not change it.
  const Beam& beam() const { return searcher_.beam(); }

  // Up to k best paths with label sequences of their own, best first.
  void kbest(const float* e, bool masked, int k, std::vector<std::vector<int32_t>>* paths,
             std::vector<float>* scores) {
    kbest_.run(lattice_, e, masked, k, paths, scores);
  }

  // The best path inside the gold labels, and its score; -inf if there is none. With a beam it
  // is the best that the same beam finds there: latent states may have a better one.
  float best_gold_path(const Sentence& x, std::vector<int32_t>* path) {
    if (fully_labelled(x)) {
      const int32_t* labels = x.gold.at(0, static_cast<size_t>(x.n));
      path->assign(labels, labels + x.n);
      return path_score(lattice_, lattice_.e.data(), path->data());
    }
    path->assign(static_cast<size_t>(x.n), 0);
    return gold_searcher_.run(lattice_, inside_gold(x), true, path->data());
  }

  // Comparison ------------------------------------------------------------------------

  // delta += coefficient * [f(better, x) - f(worse, x)] over the first n tokens.
  // Features where the paths agree cancel and are not looked at.
  void difference(const Sentence& x, const std::vector<int32_t>& better,
                  const std::vector<int32_t>& worse, float coefficient, int64_t n,
                  Delta* delta) const {
    for (size_t b = 0; b < n_blocks(); b++) {
      const BlockShape& shape = this->shape(b);
      const int history = static_cast<int>(shape.kind);
      const int unit = shape.latent ? 1 : layout().latent;
      for (int64_t i = history; i < n; i++) {
        bool same = true;
        for (int k = 0; k <= history; k++)
          same = same && better[i - k] / unit == worse[i - k] / unit;
        if (same) continue;
        const size_t up = cell(shape, unit, better, i);
        const size_t down = cell(shape, unit, worse, i);
        for (int32_t t : shape.templates) {
          const int32_t feature = this->feature(x, i, t);
          if (!admitted(feature)) continue;
          delta->add(static_cast<int32_t>(b), feature, up, coefficient);
          delta->add(static_cast<int32_t>(b), feature, down, -coefficient);
        }
        for_weighted(x.weighted, b, i, [&](int32_t feature, float value) {
          delta->add(static_cast<int32_t>(b), feature, up, coefficient * value);
          delta->add(static_cast<int32_t>(b), feature, down, -coefficient * value);
        });
        for_vectors(x.weighted, b, i, x.n, [&](const DenseNumbers& v, const float* numbers) {
          const int32_t block = static_cast<int32_t>(b);
          delta->add_vector(block, v.of.get(), up, numbers, v.width, coefficient);
          delta->add_vector(block, v.of.get(), down, numbers, v.width, -coefficient);
        });
      }
      for_each_boundary(b, x, n, [&](int64_t i, int32_t feature) {
        if (better[i] / unit == worse[i] / unit) return;
        delta->add(static_cast<int32_t>(b), feature, cell(shape, unit, better, i), coefficient);
        delta->add(static_cast<int32_t>(b), feature, cell(shape, unit, worse, i), -coefficient);
      });
    }
  }

  // delta = f(better, x) - f(worse, x).
  void compare(const Sentence& x, const std::vector<int32_t>& better,
               const std::vector<int32_t>& worse, Delta* delta) const {
    delta->clear();
    difference(x, better, worse, 1.0f, x.n, delta);
  }

  // delta += coefficient * f(path, x).
  void add_path(const Sentence& x, const std::vector<int32_t>& path, float coefficient,
                Delta* delta) const {
    for (size_t b = 0; b < n_blocks(); b++) {
      const BlockShape& shape = this->shape(b);
      const int unit = shape.latent ? 1 : layout().latent;
      for (int64_t i = static_cast<int64_t>(shape.kind); i < x.n; i++) {
        const size_t at = cell(shape, unit, path, i);
        for (int32_t t : shape.templates) {
          const int32_t feature = this->feature(x, i, t);
          if (admitted(feature)) delta->add(static_cast<int32_t>(b), feature, at, coefficient);
        }
        for_weighted(x.weighted, b, i, [&](int32_t feature, float value) {
          delta->add(static_cast<int32_t>(b), feature, at, coefficient * value);
        });
        for_vectors(x.weighted, b, i, x.n, [&](const DenseNumbers& v, const float* numbers) {
          delta->add_vector(static_cast<int32_t>(b), v.of.get(), at, numbers, v.width, coefficient);
        });
      }
      for_each_boundary(b, x, x.n, [&](int64_t i, int32_t feature) {
        delta->add(static_cast<int32_t>(b), feature, cell(shape, unit, path, i), coefficient);
      });
    }
  }

  // visit(token, feature) of the start and end weights of a block within the first n tokens.
  template <class Visit>
  void for_each_boundary(size_t b, const Sentence& x, int64_t n, const Visit& visit) const {
    if (!has_boundaries(b) || n == 0) return;
    visit(0, start_feature());
    if (n == x.n) visit(n - 1, end_feature());
  }

  // w += rate * change over the rows of several templates at a token, and over weighted ones.
  void add_rows(size_t b, const Sentence& x, int64_t i, const int32_t* templates, size_t count,
                const float* change) {
    TrainedWeights::add_rows(
        b, count, [&](size_t t) { return feature(x, i, templates[t]); }, change);
    add_weighted(b, x.weighted, i, x.n, change);
  }

  // Slopes ----------------------------------------------------------------------------
  // A score from outside counts like a weight of its token alone, so a rule whose change of
  // weights goes down the slope of a loss can say what that slope is. Such rules say so
  // (has_slope) and call these.

  // += share along a path.
  void add_slope(const Sentence& x, const std::vector<int32_t>& path, float share) const {
    if (!x.sloped) return;
    for (int64_t i = 0; i < x.n; i++) x.slope[slope_place(x, i, path[i])] += share;
  }
  // += share * what lies at each state of a token.
  void add_slope(const Sentence& x, int64_t i, const float* by_state, float share) const {
    if (!x.sloped) return;
    for (int j = 0; j < lattice_.S; j++) x.slope[slope_place(x, i, j)] += share * by_state[j];
  }

  // Prediction between two updates ----------------------------------------------------

  // Search with averaged weights.
  float decode(View<const int32_t> ids, const WeightedIds& weighted, int64_t n,
               View<const uint8_t> allowed, bool masked, const ExternalScores& external,
               std::vector<int32_t>* path) {
    catch_up_all();
    prepare(ids, weighted, n, external, true);
    if (masked) lattice_.forbid(allowed);
    return search(lattice_.e.data(), masked, path);
  }

 private:
  size_t slope_place(const Sentence& x, int64_t i, int state) const {
    const int unit = x.external.width == lattice_.S ? state : layout().label_of(state);
    return static_cast<size_t>(i) * x.external.width + unit;
  }

  void prepare(View<const int32_t> ids, const WeightedIds& weighted, int64_t n,
               const ExternalScores& external, bool answering) {
    lattice_.n = n;
    find_rows(ids, weighted, n, answering, &lattice_.blocks);
    prepare_found(external, answering);
  }
  void prepare_found(const ExternalScores& external, bool answering) {
    prepare_transitions(answering);
    lattice_.prepare_states(external);
  }

  // Many sentences change no weights.
  void prepare_transitions(bool answering) {
    const TransitionsOf now{answering, answering ? examples() : 0, changes_of_transitions()};
    if (prepared_ && now == transitions_) return;
    lattice_.prepare_constants();
    transitions_ = now;
    prepared_ = true;
  }

  static size_t cell(const BlockShape& shape, int unit, const std::vector<int32_t>& path,
                     int64_t i) {
    const int history = static_cast<int>(shape.kind);
    return shape.cell(history >= 2 ? path[i - 2] / unit : 0, history >= 1 ? path[i - 1] / unit : 0,
                      path[i] / unit);
  }

  // What the scores of transitions depend on.
  struct TransitionsOf {
    bool answering;
    int64_t examples;
    uint64_t changes;
    bool operator==(const TransitionsOf& other) const {
      return answering == other.answering && examples == other.examples && changes == other.changes;
    }
  };

  Lattice lattice_;
  TransitionsOf transitions_{};
  bool prepared_ = false;  // the lattice has these
  Searcher searcher_, gold_searcher_;
  KBest kbest_;
  std::vector<float> scores_;
};

}  // namespace latperc
