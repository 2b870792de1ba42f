// AROW, adaptive regularisation of weights (Crammer, Kulesza, Dredze 2009, Figure 1), for
// structures, with Hamming cost and a diagonal covariance V. With
//     loss = F(h) + cost(h) - F(h*),   h = argmax F + cost,   d = f(h*, x) - f(h, x):
//     beta = 1 / (d' V d + r),  w += loss * beta * V d,  V_jj -= beta * (V_jj d_j)^2.
// What is off the diagonal after a step is left out. Weights that were often changed are
// trusted, and change less.
#pragma once
#include <cmath>
#include <stdexcept>
#include <vector>

#include "rules/rule.hh"

namespace latperc {

class ArowRule : public Rule {
 public:
  explicit ArowRule(double r) : r_(r) {}

  double step(Trainer& trainer, const Sentence& x) override {
    if (trainer.step().settings().kind != StepKind::variances) {
      throw std::invalid_argument("AROW needs a chain that keeps variances");
    }
    trainer.load(x);
    const float best = trainer.search(trainer.augmented(x, 1.0f), false, &predicted_);
    if (!(best < kPlusInf)) return kPlusInf;
    const float target = trainer.complete(x, &gold_);
    if (target == kMinusInf) return std::nan("");
    const double loss = static_cast<double>(best) - static_cast<double>(target);
    if (!(loss > 0.0)) return 0.0;
    delta_.clear();
    trainer.difference(x, gold_, predicted_, 1.0f, x.n, &delta_);
    const double beta = 1.0 / (trainer.confidence(delta_) + r_);
    trainer.apply_with_variances(delta_, loss * beta, beta);
    return loss;
  }

 private:
  const double r_;
  Delta delta_;
  std::vector<int32_t> predicted_, gold_;
};

}  // namespace latperc
