// Probabilistic perceptron (Sun, "probabilistic perceptron", Algorithm 1 and equations 1
// to 3): Y, the n best paths, and the gold path h* if it is not among them (line 5);
//     w += rate * (f(h*) - sum over Y of P_k f(h_k)).
// P is log-linear,     P_k ~ exp(s_k),
// or a polynomial,     P_k ~ (1 + (s_k - s_min) / p)^p,
// which is linear for p = 1 and approaches the log-linear form as p grows (the paper gives no
// formula for it). Paths that agree with the gold labels cause no change; if all labels are
// known, that is only h*.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "rules/rule.hh"

namespace latperc {

class ProbabilisticRule : public Rule {
 public:
  // degree: p of the polynomial; 0 for the log-linear form.
  ProbabilisticRule(int n, double degree, bool add_gold)
      : n_(n), degree_(degree), add_gold_(add_gold) {}

  // The loss is the expected number of wrong labels under P.
  double step(Trainer& trainer, const Sentence& x) override {
    trainer.load(x);
    trainer.kbest(trainer.lattice().e.data(), false, n_, &paths_, &scores_);
    const float target = trainer.best_gold_path(x, &gold_);
    if (target == kMinusInf) return std::nan("");
    if (paths_.empty() || !(scores_[0] < kPlusInf)) return kPlusInf;
    wrong_.clear();
    bool found = false;
    for (const std::vector<int32_t>& path : paths_) {
      wrong_.push_back(trainer.wrong_labels(x, path));
      found = found || wrong_.back() == 0;
    }
    if (!found && add_gold_) scores_.push_back(target);
    find_probabilities();
    double loss = 0.0;
    delta_.clear();
    for (size_t k = 0; k < paths_.size(); k++) {
      const float p = static_cast<float>(p_[k]);
      if (wrong_[k] == 0 || p == 0.0f) continue;
      loss += p_[k] * static_cast<double>(wrong_[k]);
      trainer.difference(x, gold_, paths_[k], p, x.n, &delta_);
      trainer.add_slope(x, paths_[k], p);
      trainer.add_slope(x, gold_, -p);
    }
    if (loss > 0.0) trainer.apply(delta_, 1.0f);
    return loss;
  }
  // In the log-linear form the loss is -log P(h*) among the paths of the list.
  bool has_slope() const override { return true; }

 private:
  // Relative to the best of the list, so that nothing overflows.
  void find_probabilities() {
    const double high = *std::max_element(scores_.begin(), scores_.end());
    const double low = *std::min_element(scores_.begin(), scores_.end());
    double total = 0.0;
    p_.clear();
    for (float score : scores_) {
      const double s = static_cast<double>(score);
      p_.push_back(degree_ > 0.0 ? std::pow((degree_ + s - low) / (degree_ + high - low), degree_)
                                 : std::exp(s - high));
      total += p_.back();
    }
    for (double& p : p_) p /= total;
  }

  const int n_;
  const double degree_;
  const bool add_gold_;
  Delta delta_;
  std::vector<std::vector<int32_t>> paths_;
  std::vector<float> scores_;  // of the paths, and of the gold path if it was added
  std::vector<double> p_;
  std::vector<int64_t> wrong_;
  std::vector<int32_t> gold_;
};

}  // namespace latperc
