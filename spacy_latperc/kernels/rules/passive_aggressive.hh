// Passive-aggressive steps (Crammer et al. 2006) with Hamming cost, for structures.
//
// The smallest change that makes the gold path win by its cost:
//     loss = F(h) + cost(h) - F(h*),   h = argmax F + cost,   d = f(h*, x) - f(h, x),
// PA     tau = loss / |d|^2
// PA-I   tau = min(C, loss / |d|^2)             with a slack xi that costs C * xi
// PA-II  tau = loss / (|d|^2 + 1 / (2 C))       with a slack xi that costs C * xi^2
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "rules/rule.hh"

namespace latperc {

enum class Slack : int { none = 0, linear = 1, squared = 2 };

class PassiveAggressiveRule : public Rule {
 public:
  PassiveAggressiveRule(Slack slack, double cap) : slack_(slack), cap_(cap) {}

  double step(Trainer& trainer, const Sentence& x) override {
    trainer.load(x);
    const float best = trainer.search(trainer.augmented(x, 1.0f), false, &predicted_);
    if (!(best < kPlusInf)) return kPlusInf;
    const float target = trainer.best_gold_path(x, &gold_);
    if (target == kMinusInf) return std::nan("");
    const double loss = static_cast<double>(best) - static_cast<double>(target);
    if (!(loss > 0.0)) return 0.0;
    trainer.compare(x, gold_, predicted_, &delta_);
    const double squared_norm = delta_.squared_norm();
    if (squared_norm > 0.0) {
      trainer.apply(delta_, static_cast<float>(length(loss, squared_norm)));
    }
    return loss;
  }

 private:
  double length(double loss, double squared_norm) const {
    switch (slack_) {
      case Slack::none:
        return loss / squared_norm;
      case Slack::linear:
        return std::min(cap_, loss / squared_norm);
      default:
        return loss / (squared_norm + 0.5 / cap_);
    }
  }

  const Slack slack_;
  const double cap_;
  Delta delta_;
  std::vector<int32_t> predicted_, gold_;
};

}  // namespace latperc
