// The base of all lattices: states, allowed transitions, and scores of pairs and triples of
// states, summed from rows of weights.
//
// Lattice reads rows of floats of a trainable or a frozen chain; PairPotentials reads the flat
// weights of a batch optimiser, in double. Both have the members that Sums needs: layout, S, P,
// n, pairs, triples, varies.
#pragma once
#include <cstdint>
#include <vector>

#include "lattice/layout.hh"
#include "weights/weights.hh"

namespace latperc {

template <class Real>
class States {
 public:
  explicit States(const Layout& layout)
      : layout(layout),
        S(layout.states()),
        P(layout.pitch()),
        label_pitch_(padded(layout.labels)) {}

  const Layout& layout;
  const int S;
  const int P;
  int64_t n = 0;

  // Rows over states are added as they are; rows over labels are spread over their states.
  bool direct(const BlockShape& shape) const { return shape.latent || layout.latent == 1; }

  // Converts slopes by state to the units of a block: unchanged, or summed over the states of
  // each label. Valid until the next call.
  const Real* fold(const BlockShape& shape, const Real* by_state) {
    if (direct(shape)) return by_state;
    folded_.assign(shape.stride(), Real(0));
    for_each_row(shape.kind, [&](size_t of_label, size_t of_state) {
      Real* to = folded_.data() + of_label;
      const Real* from = by_state + of_state;
      for (int j = 0; j < S; j++) to[layout.label_of(j)] += from[j];
    });
    return folded_.data();
  }

 protected:
  // [S, P] 0, or -inf where a state may not follow another.
  void start_pairs(std::vector<Real>* pairs) {
    if (layout.transitions.empty()) {
      pairs->assign(static_cast<size_t>(S) * P, Real(0));
      return;
    }
    if (rules_.empty()) {
      rules_.assign(static_cast<size_t>(S) * P, Real(0));
      for (int k = 0; k < S; k++) {
        for (int j = 0; j < S; j++) {
          if (!layout.may_follow(k, j)) rules_[static_cast<size_t>(k) * P + j] = kMinusInf;
        }
      }
    }
    *pairs = rules_;
  }

  // out += the row of a block that `add` sums, or with Kind::state the part of it that belongs
  // to one history.
  template <class Add>
  void add_row(const BlockShape& shape, Kind kind, Real* out, const Add& add) {
    if (direct(shape)) {
      add(out);
      return;
    }
    size_t size = static_cast<size_t>(label_pitch_);
    for (int h = 0; h < static_cast<int>(kind); h++) size *= static_cast<size_t>(layout.labels);
    shared_.assign(size, Real(0));
    add(shared_.data());
    for_each_row(kind, [&](size_t of_label, size_t of_state) {
      const Real* from = shared_.data() + of_label;
      Real* to = out + of_state;
      for (int j = 0; j < S; j++) to[j] += from[layout.label_of(j)];
    });
  }

 private:
  // Calls visit(place among labels, place among states) for the cells after each history.
  template <class Visit>
  void for_each_row(Kind kind, const Visit& visit) const {
    const size_t L = static_cast<size_t>(layout.labels);
    const int B = kind == Kind::tri ? S : 1, K = kind == Kind::state ? 1 : S;
    for (int b = 0; b < B; b++) {
      for (int k = 0; k < K; k++) {
        visit((layout.label_of(b) * L + layout.label_of(k)) * label_pitch_,
              (static_cast<size_t>(b) * K + k) * P);
      }
    }
  }

  const int label_pitch_;
  std::vector<Real> rules_;  // where pairs start
  std::vector<Real> shared_, folded_;
};

// Scores of transitions from blocks of rows: rows of constants, which every token has, and
// varying rows of single tokens, which are added on demand, so that [n, S, S] is never built. A
// score is always summed in the same order (constants, blocks, templates), so that every search
// and sum gives a path the same score.
//
// Owner defines its blocks: all_blocks(), shape_of(block), at_work(block, i) (true if it has
// varying rows at token i), add_constants(block, out) and add_at(block, i, out).
template <class Owner, class Real>
class Transitions : public States<Real> {
 public:
  using States<Real>::States;
  using States<Real>::layout;
  using States<Real>::S;
  using States<Real>::P;

  // Scores of (k, j) at token i, [S, P], and of (b, k, j), [S, S, P]. Valid until the next
  // call.
  const Real* pairs(int64_t i) { return matrix(Kind::edge, i, pairs_, &pair_scratch_); }
  const Real* triples(int64_t i) {
    prepare_triples();
    return matrix(Kind::tri, i, triples_, &triple_scratch_);
  }

  // True if token i has varying rows of this kind.
  bool varies(Kind kind, int64_t i) const {
    for (const auto& block : owner().all_blocks()) {
      if (Owner::shape_of(block).kind == kind && owner().at_work(block, i)) return true;
    }
    return false;
  }

 protected:
  // Sums the rows of the constants: once for as long as weights do not change. Triples wait
  // until all are needed.
  void start_transitions() {
    if (layout.search_order() >= 1) {
      this->start_pairs(&pairs_);
      add_all_constants(Kind::edge, &pairs_);
    }
    triples_ready_ = false;
  }
  void prepare_triples() {
    if (layout.order < 2 || triples_ready_) return;
    triples_.assign(static_cast<size_t>(S) * S * P, Real(0));
    add_all_constants(Kind::tri, &triples_);
    triples_ready_ = true;
  }

  std::vector<Real> pairs_, triples_;  // constants (and forbidden transitions)
  bool triples_ready_ = false;

 private:
  Owner& owner() { return static_cast<Owner&>(*this); }
  const Owner& owner() const { return static_cast<const Owner&>(*this); }

  void add_all_constants(Kind kind, std::vector<Real>* out) {
    for (const auto& block : owner().all_blocks()) {
      const BlockShape& shape = Owner::shape_of(block);
      if (shape.kind != kind) continue;
      this->add_row(shape, kind, out->data(),
                    [&](Real* sums) { owner().add_constants(block, sums); });
    }
  }

  const Real* matrix(Kind kind, int64_t i, const std::vector<Real>& constants,
                     std::vector<Real>* scratch) {
    bool copied = false;
    for (const auto& block : owner().all_blocks()) {
      const BlockShape& shape = Owner::shape_of(block);
      if (shape.kind != kind || !owner().at_work(block, i)) continue;
      if (!copied) *scratch = constants;
      copied = true;
      this->add_row(shape, kind, scratch->data(),
                    [&](Real* sums) { owner().add_at(block, i, sums); });
    }
    return copied ? scratch->data() : constants.data();
  }

  std::vector<Real> pair_scratch_, triple_scratch_;
};

}  // namespace latperc
