// The base of rules whose change is a difference of two expectations:
//     w += rate * (E[f] by better_ - E[f] by worse_),
// both sums over the paths of the same lattice, under two sets of state scores.
#pragma once
#include <cstdint>
#include <vector>

#include "rules/rule.hh"
#include "sums/sums.hh"
#include "weights/trainer.hh"

namespace latperc {

class ExpectationRule : public Rule {
 public:
  bool has_slope() const override { return true; }

 protected:
  // known: use f(gold_, x) instead of the sums of better_.
  void change(Trainer& trainer, const Sentence& x, bool known) {
    for (int64_t i = 0; x.sloped && i < x.n; i++) {
      trainer.add_slope(x, i, change_at(trainer.lattice(), i, known), -1.0f);
    }
    // Scores that vary with the token are read from rows, so they are collected before any change.
    changes_.resize(trainer.n_blocks());
    for (size_t b = 0; b < trainer.n_blocks(); b++) {
      if (trainer.shape(b).kind != Kind::state) collect_varying(trainer, x, b, known, &changes_[b]);
    }
    for (size_t b = 0; b < trainer.n_blocks(); b++) {
      if (trainer.shape(b).kind == Kind::state) {
        change_states(trainer, x, b, known);
      } else {
        change_constants(trainer, x, b, known);
        change_varying(trainer, x, b, changes_[b]);
      }
    }
  }

  Sums<float> better_, worse_;
  std::vector<int32_t> gold_;

 private:
  // change[i] = P(state at i) by better_ - P(state at i) by worse_.
  void change_states(Trainer& trainer, const Sentence& x, size_t b, bool known) {
    const BlockShape& shape = trainer.shape(b);
    const auto row = [&](int64_t i) {
      return trainer.lattice().fold(shape, change_at(trainer.lattice(), i, known));
    };
    for (int64_t i = 0; i < x.n; i++) {
      trainer.add_rows(b, x, i, shape.templates.data(), shape.templates.size(), row(i));
    }
    trainer.for_each_boundary(
        b, x, x.n, [&](int64_t i, int32_t feature) { trainer.add_row(b, feature, row(i)); });
  }

  const float* change_at(const Lattice& lattice, int64_t i, bool known) {
    const float* worse = worse_.states(i);
    change_.assign(lattice.P, 0.0f);
    if (known) {
      for (int j = 0; j < lattice.S; j++) change_[j] = -worse[j];
      change_[gold_[i]] += 1.0f;
    } else {
      const float* better = better_.states(i);
      for (int j = 0; j < lattice.S; j++) change_[j] = better[j] - worse[j];
    }
    return change_.data();
  }

  // The same for the rows of constants, whose changes are summed over all tokens first.
  void change_constants(Trainer& trainer, const Sentence& x, size_t b, bool known) {
    const BlockShape& shape = trainer.shape(b);
    if (x.n <= static_cast<int64_t>(shape.kind) || trainer.constants(b) == 0) return;
    subtract(
        trainer, shape.kind,
        [&](Sums<float>& sums) { sums.sum_marginals(shape.kind, other_.data()); }, known);
    for (int64_t i = static_cast<int64_t>(shape.kind); known && i < x.n; i++) {
      add_gold(trainer, shape.kind, i);
    }
    const float* row = trainer.lattice().fold(shape, matrix_.data());
    for (int t = 0; t < trainer.constants(b); t++) {
      trainer.add_row(b, trainer.feature(x, 0, shape.templates[t]), row);
    }
  }

  // Collects one matrix a token.
  void collect_varying(Trainer& trainer, const Sentence& x, size_t b, bool known,
                       std::vector<float>* changes) {
    const BlockShape& shape = trainer.shape(b);
    changes->clear();
    if (trainer.constants(b) == static_cast<int>(shape.templates.size())) return;
    for (int64_t i = static_cast<int64_t>(shape.kind); i < x.n; i++) {
      subtract(
          trainer, shape.kind,
          [&](Sums<float>& sums) { sums.marginals(shape.kind, i, other_.data()); }, known);
      if (known) add_gold(trainer, shape.kind, i);
      const float* row = trainer.lattice().fold(shape, matrix_.data());
      changes->insert(changes->end(), row, row + shape.stride());
    }
  }

  void change_varying(Trainer& trainer, const Sentence& x, size_t b,
                      const std::vector<float>& changes) {
    const BlockShape& shape = trainer.shape(b);
    const float* row = changes.data();
    const size_t first = trainer.constants(b);
    if (changes.empty()) return;
    for (int64_t i = static_cast<int64_t>(shape.kind); i < x.n; i++, row += shape.stride()) {
      trainer.add_rows(b, x, i, shape.templates.data() + first, shape.templates.size() - first,
                       row);
    }
  }

  // matrix_ = the numbers that get(sums) writes to other_: those of better_, if the gold is not
  // known, minus those of worse_.
  template <class Get>
  void subtract(Trainer& trainer, Kind kind, const Get& get, bool known) {
    const Lattice& lattice = trainer.lattice();
    size_t size = static_cast<size_t>(lattice.P) * lattice.S;
    if (kind == Kind::tri) size *= lattice.S;
    matrix_.resize(size);
    other_.resize(size);
    get(worse_);
    for (size_t k = 0; k < size; k++) matrix_[k] = -other_[k];
    if (known) return;
    get(better_);
    for (size_t k = 0; k < size; k++) matrix_[k] += other_[k];
  }

  void add_gold(Trainer& trainer, Kind kind, int64_t i) {
    const Lattice& lattice = trainer.lattice();
    const size_t before = kind == Kind::tri ? gold_[i - 2] : 0;
    matrix_[(before * lattice.S + gold_[i - 1]) * lattice.P + gold_[i]] += 1.0f;
  }

  std::vector<float> change_, matrix_, other_;
  std::vector<std::vector<float>> changes_;  // of each block, one matrix a token
};

}  // namespace latperc
