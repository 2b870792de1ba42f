// A linear classifier over latent chunkings, in one view or in several (the grammaticality
// paper, Algorithms 1 to 4): y(x) = sign of max_z w . phi(x, z), each view with rows of
// its own.
#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "delta.hh"
#include "trainer.hh"
#include "views.hh"

namespace latperc {

enum class Combine : int { add = 0, vote = 1, cotrain = 2 };

struct ClassifierSettings {
  Combine combine = Combine::add;
  double cap = 0.0;     // C: the longest step; 0 for none
  bool squared = false; // PA-II: tau = loss / (norm + 1 / (2 C))
  int most_decodings = 50;
};

struct ClassifierCounts {
  int64_t decodings = 0, updates = 0, capped = 0, wrong = 0;
  double loss = 0.0;
};

class Classifier {
 public:
  Classifier(const std::vector<Trainer*>& views, const std::vector<ViewLabels>& labels,
             const ClassifierSettings& settings)
      : views_(views), labels_(labels), settings_(settings), paths_(views.size()),
        common_(views.size()), deltas_(views.size()) {}

  // The structures of a sentence under the weights of now, and their score.
  double decode(const Sentence& x) {
    double score = 0.0;
    for (size_t r = 0; r < views_.size(); r++) {
      views_[r]->load(x);
      score += views_[r]->search(views_[r]->lattice().e.data(), false, &paths_[r]);
    }
    if (settings_.combine == Combine::add || views_.size() == 1) return score;
    for (size_t r = 0; r < views_.size(); r++) to_common(labels_[r], paths_[r], &common_[r]);
    score = 0.0;
    for (size_t r = 0; r < views_.size(); r++) {
      const bool others = settings_.combine == Combine::cotrain;
      if (others || r == 0) consensus_.elect(common_, others ? static_cast<int>(r) : -1, &agreed_);
      from_common(labels_[r], agreed_, &paths_[r]);
      Lattice& lattice = views_[r]->lattice();
      score += path_score(lattice, lattice.e.data(), paths_[r].data());
    }
    return score;
  }

  // One step on the structures that were found (line 10): the smallest one after which
  // y * score is 1, capped. RETURNS: the loss before.
  double step(const Sentence& x, int y, double score) {
    const double loss = 1.0 - y * score;
    if (!(loss > 0.0)) return 0.0;
    double norm = 0.0;
    for (size_t r = 0; r < views_.size(); r++) {
      deltas_[r].clear();
      views_[r]->add_path(x, paths_[r], 1.0f, &deltas_[r]);
      norm += deltas_[r].squared_norm();
    }
    if (!(norm > 0.0)) return loss;
    double tau = loss / (settings_.squared ? norm + 0.5 / settings_.cap : norm);
    if (!settings_.squared && settings_.cap > 0.0) tau = std::min(tau, settings_.cap);
    for (size_t r = 0; r < views_.size(); r++) {
      views_[r]->apply(deltas_[r], static_cast<float>(y * tau));
    }
    return loss;
  }

  // Algorithms 1 and 2, lines 4 to 12: a positive is decoded once; a negative until the
  // sign was right before the update.
  void learn(const Sentence& x, int y, ClassifierCounts* counts) {
    for (size_t r = 0; r < views_.size(); r++) views_[r]->before_example();
    for (int decodings = 1;; decodings++) {
      const double score = decode(x);
      counts->decodings++;
      if (!std::isfinite(score)) {
        counts->loss = kPlusInf;
        return;
      }
      const bool right = y * score > 0.0;
      if (decodings == 1) counts->wrong += !right;
      const double loss = step(x, y, score);
      counts->updates += loss > 0.0;
      if (decodings == 1) counts->loss += loss;
      if (y > 0 || right) break;
      if (decodings == settings_.most_decodings) {
        counts->capped++;
        break;
      }
    }
    for (size_t r = 0; r < views_.size(); r++) views_[r]->after_example();
  }

  const std::vector<std::vector<int32_t>>& paths() const { return paths_; }

 private:
  const std::vector<Trainer*> views_;
  const std::vector<ViewLabels> labels_;
  const ClassifierSettings settings_;
  Consensus consensus_;
  std::vector<std::vector<int32_t>> paths_, common_;
  std::vector<int32_t> agreed_;
  std::vector<Delta> deltas_;  // of each view
};

}  // namespace latperc
