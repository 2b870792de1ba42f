// The lattice of one sentence: scores of states, of pairs and of triples of states.
//
// State scores are summed for the whole sentence. Scores of transitions are summed on demand from
// the rows of each token: whole matrices for exact search and sums (lattice/transitions.hh), and
// here rows, columns and single scores for beams, k-best search and the scores of given paths.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/checked.hh"
#include "lattice/layout.hh"
#include "lattice/transitions.hh"
#include "simd/coded_rows.hh"
#include "simd/dense_rows.hh"
#include "simd/grouped_rows.hh"
#include "simd/lanes.hh"
#include "weights/weights.hh"

namespace latperc {

// Rows with other weights than 1, token by token; begin is empty if there are none.
struct WeightedRows {
  std::vector<int64_t> begin;
  std::vector<int32_t> rows;
  std::vector<float> values;

  void clear() {
    begin.clear();
    rows.clear();
    values.clear();
  }
  void add(int32_t row, float value) {
    rows.push_back(row);
    values.push_back(value);
  }
  void add(const WeightedRows& other, int64_t first, int64_t last) {
    rows.insert(rows.end(), other.rows.begin() + first, other.rows.begin() + last);
    values.insert(values.end(), other.values.begin() + first, other.values.begin() + last);
  }
  void close() { begin.push_back(static_cast<int64_t>(rows.size())); }
  int64_t first(int64_t i) const { return begin.empty() ? 0 : begin[i]; }
  int64_t last(int64_t i) const { return begin.empty() ? 0 : begin[i + 1]; }
};

// The rows of a template over vectors, and the vectors of the current sentence.
struct ActiveVectors {
  uint64_t seed = 0;  // of the template
  std::vector<int32_t> rows;
  const float* numbers = nullptr;  // [n, width]; null for none
  int64_t n = 0;
  int64_t offset = 0;
};

// The rows of one block for the features of the current sentence.
struct Active {
  const BlockShape* shape = nullptr;
  int constants = 0;  // the first templates of an edge or tri block, which have no parts
  const RowParts* parts = nullptr;
  const float* w = nullptr;
  const float* a = nullptr;  // if set, scores are averages w - a / c
  float inverse_c = 0;
  std::vector<int32_t> fixed;  // rows of the constants
  std::vector<int32_t> rows;   // [n, varying]
  WeightedRows weighted;
  std::vector<ActiveVectors> vectors;
  int32_t first = 0;  // additional row of the first token, and of the last; or 0
  int32_t last = 0;
  bool grouped = false;         // sum state rows group by group, like frozen rows
  bool frozen = false;          // state rows stand for whole groups, and codes below 0 for
  const float* memo = nullptr;  // cached sums

