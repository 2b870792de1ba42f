// A log of every change of the weights, in order, with the number of examples before it, for
// the voted perceptron (Freund & Schapire 1999).
#pragma once
#include <cstdint>
#include <vector>

#include "weights/delta.hh"

namespace latperc {

class UpdateLog {
 public:
  bool on = false;
  std::vector<int64_t> examples;      // of each update
  std::vector<int32_t> sizes;         // its entries
  std::vector<Delta::Entry> entries;  // changes, one update after the other

  void append(int64_t seen, const Delta& delta, float scale) {
    if (!on) return;
    const size_t before = entries.size();
    for (Delta::Entry entry : delta.entries()) {
      entry.value *= scale;
      if (entry.value != 0.0f) entries.push_back(entry);
    }
    examples.push_back(seen);
    sizes.push_back(static_cast<int32_t>(entries.size() - before));
  }

  void clear() {
    examples.clear();
    sizes.clear();
    entries.clear();
  }
};

}  // namespace latperc
