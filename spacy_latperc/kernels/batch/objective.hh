// The negative conditional log-likelihood of a chain, and its gradient.
//
//     f(w) = sum over sentences of  log Z(x) - log Z(x, y)
//     df/dw = E[feature counts | x] - E[feature counts | x, y]
//
// where Z(x, y) sums over the paths that the gold labels allow: with latent = 1 and every
// label known that is one path (CRF: DSL, equations 36 and 42); with latent states
// the sum over them is the DPLVM's (LVP, equations 1 to 3); tokens without a
// label or with a set of labels are summed over in the same way (Tsuboi et al. 2008).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "batch/paired_sentences.hh"
#include "batch/potentials.hh"
#include "common/signals.hh"
#include "hashing/hash.hh"
#include "sums/sums.hh"

namespace latperc {

class Objective : public PairedSentences {
 public:
  Objective(const Layout& layout, const std::vector<BlockShape>& shapes,
            const std::vector<int32_t>& constants, int templates, const GoldLabels& gold)
      : PairedSentences(layout, shapes, constants, templates, gold), potentials_(layout_) {}
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;

  // RETURNS: f(w), with its gradient in `slope`; or NaN, with the number of the sentence in `bad`,
  // if a score is not finite.
  double evaluate(const double* w, double* slope, int64_t* bad) {
    start(w, slope);
    double loss = 0.0;
    SignalCheck signals;
    for (const Kept& x : sentences_) {
      signals.look();
      const double part = add_sentence(x, slope);
      if (!std::isfinite(part)) {
        *bad = x.number;
        return std::numeric_limits<double>::quiet_NaN();
      }
      loss += part;
    }
    for (const PairBlock& block : blocks_) {
      if (block.shape.kind == Kind::state) {
        block.groups.finish(block.pairs, slope);
      } else if (!block.fixed.empty()) {
        const std::vector<double>& total = block.shape.kind == Kind::tri ? tri_total_ : edge_total_;
        const double* folded = potentials_.fold(block.shape, total.data());
        for (int32_t row : block.fixed) block.pairs.collect_from(row, folded, slope);
      }
    }
    for (int64_t p = 0; p < n_pairs_; p++) {
      loss -= observed_[p] * w[p];
      slope[p] -= observed_[p];
    }
    return loss;
  }

  // Adds small noise to the same weights as Trainer: to the plain transitions between latent
  // states, or without transitions to all rows of latent states.
  void add_noise(double scale, uint64_t seed, const std::vector<uint64_t>& keys, double* w) const {
    for (const PairBlock& block : blocks_) {
      const bool wanted =
          block.shape.latent &&
          (layout_.order == 0 ? block.shape.kind == Kind::state : block.shape.kind == Kind::edge);
      for (size_t r = 1; wanted && r < block.pairs.rows(); r++) {
        const int32_t row = static_cast<int32_t>(r);
        if (layout_.order > 0 &&
            std::find(block.fixed.begin(), block.fixed.end(), row) == block.fixed.end()) {
          continue;
        }
        const uint64_t key = mix(seed ^ keys[block.pairs.feature_of[r]]);
        for (int64_t p = block.pairs.begin[r]; p < block.pairs.begin[r + 1]; p++) {
          w[p] += scale * noise(key + block.pairs.cell(p) + 1);
        }
      }
    }
  }

  size_t bytes() const {
    size_t total = 8 * observed_.size();
    for (const PairBlock& block : blocks_) {
      total += 4 * block.pairs.cells.size() + block.groups.bytes() + block.varying.bytes() +
               block.weighted.bytes() + 8 * block.values.size();
    }
    return total;
  }

 private:
  void start(const double* w, double* slope) {
    std::fill(slope, slope + n_pairs_, 0.0);
    for (PairBlock& block : blocks_) {
      if (block.shape.kind == Kind::state) block.groups.start(block.pairs, w);
    }
    potentials_.start(blocks_, w);
    free_.hold_transitions(true);
    masked_.hold_transitions(true);
    const size_t cells = static_cast<size_t>(layout_.states()) * layout_.pitch();
    edge_total_.assign(layout_.order >= 1 ? cells : 0, 0.0);
    tri_total_.assign(layout_.order >= 2 ? cells * layout_.states() : 0, 0.0);
    states_.assign(layout_.pitch(), 0.0);
  }

