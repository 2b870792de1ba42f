// Chunkings in several representations: conversion of labels to a common form and back, and
// the consensus of several views.
//
// Between two tokens of the same type there is a boundary iff the second label begins a chunk
// (B, S) or the first one ends one (E, S). This rule reads every representation, also invalid
// label sequences. The common form is IOB2: 0 for outside, and for type t (1, 2, ...) 2 t - 1
// at the beginning of a chunk and 2 t inside.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace latperc {

// The labels of one representation. Boundaries are those of schemes/boundaries.py.
struct ViewLabels {
  static constexpr int kJoined = 1, kTouching = 2, kApart = 4;

  std::vector<int32_t> type;       // [labels] 0 outside, 1, 2, ...
  std::vector<uint8_t> begins;     // [labels] 1 if the label always begins a chunk
  std::vector<uint8_t> finishes;   // [labels] 1 if the label always ends a chunk
  std::vector<int32_t> letter_at;  // [left, right boundary] place of the letter in its type
  int letters = 0;

  int32_t label(int32_t t, int left, int right) const {
    return t == 0 ? 0 : 1 + (t - 1) * letters + letter_at[left * (kApart + 1) + right];
  }
};

inline void to_common(const ViewLabels& view, const std::vector<int32_t>& labels,
                      std::vector<int32_t>* common) {
  common->resize(labels.size());
  for (size_t i = 0; i < labels.size(); i++) {
    const int32_t t = view.type[labels[i]];
    const bool border = i == 0 || view.type[labels[i - 1]] != t || view.begins[labels[i]] ||
                        view.finishes[labels[i - 1]];
    (*common)[i] = t == 0 ? 0 : border ? 2 * t - 1 : 2 * t;
  }
}

inline void from_common(const ViewLabels& view, const std::vector<int32_t>& common,
                        std::vector<int32_t>* labels) {
  const size_t n = common.size();
  labels->resize(n);
  // The boundary between tokens i - 1 and i.
  const auto gap = [&](size_t i) {
    if (i == 0 || i == n) return ViewLabels::kApart;
    if (common[i] != 0 && common[i] % 2 == 0) return ViewLabels::kJoined;
    const int32_t before = (common[i - 1] + 1) / 2, after = (common[i] + 1) / 2;
    return before && before == after ? ViewLabels::kTouching : ViewLabels::kApart;
  };
  for (size_t i = 0; i < n; i++) {
    (*labels)[i] = view.label((common[i] + 1) / 2, gap(i), gap(i + 1));
  }
}

constexpr uint64_t kVote = uint64_t(1) << 32;  // outweighs what breaks ties
constexpr size_t kMostViews = 12;              // with room for a million tokens

// The valid sequence in the common form with the most votes. Votes are for whole labels, with
// the type. Where an inside label has votes, the beginning of the same chunk is a candidate
// without votes of its own, so that a valid sequence exists. Ties go to the sequence with the
// votes of earlier views.
class Consensus {
 public:
  // votes: sequences in the common form; weights: the weight of each sequence in units of
  // kVote; 0 to ignore it.
  void elect(const std::vector<std::vector<int32_t>>& votes, const std::vector<uint64_t>& weights,
             std::vector<int32_t>* winner) {
    const size_t n = votes[0].size();
    begin_.assign(1, 0);
    candidates_.clear();
    for (size_t i = 0; i < n; i++) {
      for (size_t v = 0; v < votes.size(); v++) {
        if (weights[v] == 0) continue;
        const uint64_t rank = uint64_t(1) << (votes.size() - 1 - v);
        add(votes[v][i], weights[v] + rank);
        if (votes[v][i] != 0 && votes[v][i] % 2 == 0) add(votes[v][i] - 1, 0);
      }
      begin_.push_back(candidates_.size());
    }
    search(n, winner);
  }

 private:
  struct Candidate {
    int32_t label;
    uint64_t votes;
    uint64_t best;  // 1 + votes of the best path; 0: there is none
    size_t before;
  };

  void add(int32_t label, uint64_t votes) {
    for (size_t c = begin_.back(); c < candidates_.size(); c++) {
      if (candidates_[c].label == label) {
        candidates_[c].votes += votes;
        return;
      }
    }
    candidates_.push_back({label, votes, 0, 0});
  }

  static bool may_follow(int32_t before, int32_t after) {
    return after == 0 || after % 2 == 1 || before == after || before == after - 1;
  }

  void search(size_t n, std::vector<int32_t>* winner) {
    winner->assign(n, 0);
    for (size_t i = 0; i < n; i++) {
      for (size_t c = begin_[i]; c < begin_[i + 1]; c++) {
        Candidate& to = candidates_[c];
        if (i == 0) {
          if (to.label == 0 || to.label % 2 == 1) to.best = 1 + to.votes;
          continue;
        }
        for (size_t b = begin_[i - 1]; b < begin_[i]; b++) {
          const Candidate& from = candidates_[b];
          if (!from.best || !may_follow(from.label, to.label)) continue;
          if (from.best + to.votes > to.best) {
            to.best = from.best + to.votes;
            to.before = b;
          }
        }
      }
    }
    if (n == 0) return;
    size_t at = begin_[n - 1];
    for (size_t c = at; c < begin_[n]; c++) {
      if (candidates_[c].best > candidates_[at].best) at = c;
    }
    for (size_t i = n; i-- > 0; at = candidates_[at].before) (*winner)[i] = candidates_[at].label;
  }

  std::vector<size_t> begin_;
  std::vector<Candidate> candidates_;
};

}  // namespace latperc
