// Boosted trees over columns of small numbers: how probable it is that a place is one of
// those that are looked for.
//
// All leaves of a tree are at the same depth, and all nodes of a level ask the same
// question: is the number in this column, so many places further on, at least so much? So
// the leaf of a place is a number whose bits are answers, and the places of a block are
// asked one question after the other, without branches. Such trees are also hard to fit to
// chance. (Friedman 2001, 2002; symmetric trees as in Prokhorenkova and others 2018.)
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/signals.hh"
#include "hashing/hash.hh"

namespace latperc {

// A number of each place in each column. At the edges lie `reach` places that are asked
// about and never answered for.
struct TreeTable {
  const uint8_t* numbers = nullptr;  // [columns, places]
  size_t columns = 0, places = 0;
  int reach = 0;

  const uint8_t* column(size_t c, int offset) const { return numbers + c * places + offset; }
  size_t first() const { return std::min(static_cast<size_t>(reach), places); }
  size_t last() const { return places - first(); }
};

struct TreeQuestion {
  int32_t column = 0;
  int32_t offset = 0;
  uint8_t least = 0;  // is the number at least that?
};

struct TreeSettings {
  int depth = 5;
  double rate = 0.1;
  double prior = 20;       // places of even odds that stand in every leaf
  double places = 0.25;    // the share that a tree learns from
  double questions = 0.5;  // the share of columns and offsets that a level looks at
  uint64_t seed = 0;
};

// Trees one after the other: questions of all levels, values of all leaves.
struct Trees {
  static constexpr int kLargest = 64;  // numbers are below that
  static constexpr int kDeepest = 8;

  int depth = 0;
  double base = 0;
  std::vector<TreeQuestion> questions;
  std::vector<float> values;

  size_t size() const { return depth ? questions.size() / depth : 0; }

  // Adds the values of the trees from `begin` on to the margins of all places.
  void add(const TreeTable& table, size_t begin, float* margins) const {
    constexpr size_t kBlock = 512;
    uint8_t leaf[kBlock];
    for (size_t start = table.first(); start < table.last(); start += kBlock) {
      const size_t n = std::min(kBlock, table.last() - start);
      for (size_t t = begin; t < size(); t++) {
        std::fill(leaf, leaf + n, uint8_t(0));
        for (int level = 0; level < depth; level++) {
          const TreeQuestion& ask = questions[t * depth + level];
          const uint8_t* numbers = table.column(ask.column, ask.offset) + start;
          const uint8_t least = ask.least, bit = static_cast<uint8_t>(1 << level);
          for (size_t i = 0; i < n; i++) leaf[i] |= numbers[i] >= least ? bit : uint8_t(0);
        }
        const float* mine = values.data() + (t << depth);
        for (size_t i = 0; i < n; i++) margins[start + i] += mine[leaf[i]];
      }
    }
  }
};

// Learns trees, each from the slopes that those before it left.
class TreeLearner {
 public:
  // labels: of each place, 1 or 0; others are not learned from.
  TreeLearner(const TreeTable& table, const uint8_t* labels, const TreeSettings& settings)
      : table_(table), settings_(settings) {
    size_t right = 0;
    for (size_t i = table.first(); i < table.last(); i++) {
      if (labels[i] > 1) continue;
      known_.push_back(i);
      wanted_.push_back(labels[i]);
      right += labels[i];
    }
    trees.depth = settings.depth;
    const double all = static_cast<double>(known_.size());
    trees.base =
        std::log((static_cast<double>(right) + 1) / (all - static_cast<double>(right) + 1));
    margins_.assign(table.places, 0.0f);
  }

  void learn(size_t n) {
    SignalCheck signals;
    for (size_t t = 0; t < n; t++) {
      signals.look();
      draw(t);
      trees.questions.reserve((t + 1) * settings_.depth);
      std::fill(leaves_.begin(), leaves_.end(), uint8_t(0));
      for (int level = 0; level < settings_.depth; level++) {
        const TreeQuestion best = ask(t, level);
        trees.questions.push_back(best);
        const uint8_t* numbers = table_.column(best.column, best.offset);
        const uint8_t bit = static_cast<uint8_t>(1 << level);
        for (size_t i = 0; i < drawn_.size(); i++) {
          if (numbers[drawn_[i]] >= best.least) leaves_[i] |= bit;
        }
      }
      settle();
      trees.add(table_, t, margins_.data());
    }
  }

  Trees trees;

 private:
  // Sums are of whole numbers: their order makes no difference.
  static constexpr double kUnit = 1 << 14;
  struct Sums {
    int64_t slope = 0, bend = 0;
  };

