// The time of each phase of a prediction, measured on request only.
#pragma once
#include <chrono>

namespace latperc {

enum class Phase : int { hashing, look_up, memo, rows, search, trace };
constexpr int kPhases = 6;

class Phases {
 public:
  void begin() { last_ = Clock::now(); }
  // Adds the time since the last call to this phase.
  void end(Phase phase) {
    const Clock::time_point now = Clock::now();
    seconds[static_cast<int>(phase)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

  double seconds[kPhases] = {};

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_;
};

inline void begin(Phases* phases) {
  if (phases) phases->begin();
}
inline void end(Phases* phases, Phase phase) {
  if (phases) phases->end(phase);
}

}  // namespace latperc
