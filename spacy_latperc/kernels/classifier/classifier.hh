// A linear classifier over latent chunkings, in one view or in several (MV, Algorithms 1 to
// 4): y(x) = sign of max_z w . phi(x, z), each view with rows of its own.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "classifier/views.hh"
#include "weights/delta.hh"
#include "weights/trainer.hh"

namespace latperc {

enum class Combine : int { add = 0, vote = 1, cotrain = 2 };

// The path of each view.
using Paths = std::vector<std::vector<int32_t>>;

// Derives the structures of a sentence from the best path of each view.
class Combination {
 public:
  Combination(const std::vector<ViewLabels>& labels, Combine combine)
      : labels_(labels),
        combine_(labels.size() > 1 ? combine : Combine::add),
        common_(labels.size()) {}

  // True if the views do not keep their own best paths.
  bool changes_paths() const { return combine_ != Combine::add; }
  size_t views() const { return labels_.size(); }

  // Algorithms 3 and 4: conversion, consensus, conversion back.
  void apply(Paths* paths) {
    if (!changes_paths()) return;
    const size_t views = labels_.size();
    for (size_t r = 0; r < views; r++) to_common(labels_[r], (*paths)[r], &common_[r]);
    weights_.assign(views, kVote);
    for (size_t r = 0; r < views; r++) {
      if (combine_ == Combine::cotrain) {
        weights_.assign(views, kVote);
        weights_[r] = 0;  // a view learns from the others only
      }
      if (combine_ == Combine::cotrain || r == 0) consensus_.elect(common_, weights_, &agreed_);
      from_common(labels_[r], agreed_, &(*paths)[r]);
    }
  }

 private:
  const std::vector<ViewLabels> labels_;
  const Combine combine_;
  Consensus consensus_;
  Paths common_;
  std::vector<uint64_t> weights_;
  std::vector<int32_t> agreed_;
};

struct ClassifierSettings {
  double cap = 0.0;         // C: the largest step; 0 for no limit
  bool squared = false;     // PA-II: tau = loss / (norm + 1 / (2 C))
  int most_decodings = 50;  // of a negative in an epoch
};

struct Example {
  Sentence x;
  int y = 1;  // 1 or -1
};

struct ClassifierCounts {
  int64_t examples = 0, negatives = 0;
  int64_t wrong = 0;  // before the first step on each example
  int64_t updates = 0;
  int64_t decodings = 0, negative_decodings = 0;
  int64_t capped = 0;      // negatives that were still wrong after the last decoding
  int64_t structures = 0;  // LCLR: the stored structures of negatives
  double loss = 0.0;
};

class Classifier {
 public:
  Classifier(const std::vector<Trainer*>& views, const Combination& combination,
             const ClassifierSettings& settings)
      : views_(views),
        combination_(combination),
        settings_(settings),
        paths_(views.size()),
        deltas_(views.size()) {
    for (Trainer* view : views_) lattices_.push_back(&view->lattice());
  }

  // Prefetches for the next two sentences while this one is searched: the rows of the next,
  // and the features of the one after it.
  void expect(const Sentence* next, const Sentence* after) {
    next_ = next;
    if (after) views_[0]->announce(after->ids, ids_of(*after));
  }

  // The structures of a sentence under the current weights, and their score.
  double decode(const Sentence& x) {
    double score = 0.0;
    in_each_view(x, false, [&](size_t r) {
      score += views_[r]->search(lattices_[r]->e.data(), false, &paths_[r]);
    });
    if (!combination_.changes_paths()) return score;
    combination_.apply(&paths_);
    score = 0.0;
    for (size_t r = 0; r < views_.size(); r++) score += score_of(r);
    return score;
  }
  const Paths& paths() const { return paths_; }

  // Like decode, but under averaged weights if there are averages, summed in the order of
  // frozen rows: the score of each view, and its path in paths().
  void answer(const Sentence& x, double* scores) {
    in_each_view(x, true, [&](size_t r) {
      scores[r] = views_[r]->search(lattices_[r]->e.data(), false, &paths_[r]);
    });
    if (!combination_.changes_paths()) return;
    combination_.apply(&paths_);
    for (size_t r = 0; r < views_.size(); r++) scores[r] = score_of(r);
  }

