// The lattice of one sentence: scores of states, of pairs and of triples of states.
//
// A state is a label with one of its latent values: state = label * latent + value.
// Pair scores are row numbers per position, added where the search asks for them, so that
// [n, S, S] is never built. A score is always summed in the same order (constants,
// blocks, templates), so that a path has one score whoever asks for it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/checked.hh"
#include "simd/lanes.hh"
#include "weights/weights.hh"

namespace latperc {

struct Layout {
  int labels = 0;
  int latent = 1;
  int order = 1;
  int beam = 0;  // histories kept by the search; 0: all, so that it is exact
  std::vector<uint8_t> transitions;  // [labels, labels] may follow; empty: all may
  std::vector<uint8_t> starts;       // [labels] may begin a sentence; empty: all may
  std::vector<uint8_t> ends;

  int states() const { return labels * latent; }
  int pitch() const { return padded(states()); }
  int label_of(int state) const { return latent == 1 ? state : state / latent; }
  // What may follow, begin or end makes even an order-0 model a chain to search.
  int search_order() const {
    const bool free = transitions.empty() && starts.empty() && ends.empty();
    return order == 0 && !free ? 1 : order;
  }
  bool may_start(int state) const { return starts.empty() || starts[label_of(state)]; }
  bool may_end(int state) const { return ends.empty() || ends[label_of(state)]; }
  bool may_follow(int previous, int state) const {
    return transitions.empty() ||
           transitions[static_cast<size_t>(label_of(previous)) * labels + label_of(state)];
  }
};

// The rows of one block that are at work in the current sentence.
struct Active {
  const BlockShape* shape = nullptr;
  int constants = 0;          // of an edge or tri block: templates without parts, first
  const float* w = nullptr;
  const float* a = nullptr;   // with it, scores are averages w - a / c
  float inverse_c = 0;
  std::vector<int32_t> fixed;  // rows of the constants
  std::vector<int32_t> rows;   // [n, varying]
  bool grouped = false;         // sum state rows group by group, as frozen rows are
  bool frozen = false;          // state rows stand for whole groups, and may be codes of
  const float* memo = nullptr;  // remembered sums

  // Rows a token: one per template without the constants, or one per group.
  int varying() const {
    return frozen && shape->kind == Kind::state
               ? static_cast<int>(shape->groups.size())
               : static_cast<int>(shape->templates.size()) - constants;
  }
  const int32_t* rows_at(int64_t i) const {
    return rows.data() + static_cast<size_t>(i) * varying();
  }
  float value(int32_t row, size_t cell) const {
    const size_t at = static_cast<size_t>(row) * shape->stride() + cell;
    return a ? w[at] - a[at] * inverse_c : w[at];
  }
  // out += the scores of the states at token i.
  void add_states(int64_t i, float* out) const {
    const int32_t* which = rows_at(i);
    const size_t stride = shape->stride();
    if (frozen) {
      simd::add_coded_rows(w, memo, stride, which, varying(), out);
    } else if (!grouped) {
      add(which, varying(), out);
    } else {
      std::vector<float> sum(stride);
      int t = 0;
      for (int32_t end : shape->groups) {
        std::fill(sum.begin(), sum.end(), 0.0f);
        add(which + t, end - t, sum.data());
        for (size_t j = 0; j < stride; j++) out[j] += sum[j];
        t = end;
      }
    }
  }
  void add(const int32_t* which, int count, float* out) const {
    if (a) {
      simd::add_averaged_rows(w, a, inverse_c, shape->stride(), which, count, out);
    } else {
      simd::add_rows(w, shape->stride(), which, count, out);
    }
  }
  // The cells from `cell` on alone.
  void add_part(const int32_t* which, int count, size_t cell, float* out) const {
    const size_t width = static_cast<size_t>(shape->pitch);
    if (a) {
      simd::add_averaged_parts(w + cell, a + cell, inverse_c, shape->stride(), width, which, count,
                               out);
    } else {
      simd::add_parts(w + cell, shape->stride(), width, which, count, out);
    }
  }
};

class Lattice {
 public:
  explicit Lattice(const Layout& layout)
      : layout(layout), S(layout.states()), P(layout.pitch()), label_pitch_(padded(layout.labels)) {
    if (layout.transitions.empty()) return;
    forbidden_.assign(static_cast<size_t>(S) * P, 0.0f);
    for (int k = 0; k < S; k++) {
      for (int j = 0; j < S; j++) {
        if (!layout.may_follow(k, j)) forbidden_[static_cast<size_t>(k) * P + j] = kMinusInf;
      }
    }
  }

