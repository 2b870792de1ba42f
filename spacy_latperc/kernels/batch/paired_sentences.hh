// The sentences of a corpus with their pairs (feature, cell), for the evaluation of an objective.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "batch/pairs.hh"
#include "batch/potentials.hh"
#include "batch/row_groups.hh"

namespace latperc {

class PairedSentences {
 public:
  PairedSentences(const Layout& layout, const std::vector<BlockShape>& shapes,
                  const std::vector<int32_t>& constants, int templates, const GoldLabels& gold)
      : layout_(layout), constants_(constants), templates_(templates), gold_(gold) {
    for (const BlockShape& shape : shapes) {
      blocks_.emplace_back();
      blocks_.back().shape = shape;
    }
  }
  // Sets the ids of the start and the end feature.
  void set_boundaries(int32_t start, int32_t end) {
    start_ = start;
    end_ = end;
  }
  // Finds the pairs, counts the gold features, and prepares evaluations. The views of the
  // sentences are not needed afterwards.
  // all_from: all pairs of the blocks with at least so many earlier labels, not only the gold's.
  // share, shares: evaluate only this part of the sentences, over the pairs of all. The values
  // and slopes of the parts add up to those of the whole.
  template <class Admitted>
  void build(const std::vector<Gathered>& sentences, int all_from, const Admitted& admitted,
             int64_t share, int64_t shares) {
    std::vector<Gathered> kept = keep_possible(sentences);
    find_places(kept, admitted);
    for (PairBlock& block : blocks_) {
      PairFinder finder(layout_, block.shape, gold_,
                        static_cast<int>(block.shape.kind) >= all_from);
      std::vector<uint64_t> keys;
      for (int32_t t : block.shape.templates) {
        const std::vector<uint64_t> more = finder.find(kept, templates_, t, place_of_);
        keys.insert(keys.end(), more.begin(), more.end());
      }
      if (has_boundaries(block)) {
        for (bool at_end : {false, true}) {
          const int32_t place = place_of_[at_end ? end_ : start_];
          const std::vector<uint64_t> more = finder.find_boundary(kept, at_end, place);
          keys.insert(keys.end(), more.begin(), more.end());
        }
      }
      PairFinder::compact(&keys);
      block.pairs.set(keys, features_, n_pairs_);
      n_pairs_ += static_cast<int64_t>(keys.size());
      if (!has_boundaries(block)) continue;
      block.first = block.pairs.row(start_);
      block.last = block.pairs.row(end_);
    }
    keep_share(share, shares, &kept);
    observed_.assign(static_cast<size_t>(n_pairs_), 0.0);
    for (size_t b = 0; b < blocks_.size(); b++) {
      count_observed(blocks_[b], kept);
      place_rows(&blocks_[b], constants_[b], kept);
      place_weighted(&blocks_[b], kept);
    }
    place_of_ = features_ = std::vector<int32_t>();
  }

  int64_t n_pairs() const { return n_pairs_; }
  int64_t n_tokens() const { return tokens_; }
  size_t n_sentences() const { return sentences_.size(); }
  size_t n_blocks() const { return blocks_.size(); }
  const PairBlock& block(size_t b) const { return blocks_[b]; }
  // The numbers of the sentences that no path agrees with, which are left out.
  const std::vector<int32_t>& impossible() const { return impossible_; }

 protected:
  struct Kept {
    int64_t number;  // in the corpus
    int64_t first;   // its first token
    int64_t n;
    bool determined;            // only one path agrees with the gold labels
    std::vector<int32_t> gold;  // if not determined
  };