  // Algorithms 1 and 2, lines 4 to 12: a positive is decoded once; a negative until its sign
  // is right before the update.
  void learn(const Example& example, bool averaging, ClassifierCounts* counts) {
    begin(example, counts);
    for (int decodings = 1;; decodings++) {
      const double score = decode(example.x);
      counts->decodings++;
      counts->negative_decodings += example.y < 0;
      if (!std::isfinite(score)) {
        counts->loss = kPlusInf;
        return;
      }
      const bool right = example.y * score > 0.0;
      if (decodings == 1) note(example, score, counts);
      const bool moved = step(example, score);
      counts->updates += moved;
      if (example.y > 0 || right) break;
      if (!moved || decodings >= settings_.most_decodings) {
        counts->capped++;
        break;
      }
    }
    if (averaging) end();
  }

  // Algorithm 5, lines 7 to 12: the same with fixed structures.
  void fit(const Example& example, const Paths& paths, bool averaging, ClassifierCounts* counts) {
    begin(example, counts);
    const double norm = gather(example.x, paths);
    double score = 0.0;
    for (size_t r = 0; r < views_.size(); r++) score += views_[r]->score(deltas_[r]);
    if (!std::isfinite(score)) {
      counts->loss = kPlusInf;
      return;
    }
    note(example, score, counts);
    double total = 0.0;
    for (int steps = 1;; steps++) {
      const bool right = example.y * score > 0.0;
      const double tau = length(1.0 - example.y * score, norm);
      counts->updates += tau > 0.0;
      total += tau;
      score += example.y * tau * norm;
      if (example.y > 0 || right) break;
      if (!(tau > 0.0) || steps >= settings_.most_decodings) {
        counts->capped++;
        break;
      }
    }
    if (total > 0.0) move(example.y * total);
    if (averaging) end();
  }

 private:
  // Calls visit(r) when the lattice of view r is ready. The rows of the next view are
  // prefetched before those of this one are summed.
  template <class Visit>
  void in_each_view(const Sentence& x, bool answering, const Visit& visit) {
    views_[0]->find(x, answering);
    for (size_t r = 0; r < views_.size(); r++) {
      if (r + 1 < views_.size()) views_[r + 1]->find(x, answering);
      if (next_) views_[r]->announce_rows(next_->ids, ids_of(*next_));
      views_[r]->score_found(x, answering);
      visit(r);
    }
    next_ = nullptr;
  }

  size_t ids_of(const Sentence& x) const {
    return static_cast<size_t>(x.n) * static_cast<size_t>(views_[0]->templates());
  }

  double score_of(size_t r) const {
    const Lattice& lattice = *lattices_[r];
    return path_score(lattice, lattice.e.data(), paths_[r].data());
  }

  void begin(const Example& example, ClassifierCounts* counts) {
    counts->examples++;
    counts->negatives += example.y < 0;
    for (Trainer* view : views_) view->before_example();
  }
  void end() {
    for (Trainer* view : views_) view->after_example();
  }

  static void note(const Example& example, double score, ClassifierCounts* counts) {
    counts->wrong += !(example.y * score > 0.0);
    counts->loss += std::max(0.0, 1.0 - example.y * score);
  }

  // Lines 7 to 10: the smallest step after which y * score is 1, limited by C.
  // RETURNS: false if no step was needed.
  bool step(const Example& example, double score) {
    const double loss = 1.0 - example.y * score;
    if (!(loss > 0.0)) return false;
    const double tau = length(loss, gather(example.x, paths_));
    if (tau > 0.0) move(example.y * tau);
    return tau > 0.0;
  }

  double length(double loss, double norm) const {
    if (!(loss > 0.0 && norm > 0.0)) return 0.0;
    if (settings_.squared) return loss / (norm + 0.5 / settings_.cap);
    const double tau = loss / norm;
    return settings_.cap > 0.0 ? std::min(tau, settings_.cap) : tau;
  }

  // Writes phi(x, z) to deltas_. RETURNS: its squared norm, with true counts.
  double gather(const Sentence& x, const Paths& paths) {
    double norm = 0.0;
    for (size_t r = 0; r < views_.size(); r++) {
      deltas_[r].clear();
      views_[r]->add_path(x, paths[r], 1.0f, &deltas_[r]);
      norm += deltas_[r].squared_norm();
    }
    return norm;
  }

  void move(double step) {
    for (size_t r = 0; r < views_.size(); r++) {
      views_[r]->apply(deltas_[r], static_cast<float>(step));
    }
  }

  const std::vector<Trainer*> views_;
  std::vector<Lattice*> lattices_;
  Combination combination_;
  const ClassifierSettings settings_;
  Paths paths_;
  std::vector<Delta> deltas_;  // one per view
  const Sentence* next_ = nullptr;
};

}  // namespace latperc