  const Layout& layout;
  const int S;
  const int P;
  int64_t n = 0;
  std::vector<Active> blocks;
  std::vector<float> e;  // [n, P] state scores

  // Sums the rows of the constants: once a batch where weights do not change. A beam asks
  // for so few triples that they wait until somebody asks for all.
  void prepare_constants() {
    if (layout.search_order() >= 1) {
      if (forbidden_.empty()) {
        pairs_.assign(static_cast<size_t>(S) * P, 0.0f);
      } else {
        pairs_ = forbidden_;
      }
      add_constants(Kind::edge, pairs_.data());
    }
    triples_ready_ = false;
    if (layout.beam == 0) prepare_triples();
  }

  void prepare_states() {
    e.assign(static_cast<size_t>(n) * P, 0.0f);
    for (const Active& block : blocks) {
      if (block.shape->kind != Kind::state) continue;
      if (direct(block)) {
        for (int64_t i = 0; i < n; i++) {
          block.add_states(i, e.data() + i * P);
        }
        continue;
      }
      shared_.resize(label_pitch_);
      for (int64_t i = 0; i < n; i++) {
        std::fill(shared_.begin(), shared_.end(), 0.0f);
        block.add_states(i, shared_.data());
        float* out = e.data() + i * P;
        for (int j = 0; j < S; j++) out[j] += shared_[layout.label_of(j)];
      }
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

  // Scores of (k, j) at token i, [S, P]. Valid until the next call.
  const float* pairs(int64_t i) { return matrix(Kind::edge, i, pairs_, &pair_scratch_); }
  const float* triples(int64_t i) {
    prepare_triples();
    return matrix(Kind::tri, i, triples_, &triple_scratch_);
  }

  // One row of them, the scores after state k, or after b and k: [P], in `scratch` or where
  // it is kept.
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
        add_row(block, block.fixed.data(), block.constants, b, k, scratch);
      }
    }
    add_varying_row(Kind::tri, i, b, k, scratch);
    return scratch;
  }

