// Sums of rows that many tokens share.
//
// The state features of a group (for example an n-gram of tags with the shorter n-grams inside
// it) often occur together. Their pairs are summed once per evaluation into a dense row, which
// each token then adds; gradients return the same way. Rare features, and those with few pairs,
// are added pair by pair.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "batch/pairs.hh"
#include "hashing/hash.hh"
#include "hashing/index.hh"
#include "simd/lanes.hh"

namespace latperc {

LATPERC_CLONES static void add_dense(const double* table, size_t stride, const int32_t* rows,
                                     int count, double* out) {
  for (int t = 0; t < count; t++) {
    const double* row = table + static_cast<size_t>(rows[t]) * stride;
    for (size_t j = 0; j < stride; j++) out[j] += row[j];
  }
}

LATPERC_CLONES static void add_to_dense(const double* values, size_t stride, const int32_t* rows,
                                        int count, double* table) {
  for (int t = 0; t < count; t++) {
    double* row = table + static_cast<size_t>(rows[t]) * stride;
    for (size_t j = 0; j < stride; j++) row[j] += values[j];
  }
}

// Lists of numbers, one after the other.
struct Lists {
  std::vector<int64_t> begin{0};
  std::vector<int32_t> items;

  void close() { begin.push_back(static_cast<int64_t>(items.size())); }
  size_t size() const { return begin.size() - 1; }
  int count(size_t list) const { return static_cast<int>(begin[list + 1] - begin[list]); }
  const int32_t* at(size_t list) const { return items.data() + begin[list]; }
  size_t bytes() const { return 4 * items.size() + 8 * begin.size(); }
};

class RowGroups {
 public:
  // Lists the rows of each token, group by group, which row_at(token, template position) gives.
  template <class RowAt>
  void build(const BlockShape& shape, const PairRows& pairs, int64_t tokens, const RowAt& row_at) {
    stride_ = shape.stride();
    std::vector<int32_t> number_of(static_cast<size_t>(tokens) * shape.groups.size(), 0);
    Lists candidates;
    candidates.close();  // number 0: nothing
    std::vector<int64_t> uses(1, 0);
    find(shape, tokens, row_at, &candidates, &uses, &number_of);
    const std::vector<int32_t> dense = choose(pairs, candidates, uses);
    const size_t G = shape.groups.size();
    for (int64_t i = 0; i < tokens; i++) {
      for (size_t g = 0; g < G; g++) {
        const int32_t candidate = number_of[static_cast<size_t>(i) * G + g];
        if (dense[candidate] >= 0) {
          shared_.items.push_back(dense[candidate]);
        } else {
          const int32_t* rows = candidates.at(candidate);
          own_.items.insert(own_.items.end(), rows, rows + candidates.count(candidate));
        }
      }
      shared_.close();
      own_.close();
    }
    shared_.items.shrink_to_fit();
    own_.items.shrink_to_fit();
    scores_.assign(rows_.size() * stride_, 0.0);
    slopes_.assign(rows_.size() * stride_, 0.0);
  }

  void start(const PairRows& pairs, const double* w) {
    std::fill(scores_.begin(), scores_.end(), 0.0);
    std::fill(slopes_.begin(), slopes_.end(), 0.0);
    for (size_t b = 0; b < rows_.size(); b++) {
      double* out = scores_.data() + b * stride_;
      const int32_t* rows = rows_.at(b);
      for (int r = 0; r < rows_.count(b); r++) pairs.add_to(rows[r], w, out);
    }
  }

  // out += the scores of the cells at this token.
  void score(int64_t token, const PairRows& pairs, const double* w, double* out) const {
    add_dense(scores_.data(), stride_, shared_.at(token), shared_.count(token), out);
    const int32_t* rows = own_.at(token);
    for (int r = 0; r < own_.count(token); r++) pairs.add_to(rows[r], w, out);
  }

  // Adds the slopes of the cells at this token to dense rows or to pairs.
  void push(int64_t token, const PairRows& pairs, const double* values, double* slope) {
    add_to_dense(values, stride_, shared_.at(token), shared_.count(token), slopes_.data());
    const int32_t* rows = own_.at(token);
    for (int r = 0; r < own_.count(token); r++) pairs.collect_from(rows[r], values, slope);
  }

  void finish(const PairRows& pairs, double* slope) const {
    for (size_t b = 0; b < rows_.size(); b++) {
      const double* values = slopes_.data() + b * stride_;
      const int32_t* rows = rows_.at(b);
      for (int r = 0; r < rows_.count(b); r++) pairs.collect_from(rows[r], values, slope);
    }
  }

  size_t bytes() const {
    return 8 * (scores_.size() + slopes_.size()) + rows_.bytes() + shared_.bytes() + own_.bytes();
  }

 private:
  template <class RowAt>
  void find(const BlockShape& shape, int64_t tokens, const RowAt& row_at, Lists* candidates,
            std::vector<int64_t>* uses, std::vector<int32_t>* number_of) const {
    const size_t G = shape.groups.size();
    for (size_t g = 0; g < G; g++) {
      KeyMap known;
      std::vector<int32_t> rows;
      for (int64_t i = 0; i < tokens; i++) {
        rows.clear();
        uint64_t key = mix(g + 1);
        for (int32_t t = g ? shape.groups[g - 1] : 0; t < shape.groups[g]; t++) {
          const int32_t row = row_at(i, t);
          if (row) rows.push_back(row);
          key = join(key, static_cast<uint64_t>(row));
        }
        if (rows.empty()) continue;
        const int32_t fresh = static_cast<int32_t>(candidates->size());
        int32_t number = known.insert(finish_key(key), fresh);
        // A collision of hashes is nearly impossible, and harmless.
        const bool same = number != fresh &&
                          candidates->count(number) == static_cast<int>(rows.size()) &&
                          std::equal(rows.begin(), rows.end(), candidates->at(number));
        if (!same) {
          number = fresh;
          candidates->items.insert(candidates->items.end(), rows.begin(), rows.end());
          candidates->close();
          uses->push_back(0);
        }
        (*uses)[number]++;
        (*number_of)[static_cast<size_t>(i) * G + g] = number;
      }
    }
  }

  static uint64_t finish_key(uint64_t key) {
    key = mix(key);
    return key ? key : 1;
  }

  // Chooses the candidates that are cheaper as a dense row.
  std::vector<int32_t> choose(const PairRows& pairs, const Lists& candidates,
                              const std::vector<int64_t>& uses) {
    std::vector<int32_t> dense(candidates.size(), -1);
    const double width = static_cast<double>(stride_) / 4;
    for (size_t c = 1; c < candidates.size(); c++) {
      double loose = 0.0;
      for (int r = 0; r < candidates.count(c); r++) {
        loose += 3.0 + static_cast<double>(pairs.size(candidates.at(c)[r]));
      }
      const double used = static_cast<double>(uses[c]);
      if (loose + 2 * width + used * (width + 2.0) >= used * loose) continue;
      dense[c] = static_cast<int32_t>(rows_.size());
      rows_.items.insert(rows_.items.end(), candidates.at(c),
                         candidates.at(c) + candidates.count(c));
      rows_.close();
    }
    return dense;
  }

  size_t stride_ = 0;
  Lists rows_;    // the rows that each dense row sums
  Lists shared_;  // the dense rows of each token
  Lists own_;     // the rows of each token that are added pair by pair
  std::vector<double> scores_, slopes_;
};

}  // namespace latperc
