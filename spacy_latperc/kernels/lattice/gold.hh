// The gold of a sentence, and the part of the lattice that it allows.
#pragma once
#include <cstdint>
#include <vector>

#include "common/checked.hh"
#include "hashing/values.hh"
#include "lattice/lattice.hh"

namespace latperc {

// The gold code of a token is a label (0 and up), kAnyLabel, or kFirstSet - s for one of the
// labels of set s.
constexpr int32_t kAnyLabel = -1;
constexpr int32_t kFirstSet = -2;

// sets: [sets, labels], 1 for the labels of a set.
inline bool gold_allows(int32_t code, int label, View<const uint8_t> sets, int labels) {
  if (code >= kAnyLabel) return code == kAnyLabel || code == label;
  return sets[static_cast<size_t>(kFirstSet - code) * labels + label];
}

struct Sentence {
  View<const int32_t> ids;  // [n, templates]
  WeightedIds weighted;     // features with other weights than 1
  int64_t n;
  View<const int32_t> gold;  // [n] gold codes
  View<const uint8_t> sets;  // [sets, labels]
  int labels;
  ExternalScores external;
  View<float> slope;    // [n, external.width] += the gradient of the loss by external scores
  bool sloped = false;  // the gradient is requested

  bool allows(int64_t i, int label) const { return gold_allows(gold[i], label, sets, labels); }
};

// True if the gold allows only one path, so that no search is needed.
inline bool fully_labelled(const Layout& layout, const Sentence& x) {
  if (layout.latent > 1) return false;
  for (int64_t i = 0; i < x.n; i++) {
    if (x.gold[i] < 0) return false;
  }
  return true;
}

inline int64_t count_wrong(const Layout& layout, const Sentence& x,
                           const std::vector<int32_t>& path) {
  int64_t wrong = 0;
  if (layout.latent == 1) {  // without divisions
    for (int64_t i = 0; i < x.n; i++) wrong += !x.allows(i, path[i]);
    return wrong;
  }
  for (int64_t i = 0; i < x.n; i++) wrong += !x.allows(i, layout.label_of(path[i]));
  return wrong;
}

// State scores, -inf where the gold does not allow a state.
inline const float* inside_gold(const Lattice& lattice, const Sentence& x,
                                std::vector<float>* scores) {
  *scores = lattice.e;
  for (int64_t i = 0; i < x.n; i++) {
    if (x.gold[i] == kAnyLabel) continue;
    float* row = scores->data() + i * lattice.P;
    for (int j = 0; j < lattice.S; j++) {
      if (!x.allows(i, lattice.layout.label_of(j))) row[j] = kMinusInf;
    }
  }
  return scores->data();
}

// State scores, -inf outside the labels of a path.
inline const float* inside_labels(const Lattice& lattice, const std::vector<int32_t>& path,
                                  std::vector<float>* scores) {
  scores->assign(lattice.e.size(), kMinusInf);
  const int latent = lattice.layout.latent;
  for (size_t i = 0; i < path.size(); i++) {
    const size_t first = i * lattice.P + lattice.layout.label_of(path[i]) * latent;
    for (size_t k = first; k < first + latent; k++) (*scores)[k] = lattice.e[k];
  }
  return scores->data();
}

// State scores plus a cost on every state of a wrong label.
inline const float* add_cost(const Lattice& lattice, const Sentence& x, float cost,
                             std::vector<float>* scores) {
  if (cost == 0.0f) return lattice.e.data();
  if (fully_labelled(lattice.layout, x)) {
    scores->resize(lattice.e.size());
    simd::add_to_all(lattice.e.data(), cost, lattice.e.size(), scores->data());
    for (int64_t i = 0; i < x.n; i++) {
      const size_t gold = static_cast<size_t>(i) * lattice.P + x.gold[i];
      (*scores)[gold] = lattice.e[gold];
    }
    return scores->data();
  }
  *scores = lattice.e;
  const int latent = lattice.layout.latent;
  for (int64_t i = 0; i < x.n; i++) {
    if (x.gold[i] == kAnyLabel) continue;
    float* row = scores->data() + i * lattice.P;
    if (x.gold[i] < kAnyLabel) {
      for (int j = 0; j < lattice.S; j++) {
        if (!x.allows(i, lattice.layout.label_of(j))) row[j] += cost;
      }
      continue;
    }
    const float* plain = lattice.e.data() + i * lattice.P;
    for (int j = 0; j < lattice.P; j++) row[j] += cost;
    const int first = x.gold[i] * latent;
    for (int j = first; j < first + latent; j++) row[j] = plain[j];
  }
  return scores->data();
}

}  // namespace latperc
