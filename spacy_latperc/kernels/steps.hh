// Steps: how a change that a rule asks for is written to the weights.
//
// plain      w += rate * g
// adagrad    G += g^2;  w += rate * g / sqrt(G)        (Duchi, Hazan, Singer 2011)
// variances  what AROW needs: a variance per weight, kept as 1 - variance, so that a
//            weight which was never changed has a zero, like a fresh row
//
// With L2, L1 or a pull towards the weights of before, weights also shrink while nobody
// looks at them: a row is made up for that when it is next read. All three are proximal
// steps (Duchi & Singer 2009), which make weights exactly zero under L1.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "simd.hh"
#include "weights.hh"

namespace latperc {

enum class StepKind : int { plain = 0, adagrad = 1, variances = 2 };

struct StepSettings {
  StepKind kind = StepKind::plain;
  double l1 = 0.0;    // the objective of a pass is  sum of losses
  double l2 = 0.0;    //   + l1 |w| + l2 / 2 |w|^2 + pull / 2 |w - w_before|^2
  double pull = 0.0;

  bool second() const { return kind != StepKind::plain; }
  bool shrinks() const { return l1 > 0.0 || l2 > 0.0 || pull > 0.0; }
};

// A weight may always change a little: 1 - this is still below 1 in single precision.
constexpr double kLeastVariance = 1e-6;

class Step {
 public:
  explicit Step(const StepSettings& settings) : settings_(settings) {}

  const StepSettings& settings() const { return settings_; }
  double clock() const { return clock_; }
  void set_clock(double clock) { clock_ = clock; }
  // One example went by: its share of the penalties of a pass falls due.
  void advance(float rate, int64_t pass_size) {
    if (pass_size > 0) clock_ += static_cast<double>(rate) / static_cast<double>(pass_size);
  }

  // c: examples before, for the average.
  void change(TrainedRows& rows, size_t at, float g, float rate, float c) const {
    if (settings_.kind == StepKind::adagrad) {
      float& squares = rows.g[at];
      squares += g * g;
      g = squares > 0.0f ? g / std::sqrt(squares) : 0.0f;
    }
    const float change = rate * g;
    rows.w[at] += change;
    if (rows.averaged) rows.a[at] += c * change;
  }

  static double variance(const TrainedRows& rows, size_t at) {
    return 1.0 - static_cast<double>(rows.g.data()[at]);
  }
  void change_with_variance(TrainedRows& rows, size_t at, double value, double alpha, double beta,
                            float c) const {
    const double before = variance(rows, at);
    const double after = before - beta * before * before * value * value;
    const float change = static_cast<float>(alpha * before * value);
    rows.g[at] = static_cast<float>(1.0 - std::max(after, kLeastVariance));
    rows.w[at] += change;
    if (rows.averaged) rows.a[at] += c * change;
  }

  void change_row(TrainedRows& rows, size_t at, const float* g, size_t count, float rate,
                  float c) const {
    require(at + count <= rows.w.size(), "row past the end of its plane");
    if (settings_.kind == StepKind::adagrad) {
      for (size_t j = 0; j < count; j++) {
        if (g[j] != 0.0f) change(rows, at + j, g[j], rate, c);
      }
    } else if (rows.averaged) {
      simd::add_scaled(g, rate, count, rows.w.data() + at);
      simd::add_scaled(g, rate * c, count, rows.a.data() + at);
    } else {
      simd::add_scaled(g, rate, count, rows.w.data() + at);
    }
  }

  // What is due on a row since it was last read.
  void catch_up(TrainedRows& rows, int32_t row, size_t stride, float c) const {
    const double due = clock_ - rows.stamp[row];
    if (due <= 0.0) return;
    rows.stamp[row] = clock_;
    const size_t at = static_cast<size_t>(row) * stride;
    for (size_t j = at; j < at + stride; j++) {
      const float w = rows.w.data()[j];
      const float fresh = shrunk(rows, j, due);
      if (rows.averaged) rows.a.data()[j] += c * (fresh - w);
      rows.w.data()[j] = fresh;
    }
  }

  // The average of a weight as if its row had caught up. Asking changes nothing: else
  // learning would depend on when somebody looked.
  float averaged(const TrainedRows& rows, size_t row, size_t j, float c, float inverse) const {
    const float w = rows.w.data()[j];
    const double due = clock_ - rows.stamp[row];
    const float fresh = due > 0.0 ? shrunk(rows, j, due) : w;
    if (!(inverse > 0.0f)) return fresh;
    float a = rows.a.data()[j];
    if (due > 0.0) a += c * (fresh - w);
    return fresh - a * inverse;
  }

 private:
  float shrunk(const TrainedRows& rows, size_t j, double due) const {
    const float w = rows.w.data()[j];
    const float home = settings_.pull > 0.0 ? rows.home.data()[j] : 0.0f;
    if (w == 0.0f && home == 0.0f) return w;
    double share = due;
    if (settings_.kind == StepKind::adagrad && rows.g.data()[j] > 0.0f) {
      share /= std::sqrt(static_cast<double>(rows.g.data()[j]));
    }
    double x = (w + share * settings_.pull * home) /
               (1.0 + share * (settings_.l2 + settings_.pull));
    const double cut = share * settings_.l1;
    if (cut > 0.0) x = x > cut ? x - cut : x < -cut ? x + cut : 0.0;
    return static_cast<float>(x);
  }

  const StepSettings settings_;
  double clock_ = 0.0;  // sum of rate / examples in a pass
};

}  // namespace latperc
