// Violation-fixing perceptron for chains (see rules/prefix.hh):
//     w += rate * (f(y_1..i, x) - f(z_1..i, x)),   z_1..i the best prefix of the beam.
// With latent values the gold path is the best one that the same beam finds inside the gold
// labels (exact if the beam is as wide as a label has histories), and a prefix is wrong if its
// labels are. Without a violation nothing changes. Exact search has no prefixes, and its whole
// paths are violations: all methods are then the perceptron.
#pragma once
#include <cmath>
#include <vector>

#include "rules/prefix.hh"
#include "rules/rule.hh"

namespace latperc {

class ViolationRule : public Rule {
 public:
  explicit ViolationRule(Prefix method) : method_(method) {}

  double step(Trainer& trainer, const Sentence& x) override {
    trainer.load(x);
    const float best = trainer.search(trainer.augmented(x, 0.0f), false, &predicted_);
    if (!(best < kPlusInf)) return kPlusInf;
    const int64_t wrong = trainer.wrong_labels(x, predicted_);
    if (wrong == 0) return 0.0;
    const float gold = trainer.best_gold_path(x, &gold_);
    if (gold == kMinusInf) return std::nan("");
    const bool whole = method_ == Prefix::standard || trainer.layout().beam == 0;
    const int64_t n = whole ? x.n : choose(trainer, x);
    if (n == 0) return static_cast<double>(wrong);
    if (!whole) trainer.beam().trace(n - 1, predicted_.data());
    updates++;
    violations += n < x.n || best >= gold;
    delta_.clear();
    trainer.difference(x, gold_, predicted_, 1.0f, n, &delta_);
    trainer.apply(delta_, 1.0f);
    return static_cast<double>(wrong);
  }

 private:
  // The length of the prefix to learn from; 0 for none.
  int64_t choose(Trainer& trainer, const Sentence& x) {
    const Beam& beam = trainer.beam();
    const Lattice& lattice = trainer.lattice();
    beam.find_wrong(
        [&](int64_t i, int state) { return x.allows(i, lattice.layout.label_of(state)); }, &wrong_);
    float gold = 0.0f;
    return choose_prefix(
        method_, x.n,
        [&](int64_t i) {
          gold = extend_score(lattice, lattice.e.data(), gold_.data(), i, gold);
          return BestPrefix{wrong_[i] != 0, beam.best_score(i) - gold};
        },
        [&](int64_t i) { return beam.holds(i, gold_.data()); });
  }

  const Prefix method_;
  Delta delta_;
  std::vector<int32_t> predicted_, gold_;
  std::vector<uint8_t> wrong_;
};

}  // namespace latperc