  std::vector<Gathered> keep_possible(const std::vector<Gathered>& sentences) {
    std::vector<Gathered> kept;
    for (size_t s = 0; s < sentences.size(); s++) {
      const Gathered& x = sentences[s];
      if (x.n == 0) continue;
      if (!possible(layout_, gold_, x)) {
        impossible_.push_back(static_cast<int32_t>(s));
        continue;
      }
      Kept entry{static_cast<int64_t>(s), tokens_, x.n, layout_.latent == 1, {}};
      for (int64_t i = 0; i < x.n; i++) entry.determined = entry.determined && x.gold[i] >= 0;
      for (int64_t i = 0; !entry.determined && i < x.n; i++) entry.gold.push_back(x.gold[i]);
      sentences_.push_back(std::move(entry));
      kept.push_back(x);
      tokens_ += x.n;
    }
    return kept;
  }

  // Keeps the sentences that begin in one share of the tokens.
  void keep_share(int64_t share, int64_t shares, std::vector<Gathered>* kept) {
    if (shares == 1) return;
    const int64_t first = tokens_ * share / shares, end = tokens_ * (share + 1) / shares;
    size_t at = 0;
    tokens_ = 0;
    for (size_t s = 0; s < sentences_.size(); s++) {
      if (sentences_[s].first < first || sentences_[s].first >= end) continue;
      if (at != s) sentences_[at] = std::move(sentences_[s]);
      (*kept)[at] = (*kept)[s];
      sentences_[at].first = tokens_;
      tokens_ += sentences_[at++].n;
    }
    sentences_.resize(at);
    kept->resize(at);
  }

  // Numbers features in the order of the corpus: their ids depend on the order of extraction, and
  // the last bits of a sum on the order of its terms.
  template <class Admitted>
  void find_places(const std::vector<Gathered>& kept, const Admitted& admitted) {
    features_.assign(1, 0);
    place_of_.assign(1, 0);
    const auto place = [&](int32_t feature) {
      if (static_cast<size_t>(feature) >= place_of_.size()) place_of_.resize(feature + 1, 0);
      if (place_of_[feature] || !admitted(feature)) return;
      place_of_[feature] = static_cast<int32_t>(features_.size());
      features_.push_back(feature);
    };
    for (const Gathered& x : kept) {
      for (int64_t c = 0; c < x.n * templates_; c++) place(x.ids[static_cast<size_t>(c)]);
      for (int64_t i = 0; i < x.n; i++) {
        for (int64_t k = x.weighted.first(i); k < x.weighted.last(i); k++) {
          place(x.weighted.items[k].id);
        }
      }
    }
    for (int32_t feature : {start_, end_}) {
      if (feature == 0) continue;
      if (static_cast<size_t>(feature) >= place_of_.size()) place_of_.resize(feature + 1, 0);
      place_of_[feature] = static_cast<int32_t>(features_.size());
      features_.push_back(feature);
    }
  }

  bool has_boundaries(const PairBlock& block) const {
    return start_ > 0 && block.shape.kind == Kind::state;
  }

  // Counts the gold features of sentences with a single path, which are constant.
  void count_observed(const PairBlock& block, const std::vector<Gathered>& kept) {
    const int history = static_cast<int>(block.shape.kind);
    for (size_t s = 0; s < kept.size(); s++) {
      if (!sentences_[s].determined) continue;
      const Gathered& x = kept[s];
      for (int64_t i = history; i < x.n; i++) {
        const uint32_t cell = static_cast<uint32_t>(block.shape.cell(
            history >= 2 ? x.gold[i - 2] : 0, history >= 1 ? x.gold[i - 1] : 0, x.gold[i]));
        const auto observe = [&](int32_t feature, double value) {
          const int32_t row = block.pairs.row(feature);
          const int64_t pair = row ? block.pairs.find(row, cell) : -1;
          if (pair >= 0) observed_[static_cast<size_t>(pair)] += value;
        };
        for (int32_t t : block.shape.templates) {
          observe(x.ids[static_cast<size_t>(i) * templates_ + t], 1.0);
        }
        for (int64_t k = x.weighted.first(i); k < x.weighted.last(i); k++) {
          const WeightedId& feature = x.weighted.items[k];
          if (has(block.shape, feature.which)) observe(feature.id, feature.value);
        }
      }
      if (block.first) observe(block, block.first, x.gold[0]);
      if (block.last) observe(block, block.last, x.gold[x.n - 1]);
    }
  }

