// The marginal probability of a chunk: that of all paths that begin it, stay in it and end it.
// After one forward-backward pass, a span costs a walk along the gaps between its tokens:
// f_i(j) = sum_k f_{i-1}(k) P(j at i | k at i - 1), over the transitions that it allows.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/checked.hh"
#include "lattice/lattice.hh"
#include "sums/sums.hh"

namespace latperc {

// The tables of labels for chunks.
struct ChunkTables {
  View<const int32_t> type_of;   // [labels] -1: in no chunk
  View<const uint8_t> boundary;  // [labels, labels] a chunk begins or ends between the two
};

class SpanSums {
 public:
  // To be called before the first use with new tables or a new layout.
  void forget() { steps_by_gap_.clear(); }

  // The probability of the chunk [start, end) of a type in the last sentence of `sums`.
  double probability(const Layout& layout, int64_t n, Sums<float>& sums, const ChunkTables& tables,
                     int64_t start, int64_t end, int32_t type) {
    const int S = layout.states();
    if (n == 1) {
      double total = 0.0;
      for (int j = 0; j < S; j++) {
        if (tables.type_of[layout.label_of(j)] == type) total += sums.states(0)[j];
      }
      return total;
    }
    const int64_t first = start > 0 ? start : 1;
    const int64_t last = end < n ? end : n - 1;
    const bool pairs = layout.search_order() >= 2;
    const size_t plane = static_cast<size_t>(S) * layout.pitch();
    for (int64_t i = first; i <= last; i++) {
      const std::vector<Step>& steps = steps_at(layout, tables, type, i == start, i == end);
      if (i == first) {
        edges_.resize(plane);
        sums.marginals(Kind::edge, i, edges_.data());
        flow_.assign(pairs ? plane : S, 0.0);
        for (const Step& step : steps) {
          flow_[pairs ? step.cell : step.to] += edges_[step.cell];
        }
      } else if (pairs) {
        advance_pairs(layout, sums, steps, i, plane);
      } else {
        advance(sums, steps, i, S);
      }
    }
    double total = 0.0;
    for (double f : flow_) total += f;
    return total;
  }

 private:
  struct Step {
    int from, to;
    size_t cell;
  };

  // The pairs of states that the chunk allows at its start, at its end, or inside.
  const std::vector<Step>& steps_at(const Layout& layout, const ChunkTables& tables, int32_t type,
                                    bool starts, bool ends) {
    std::vector<Step>& steps = steps_by_gap_[{type, starts ? 0 : ends ? 1 : 2}];
    if (!steps.empty()) return steps;
    const int S = layout.states();
    for (int k = 0; k < S; k++) {
      const int before = layout.label_of(k);
      if (!starts && tables.type_of[before] != type) continue;
      for (int j = 0; j < S; j++) {
        const int after = layout.label_of(j);
        if (!ends && tables.type_of[after] != type) continue;
        const bool border =
            tables.boundary[static_cast<size_t>(before) * layout.labels + after] != 0;
        if (border == (starts || ends)) {
          steps.push_back({k, j, static_cast<size_t>(k) * layout.pitch() + j});
        }
      }
    }
    return steps;
  }

  void advance(Sums<float>& sums, const std::vector<Step>& steps, int64_t i, int S) {
    sums.marginals(Kind::edge, i, edges_.data());
    next_.assign(S, 0.0);
    const float* before = sums.states(i - 1);
    for (const Step& step : steps) {
      if (!(flow_[step.from] > 0.0 && before[step.from] > 0.0f)) continue;
      next_[step.to] += flow_[step.from] * edges_[step.cell] / before[step.from];
    }
    flow_.swap(next_);
  }

  // Order 2: states are pairs (previous, state).
  void advance_pairs(const Layout& layout, Sums<float>& sums, const std::vector<Step>& steps,
                     int64_t i, size_t plane) {
    const int S = layout.states();
    sums.marginals(Kind::edge, i - 1, edges_.data());
    triples_.resize(S * plane);
    sums.marginals(Kind::tri, i, triples_.data());
    next_.assign(plane, 0.0);
    for (int b = 0; b < S; b++) {
      for (const Step& step : steps) {
        const size_t from = static_cast<size_t>(b) * layout.pitch() + step.from;
        if (!(flow_[from] > 0.0 && edges_[from] > 0.0f)) continue;
        next_[step.cell] += flow_[from] * triples_[b * plane + step.cell] / edges_[from];
      }
    }
    flow_.swap(next_);
  }

  std::map<std::pair<int32_t, int>, std::vector<Step>> steps_by_gap_;
  std::vector<float> edges_, triples_;
  std::vector<double> flow_, next_;
};

}  // namespace latperc