  // Rows a token: one per template without the constants, or one per group.
  int varying() const {
    return frozen && shape->kind == Kind::state
               ? static_cast<int>(shape->groups.size())
               : static_cast<int>(shape->templates.size()) - constants;
  }
  const int32_t* rows_at(int64_t i) const {
    return rows.data() + static_cast<size_t>(i) * varying();
  }
  float value(int32_t row, size_t cell) const { return value_at(parts->find(row, cell)); }
  float value_at(size_t at) const { return a ? w[at] - a[at] * inverse_c : w[at]; }
  // out += the state scores of `tokens` tokens from token i on, `pitch` apart.
  void add_states(int64_t i, int64_t tokens, size_t pitch, float* out) const {
    const size_t stride = shape->stride();
    if (frozen) {
      simd::add_coded_rows({w, memo, stride, rows_at(i), varying()}, tokens, pitch, out);
    } else {
      const int32_t* const ends = grouped ? shape->groups.data() : nullptr;
      const int groups = grouped ? static_cast<int>(shape->groups.size()) : varying();
      simd::add_grouped_rows({w, a, inverse_c, stride, rows_at(i), varying(), ends, groups}, tokens,
                             pitch, out);
    }
    for (int64_t t = 0; !weighted.begin.empty() && t < tokens; t++) {
      add_weighted(i + t, 0, stride, out + t * pitch);
    }
    for (const ActiveVectors& v : vectors) {
      const int64_t first = std::max<int64_t>(i, -v.offset);
      const int64_t last = std::min(i + tokens, v.n - v.offset);
      if (!v.numbers || first >= last) continue;
      const int width = static_cast<int>(v.rows.size());
      simd::add_dense_rows({w, a, inverse_c, stride, v.rows.data(), width},
                           v.numbers + (first + v.offset) * width, last - first, pitch,
                           out + (first - i) * pitch);
    }
  }
  // out += the cells from `cell` on of the weighted rows at token i.
  void add_weighted(int64_t i, size_t cell, size_t width, float* out) const {
    const int64_t first = weighted.first(i), count = weighted.last(i) - first;
    if (count == 0) return;
    const int32_t* which = weighted.rows.data() + first;
    const float* values = weighted.values.data() + first;
    if (!a && parts->whole()) {
      simd::add_scaled_parts(w + cell, shape->stride(), width, which, values, count, out);
      return;
    }
    for (int64_t k = 0; k < count; k++) {
      if (width <= parts->pitch()) {
        add_scaled(parts->find(which[k], cell), values[k], width, out);
        continue;
      }
      for (size_t p = 0; p < parts->count(which[k]); p++) {
        add_scaled(parts->begin(which[k]) + p * parts->pitch(), values[k], parts->pitch(),
                   out + parts->history(which[k], p) * parts->pitch());
      }
    }
  }
  void add(const int32_t* which, int count, float* out) const {
    if (!parts->whole()) {
      if (a) {
        simd::add_averaged_part_rows(w, a, inverse_c, parts->view(), which, count, out);
      } else {
        simd::add_part_rows(w, parts->view(), which, count, out);
      }
    } else if (a) {
      simd::add_averaged_parts(w, a, inverse_c, shape->stride(), shape->stride(), which, count,
                               out);
    } else {
      simd::add_rows(w, shape->stride(), which, count, out);
    }
  }
  // out += the scores of unit j after every unit, of triples with unit k in between.
  void add_column(int64_t i, int k, int j, float* out) const {
    const int32_t* which = rows_at(i);
    const size_t U = static_cast<size_t>(shape->units), pitch = parts->pitch();
    const bool triples = shape->kind == Kind::tri;
    const size_t step = triples ? U : 1, first = triples ? static_cast<size_t>(k) : 0;
    for (int t = 0; t < varying(); t++) {
      const size_t begin = parts->begin(which[t]) + static_cast<size_t>(j);
      if (parts->full(which[t])) {
        for (size_t m = 0; m < U; m++) out[m] += value_at(begin + (m * step + first) * pitch);
        continue;
      }
      for (size_t p = 0; p < parts->count(which[t]); p++) {
        const size_t history = parts->history(which[t], p);
        if (history % step == first) out[history / step] += value_at(begin + p * pitch);
      }
    }
    if (weighted.first(i) == weighted.last(i)) return;
    for (size_t m = 0; m < U; m++) {
      add_weighted(i, (m * step + first) * pitch + static_cast<size_t>(j), 1, out + m);
    }
  }
  // out += one part of the rows: the cells from `cell` on.
  void add_part(const int32_t* which, int count, size_t cell, float* out) const {
    const size_t width = static_cast<size_t>(shape->pitch);
    if (!parts->whole()) {
      for (int t = 0; t < count; t++) {
        const size_t at = parts->find(which[t], cell);
        if (at < width) continue;  // not kept
        if (a) {
          const int32_t here = 0;
          simd::add_averaged_parts(w + at, a + at, inverse_c, width, width, &here, 1, out);
        } else {
          simd::add_to(w + at, width, out);
        }
      }
    } else if (a) {
      simd::add_averaged_parts(w + cell, a + cell, inverse_c, shape->stride(), width, which, count,
                               out);
    } else {
      simd::add_parts(w + cell, shape->stride(), width, which, count, out);
    }
  }

 private:
  // out += factor * the cells from a place of the planes on.
  void add_scaled(size_t at, float factor, size_t width, float* out) const {
    if (a) {
      simd::add_scaled_average(w + at, a + at, inverse_c, factor, width, out);
    } else {
      simd::add_scaled(w + at, factor, width, out);
    }
  }
};

// External scores of labels or of states, [tokens, width], which are added to state scores;
// width is 0 if there are none.
struct ExternalScores {
  View<const float> scores;
  int width = 0;