  void observe(const PairBlock& block, int32_t row, int32_t label) {
    const int64_t pair = block.pairs.find(row, static_cast<uint32_t>(label));
    if (pair >= 0) observed_[static_cast<size_t>(pair)] += 1.0;
  }

  static bool has(const BlockShape& shape, int32_t t) {
    return std::find(shape.templates.begin(), shape.templates.end(), t) != shape.templates.end();
  }

  // Lists the rows with other weights than 1, token by token; no lists if there are none.
  void place_weighted(PairBlock* block, const std::vector<Gathered>& kept) {
    const int history = static_cast<int>(block->shape.kind);
    for (const Gathered& x : kept) {
      for (int64_t i = 0; i < x.n; i++) {
        for (int64_t k = x.weighted.first(i); i >= history && k < x.weighted.last(i); k++) {
          const WeightedId& feature = x.weighted.items[k];
          const int32_t row = has(block->shape, feature.which) ? block->pairs.row(feature.id) : 0;
          if (!row) continue;
          block->weighted.items.push_back(row);
          block->values.push_back(feature.value);
        }
        block->weighted.close();
      }
    }
    if (block->values.empty()) block->weighted = Lists();
  }

  void place_rows(PairBlock* block, int constants, const std::vector<Gathered>& kept) {
    const BlockShape& shape = block->shape;
    const int T = static_cast<int>(shape.templates.size());
    const int varying = shape.kind == Kind::state ? 0 : constants;
    std::vector<int32_t> rows;  // [tokens, T - varying]
    rows.reserve(static_cast<size_t>(tokens_) * (T - varying));
    for (const Gathered& x : kept) {
      for (int64_t i = 0; i < x.n; i++) {
        for (int t = varying; t < T; t++) {
          rows.push_back(
              block->pairs.row(x.ids[static_cast<size_t>(i) * templates_ + shape.templates[t]]));
        }
      }
    }
    if (shape.kind == Kind::state) {
      block->groups.build(shape, block->pairs, tokens_, [&](int64_t i, int32_t t) {
        return rows[static_cast<size_t>(i) * T + t];
      });
      return;
    }
    for (int t = 0; t < constants && !kept.empty(); t++) {
      const int32_t row = block->pairs.row(kept[0].ids[shape.templates[t]]);
      if (row) block->fixed.push_back(row);
    }
    const int history = static_cast<int>(shape.kind);
    size_t at = 0;
    for (const Gathered& x : kept) {
      for (int64_t i = 0; i < x.n; i++) {
        for (int t = varying; t < T; t++, at++) {
          if (rows[at] && i >= history) block->varying.items.push_back(rows[at]);
        }
        block->varying.close();
      }
    }
  }

  const Layout layout_;
  const std::vector<int32_t> constants_;
  const int templates_;
  const GoldLabels gold_;
  std::vector<PairBlock> blocks_;
  std::vector<Kept> sentences_;
  std::vector<int32_t> place_of_, features_;  // while building
  std::vector<int32_t> impossible_;
  int64_t tokens_ = 0;
  int32_t start_ = 0, end_ = 0;
  int64_t n_pairs_ = 0;
  std::vector<double> observed_;  // counts of each pair in the sentences with one path
};

// min_count: features counted less often get no pairs.
inline void build_objective(PairedSentences& objective, const std::vector<Gathered>& sentences,
                            int all_from, const std::vector<int32_t>& counts, int32_t min_count,
                            int64_t share, int64_t shares) {
  objective.build(
      sentences, all_from,
      [&](int32_t feature) {
        return feature > 0 && (min_count <= 1 || counts[feature] >= min_count);
      },
      share, shares);
}

}  // namespace latperc
