// Perceptron with expected latent states. With h the best path and h* the best path of the
// gold, as in PerceptronRule, and y, y* their labels: if y is wrong,
//     w += rate * (E[f | y*] - E[f | y]),
// the expectations over the latent states inside one label sequence, under
// exp(score / temperature). Towards temperature 0 this is the latent perceptron, towards
// infinity the plain one: every state of a label then gets the same change.
#pragma once
#include <cmath>
#include <vector>

#include "rules/expectations.hh"

namespace latperc {

class ExpectedPerceptronRule : public ExpectationRule {
 public:
  ExpectedPerceptronRule(float margin, double temperature)
      : margin_(margin), scale_(1.0 / temperature) {}

  double step(Trainer& trainer, const Sentence& x) override {
    trainer.load(x);
    const float best = trainer.search(trainer.augmented(x, margin_), false, &predicted_);
    if (!(best < kPlusInf)) return kPlusInf;
    const int64_t wrong = trainer.wrong_labels(x, predicted_);
    if (wrong == 0) return 0.0;
    if (trainer.best_gold_path(x, &gold_) == kMinusInf) return std::nan("");
    const double up = sum(trainer, gold_, &better_), down = sum(trainer, predicted_, &worse_);
    if (!std::isfinite(up) || !std::isfinite(down)) return kPlusInf;
    change(trainer, x, false);
    return static_cast<double>(wrong);
  }

 private:
  double sum(Trainer& trainer, const std::vector<int32_t>& path, Sums<float>* sums) const {
    return sums->run(trainer.lattice(), trainer.inside_labels(path), true, scale_);
  }

  const float margin_;
  const double scale_;
  std::vector<int32_t> predicted_;
};

}  // namespace latperc
