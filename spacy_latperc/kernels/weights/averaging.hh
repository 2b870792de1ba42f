// How the weights that answer are averaged over those of all examples.
#pragma once
#include <cstdint>

namespace latperc {

struct Averaging {
  bool on = true;
  int64_t pass_size = 0;      // examples in a pass
  int64_t restart_every = 0;  // passes; 0: never (plain averaging)

  // Modified averaging (LVP, 3.1): pass q starts from the average of all that
  // went before when q % k == 0. Whether it does before the next example, after c.
  bool restarts(int64_t c) const {
    if (!on || pass_size <= 0 || restart_every <= 0 || c == 0 || c % pass_size != 0) return false;
    return (c / pass_size + 1) % restart_every == 0;
  }
};

}  // namespace latperc
