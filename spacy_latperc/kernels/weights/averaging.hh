// The averaging of weights over examples.
#pragma once
#include <cstdint>

namespace latperc {

struct Averaging {
  bool on = true;
  int64_t epoch_size = 0;     // examples in an epoch
  int64_t restart_every = 0;  // epochs; 0: never (plain averaging)

  // Modified averaging (LVP, 3.1): epoch q starts from the average of all epochs before if
  // q % k == 0. True if it does so after c examples.
  bool restarts(int64_t c) const {
    if (!on || epoch_size <= 0 || restart_every <= 0 || c == 0 || c % epoch_size != 0) return false;
    return (c / epoch_size + 1) % restart_every == 0;
  }
};

}  // namespace latperc