  // The scores of one state after every other: out [S] over the first of the states.
  void pair_column(int64_t i, int j, float* out) const {
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

  // Whether rows of edge or tri features are at work at token i, beside the constants.
  bool varies(Kind kind, int64_t i) const {
    for (const Active& block : blocks) {
      if (block.shape->kind == kind && any(block.rows_at(i), block.varying())) return true;
    }
    return false;
  }

  float pair(int64_t i, int k, int j) const {
    return score(Kind::edge, i, 0, k, j, pairs_[static_cast<size_t>(k) * P + j]);
  }
  float triple(int64_t i, int b, int k, int j) const {
    const float base = triples_ready_ ? triples_[(static_cast<size_t>(b) * S + k) * P + j]
                                      : constant_triple(b, k, j);
    return score(Kind::tri, i, b, k, j, base);
  }

 private:
  // Rows over states are added as they are; rows over labels are spread over their states.
  bool direct(const Active& block) const { return block.shape->latent || layout.latent == 1; }

  void spread(Kind kind, const float* by_label, float* out) const {
    const int L = layout.labels;
    for (int b = 0; b < (kind == Kind::tri ? S : 1); b++) {
      for (int k = 0; k < S; k++) {
        const size_t from = kind == Kind::tri ? static_cast<size_t>(layout.label_of(b)) * L : 0;
        const float* row = by_label + (from + layout.label_of(k)) * label_pitch_;
        float* to = out + (static_cast<size_t>(b) * S + k) * P;
        for (int j = 0; j < S; j++) to[j] += row[layout.label_of(j)];
      }
    }
  }

  void add_rows(Kind kind, const Active& block, const int32_t* rows, int count, float* out) {
    if (direct(block)) {
      block.add(rows, count, out);
      return;
    }
    shared_.assign(block.shape->stride(), 0.0f);
    block.add(rows, count, shared_.data());
    spread(kind, shared_.data(), out);
  }

  void add_constants(Kind kind, float* out) {
    for (const Active& block : blocks) {
      if (block.shape->kind != kind) continue;
      add_rows(kind, block, block.fixed.data(), block.constants, out);
    }
  }

  static bool any(const int32_t* rows, int count) {
    for (int t = 0; t < count; t++) {
      if (rows[t]) return true;
    }
    return false;
  }

  const float* matrix(Kind kind, int64_t i, const std::vector<float>& base,
                      std::vector<float>* scratch) {
    bool copied = false;
    for (const Active& block : blocks) {
      if (block.shape->kind != kind || !any(block.rows_at(i), block.varying())) continue;
      if (!copied) *scratch = base;
      copied = true;
      add_rows(kind, block, block.rows_at(i), block.varying(), scratch->data());
    }
    return copied ? scratch->data() : base.data();
  }

  void add_column(Kind kind, int64_t i, int k, int j, float* out) const {
    if (!varies(kind, i)) return;
    for (int m = 0; m < S; m++) {
      out[m] = kind == Kind::edge ? score(kind, i, 0, m, j, out[m]) : score(kind, i, m, k, j, out[m]);
    }
  }

  void prepare_triples() {
    if (layout.order < 2 || triples_ready_) return;
    triples_.assign(static_cast<size_t>(S) * S * P, 0.0f);
    add_constants(Kind::tri, triples_.data());
    triples_ready_ = true;
  }

  void add_varying_row(Kind kind, int64_t i, int b, int k, float* out) {
    for (const Active& block : blocks) {
      if (block.shape->kind != kind || !any(block.rows_at(i), block.varying())) continue;
      add_row(block, block.rows_at(i), block.varying(), b, k, out);
    }
  }

  void add_row(const Active& block, const int32_t* rows, int count, int b, int k, float* out) {
    if (direct(block)) {
      block.add_part(rows, count, block.shape->cell(b, k, 0), out);
      return;
    }
    shared_.assign(label_pitch_, 0.0f);
    block.add_part(rows, count,
                   block.shape->cell(layout.label_of(b), layout.label_of(k), 0), shared_.data());
    for (int j = 0; j < S; j++) out[j] += shared_[layout.label_of(j)];
  }

  float constant_triple(int b, int k, int j) const {
    float total = 0.0f;
    for (const Active& block : blocks) {
      if (block.shape->kind != Kind::tri) continue;
      add_cell(block, block.fixed.data(), block.constants, b, k, j, &total);
    }
    return total;
  }

  float score(Kind kind, int64_t i, int b, int k, int j, float base) const {
    float total = base;
    for (const Active& block : blocks) {
      if (block.shape->kind != kind || !any(block.rows_at(i), block.varying())) continue;
      add_cell(block, block.rows_at(i), block.varying(), b, k, j, &total);
    }
    return total;
  }

  void add_cell(const Active& block, const int32_t* rows, int count, int b, int k, int j,
                float* total) const {
    if (direct(block)) {
      const size_t cell = block.shape->cell(b, k, j);
      for (int t = 0; t < count; t++) *total += block.value(rows[t], cell);
    } else {
      const size_t cell = block.shape->cell(layout.label_of(b), layout.label_of(k),
                                            layout.label_of(j));
      float shared = 0.0f;
      for (int t = 0; t < count; t++) shared += block.value(rows[t], cell);
      *total += shared;
    }
  }

  const int label_pitch_;
  std::vector<float> forbidden_;        // [S, P] 0, or -inf where k may not precede j; or empty
  std::vector<float> pairs_, triples_;  // constants (and forbidden transitions)
  bool triples_ready_ = false;
  std::vector<float> pair_scratch_, triple_scratch_, shared_;
};

}  // namespace latperc
