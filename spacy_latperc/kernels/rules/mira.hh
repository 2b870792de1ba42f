// n-best MIRA (McDonald, Crammer, Pereira 2005): the smallest change under which the gold
// path wins by its cost against each of n paths,
//     min |w' - w|^2 / 2 + C * sum of xi_k,   w' . (f(h*) - f(h_k)) >= cost(h_k) - xi_k.
// The paths are the n best under score + cost, which violate their margins most. With n = 1 this
// is PA-I.
#pragma once
#include <cmath>
#include <vector>

#include "rules/hildreth.hh"
#include "rules/rule.hh"

namespace latperc {

class MiraRule : public Rule {
 public:
  MiraRule(int n, double cap) : n_(n), cap_(cap) {}

  double step(Trainer& trainer, const Sentence& x) override {
    trainer.load(x);
    trainer.kbest(trainer.augmented(x, 1.0f), false, n_, &paths_, &scores_);
    const float target = trainer.best_gold_path(x, &gold_);
    if (target == kMinusInf) return std::nan("");
    if (paths_.empty() || !(scores_[0] < kPlusInf)) return kPlusInf;
    const double worst = static_cast<double>(scores_[0]) - static_cast<double>(target);
    if (!(worst > 0.0)) return 0.0;
    constrain(trainer, x, target);
    hildreth(gram_, losses_, cap_, &alpha_);
    change_.clear();
    for (size_t k = 0; k < losses_.size(); k++) {
      if (alpha_[k] == 0.0) continue;
      change_.add_scaled(differences_[k], static_cast<float>(alpha_[k]));
    }
    trainer.apply(change_, 1.0f);
    return worst;
  }

 private:
  // Adds a margin for every path that disagrees with the gold.
  void constrain(Trainer& trainer, const Sentence& x, float target) {
    losses_.clear();
    if (differences_.size() < paths_.size()) differences_.resize(paths_.size());
    for (size_t k = 0; k < paths_.size(); k++) {
      if (trainer.wrong_labels(x, paths_[k]) == 0) continue;
      Delta& d = differences_[losses_.size()];
      d.clear();
      trainer.difference(x, gold_, paths_[k], 1.0f, x.n, &d);
      losses_.push_back(static_cast<double>(scores_[k]) - static_cast<double>(target));
    }
    const size_t n = losses_.size();
    gram_.resize(n * n);
    for (size_t k = 0; k < n; k++) {
      for (size_t l = 0; l <= k; l++) {
        gram_[k * n + l] = gram_[l * n + k] = differences_[k].dot(differences_[l]);
      }
    }
  }

  const int n_;
  const double cap_;
  Delta change_;
  std::vector<Delta> differences_;
  std::vector<double> losses_, gram_, alpha_;
  std::vector<std::vector<int32_t>> paths_;
  std::vector<float> scores_;
  std::vector<int32_t> gold_;
};

}  // namespace latperc
