// A lattice for Sums: pair and triple scores in double from the weights of a batch optimiser.
// Rows touch only the cells of their pairs.
#pragma once
#include <cstdint>
#include <vector>

#include "batch/pairs.hh"
#include "batch/row_groups.hh"
#include "lattice/lattice.hh"

namespace latperc {

// The pairs of a block, and the rows of each token.
struct PairBlock {
  BlockShape shape;
  PairRows pairs;
  RowGroups groups;             // the rows of a state block
  std::vector<int32_t> fixed;   // the rows of an edge or tri block for templates without parts,
  Lists varying;                // and for the others, token by token
  Lists weighted;               // rows with other weights than 1, token by token; or no lists
  std::vector<double> values;   // and these weights
  int32_t first = 0, last = 0;  // rows of the start and end weights; or 0

  bool varies(size_t token) const { return varying.count(token) || n_weighted(token); }
  void add_weighted(size_t token, const double* w, double* out) const {
    for_weighted(token,
                 [&](int32_t row, double value) { pairs.add_scaled_to(row, value, w, out); });
  }
  void push_weighted(size_t token, const double* from, double* slope) const {
    for_weighted(token, [&](int32_t row, double value) {
      pairs.collect_scaled_from(row, value, from, slope);
    });
  }

 private:
  int n_weighted(size_t token) const { return weighted.size() ? weighted.count(token) : 0; }
  template <class Visit>
  void for_weighted(size_t token, const Visit& visit) const {
    const int count = n_weighted(token);
    for (int k = 0; k < count; k++) {
      const size_t at = static_cast<size_t>(weighted.begin[token]) + k;
      visit(weighted.items[at], values[at]);
    }
  }
};

class PairPotentials : public Transitions<PairPotentials, double> {
 public:
  using Transitions::Transitions;

  // Sums the rows of the constants, once per evaluation.
  void start(const std::vector<PairBlock>& blocks, const double* w) {
    blocks_ = &blocks;
    w_ = w;
    start_transitions();
  }
  // Selects a sentence.
  void move(int64_t first, int64_t length) {
    first_ = first;
    n = length;
  }

  // out += the state scores of token i of the sentence.
  void add_states(const PairBlock& block, int64_t i, double* out) {
    add_row(block.shape, Kind::state, out, [&](double* sums) {
      block.groups.score(first_ + i, block.pairs, w_, sums);
      block.add_weighted(static_cast<size_t>(first_ + i), w_, sums);
      if (i == 0) block.pairs.add_to(block.first, w_, sums);
      if (i == n - 1) block.pairs.add_to(block.last, w_, sums);
    });
  }

  // The interface of blocks for Transitions.
  const std::vector<PairBlock>& all_blocks() const { return *blocks_; }
  static const BlockShape& shape_of(const PairBlock& block) { return block.shape; }
  bool at_work(const PairBlock& block, int64_t i) const {
    return block.varies(static_cast<size_t>(first_ + i));
  }
  void add_constants(const PairBlock& block, double* out) const {
    for (int32_t row : block.fixed) block.pairs.add_to(row, w_, out);
  }
  void add_at(const PairBlock& block, int64_t i, double* out) const {
    const size_t token = static_cast<size_t>(first_ + i);
    const int32_t* rows = block.varying.at(token);
    for (int r = 0; r < block.varying.count(token); r++) block.pairs.add_to(rows[r], w_, out);
    block.add_weighted(token, w_, out);
  }

 private:
  const std::vector<PairBlock>* blocks_ = nullptr;
  const double* w_ = nullptr;
  int64_t first_ = 0;
};

}  // namespace latperc
