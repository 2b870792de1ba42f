// Passive-aggressive steps (Crammer et al. 2006) with Hamming cost, for structures.
//
// The smallest change that makes the gold path win by its cost. With the loss and d of
// MarginRule:
// PA     tau = loss / |d|^2
// PA-I   tau = min(C, loss / |d|^2)             with a slack xi that costs C * xi
// PA-II  tau = loss / (|d|^2 + 1 / (2 C))       with a slack xi that costs C * xi^2
#pragma once
#include <algorithm>

#include "rules/rule.hh"

namespace latperc {

enum class Slack : int { none = 0, linear = 1, squared = 2 };

class PassiveAggressiveRule : public MarginRule {
 public:
  PassiveAggressiveRule(Slack slack, double cap) : slack_(slack), cap_(cap) {}

 protected:
  void change(Trainer& trainer, double loss, const Delta& d) override {
    const double squared_norm = d.squared_norm();
    if (squared_norm > 0.0) trainer.apply(d, static_cast<float>(length(loss, squared_norm)));
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
};

}  // namespace latperc
