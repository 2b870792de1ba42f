// Scores of transitions between many states, kept so that a step of an exact search looks at few
// of them.
//
// Columns (the states after) are dealt out in blocks, and of each row (a state before) it is known
// how large its largest score in a block is, in levels of a byte, rounded up. A step first takes
// the few rows that score highest before it: their sums say what others have to beat. Of the
// others a block takes those whose score before it and largest score there, both in levels, may
// do so. Where scores are mostly one default, as learned ones are, hardly any are left but the
// exceptions; of scores that are made up one in a hundred.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "simd/score_blocks.hh"
#include "weights/weights.hh"

namespace latperc {

class BlockedScores {
 public:
  bool empty() const { return blocks_ == 0; }
  void clear() {
    blocks_ = 0;
    scores_ = Plane();
    level_.clear();
  }

  // score(row, column): -inf where the column may not follow.
  template <class Score>
  void set(int rows, int columns, const Score& score) {
    rows_ = rows;
    blocks_ = (columns + simd::kBlock - 1) / simd::kBlock;
    pitch_ =
        (static_cast<size_t>(rows) + simd::kRowsAtOnce - 1) / simd::kRowsAtOnce * simd::kRowsAtOnce;
    scores_ = Plane();
    scores_.resize(static_cast<size_t>(blocks_) * rows * simd::kBlock);
    most_.assign(blocks_, kMinusInf);
    dead_.clear();
    before_.assign(pitch_, simd::kDeepest);
    chunks_.resize((rows + kChunk - 1) / kChunk);
    std::vector<float> largest(static_cast<size_t>(blocks_) * rows, kMinusInf);
    for (int b = 0; b < blocks_; b++) {
      copy_block(b, columns, score, largest.data() + static_cast<size_t>(b) * rows);
    }
    find_levels(largest);
  }

  // Room for the sums of a step.
  size_t width() const { return static_cast<size_t>(blocks_) * simd::kBlock; }

  // best [width()]: the largest score of a row before the step and of a transition from it to
  // each column. live: the rows that can matter to any, if these are at most all.
  void step(const float* score, const int32_t* live, int n_live, float* best) {
    simd::Before before;
    before.score = score;
    if (n_live <= simd::Before::kLeaders) {
      before.leaders = n_live;
      std::copy_n(live, n_live, before.leader);
      before.next = kMinusInf;
    } else {
      find_leaders(&before);
    }
    before.level = before_.data();
    simd::take_largest(
        {rows_, blocks_, pitch_, scores_.data(), level_.data(), most_.data(), levels_}, before,
        best);
    for (int j : dead_) best[j] = kMinusInf;
  }

  // The row with which `target` came about at a column; of several that of the lowest state;
  // -1 if there is none.
  int find(const float* score, const int32_t* live, int n_live, int column, float target,
           const int32_t* state) const {
    const float* const to = scores_.data() + column % simd::kBlock +
                            static_cast<size_t>(column / simd::kBlock) * rows_ * simd::kBlock;
    int found = -1;
    const auto look = [&](int k) {
      if (score[k] + to[static_cast<size_t>(k) * simd::kBlock] != target) return;
      if (found < 0 || state[k] < state[found]) found = k;
    };
    if (n_live <= rows_) {
      for (int i = 0; i < n_live; i++) look(live[i]);
    } else {
      for (int k = 0; k < rows_; k++) look(k);
    }
    return found;
  }

 private:
  static constexpr int kChunk = 64;
  // Columns that nothing precedes must not be the ones that are hardest to beat.
  static constexpr float kNeverLeast = 1e30f;

  // largest [rows]: the largest score of each in the block.
  template <class Score>
  void copy_block(int b, int columns, const Score& score, float* largest) {
    const int first = b * simd::kBlock;
    float* const block = scores_.data() + static_cast<size_t>(b) * rows_ * simd::kBlock;
    bool alive[simd::kBlock] = {};
    for (int k = 0; k < rows_; k++) {
      float* const row = block + static_cast<size_t>(k) * simd::kBlock;
      for (int v = 0; v < simd::kBlock; v++) {
        row[v] = first + v < columns ? score(k, first + v) : kMinusInf;
        alive[v] = alive[v] || row[v] > kMinusInf;
        largest[k] = std::max(largest[k], row[v]);
      }
      most_[b] = std::max(most_[b], largest[k]);
    }
    for (int v = 0; v < simd::kBlock; v++) {
      if (alive[v]) continue;
      if (first + v < columns) dead_.push_back(first + v);
      for (int k = 0; k < rows_; k++)
        block[static_cast<size_t>(k) * simd::kBlock + v] = kNeverLeast;
    }
  }

  void find_levels(const std::vector<float>& largest) {
    double range = 0.0;
    for (size_t i = 0; i < largest.size(); i++) {
      if (largest[i] > kMinusInf) {
        range = std::max(range, static_cast<double>(most_[i / rows_]) - largest[i]);
      }
    }
    levels_ = static_cast<float>(range > 0.0 ? simd::kDeepest / range : 1.0);
    level_.assign(static_cast<size_t>(blocks_) * pitch_, simd::kDeepest);
    for (size_t i = 0; i < largest.size(); i++) {
      const double level = (static_cast<double>(most_[i / rows_]) - largest[i]) * levels_;
      if (!(level < simd::kDeepest)) continue;
      level_[i / rows_ * pitch_ + i % rows_] = static_cast<uint8_t>(level);
    }
  }

  // The highest scores before the step, one after the other, from chunks whose highest is known.
  void find_leaders(simd::Before* before) {
    others_.assign(before->score, before->score + rows_);
    for (size_t c = 0; c < chunks_.size(); c++) chunks_[c] = highest_of(c);
    before->leaders = 0;
    while (before->leaders < simd::Before::kLeaders) {
      const auto chunk = std::max_element(chunks_.begin(), chunks_.end());
      if (!(*chunk > kMinusInf)) break;
      const auto begin = others_.begin() + (chunk - chunks_.begin()) * kChunk;
      const auto at = std::find(begin, others_.end(), *chunk);
      before->leader[before->leaders++] = static_cast<int32_t>(at - others_.begin());
      *at = kMinusInf;
      *chunk = highest_of(static_cast<size_t>(chunk - chunks_.begin()));
    }
    before->next = *std::max_element(chunks_.begin(), chunks_.end());
  }

  float highest_of(size_t chunk) const {
    const size_t first = chunk * kChunk, last = std::min(others_.size(), first + kChunk);
    float highest = kMinusInf;
    for (size_t k = first; k < last; k++) highest = std::max(highest, others_[k]);
    return highest;
  }

  int rows_ = 0, blocks_ = 0;
  size_t pitch_ = 0;
  Plane scores_;                // [blocks, rows, kBlock]
  std::vector<uint8_t> level_;  // [blocks, pitch]: see simd::ScoreBlocks
  std::vector<float> most_;
  float levels_ = 1.0f;
  std::vector<int> dead_;  // columns that nothing precedes
  std::vector<uint8_t> before_;
  std::vector<float> others_, chunks_;
};

}  // namespace latperc
