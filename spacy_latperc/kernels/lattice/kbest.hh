// The k best label sequences, each with its best latent path.
//
// Partition after Lawler 1972: every other path has a last token at which it differs from a
// given path, so the other paths fall into disjoint parts "these labels from token i + 1 on,
// label l at i", each with a known best member. No path is found twice, and only the k best
// parts are kept. The paper (PP 2.2) names Huang and Chiang 2005, whose lazy lists give the
// same paths; here paths differ in labels rather than latent states, and a part needs no list
// for each state.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "lattice/kbest_latent_losses.hh"
#include "lattice/kbest_losses.hh"
#include "lattice/lattice.hh"

namespace latperc {

class KBest {
 public:
  // Searches under state scores e [n, P]. RETURNS: the number of paths, at most k. The first is
  // that of Viterbi; an empty sentence has one empty path.
  size_t find(Lattice& lattice, const float* e, bool masked, size_t k) {
    n_ = lattice.n;
    latent_ = lattice.layout.latent;
    labels_ = lattice.layout.labels;
    scores_.clear();
    if (k == 0) return 0;
    if (n_ == 0) {
      scores_.push_back(0.0f);
    } else if (latent_ == 1) {
      search(losses_, lattice, e, masked, k);
    } else {
      search(latent_losses_, lattice, e, masked, k);
    }
    return scores_.size();
  }
  const int32_t* path(size_t p) const { return paths_.data() + p * n_; }
  float score(size_t p) const { return scores_[p]; }

  void run(Lattice& lattice, const float* e, bool masked, int k,
           std::vector<std::vector<int32_t>>* paths, std::vector<float>* scores) {
    const size_t found = find(lattice, e, masked, static_cast<size_t>(k));
    paths->resize(found);
    for (size_t p = 0; p < found; p++) (*paths)[p].assign(path(p), path(p) + n_);
    *scores = scores_;
  }

 private:
  struct Part {
    float loss;
    int32_t label;
    int64_t at;
    size_t parent;
  };

  template <class Ways>
  void search(Ways& ways, Lattice& lattice, const float* e, bool masked, size_t k) {
    const float best = ways.start(lattice, e, masked);
    if (!(best > kMinusInf)) return;
    parts_.clear();
    next_ = 0;
    paths_.resize(static_cast<size_t>(n_));
    ways.root(paths_.data());
    scores_.push_back(best);
    if (k > 1) divide(ways, 0, n_, 0.0f, k - 1);
    while (scores_.size() < k && next_ < parts_.size()) {
      const Part part = parts_[next_++];
      const size_t child = scores_.size();
      paths_.resize((child + 1) * n_);
      int32_t* path = paths_.data() + child * n_;
      std::copy(path - (child - part.parent) * n_, path - (child - part.parent) * n_ + n_, path);
      ways.branch(part.parent, child, part.at, part.label, path);
      scores_.push_back(best - part.loss);
      if (child + 1 < k) divide(ways, child, part.at, part.loss, k - child - 1);
    }
  }

  // Adds the parts that leave the labels of a path before token `from`, and keeps the `room`
  // best of all parts.
  template <class Ways>
  void divide(const Ways& ways, size_t parent, int64_t from, float loss, size_t room) {
    const int32_t* path = paths_.data() + parent * n_;
    float limit = limit_for(room);
    for (int64_t i = from - 1; i >= 0; i--) {
      if (!(loss + ways.least(i) < limit)) continue;
      const float* losses = ways.losses(i);
      const int own = path[i] / latent_;
      for (int l = 0; l < labels_; l++) {
        if (l == own || !(loss + losses[l] < limit)) continue;
        keep({loss + losses[l], l, i, parent}, room);
        limit = limit_for(room);
      }
    }
  }

  float limit_for(size_t room) const {
    return parts_.size() - next_ < room ? kNever : parts_.back().loss;
  }

  // Inserts into the sorted parts from next_ on; earlier parts come first among equals.
  void keep(const Part& part, size_t room) {
    if (parts_.size() - next_ >= room) parts_.pop_back();
    const auto behind = [](const Part& a, const Part& b) { return a.loss < b.loss; };
    parts_.insert(std::upper_bound(parts_.begin() + next_, parts_.end(), part, behind), part);
  }

  int64_t n_ = 0;
  int latent_ = 1;
  int labels_ = 0;
  LabelLosses losses_;
  LatentLosses latent_losses_;
  std::vector<Part> parts_;
  size_t next_ = 0;
  std::vector<int32_t> paths_;  // [found, n]
  std::vector<float> scores_;
};

}  // namespace latperc
