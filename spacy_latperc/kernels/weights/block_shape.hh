// The layout of the rows of a block: state rows of width U, edge rows of U x U, second-order
// rows of U x U x U, where U is the number of labels or latent states.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace latperc {

enum class Kind : int { state = 0, edge = 1, tri = 2 };

struct BlockShape {
  Kind kind = Kind::state;
  bool latent = false;  // rows over latent states; else over labels, shared by their states
  int units = 0;        // labels or states
  int pitch = 0;        // the last axis, padded
  std::vector<int32_t> templates;
  // State rows are summed group by group: templates [0, groups[0]), [groups[0], ...).
  // When the weights are frozen the sum of a group is a function of a few attributes,
  // and is cached.
  std::vector<int32_t> groups;

  // The number of histories before the last state: of no unit, one unit, or two.
  size_t histories() const {
    size_t n = 1;
    for (int k = 0; k < static_cast<int>(kind); k++) n *= static_cast<size_t>(units);
    return n;
  }
  size_t stride() const { return histories() * static_cast<size_t>(pitch); }
  // Cell of (state), (previous, state) or (before, previous, state).
  size_t cell(int before, int previous, int state) const {
    switch (kind) {
      case Kind::state:
        return static_cast<size_t>(state);
      case Kind::edge:
        return static_cast<size_t>(previous) * pitch + state;
      default:
        return (static_cast<size_t>(before) * units + previous) * pitch + state;
    }
  }
};

}  // namespace latperc