  // Some of the places, and their slopes.
  void draw(size_t t) {
    drawn_.clear();
    slopes_.clear();
    const uint64_t key = join(join(settings_.seed, 17), t);
    for (size_t k = 0; k < known_.size(); k++) {
      if (fraction(join(key, k)) >= settings_.places) continue;
      const size_t i = known_[k];
      const double p = 1 / (1 + std::exp(-(trees.base + static_cast<double>(margins_[i]))));
      drawn_.push_back(i);
      slopes_.push_back({static_cast<int32_t>(std::lrint((wanted_[k] - p) * kUnit)),
                         static_cast<int32_t>(std::lrint(p * (1 - p) * kUnit))});
    }
    leaves_.resize(drawn_.size());
  }

  static double fraction(uint64_t key) {
    return static_cast<double>(mix(key) >> 11) / static_cast<double>(uint64_t(1) << 53);
  }

  // The question that tells most, of those that are looked at; equal ones: the first.
  TreeQuestion ask(size_t t, int level) {
    TreeQuestion best;
    best.least = 1;
    double most = -1;
    const size_t leaves = size_t(1) << level;
    const uint64_t key = join(join(join(settings_.seed, 18), t), level);
    const int reach = table_.reach;
    for (size_t c = 0; c < table_.columns; c++) {
      for (int offset = -reach; offset <= reach; offset++) {
        const uint64_t place = c * (2 * reach + 1) + static_cast<uint64_t>(offset + reach);
        if (fraction(join(key, place)) >= settings_.questions) continue;
        count(table_.column(c, offset), leaves);
        TreeQuestion tried;
        tried.column = static_cast<int32_t>(c);
        tried.offset = offset;
        const double gain = best_of(leaves, tried);
        if (gain > most) {
          most = gain;
          best = tried;
        }
      }
    }
    return best;
  }

  void count(const uint8_t* numbers, size_t leaves) {
    sums_.assign(leaves * Trees::kLargest, Sums());
    for (size_t i = 0; i < drawn_.size(); i++) {
      Sums& sum = sums_[leaves_[i] * size_t(Trees::kLargest) + numbers[drawn_[i]]];
      sum.slope += slopes_[i].slope;
      sum.bend += slopes_[i].bend;
    }
  }

  // The best threshold of a column, and what it gains.
  double best_of(size_t leaves, TreeQuestion& tried) {
    gains_.assign(Trees::kLargest, 0.0);
    for (size_t leaf = 0; leaf < leaves; leaf++) {
      const Sums* row = sums_.data() + leaf * Trees::kLargest;
      Sums all, low;
      for (int b = 0; b < Trees::kLargest; b++) {
        all.slope += row[b].slope;
        all.bend += row[b].bend;
      }
      for (int b = 0; b + 1 < Trees::kLargest; b++) {
        low.slope += row[b].slope;
        low.bend += row[b].bend;
        const Sums high{all.slope - low.slope, all.bend - low.bend};
        gains_[b + 1] += fit(low) + fit(high);
      }
    }
    int best = 1;
    for (int b = 2; b < Trees::kLargest; b++) {
      if (gains_[b] > gains_[best]) best = b;
    }
    tried.least = static_cast<uint8_t>(best);
    return gains_[best];
  }

  double prior() const { return settings_.prior / 4; }
  double fit(const Sums& sum) const {
    const double slope = static_cast<double>(sum.slope) / kUnit;
    return slope * slope / (static_cast<double>(sum.bend) / kUnit + prior());
  }

  void settle() {
    std::vector<Sums> sums(size_t(1) << settings_.depth);
    for (size_t i = 0; i < drawn_.size(); i++) {
      sums[leaves_[i]].slope += slopes_[i].slope;
      sums[leaves_[i]].bend += slopes_[i].bend;
    }
    for (const Sums& sum : sums) {
      const double slope = static_cast<double>(sum.slope) / kUnit;
      const double step = slope / (static_cast<double>(sum.bend) / kUnit + prior());
      trees.values.push_back(static_cast<float>(settings_.rate * step));
    }
  }

  struct Slope {
    int32_t slope = 0, bend = 0;
  };

  const TreeTable table_;
  const TreeSettings settings_;
  std::vector<size_t> known_, drawn_;
  std::vector<uint8_t> wanted_, leaves_;
  std::vector<float> margins_;
  std::vector<Slope> slopes_;
  std::vector<Sums> sums_;
  std::vector<double> gains_;
};

}  // namespace latperc
