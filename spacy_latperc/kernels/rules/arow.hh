// AROW, adaptive regularisation of weights (Crammer, Kulesza, Dredze 2009, Figure 1), for
// structures, with Hamming cost and a diagonal covariance V. With the loss and d of MarginRule:
//     beta = 1 / (d' V d + r),  w += loss * beta * V d,  V_jj -= beta * (V_jj d_j)^2.
// Entries of V off the diagonal are left out. Weights that often changed are trusted, and
// change less.
#pragma once
#include <stdexcept>

#include "rules/rule.hh"

namespace latperc {

class ArowRule : public MarginRule {
 public:
  explicit ArowRule(double r) : r_(r) {}

 protected:
  void change(Trainer& trainer, double loss, const Delta& d) override {
    if (trainer.step().settings().kind != StepKind::variances) {
      throw std::invalid_argument("AROW needs a chain that keeps variances");
    }
    const double beta = 1.0 / (trainer.confidence(d) + r_);
    trainer.apply_with_variances(d, loss * beta, beta);
  }

 private:
  const double r_;
};

}  // namespace latperc
