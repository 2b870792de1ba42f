// Rules: the update of the weights by one sentence.
//
// A rule compares paths and computes a change; it never writes weights itself.
#pragma once
#include <cmath>
#include <vector>

#include "weights/trainer.hh"

namespace latperc {

class Rule {
 public:
  virtual ~Rule() = default;
  // Learns from one sentence; returns its loss. Changes nothing and returns NaN if no path
  // agrees with the gold labels, or infinity if scores are no longer finite.
  virtual double step(Trainer& trainer, const Sentence& x) = 0;
  // True if the change is a step along the gradient of a loss. The rule then also computes
  // the gradient with respect to external scores (Trainer::add_slope).
  virtual bool has_slope() const { return false; }

  // Counts of violation fixing: all updates, and those by violations.
  int64_t updates = 0, violations = 0;
};

// Structured perceptron (Collins 2002) and latent perceptron (LVP, Figure 1
// and equation 8): h = argmax F(h | x), and if Proj(h) != y*
//     Theta += rate * (f(h*, x) - f(h, x)),   h* = argmax F(h | y*, x).
// With a margin the search adds it to every state of a wrong label (cost-augmented).
class PerceptronRule : public Rule {
 public:
  explicit PerceptronRule(float margin) : margin_(margin) {}

  double step(Trainer& trainer, const Sentence& x) override {
    trainer.load(x);
    const float best = trainer.search(trainer.augmented(x, margin_), false, &predicted_);
    if (!(best < kPlusInf)) return kPlusInf;
    const int64_t wrong = trainer.wrong_labels(x, predicted_);
    if (wrong == 0) return 0.0;
    if (trainer.best_gold_path(x, &gold_) == kMinusInf) return std::nan("");
    trainer.compare(x, gold_, predicted_, &delta_);
    trainer.apply(delta_, 1.0f);
    trainer.add_slope(x, predicted_, 1.0f);
    trainer.add_slope(x, gold_, -1.0f);
    return static_cast<double>(wrong);
  }
  // Of F(h) + margin - F(h*), at the two paths.
  bool has_slope() const override { return true; }

 private:
  float margin_;
  Delta delta_;
  std::vector<int32_t> predicted_, gold_;
};

}  // namespace latperc
