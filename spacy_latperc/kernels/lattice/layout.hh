// The layout of a chain: labels, latent values, allowed transitions.
//
// A state is a label with one of its latent values: state = label * latent + value.
#pragma once
#include <cstdint>
#include <vector>

#include "simd/lanes.hh"

namespace latperc {

struct Layout {
  int labels = 0;
  int latent = 1;
  int order = 1;
  int beam = 0;  // the number of histories that the search keeps; 0: exact search
  std::vector<uint8_t> transitions;  // [labels, labels] may follow; empty: all may
  std::vector<uint8_t> starts;       // [labels] may begin a sentence; empty: all may
  std::vector<uint8_t> ends;

  bool boundaries = false;  // weights for the first and the last state of a sentence

  int states() const { return labels * latent; }
  int pitch() const { return padded(states()); }
  int label_of(int state) const { return latent == 1 ? state : state / latent; }
  // With rules about transitions, starts or ends even an order-0 model is a chain.
  int search_order() const {
    const bool free = transitions.empty() && starts.empty() && ends.empty();
    return order == 0 && !free ? 1 : order;
  }
  bool may_start(int state) const { return starts.empty() || starts[label_of(state)]; }
  bool may_end(int state) const { return ends.empty() || ends[label_of(state)]; }
  bool may_follow(int previous, int state) const {
    return transitions.empty() ||
           transitions[static_cast<size_t>(label_of(previous)) * labels + label_of(state)];
  }
};

}  // namespace latperc