  ExternalScores from(int64_t token) const {
    ExternalScores rest;
    if (width) rest = {scores.from(static_cast<size_t>(token) * width), width};
    return rest;
  }
};

class Lattice : public Transitions<Lattice, float> {
 public:
  using Transitions::Transitions;

  std::vector<Active> blocks;
  std::vector<float> e;  // [n, P] state scores
  // Added to the score of label 0 at every token: in the transitions to its states, which costs
  // nothing, and in the state scores of tokens without transitions.
  float recall_constant = 0.0f;

  // To be called once a batch if weights do not change. A beam needs few triples, so they are
  // not summed in advance.
  void prepare_constants() {
    start_transitions();
    for (int k = 0; recall_constant != 0.0f && layout.search_order() >= 1 && k < S; k++) {
      for (int j = 0; j < layout.latent; j++)
        pairs_[static_cast<size_t>(k) * P + j] += recall_constant;
    }
    if (layout.beam == 0) prepare_triples();
  }

  void prepare_states(const ExternalScores& external = ExternalScores()) {
    e.assign(static_cast<size_t>(n) * P, 0.0f);
    for (int64_t i = 0; external.width && i < n; i++) {
      for (int j = 0; j < S; j++) {
        e[i * P + j] = external.scores[static_cast<size_t>(i) * external.width +
                                       (external.width == S ? j : layout.label_of(j))];
      }
    }
    for (const Active& block : blocks) {
      if (block.shape->kind != Kind::state) continue;
      const bool at_once = direct(*block.shape);
      if (at_once) block.add_states(0, n, P, e.data());
      for (int64_t i = 0; !at_once && i < n; i++) {
        add_row(*block.shape, Kind::state, e.data() + i * P,
                [&](float* sums) { block.add_states(i, 1, 0, sums); });
      }
      add_boundary(block, block.first, 0);
      add_boundary(block, block.last, n - 1);
    }
    const int64_t loose = layout.search_order() >= 1 ? std::min<int64_t>(n, 1) : n;
    for (int64_t i = 0; recall_constant != 0.0f && i < loose; i++) {
      for (int j = 0; j < layout.latent; j++) e[i * P + j] += recall_constant;
    }
  }

  // States of labels that a mask [n, labels] does not allow score -inf.
  void forbid(View<const uint8_t> allowed) {
    for (int64_t i = 0; i < n; i++) {
      for (int j = 0; j < S; j++) {
        if (!allowed[static_cast<size_t>(i) * layout.labels + layout.label_of(j)]) {
          e[i * P + j] = kMinusInf;
        }
      }
    }
  }

  // The scores after state k, or after b and k: [P], in `scratch` or in place.
  const float* pair_row(int64_t i, int k, float* scratch) {
    const float* base = pairs_.data() + static_cast<size_t>(k) * P;
    if (!varies(Kind::edge, i)) return base;
    std::copy(base, base + P, scratch);
    add_varying_row(Kind::edge, i, 0, k, scratch);
    return scratch;
  }
  const float* triple_row(int64_t i, int b, int k, float* scratch) {
    if (triples_ready_) {
      const float* base = triples_.data() + (static_cast<size_t>(b) * S + k) * P;
      if (!varies(Kind::tri, i)) return base;
      std::copy(base, base + P, scratch);
    } else {
      std::fill(scratch, scratch + P, 0.0f);
      for (const Active& block : blocks) {
        if (block.shape->kind != Kind::tri) continue;
        add_part(block, kConstants, b, k, scratch);
      }
    }
    add_varying_row(Kind::tri, i, b, k, scratch);
    return scratch;
  }

  // out [S] = the scores of state j after every other state, of triples with k in between.
  void pair_column(int64_t i, int j, float* out) {
    const float* base = pairs_.data() + j;
    for (int k = 0; k < S; k++) out[k] = base[static_cast<size_t>(k) * P];
    add_column(Kind::edge, i, 0, j, out);
  }
  void triple_column(int64_t i, int k, int j, float* out) {
    prepare_triples();
    const float* base = triples_.data() + static_cast<size_t>(k) * P + j;
    for (int b = 0; b < S; b++) out[b] = base[static_cast<size_t>(b) * S * P];
    add_column(Kind::tri, i, k, j, out);
  }

