// Beam search, which keeps only the best few histories at each token.
//
// A history is the part of a path that later scores depend on: its last state, or for order 2
// the last two. Only the best path of each history is kept, so a beam as wide as the number of
// histories is exact, to the bit. A width of 1 is greedy search. States from which the end
// cannot be reached are skipped, so that a path is found whenever there is one. Ties are
// resolved as in lattice/search.hh, and the higher state is dropped. The histories of all
// tokens are stored for updates on prefixes (rules/violation.hh).
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "lattice/lattice.hh"
#include "lattice/reachable.hh"

namespace latperc {

class Beam {
 public:
  // Finds the best path in the beam at the end. RETURNS: its score; -inf if there is none.
  float run(Lattice& lattice, const float* e, bool masked, int32_t* path) {
    const int64_t n = lattice.n;
    width_ = static_cast<size_t>(lattice.layout.beam);
    order_ = lattice.layout.search_order();
    kept_.clear();
    first_.assign(1, 0);
    best_.clear();
    if (n == 0) return 0.0f;
    reachable_.find(lattice, e, masked);
    for (int64_t i = 0; i < n; i++) {
      chosen_.clear();
      if (i == 0 || order_ == 0) {
        begin(lattice, e, i);
      } else {
        extend(lattice, e, i);
      }
      if (chosen_.empty()) return kMinusInf;
      keep(i);
    }
    trace(n - 1, path);
    return best_score(n - 1);
  }

  // The score of the best path after tokens 0 .. i of the last search, and that path.
  float best_score(int64_t i) const { return kept_[best_[i]].score; }
  void trace(int64_t i, int32_t* path) const {
    size_t at = best_[i];
    for (; i >= 0; i--) {
      path[i] = kept_[at].last;
      at = kept_[at].back;
    }
  }
  // True if the history of this path was in the beam at token i.
  bool holds(int64_t i, const int32_t* path) const {
    if (order_ == 0) return true;
    for (size_t at = first_[i]; at < first_[i + 1]; at++) {
      const Kept& it = kept_[at];
      if (it.last != path[i]) continue;
      if (order_ < 2 || i == 0 || it.before == path[i - 1]) return true;
    }
    return false;
  }
  // Finds for each token whether its best path has a state with right(i, state) false.
  template <class Right>
  void find_wrong(const Right& right, std::vector<uint8_t>* wrong) const {
    std::vector<uint8_t> all(kept_.size());
    wrong->clear();
    for (size_t i = 0; i < best_.size(); i++) {
      for (size_t at = first_[i]; at < first_[i + 1]; at++) {
        const Kept& it = kept_[at];
        all[at] = !right(static_cast<int64_t>(i), it.last) || (i > 0 && all[it.back]);
      }
      wrong->push_back(all[best_[i]]);
    }
  }

 private:
  struct Kept {
    int32_t last, before;  // states; before is 0 below order 2
    float score;
    size_t back;
  };
  // The members are the histories that the new one may come from.
  struct Choice {
    float score;
    int32_t last, before;
    size_t first_member, end_member;
  };

  void begin(Lattice& lattice, const float* e, int64_t i) {
    const int P = lattice.P;
    row_.assign(e + i * P, e + (i + 1) * P);
    for (int j = 0; i == 0 && j < lattice.S; j++) {
      if (!lattice.layout.may_start(j)) row_[j] = kMinusInf;
    }
    const size_t back = i ? first_[i - 1] : 0;
    offer(lattice, i, 0, back, back + (i ? 1 : 0));
  }

  // alpha(h, j) = max over the members of [alpha + pair or triple], + pair (order 2), + e.
  void extend(Lattice& lattice, const float* e, int64_t i) {
    const size_t P = static_cast<size_t>(lattice.P);
    const size_t first = first_[i - 1];
    const size_t end = first_[i];
    scratch_.resize((end - first + 1) * P);
    rows_.resize(end - first);
    for (size_t from = first; from < end;) {
      size_t to = from;
      row_.assign(P, kMinusInf);
      for (; to < end && (order_ == 1 || kept_[to].last == kept_[from].last); to++) {
        const Kept& it = kept_[to];
        float* scratch = scratch_.data() + (to - first) * P;
        const float* row = nullptr;
        if (order_ == 1) row = lattice.pair_row(i, it.last, scratch);
        if (order_ == 2 && i >= 2) row = lattice.triple_row(i, it.before, it.last, scratch);
        rows_[to - first] = row;
        if (row) {
          simd::raise(row, it.score, P, row_.data());
        } else {
          std::fill(row_.begin(), row_.end(), it.score);
        }
      }
      if (order_ == 2) {
        float* scratch = scratch_.data() + (end - first) * P;
        simd::add_to(lattice.pair_row(i, kept_[from].last, scratch), P, row_.data());
      }
      simd::add_to(e + i * P, P, row_.data());
      offer(lattice, i, order_ == 2 ? kept_[from].last : 0, from, to);
      from = to;
    }
  }

  // Adds the best of row_ to the chosen ones, of which at most `width` remain.
  void offer(const Lattice& lattice, int64_t i, int32_t before, size_t from, size_t to) {
    const size_t width = order_ ? width_ : 1;
    const auto better = [](const Choice& a, const Choice& b) {
      if (a.score != b.score) return a.score > b.score;
      return a.last != b.last ? a.last < b.last : a.before < b.before;
    };
    float limit = chosen_.size() < width ? kLeast : chosen_.back().score;
    for (int32_t j = 0; j < lattice.S; j++) {
      if (row_[j] < limit || !reachable_.at(i, lattice.layout.label_of(j))) continue;
      const Choice choice = {row_[j], j, before, from, to};
      if (chosen_.size() == width) {
        if (!better(choice, chosen_.back())) continue;
        chosen_.pop_back();
      }
      chosen_.insert(std::upper_bound(chosen_.begin(), chosen_.end(), choice, better), choice);
      if (chosen_.size() == width) limit = chosen_.back().score;
    }
  }

  void keep(int64_t i) {
    const Choice top = chosen_.front();
    const size_t before = i ? first_[i - 1] : 0;
    std::sort(chosen_.begin(), chosen_.end(), [](const Choice& a, const Choice& b) {
      return a.last != b.last ? a.last < b.last : a.before < b.before;
    });
    for (const Choice& it : chosen_) {
      if (it.last == top.last && it.before == top.before) best_.push_back(kept_.size());
      float score = it.score;
      if (order_ == 0 && i) score += kept_[before].score;
      kept_.push_back({it.last, it.before, score, origin(it, before)});
    }
    first_.push_back(kept_.size());
  }

  // The lowest member that gives the maximum.
  size_t origin(const Choice& choice, size_t first) const {
    size_t origin = choice.first_member;
    float best = kMinusInf;
    for (size_t at = choice.first_member; at < choice.end_member && order_; at++) {
      const float* row = rows_[at - first];
      const float s = kept_[at].score + (row ? row[choice.last] : 0.0f);
      if (s > best) {
        best = s;
        origin = at;
      }
    }
    return origin;
  }

  static constexpr float kLeast = std::numeric_limits<float>::lowest();

  size_t width_ = 1;
  int order_ = 1;
  Reachable reachable_;
  std::vector<Kept> kept_;     // histories of all tokens, sorted within a token
  std::vector<size_t> first_;  // token -> its first history
  std::vector<size_t> best_;   // token -> its best history
  std::vector<Choice> chosen_;
  std::vector<float> row_, scratch_;
  std::vector<const float*> rows_;
};

}  // namespace latperc
