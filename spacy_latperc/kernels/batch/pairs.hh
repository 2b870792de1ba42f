// The weights of a batch optimiser: one for each pair (feature, cell) that may be used, in one
// flat vector of doubles, block after block. A row has the pairs of a feature, so that an
// evaluation visits pairs instead of whole rows.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/checked.hh"
#include "common/signals.hh"
#include "hashing/values.hh"
#include "lattice/gold.hh"
#include "weights/weights.hh"

namespace latperc {

// A sentence of the corpus.
struct Gathered {
  View<const int32_t> ids;   // [n, templates]
  WeightedIds weighted;      // features with other weights than 1
  View<const int32_t> gold;  // [n] gold codes
  int64_t n;
};

// The label sets of gold codes.
class GoldLabels {
 public:
  GoldLabels() = default;
  GoldLabels(int labels, const std::vector<uint8_t>& sets) : labels_(labels), sets_(sets) {}

  bool allows(int32_t code, int label) const {
    return gold_allows(code, label, view(sets_), labels_);
  }
  void list(int32_t code, std::vector<int32_t>* out) const {
    out->clear();
    for (int l = 0; l < labels_; l++) {
      if (allows(code, l)) out->push_back(l);
    }
  }

 private:
  int labels_ = 0;
  std::vector<uint8_t> sets_;  // [sets, labels]
};

// True if the rules allow a sequence of known labels.
inline bool possible_labels(const Layout& layout, const int32_t* labels, int64_t n) {
  const int K = layout.latent;
  for (int64_t i = 1; i < n; i++) {
    if (!layout.may_follow(labels[i - 1] * K, labels[i] * K)) return false;
  }
  return layout.may_start(labels[0] * K) && layout.may_end(labels[n - 1] * K);
}

// True if some sequence of allowed labels agrees with the gold of a non-empty sentence.
inline bool possible(const Layout& layout, const GoldLabels& gold, const Gathered& x) {
  const int L = layout.labels, K = layout.latent;
  const int32_t* const codes = x.gold.at(0, static_cast<size_t>(x.n));
  if (std::all_of(codes, codes + x.n, [](int32_t code) { return code >= 0; })) {
    return possible_labels(layout, codes, x.n);
  }
  std::vector<uint8_t> reached(L, 0), next(L);
  for (int64_t i = 0; i < x.n; i++) {
    for (int l = 0; l < L; l++) {
      next[l] = 0;
      if (!gold.allows(x.gold[i], l)) continue;
      if (i == 0) next[l] = layout.may_start(l * K);
      for (int k = 0; i > 0 && k < L && !next[l]; k++) {
        next[l] = reached[k] && layout.may_follow(k * K, l * K);
      }
    }
    reached.swap(next);
  }
  for (int l = 0; l < L; l++) {
    if (reached[l] && layout.may_end(l * K)) return true;
  }
  return false;
}

// The pairs of one block.
class PairRows {
 public:
  std::vector<int32_t> feature_of{0};  // row -> feature; row 0 is empty
  std::vector<int64_t> begin{0, 0};    // row -> its first weight in the flat vector
  std::vector<uint32_t> cells;         // the cell of each pair

  int32_t row(int32_t feature) const {
    return static_cast<size_t>(feature) < row_of_.size() ? row_of_[feature] : 0;
  }
  size_t rows() const { return feature_of.size(); }
  int64_t size(int32_t row) const { return begin[row + 1] - begin[row]; }
  int64_t first() const { return begin[0]; }
  uint32_t cell(int64_t pair) const { return cells[static_cast<size_t>(pair - begin[0])]; }

  // out[cell] += weight, for the pairs of a row.
  void add_to(int32_t row, const double* w, double* out) const {
    const uint32_t* cell = cells.data() - begin[0];
    for (int64_t p = begin[row]; p < begin[row + 1]; p++) out[cell[p]] += w[p];
  }
  // The same times the weight of the feature.
  void add_scaled_to(int32_t row, double value, const double* w, double* out) const {
    const uint32_t* cell = cells.data() - begin[0];
    for (int64_t p = begin[row]; p < begin[row + 1]; p++) out[cell[p]] += value * w[p];
  }
  // slope[pair] += the value of its cell.
  void collect_from(int32_t row, const double* values, double* slope) const {
    const uint32_t* cell = cells.data() - begin[0];
    for (int64_t p = begin[row]; p < begin[row + 1]; p++) slope[p] += values[cell[p]];
  }
  void collect_scaled_from(int32_t row, double value, const double* values, double* slope) const {
    const uint32_t* cell = cells.data() - begin[0];
    for (int64_t p = begin[row]; p < begin[row + 1]; p++) slope[p] += value * values[cell[p]];
  }
  int64_t find(int32_t row, uint32_t cell) const {
    const auto first = cells.begin() + (begin[row] - begin[0]);
    const auto last = cells.begin() + (begin[row + 1] - begin[0]);
    const auto at = std::lower_bound(first, last, cell);
    return at == last || *at != cell ? -1 : begin[row] + (at - first);
  }