  float pair(int64_t i, int k, int j) const {
    return score(Kind::edge, i, 0, k, j, pairs_[static_cast<size_t>(k) * P + j]);
  }
  float triple(int64_t i, int b, int k, int j) const {
    const float base = triples_ready_ ? triples_[(static_cast<size_t>(b) * S + k) * P + j]
                                      : constant_triple(b, k, j);
    return score(Kind::tri, i, b, k, j, base);
  }

  // The interface of blocks for Transitions.
  const std::vector<Active>& all_blocks() const { return blocks; }
  static const BlockShape& shape_of(const Active& block) { return *block.shape; }
  static bool at_work(const Active& block, int64_t i) {
    const int32_t* rows = block.rows_at(i);
    for (int t = 0; t < block.varying(); t++) {
      if (rows[t]) return true;
    }
    return block.weighted.first(i) < block.weighted.last(i);
  }
  static void add_constants(const Active& block, float* out) {
    block.add(block.fixed.data(), block.constants, out);
  }
  static void add_at(const Active& block, int64_t i, float* out) {
    block.add(block.rows_at(i), block.varying(), out);
    block.add_weighted(i, 0, block.shape->stride(), out);
  }

 private:
  void add_column(Kind kind, int64_t i, int k, int j, float* out) {
    for (const Active& block : blocks) {
      if (block.shape->kind != kind || !at_work(block, i)) continue;
      if (direct(*block.shape)) {
        block.add_column(i, k, j, out);
        continue;
      }
      by_label_.assign(static_cast<size_t>(layout.labels), 0.0f);
      block.add_column(i, layout.label_of(k), layout.label_of(j), by_label_.data());
      for (int m = 0; m < S; m++) out[m] += by_label_[layout.label_of(m)];
    }
  }

  void add_varying_row(Kind kind, int64_t i, int b, int k, float* out) {
    for (const Active& block : blocks) {
      if (block.shape->kind != kind || !at_work(block, i)) continue;
      add_part(block, i, b, k, out);
    }
  }

  // The rows of the constants (i = kConstants), or the varying rows of token i.
  static constexpr int64_t kConstants = -1;
  static const int32_t* rows_of(const Active& block, int64_t i) {
    return i == kConstants ? block.fixed.data() : block.rows_at(i);
  }
  static int count_of(const Active& block, int64_t i) {
    return i == kConstants ? block.constants : block.varying();
  }

  void add_boundary(const Active& block, int32_t row, int64_t i) {
    if (!row || n == 0) return;
    add_row(*block.shape, Kind::state, e.data() + i * P,
            [&](float* sums) { block.add(&row, 1, sums); });
  }

  void add_part(const Active& block, int64_t i, int b, int k, float* out) {
    const bool by_state = direct(*block.shape);
    const size_t cell =
        block.shape->cell(by_state ? b : layout.label_of(b), by_state ? k : layout.label_of(k), 0);
    add_row(*block.shape, Kind::state, out, [&](float* sums) {
      block.add_part(rows_of(block, i), count_of(block, i), cell, sums);
      if (i != kConstants) block.add_weighted(i, cell, block.shape->pitch, sums);
    });
  }

  float constant_triple(int b, int k, int j) const {
    float total = 0.0f;
    for (const Active& block : blocks) {
      if (block.shape->kind != Kind::tri) continue;
      add_cell(block, kConstants, b, k, j, &total);
    }
    return total;
  }

  float score(Kind kind, int64_t i, int b, int k, int j, float base) const {
    float total = base;
    for (const Active& block : blocks) {
      if (block.shape->kind != kind || !at_work(block, i)) continue;
      add_cell(block, i, b, k, j, &total);
    }
    return total;
  }

  void add_cell(const Active& block, int64_t i, int b, int k, int j, float* total) const {
    const bool by_state = direct(*block.shape);
    const size_t cell =
        by_state ? block.shape->cell(b, k, j)
                 : block.shape->cell(layout.label_of(b), layout.label_of(k), layout.label_of(j));
    float sum = by_state ? *total : 0.0f;
    const int32_t* rows = rows_of(block, i);
    for (int t = 0; t < count_of(block, i); t++) sum += block.value(rows[t], cell);
    if (i != kConstants) block.add_weighted(i, cell, 1, &sum);
    *total = by_state ? sum : *total + sum;
  }

  std::vector<float> by_label_;
};

}  // namespace latperc