  double add_sentence(const Kept& x, double* slope) {
    potentials_.move(x.first, x.n);
    score_states(x);
    double loss = free_.run(potentials_, e_.data(), false);
    if (!std::isfinite(loss)) return loss;
    if (!x.determined) {
      forbid(x);
      const double inside = masked_.run(potentials_, e_.data(), true);
      if (!std::isfinite(inside)) return inside;
      loss -= inside;
    }
    push_states(x, slope);
    if (layout_.order >= 1) push_history(x, Kind::edge, &edge_total_, slope);
    if (layout_.order >= 2) push_history(x, Kind::tri, &tri_total_, slope);
    return loss;
  }

  void score_states(const Kept& x) {
    const int P = layout_.pitch();
    e_.assign(static_cast<size_t>(x.n) * P, 0.0);
    for (const PairBlock& block : blocks_) {
      if (block.shape.kind != Kind::state) continue;
      for (int64_t i = 0; i < x.n; i++) potentials_.add_states(block, i, e_.data() + i * P);
    }
  }

  void forbid(const Kept& x) {
    for (int64_t i = 0; i < x.n; i++) {
      for (int j = 0; j < layout_.states(); j++) {
        if (!gold_.allows(x.gold[i], layout_.label_of(j))) e_[i * layout_.pitch() + j] = kMinusInf;
      }
    }
  }

  void push_states(const Kept& x, double* slope) {
    const int S = layout_.states();
    for (int64_t i = 0; i < x.n; i++) {
      const double* values = free_.states(i);
      if (!x.determined) {
        const double* inside = masked_.states(i);
        for (int j = 0; j < S; j++) states_[j] = values[j] - inside[j];
        values = states_.data();
      }
      for (PairBlock& block : blocks_) {
        if (block.shape.kind != Kind::state) continue;
        const double* folded = potentials_.fold(block.shape, values);
        block.groups.push(x.first + i, block.pairs, folded, slope);
        block.push_weighted(static_cast<size_t>(x.first + i), folded, slope);
        if (i == 0) block.pairs.collect_from(block.first, folded, slope);
        if (i == x.n - 1) block.pairs.collect_from(block.last, folded, slope);
      }
    }
  }

  void push_history(const Kept& x, Kind kind, std::vector<double>* total, double* slope) {
    const int history = static_cast<int>(kind);
    if (x.n <= history) return;
    cells_.resize(total->size());
    inside_.resize(total->size());
    free_.sum_marginals(kind, cells_.data());
    add(1.0, cells_, total);
    if (!x.determined) {
      masked_.sum_marginals(kind, inside_.data());
      add(-1.0, inside_, total);
    }
    for (int64_t i = history; i < x.n; i++) {
      if (!potentials_.varies(kind, i)) continue;
      free_.marginals(kind, i, cells_.data());
      if (!x.determined) {
        masked_.marginals(kind, i, inside_.data());
        add(-1.0, inside_, &cells_);
      }
      for (const PairBlock& block : blocks_) {
        const size_t token = static_cast<size_t>(x.first + i);
        if (block.shape.kind != kind || !block.varies(token)) continue;
        const double* folded = potentials_.fold(block.shape, cells_.data());
        const int32_t* rows = block.varying.at(token);
        for (int r = 0; r < block.varying.count(token); r++) {
          block.pairs.collect_from(rows[r], folded, slope);
        }
        block.push_weighted(token, folded, slope);
      }
    }
  }

  static void add(double share, const std::vector<double>& values, std::vector<double>* out) {
    for (size_t c = 0; c < values.size(); c++) (*out)[c] += share * values[c];
  }

  PairPotentials potentials_;
  Sums<double> free_, masked_;
  std::vector<double> e_, states_, cells_, inside_, edge_total_, tri_total_;
};

}  // namespace latperc
