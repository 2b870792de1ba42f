// Brown's hierarchy: repeatedly merge the two classes whose union loses the least mutual
// information of neighbours, until one class is left (Brown, deSouza, Mercer, Della Pietra
// and Lai 1992). Ties go to the first pair.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "clusters/entropy.hh"
#include "common/signals.hh"

namespace latperc {

class Merging {
 public:
  // table: [classes * classes] the number of times a class follows another. Memory for the
  // transposed table and for the bonds of all pairs is allocated here.
  Merging(std::vector<int64_t> table, int32_t classes)
      : classes_(classes),
        there_(classes, true),
        next_(std::move(table)),
        before_(next_.size()),
        bonds_(next_.size()),
        left_(classes, 0),
        right_(classes, 0),
        entropy_(sum_of(next_)) {
    for (int32_t i = 0; i < classes; i++) {
      for (int32_t j = 0; j < classes; j++) {
        at(before_, j, i) = at(next_, i, j);
        left_[i] += at(next_, i, j);
        right_[j] += at(next_, i, j);
      }
    }
  }

  // The pairs in the order in which they merge: the second becomes part of the first.
  std::vector<std::pair<int32_t, int32_t>> merge_all() {
    std::vector<std::pair<int32_t, int32_t>> merged;
    for (int32_t i = 0; i < classes_; i++) bind(i, i + 1);
    while (static_cast<int32_t>(merged.size()) + 1 < classes_) {
      signals_.look();
      merged.push_back(best());
      merge(merged.back().first, merged.back().second);
    }
    return merged;
  }

 private:
  static int64_t sum_of(const std::vector<int64_t>& table) {
    int64_t sum = 0;
    for (int64_t n : table) sum += n;
    return sum;
  }

  int64_t& at(std::vector<int64_t>& table, int32_t i, int32_t j) const {
    return table[static_cast<size_t>(i) * static_cast<size_t>(classes_) + static_cast<size_t>(j)];
  }
  int64_t at(const std::vector<int64_t>& table, int32_t i, int32_t j) const {
    return table[static_cast<size_t>(i) * static_cast<size_t>(classes_) + static_cast<size_t>(j)];
  }

  int64_t bond(int64_t m, int64_t n) const { return m && n ? entropy_.bond(m, n) : 0; }

  // The gain of the cells of i and j next to class k when i and j merge.
  int64_t beside(int32_t i, int32_t j, int32_t k) const {
    return bond(at(before_, k, i), at(before_, k, j)) + bond(at(next_, k, i), at(next_, k, j));
  }

  // Computes the bonds of class i with the classes from `first` on, over all third classes.
  void bind(int32_t i, int32_t first) {
    if (!there_[i]) return;
    const int64_t* const next_i = &at(next_, i, 0);
    const int64_t* const before_i = &at(before_, i, 0);
    for (int32_t j = first; j < classes_; j++) {
      if (!there_[j] || j == i) continue;
      signals_.look();
      const int64_t* const next_j = &at(next_, j, 0);
      const int64_t* const before_j = &at(before_, j, 0);
      int64_t sum = 0;
      for (int32_t k = 0; k < classes_; k++) {
        if (k == i || k == j || !there_[k]) continue;
        sum += bond(next_i[k], next_j[k]) + bond(before_i[k], before_j[k]);
      }
      at(bonds_, i, j) = at(bonds_, j, i) = sum;
    }
  }

  // The change of the mutual information, which is at most 0 up to rounding.
  int64_t change(int32_t i, int32_t j) const {
    const int64_t cells[4] = {at(next_, i, i), at(next_, i, j), at(next_, j, i), at(next_, j, j)};
    int64_t sum = at(bonds_, i, j);
    sum += entropy_(cells[0] + cells[1] + cells[2] + cells[3]);
    for (int64_t n : cells) sum -= entropy_(n);
    return sum - entropy_.bond(left_[i], left_[j]) - entropy_.bond(right_[i], right_[j]);
  }

  std::pair<int32_t, int32_t> best() const {
    std::pair<int32_t, int32_t> found(-1, -1);
    int64_t most = 0;
    for (int32_t i = 0; i < classes_; i++) {
      if (!there_[i]) continue;
      for (int32_t j = i + 1; j < classes_; j++) {
        if (!there_[j]) continue;
        const int64_t gain = change(i, j);
        if (found.first < 0 || gain > most) {
          found = {i, j};
          most = gain;
        }
      }
    }
    return found;
  }

  void merge(int32_t a, int32_t b) {
    add_bonds(a, -1, a, b);
    add_bonds(b, -1, a, b);
    there_[b] = false;
    for (int32_t k = 0; k < classes_; k++) {
      if (!there_[k] || k == a) continue;
      at(before_, k, a) = at(next_, a, k) += at(next_, b, k);
      at(before_, a, k) = at(next_, k, a) += at(next_, k, b);
    }
    at(next_, a, a) += at(next_, a, b) + at(next_, b, a) + at(next_, b, b);
    at(before_, a, a) = at(next_, a, a);
    left_[a] += left_[b];
    right_[a] += right_[b];
    add_bonds(a, 1, a, b);
    bind(a, 0);
  }

  // Adds class k to the bonds of all pairs without a and b.
  void add_bonds(int32_t k, int sign, int32_t a, int32_t b) {
    for (int32_t i = 0; i < classes_; i++) {
      if (!there_[i] || i == a || i == b) continue;
      const int64_t before = at(before_, k, i), next = at(next_, k, i);
      if (!before && !next) continue;
      for (int32_t j = i + 1; j < classes_; j++) {
        if (!there_[j] || j == a || j == b) continue;
        const int64_t more = sign * beside(i, j, k);
        at(bonds_, i, j) += more;
        at(bonds_, j, i) += more;
      }
    }
  }

  SignalCheck signals_;
  int32_t classes_;
  std::vector<char> there_;
  std::vector<int64_t> next_;    // [i, j]: the number of times j follows i
  std::vector<int64_t> before_;  // [i, j]: the number of times j precedes i
  std::vector<int64_t> bonds_;
  std::vector<int64_t> left_, right_;
  Entropy entropy_;
};

}  // namespace latperc