  // Fills the rows from sorted keys place << 32 | cell, whose first weight has number `offset`.
  // features: place -> feature.
  void set(const std::vector<uint64_t>& keys, const std::vector<int32_t>& features,
           int64_t offset) {
    feature_of.assign(1, 0);
    begin.assign(1, offset);
    cells.resize(keys.size());
    for (size_t p = 0; p < keys.size(); p++) {
      const int32_t feature = features[static_cast<size_t>(keys[p] >> 32)];
      if (p == 0 || feature != feature_of.back()) {
        begin.push_back(offset + static_cast<int64_t>(p));
        feature_of.push_back(feature);
      }
      cells[p] = static_cast<uint32_t>(keys[p]);
    }
    begin.push_back(offset + static_cast<int64_t>(keys.size()));
    const int32_t last = *std::max_element(feature_of.begin(), feature_of.end());
    row_of_.assign(static_cast<size_t>(last) + 1, 0);
    for (size_t r = 1; r < rows(); r++) row_of_[feature_of[r]] = static_cast<int32_t>(r);
  }

 private:
  std::vector<int32_t> row_of_;
};

// Finds the pairs of a block.
class PairFinder {
 public:
  PairFinder(const Layout& layout, const BlockShape& shape, const GoldLabels& gold, bool all)
      : layout_(layout),
        shape_(shape),
        gold_(gold),
        all_(all),
        unit_(shape.latent ? layout.latent : 1) {}

  // The keys of the pairs of template t. place_of: feature -> its place; 0 to leave it out.
  std::vector<uint64_t> find(const std::vector<Gathered>& sentences, int templates, int t,
                             const std::vector<int32_t>& place_of) {
    std::vector<uint64_t> keys;
    const int history = static_cast<int>(shape_.kind);
    size_t compact_at = 1u << 22;
    SignalCheck signals;
    for (const Gathered& x : sentences) {
      signals.look();
      for (int64_t i = history; i < x.n; i++) {
        const int32_t plain = x.ids[static_cast<size_t>(i) * templates + t];
        places_.assign(1, place_of[static_cast<size_t>(plain)]);
        for (int64_t k = x.weighted.first(i); k < x.weighted.last(i); k++) {
          const WeightedId& feature = x.weighted.items[k];
          if (feature.which == t) places_.push_back(place_of[static_cast<size_t>(feature.id)]);
        }
        for (int32_t place : places_) {
          if (!place) continue;
          list_cells(x, i, history);
          add_keys(place, &keys);
        }
      }
      if (keys.size() > compact_at) {
        compact(&keys);
        compact_at = std::max(compact_at, 2 * keys.size());
      }
    }
    compact(&keys);
    return keys;
  }

  // The same for a feature of only the first or only the last token.
  std::vector<uint64_t> find_boundary(const std::vector<Gathered>& sentences, bool at_end,
                                      int32_t place) {
    std::vector<uint64_t> keys;
    for (const Gathered& x : sentences) {
      list_cells(x, at_end ? x.n - 1 : 0, 0);
      add_keys(place, &keys);
    }
    compact(&keys);
    return keys;
  }

  static void compact(std::vector<uint64_t>* keys) {
    std::sort(keys->begin(), keys->end());
    keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
  }

 private:
  void add_keys(int32_t place, std::vector<uint64_t>* keys) const {
    for (uint32_t cell : cells_) {
      keys->push_back(static_cast<uint64_t>(static_cast<uint32_t>(place)) << 32 | cell);
    }
  }

  void list_cells(const Gathered& x, int64_t i, int history) {
    cells_.clear();
    for (int k = 0; k < 3; k++) {
      if (k > history) {
        labels_[k].assign(1, 0);
      } else {
        gold_.list(all_ ? kAnyLabel : x.gold[i - k], &labels_[k]);
      }
    }
    for (int32_t b : labels_[2]) {
      for (int32_t k : labels_[1]) {
        if (history >= 2 && !follows(b, k)) continue;
        for (int32_t j : labels_[0]) {
          if (history >= 1 && !follows(k, j)) continue;
          add_values(history, b, k, j);
        }
      }
    }
  }

  bool follows(int32_t previous, int32_t label) const {
    return layout_.may_follow(previous * layout_.latent, label * layout_.latent);
  }

  void add_values(int history, int b, int k, int j) {
    const int vb = history >= 2 ? unit_ : 1, vk = history >= 1 ? unit_ : 1;
    for (int x = 0; x < vb; x++) {
      for (int y = 0; y < vk; y++) {
        for (int z = 0; z < unit_; z++) {
          cells_.push_back(
              static_cast<uint32_t>(shape_.cell(b * unit_ + x, k * unit_ + y, j * unit_ + z)));
        }
      }
    }
  }

  const Layout& layout_;
  const BlockShape& shape_;
  const GoldLabels& gold_;
  const bool all_;
  const int unit_;
  std::vector<int32_t> labels_[3];
  std::vector<int32_t> places_;
  std::vector<uint32_t> cells_;
};

}  // namespace latperc
