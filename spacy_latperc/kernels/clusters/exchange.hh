// Exchange clustering (Martin, Liermann and Ney 1998; the predictive class bigram model is
// Uszkoreit and Brants 2008): each word in turn moves to the class that maximises the
// likelihood of the text, until no word moves.
//
// With one side the model is p(word | class) p(class | previous word). With two sides it is
// multiplied by its mirror image, with the next word in place of the previous one.
//
// Words are processed in batches. The best class of each word is found for the state before
// the batch, by any number of threads; then the words move one by one, each only if that is
// still a gain. So the result does not depend on threads, and the likelihood never falls.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "clusters/class_rows.hh"
#include "clusters/entropy.hh"
#include "clusters/neighbours.hh"
#include "common/signals.hh"

namespace latperc {

class Exchange {
 public:
  // cls: the initial class of each word.
  Exchange(Neighbours beside, int32_t classes, std::vector<int32_t> cls)
      : beside_(std::move(beside)),
        classes_(classes),
        cls_(std::move(cls)),
        wish_(cls_),
        size_(classes, 0),
        rows_(beside_, classes),
        entropy_(tokens_of(beside_)) {
    SignalCheck signals;
    for (int32_t w = 0; w < beside_.words; w++) {
      signals.look();
      add(w, cls_[w], 1);
    }
  }

  const Neighbours& beside() const { return beside_; }
  const std::vector<int32_t>& classes() const { return cls_; }

  // Finds the best classes of the words from first to last - 1. Changes nothing else, so
  // that several threads may do so at once for different words.
  void propose(int32_t first, int32_t last) {
    SignalCheck signals;
    std::vector<int64_t> gain(classes_);
    for (int32_t w = first; w < last; w++) {
      signals.look();
      wish_[w] = best(w, gain);
    }
  }

  // Moves the words for which the proposed move is still a gain. RETURNS: their number.
  int32_t apply(int32_t first, int32_t last) {
    int32_t moved = 0;
    for (int32_t w = first; w < last; w++) {
      if (wish_[w] == cls_[w] || gain_of(w, wish_[w]) <= 0) continue;
      add(w, cls_[w], -1);
      add(w, wish_[w], 1);
      cls_[w] = wish_[w];
      moved++;
    }
    return moved;
  }

  // The part of the log likelihood that depends on the classes, in units of Entropy.
  int64_t objective() const {
    int64_t sum = 0;
    for (size_t r = 0; r < rows_.rows(); r++) {
      for (const auto* cell = rows_.begin(r); cell != rows_.end(r); cell++)
        sum += entropy_(cell->n);
    }
    for (int64_t n : size_) sum -= beside_.sides * entropy_(n);
    return sum;
  }

  // The part that does not, once per side.
  int64_t constant() const {
    int64_t sum = 0;
    for (int64_t n : beside_.total) sum += beside_.sides * entropy_(n);
    for (size_t r = 0; r < rows_.rows(); r++) sum -= entropy_(rows_.total(r));
    return sum;
  }

  int64_t tokens() const { return tokens_of(beside_); }

 private:
  static int64_t tokens_of(const Neighbours& beside) {
    int64_t sum = 0;
    for (int64_t n : beside.total) sum += n;
    return sum;
  }

  void add(int32_t word, int32_t cls, int32_t sign) {
    for (int64_t i = beside_.start[word]; i < beside_.start[word + 1]; i++) {
      rows_.add(static_cast<size_t>(beside_.context[i]), cls, sign * beside_.count[i]);
    }
    size_[cls] += sign * beside_.total[word];
  }

  // The cost of the class size when the word joins a class of n other tokens.
  int64_t price(int32_t word, int64_t n) const {
    const int64_t total = beside_.total[word];
    return beside_.sides * (entropy_(n + total) - entropy_(n));
  }

  // The class with the greatest gain; among equals the current one, then the first.
  int32_t best(int32_t word, std::vector<int64_t>& gain) const {
    std::fill(gain.begin(), gain.end(), 0);
    const int32_t own = cls_[word];
    for (int64_t i = beside_.start[word]; i < beside_.start[word + 1]; i++) {
      score(static_cast<size_t>(beside_.context[i]), beside_.count[i], own, gain.data());
    }
    for (int32_t c = 0; c < classes_; c++) {
      gain[c] -= price(word, size_[c] - (c == own ? beside_.total[word] : 0));
    }
    int32_t found = own;
    for (int32_t c = 0; c < classes_; c++) {
      if (gain[c] > gain[found]) found = c;
    }
    return found;
  }

  // Adds the gain of each class from n more tokens next to this context.
  void score(size_t row, int32_t n, int32_t own, int64_t* gain) const {
    const auto* const first = rows_.begin(row);
    const auto* const last = rows_.end(row);
    const int64_t alone = entropy_(n);
    if (rows_.full(row)) {
      const View<const int64_t> table = entropy_.table();
      const int32_t before = first[own].n;
      // The n tokens are in the current class already: they are subtracted below.
      if (entropy_.holds(rows_.total(row) + n)) {
        for (int32_t c = 0; c < classes_; c++) {
          gain[c] += table[first[c].n + n] - table[first[c].n] - alone;
        }
      } else {
        for (int32_t c = 0; c < classes_; c++) gain[c] += entropy_.bond(first[c].n, n);
      }
      gain[own] += entropy_.bond(before - n, n) - entropy_.bond(before, n);
      return;
    }
    for (const auto* cell = first; cell != last; cell++) {
      const int64_t m = cell->n - (cell->cls == own ? n : 0);
      gain[cell->cls] += entropy_(m + n) - entropy_(m) - alone;
    }
  }

  int64_t gain_of(int32_t word, int32_t to) const {
    const int32_t own = cls_[word];
    int64_t gain = price(word, size_[own] - beside_.total[word]) - price(word, size_[to]);
    for (int64_t i = beside_.start[word]; i < beside_.start[word + 1]; i++) {
      const size_t row = static_cast<size_t>(beside_.context[i]);
      const int32_t n = beside_.count[i];
      gain += entropy_.bond(rows_.get(row, to), n) - entropy_.bond(rows_.get(row, own) - n, n);
    }
    return gain;
  }

  Neighbours beside_;
  int32_t classes_;
  std::vector<int32_t> cls_;
  std::vector<int32_t> wish_;
  std::vector<int64_t> size_;
  ClassRows rows_;
  Entropy entropy_;
};

}  // namespace latperc
