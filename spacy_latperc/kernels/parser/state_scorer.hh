// The scores of all actions in a state: sums of rows, group by group.
//
// States of a beam, and consecutive states, agree in most facts that a group of templates reads.
// The sum of a group is therefore cached under the hash of these facts. The order of additions is
// fixed, so that scores do not depend on the cache.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "parser/state_templates.hh"
#include "simd/lanes.hh"

namespace latperc::parsing {

template <class Rows>
class Scorer {
 public:
  Scorer(const StateTemplates& templates, const Rows& rows, int actions)
      : templates_(templates),
        rows_(rows),
        width_(static_cast<size_t>(padded(actions))),
        keys_(templates.groups().size() * kKept),
        sums_(templates.groups().size() * kKept * width_),
        total_(width_ + kLanes) {
    size_t first = 0;
    for (const auto& group : templates.groups()) {
      first_.push_back(first);
      first += group.end.size();
    }
    hashes_.resize(first);
    found_.resize(first);
  }

  // Begins a text, and clears the cache.
  void begin(View<const uint64_t> attrs, int32_t n) {
    attrs_ = attrs;
    n_ = n;
    text_ = mix(++texts_);
  }

  // Scores by cell; that of an arc is added to its structural cell. Valid until the next call.
  const float* score(const States& states, const State& s) {
    facts_.read(states, s, n_);
    const auto& groups = templates_.groups();
    missed_.clear();
    slots_.clear();
    for (size_t g = 0; g < groups.size(); g++) {
      const uint64_t key = StateTemplates::key(groups[g], facts_, text_);
      const size_t slot = g * kKept + (key >> (64 - kKeptBits));
      slots_.push_back(slot);
      if (keys_[slot] == key) continue;
      keys_[slot] = key;
      missed_.push_back(g);
      uint64_t* const hashes = hashes_.data() + first_[g];
      templates_.hash(groups[g], facts_, attrs_, n_, &scratch_, hashes);
      for (size_t t = 0; t < groups[g].end.size(); t++) rows_.prefetch_key(hashes[t]);
    }
    for (size_t g : missed_) {
      for (size_t t = first_[g]; t < first_[g] + groups[g].end.size(); t++) {
        found_[t] = rows_.find(hashes_[t]);
        rows_.prefetch_row(found_[t]);
      }
    }
    for (size_t g : missed_) {
      float* const sum = sums_.data() + slots_[g] * width_;
      std::fill(sum, sum + width_, 0.0f);
      for (size_t t = first_[g]; t < first_[g] + groups[g].end.size(); t++) {
        if (found_[t]) rows_.add(found_[t], sum);
      }
    }
    std::fill(total_.begin(), total_.end(), 0.0f);
    for (size_t slot : slots_) simd::add_to(sums_.data() + slot * width_, width_, total_.data());
    return total_.data();
  }

  // Upper bounds of the relation cells of left and of right arcs after the last call of `score`
  // (their maxima, or 0 from the padding).
  void largest_arcs(float* left, float* right) const {
    float best[kLanes];
    std::copy_n(total_.data() + kStructural, kLanes, best);
    for (size_t j = kStructural + kLanes; j < width_; j += kLanes) {
      for (size_t k = 0; k < kLanes; k++) {
        const float x = total_[j + k];
        best[k] = x > best[k] ? x : best[k];
      }
    }
    *left = std::max(std::max(best[0], best[2]), std::max(best[4], best[6]));
    *right = std::max(std::max(best[1], best[3]), std::max(best[5], best[7]));
  }

  // The features of a state, group by group.
  const std::vector<uint64_t>& features(const States& states, const State& s) {
    facts_.read(states, s, n_);
    const auto& groups = templates_.groups();
    for (size_t g = 0; g < groups.size(); g++) {
      templates_.hash(groups[g], facts_, attrs_, n_, &scratch_, hashes_.data() + first_[g]);
    }
    return hashes_;
  }

  size_t width() const { return width_; }

 private:
  static constexpr size_t kLanes = 8;
  static constexpr int kKeptBits = 7;
  static constexpr size_t kKept = size_t{1} << kKeptBits;  // sums of a group

  const StateTemplates& templates_;
  const Rows& rows_;
  const size_t width_;
  View<const uint64_t> attrs_;
  int32_t n_ = 0;
  uint64_t text_ = 0, texts_ = 0;
  Facts facts_;
  std::vector<size_t> first_;  // group -> its first template
  std::vector<uint64_t> keys_;
  std::vector<float> sums_;
  std::vector<float> total_;
  std::vector<uint64_t> hashes_, scratch_;
  std::vector<int32_t> found_;
  std::vector<size_t> missed_, slots_;
};

}  // namespace latperc::parsing
