// The conditional random field, one sentence at a time.
//
// Gradient of log P(gold | x) (DSL, equation 42; with latent values the DPLVM of LVP,
// equations 1 to 3): expected features inside the gold minus expected features
// of all paths. Both are sums over the same lattice, one of them under the mask of the
// gold, so that unlabelled tokens are treated like latent states (Tsuboi et al. 2008).
// With a margin it is the softmax-margin (Gimpel and Smith 2010): in the sum over all paths
// each wrong label adds the margin to its score.
#pragma once
#include <cmath>

#include "rules/expectations.hh"

namespace latperc {

class CRFRule : public ExpectationRule {
 public:
  explicit CRFRule(float margin) : margin_(margin) {}

  double step(Trainer& trainer, const Sentence& x) override {
    trainer.load(x);
    Lattice& lattice = trainer.lattice();
    const bool known = trainer.fully_labelled(x);
    const double inside = known ? trainer.best_gold_path(x, &gold_)
                                : better_.run(lattice, trainer.inside_gold(x), true);
    if (inside == kMinusInf) return std::nan("");
    const double loss = worse_.run(lattice, trainer.augmented(x, margin_), false) - inside;
    if (!std::isfinite(loss)) return kPlusInf;
    change(trainer, x, known);
    return loss > 0.0 ? loss : 0.0;
  }

 private:
  const float margin_;
};

}  // namespace latperc
