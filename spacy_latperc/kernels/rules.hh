// Rules: how one sentence changes the weights.
//
// A rule compares paths and says by how much; it never writes weights itself.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "trainer.hh"

namespace latperc {

class Rule {
 public:
  virtual ~Rule() = default;
  // Learns from one sentence; returns its loss. Changes nothing and returns NaN if no path
  // agrees with the gold labels, infinity if scores are not finite any more.
  virtual double step(Trainer& trainer, const Sentence& x) = 0;
};

// Structured perceptron (Collins 2002) and latent perceptron (Sun et al. 2009, Figure 1
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
    if (trainer.complete(x, &gold_) == kMinusInf) return std::nan("");
    trainer.compare(x, gold_, predicted_);
    trainer.apply(1.0f);
    return static_cast<double>(wrong);
  }

 private:
  float margin_;
  std::vector<int32_t> predicted_, gold_;
};

// Passive-aggressive step PA-I (Crammer et al. 2006) with Hamming cost: the smallest
// change that makes the gold path win by its cost, capped:
//     tau = min(C, [F(h) + cost(h) - F(h*)] / ||f(h*, x) - f(h, x)||^2).
class PassiveAggressiveRule : public Rule {
 public:
  explicit PassiveAggressiveRule(float cap) : cap_(cap) {}

  double step(Trainer& trainer, const Sentence& x) override {
    trainer.load(x);
    const float best = trainer.search(trainer.augmented(x, 1.0f), false, &predicted_);
    if (!(best < kPlusInf)) return kPlusInf;
    const float target = trainer.complete(x, &gold_);
    if (target == kMinusInf) return std::nan("");
    const double loss = static_cast<double>(best) - static_cast<double>(target);
    if (!(loss > 0.0)) return 0.0;
    trainer.compare(x, gold_, predicted_);
    const double squared_norm = trainer.squared_norm();
    if (squared_norm > 0.0) {
      trainer.apply(static_cast<float>(std::min(static_cast<double>(cap_), loss / squared_norm)));
    }
    return loss;
  }

 private:
  float cap_;
  std::vector<int32_t> predicted_, gold_;
};

}  // namespace latperc
