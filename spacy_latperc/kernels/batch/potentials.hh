// Pair and triple scores in double, from the weights of a batch optimiser: what Sums asks
// of a lattice. Rows of observations touch only the cells that they have pairs for.
#pragma once
#include <cstdint>
#include <vector>

#include "batch/pairs.hh"
#include "batch/row_groups.hh"
#include "lattice/lattice.hh"

namespace latperc {

// A block: its pairs, and where they are at work.
struct PairBlock {
  BlockShape shape;
  PairRows pairs;
  Bundles bundles;             // of a state block
  std::vector<int32_t> fixed;  // of an edge or tri block: rows of templates without parts
  Lists varying;               // and of the others, token by token
};

class PairPotentials {
 public:
  explicit PairPotentials(const Layout& layout)
      : layout(layout), S(layout.states()), P(layout.pitch()),
        label_pitch_(static_cast<size_t>(padded(layout.labels))) {}

  const Layout& layout;
  const int S;
  const int P;
  int64_t n = 0;

  // Sums the rows of the constants, once per evaluation.
  void start(const std::vector<PairBlock>& blocks, const double* w) {
    blocks_ = &blocks;
    w_ = w;
    if (layout.search_order() >= 1) {
      pairs_.assign(static_cast<size_t>(S) * P, 0.0);
      for (int k = 0; k < S; k++) {
        for (int j = 0; j < S; j++) {
          if (!layout.may_follow(k, j)) pairs_[static_cast<size_t>(k) * P + j] = kMinusInf;
        }
      }
      add_fixed(Kind::edge, &pairs_);
    }
    if (layout.order >= 2) {
      triples_.assign(static_cast<size_t>(S) * S * P, 0.0);
      add_fixed(Kind::tri, &triples_);
    }
  }
  // Go to a sentence.
  void move(int64_t first, int64_t length) {
    first_ = first;
    n = length;
  }

  const double* pairs(int64_t i) { return matrix(Kind::edge, i, pairs_, &pair_scratch_); }
  const double* triples(int64_t i) { return matrix(Kind::tri, i, triples_, &triple_scratch_); }

  bool varies(Kind kind, int64_t i) const {
    for (const PairBlock& block : *blocks_) {
      if (block.shape.kind == kind && block.varying.count(first_ + i)) return true;
    }
    return false;
  }

  // Slopes by state, as summed for the rows of a block: as they are, or by label.
  const double* fold(const PairBlock& block, const double* by_state) {
    if (direct(block.shape)) return by_state;
    const int L = layout.labels;
    folded_.assign(block.shape.stride(), 0.0);
    for (int b = 0; b < (block.shape.kind == Kind::tri ? S : 1); b++) {
      const size_t from = block.shape.kind == Kind::tri ? static_cast<size_t>(layout.label_of(b)) * L : 0;
      for (int k = 0; k < S; k++) {
        double* row = folded_.data() + (from + layout.label_of(k)) * label_pitch_;
        const double* values = by_state + (static_cast<size_t>(b) * S + k) * P;
        for (int j = 0; j < S; j++) row[layout.label_of(j)] += values[j];
      }
    }
    return folded_.data();
  }

  bool direct(const BlockShape& shape) const { return shape.latent || layout.latent == 1; }

 private:
  void spread(Kind kind, const double* by_label, double* out) const {
    const int L = layout.labels;
    for (int b = 0; b < (kind == Kind::tri ? S : 1); b++) {
      const size_t from = kind == Kind::tri ? static_cast<size_t>(layout.label_of(b)) * L : 0;
      for (int k = 0; k < S; k++) {
        const double* row = by_label + (from + layout.label_of(k)) * label_pitch_;
        double* to = out + (static_cast<size_t>(b) * S + k) * P;
        for (int j = 0; j < S; j++) to[j] += row[layout.label_of(j)];
      }
    }
  }

  void add(const PairBlock& block, const int32_t* rows, int count, double* out) {
    if (direct(block.shape)) {
      for (int r = 0; r < count; r++) block.pairs.add_to(rows[r], w_, out);
      return;
    }
    folded_.assign(block.shape.stride(), 0.0);
    for (int r = 0; r < count; r++) block.pairs.add_to(rows[r], w_, folded_.data());
    spread(block.shape.kind, folded_.data(), out);
  }

  void add_fixed(Kind kind, std::vector<double>* out) {
    for (const PairBlock& block : *blocks_) {
      if (block.shape.kind != kind) continue;
      add(block, block.fixed.data(), static_cast<int>(block.fixed.size()), out->data());
    }
  }

  const double* matrix(Kind kind, int64_t i, const std::vector<double>& base,
                       std::vector<double>* scratch) {
    bool copied = false;
    for (const PairBlock& block : *blocks_) {
      const size_t token = static_cast<size_t>(first_ + i);
      if (block.shape.kind != kind || !block.varying.count(token)) continue;
      if (!copied) *scratch = base;
      copied = true;
      add(block, block.varying.at(token), block.varying.count(token), scratch->data());
    }
    return copied ? scratch->data() : base.data();
  }

  const size_t label_pitch_;
  const std::vector<PairBlock>* blocks_ = nullptr;
  const double* w_ = nullptr;
  int64_t first_ = 0;
  std::vector<double> pairs_, triples_, pair_scratch_, triple_scratch_, folded_;
};

}  // namespace latperc
