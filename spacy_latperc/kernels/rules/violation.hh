// Violation-fixing perceptron (Huang, Fayong, Guo 2012, "Structured Perceptron with Inexact
// Search"), for beam search: an update helps where a wrong prefix z scores no less than the
// gold prefix y, a violation:
//     w += rate * (f(y_1..i, x) - f(z_1..i, x)),   z_1..i the best prefix of the beam.
//   standard  i = n, violation or not
//   early     the first i at which the beam has lost the history of the gold path
//   latest    the last i at which the best prefix is a violation
//   max       the i at which it is the worst; of equals the last
// With latent values the gold path is its best completion, and a prefix is wrong by its
// labels; where nothing is violated nothing changes. Exact search makes no prefixes, and
// its whole paths are violations: all methods are then the perceptron.
#pragma once
#include <cmath>
#include <vector>

#include "rules/rule.hh"

namespace latperc {

enum class Prefix : int { standard = 0, early = 1, latest = 2, max = 3 };

class ViolationRule : public Rule {
 public:
  explicit ViolationRule(Prefix method) : method_(method) {}

  double step(Trainer& trainer, const Sentence& x) override {
    trainer.load(x);
    const float best = trainer.search(trainer.augmented(x, 0.0f), false, &predicted_);
    if (!(best < kPlusInf)) return kPlusInf;
    const int64_t wrong = trainer.wrong_labels(x, predicted_);
    if (wrong == 0) return 0.0;
    if (trainer.complete(x, &gold_) == kMinusInf) return std::nan("");
    const bool whole = method_ == Prefix::standard || trainer.layout().beam == 0;
    const int64_t n = whole ? x.n : choose(trainer, x);
    if (n == 0) return static_cast<double>(wrong);
    if (!whole) trainer.beam().trace(n - 1, predicted_.data());
    delta_.clear();
    trainer.difference(x, gold_, predicted_, 1.0f, n, &delta_);
    trainer.apply(delta_, 1.0f);
    return static_cast<double>(wrong);
  }

 private:
  // Length of the prefix to learn from; 0 for none.
  int64_t choose(Trainer& trainer, const Sentence& x) {
    const Beam& beam = trainer.beam();
    const Lattice& lattice = trainer.lattice();
    beam.find_wrong(
        [&](int64_t i, int state) { return x.allows(i, lattice.layout.label_of(state)); }, &wrong_);
    int64_t chosen = 0;
    float worst = 0.0f;
    float gold = 0.0f;
    for (int64_t i = 0; i < x.n; i++) {
      gold = extend_score(lattice, lattice.e.data(), gold_.data(), i, gold);
      const float gap = beam.best_score(i) - gold;
      if (!wrong_[i] || !(gap >= 0.0f)) continue;
      if (method_ == Prefix::early && i + 1 < x.n && beam.holds(i, gold_.data())) continue;
      if (method_ == Prefix::early) return i + 1;
      if (method_ == Prefix::max && gap < worst) continue;
      worst = gap;
      chosen = i + 1;
    }
    return chosen;
  }

  const Prefix method_;
  Delta delta_;
  std::vector<int32_t> predicted_, gold_;
  std::vector<uint8_t> wrong_;
};

}  // namespace latperc
