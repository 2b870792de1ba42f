// The conditional random field, one sentence at a time.
//
// Gradient of log P(gold | x) (DSL, equation 42; with latent values the DPLVM of LVP,
// equations 1 to 3): expected features inside the gold minus expected features
// of all paths. Both are sums over the same lattice, one of them under the mask of the
// gold, so that tokens without a label count as latent ones do (Tsuboi et al. 2008).
// With a margin it is the softmax-margin (Gimpel and Smith 2010): in the sum over all paths
// each wrong label adds the margin to its score.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "rules/rule.hh"
#include "sums/sums.hh"
#include "weights/trainer.hh"

namespace latperc {

class CRFRule : public Rule {
 public:
  explicit CRFRule(float margin) : margin_(margin) {}

  double step(Trainer& trainer, const Sentence& x) override {
    trainer.load(x);
    Lattice& lattice = trainer.lattice();
    const bool known = trainer.fully_labelled(x);
    const double inside = known ? trainer.best_gold_path(x, &gold_)
                                : inside_.run(lattice, trainer.inside_gold(x), true);
    if (inside == kMinusInf) return std::nan("");
    const double all = all_.run(lattice, trainer.augmented(x, margin_), false);
    const double loss = all - inside;
    if (!std::isfinite(loss)) return kPlusInf;
    for (int64_t i = 0; x.sloped && i < x.n; i++) {
      trainer.add_slope(x, i, change_at(lattice, i, known), -1.0f);
    }
    // Scores that vary with the token are read from rows that must not have changed yet.
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
    return loss > 0.0 ? loss : 0.0;
  }
  bool has_slope() const override { return true; }

 private:
  // change[i] = P(state at i | gold) - P(state at i).
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
    const float* all = all_.states(i);
    change_.assign(lattice.P, 0.0f);
    if (known) {
      for (int j = 0; j < lattice.S; j++) change_[j] = -all[j];
      change_[gold_[i]] += 1.0f;
    } else {
      const float* inside = inside_.states(i);
      for (int j = 0; j < lattice.S; j++) change_[j] = inside[j] - all[j];
    }
    return change_.data();
  }

  // The same for rows that every token has: their changes are summed up first.
  void change_constants(Trainer& trainer, const Sentence& x, size_t b, bool known) {
    const BlockShape& shape = trainer.shape(b);
    if (x.n <= static_cast<int64_t>(shape.kind) || trainer.constants(b) == 0) return;
    start_matrix(trainer, shape.kind);
    if (shape.kind == Kind::edge) {
      all_.sum_edges(other_.data());
    } else {
      all_.sum_triples(other_.data());
    }
    for (size_t k = 0; k < matrix_.size(); k++) matrix_[k] = -other_[k];
    if (known) {
      for (int64_t i = static_cast<int64_t>(shape.kind); i < x.n; i++)
        add_gold(trainer, shape.kind, i);
    } else {
      if (shape.kind == Kind::edge) {
        inside_.sum_edges(other_.data());
      } else {
        inside_.sum_triples(other_.data());
      }
      for (size_t k = 0; k < matrix_.size(); k++) matrix_[k] += other_[k];
    }
    const float* row = trainer.lattice().fold(shape, matrix_.data());
    for (int t = 0; t < trainer.constants(b); t++) {
      trainer.add_row(b, trainer.feature(x, 0, shape.templates[t]), row);
    }
  }

  // One matrix a token.
  void collect_varying(Trainer& trainer, const Sentence& x, size_t b, bool known,
                       std::vector<float>* changes) {
    const BlockShape& shape = trainer.shape(b);
    changes->clear();
    if (trainer.constants(b) == static_cast<int>(shape.templates.size())) return;
    start_matrix(trainer, shape.kind);
    for (int64_t i = static_cast<int64_t>(shape.kind); i < x.n; i++) {
      if (shape.kind == Kind::edge) {
        all_.edges(i, other_.data());
      } else {
        all_.triples(i, other_.data());
      }
      for (size_t k = 0; k < matrix_.size(); k++) matrix_[k] = -other_[k];
      if (known) {
        add_gold(trainer, shape.kind, i);
      } else {
        if (shape.kind == Kind::edge) {
          inside_.edges(i, other_.data());
        } else {
          inside_.triples(i, other_.data());
        }
        for (size_t k = 0; k < matrix_.size(); k++) matrix_[k] += other_[k];
      }
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

  void start_matrix(Trainer& trainer, Kind kind) {
    const Lattice& lattice = trainer.lattice();
    size_t size = static_cast<size_t>(lattice.P) * lattice.S;
    if (kind == Kind::tri) size *= lattice.S;
    matrix_.assign(size, 0.0f);
    other_.assign(size, 0.0f);
  }

  void add_gold(Trainer& trainer, Kind kind, int64_t i) {
    const Lattice& lattice = trainer.lattice();
    const size_t before = kind == Kind::tri ? gold_[i - 2] : 0;
    matrix_[(before * lattice.S + gold_[i - 1]) * lattice.P + gold_[i]] += 1.0f;
  }

  const float margin_;
  Sums<float> all_, inside_;
  std::vector<int32_t> gold_;
  std::vector<float> change_, matrix_, other_;
  std::vector<std::vector<float>> changes_;  // of each block, one matrix a token
};

}  // namespace latperc
