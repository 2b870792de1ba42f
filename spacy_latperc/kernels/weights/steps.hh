// Steps: how the change of a rule is written to the weights.
//
// plain      w += rate * g
// adagrad    G += g^2;  w += rate * g / sqrt(G)        (Duchi, Hazan, Singer 2011)
//
// The penalties (L2 and L1) are lazy: a row shrinks when it is next read. Both are proximal steps
// (Duchi & Singer 2009), which make weights exactly zero under L1.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "simd/lanes.hh"
#include "weights/weights.hh"

namespace latperc {

struct StepSettings {
  bool adagrad = false;
  double l1 = 0.0;  // the objective of an epoch is  sum of losses
  double l2 = 0.0;  //   + l1 |w| + l2 / 2 |w|^2

  bool shrinks() const { return l1 > 0.0 || l2 > 0.0; }
};

class Step {
 public:
  explicit Step(const StepSettings& settings) : settings_(settings) {}

  const StepSettings& settings() const { return settings_; }
  double clock() const { return clock_; }
  void set_clock(double clock) { clock_ = clock; }
  // Adds an example's share of the penalties of an epoch to those that are due.
  void advance(float rate, int64_t epoch_size) {
    if (epoch_size > 0) clock_ += static_cast<double>(rate) / static_cast<double>(epoch_size);
  }

  // c: examples before, for the average.
  void change(TrainedRows& rows, size_t at, float g, float rate, float c) const {
    if (settings_.adagrad) {
      float& squares = rows.g[at];
      squares += g * g;
      g = g / std::sqrt(squares + 1e-30f);
    }
    const float change = rate * g;
    rows.w[at] += change;
    if (rows.averaged) rows.a[at] += c * change;
  }

  // g: the change of all cells of the row. Changed parts are stored from then on.
  void change_row(TrainedRows& rows, int32_t row, const float* g, float rate, float c) {
    store_changed(rows, row, g);
    const RowParts& parts = rows.parts;
    const size_t at = parts.begin(row), pitch = parts.pitch();
    if (parts.full(row)) {
      change_cells(rows, at, g, parts.size(row), rate, c);
      return;
    }
    for (size_t k = 0; k < parts.count(row); k++) {
      change_cells(rows, at + k * pitch, g + parts.history(row, k) * pitch, pitch, rate, c);
    }
  }

  // The same change of several rows.
  void change_rows(TrainedRows& rows, const std::vector<int32_t>& which, const float* g,
                   size_t stride, float rate, float c) {
    if (settings_.adagrad || !rows.parts.whole()) {
      for (int32_t row : which) change_row(rows, row, g, rate, c);
      return;
    }
    const int count = static_cast<int>(which.size());
    simd::add_to_rows(g, rate, which.data(), count, stride, rows.w.data());
    if (rows.averaged) {
      simd::add_to_rows(g, rate * c, which.data(), count, stride, rows.a.data());
    }
  }

  // True if the penalties that are due on a row are worth the work when it is read. With L2
  // alone, a weight may be too large by a ten-thousandth.
  bool worth(const TrainedRows& rows, int32_t row) const {
    const double due = clock_ - rows.shrunk_at[row];
    const bool l2_alone = !settings_.adagrad && settings_.l1 == 0.0;
    return due > 0.0 && (!l2_alone || due * settings_.l2 > kWorthwhile);
  }

  // Applies the penalties that are due on a row.
  void apply_penalties(TrainedRows& rows, int32_t row, float c) {
    const double due = clock_ - rows.shrunk_at[row];
    if (due <= 0.0) return;
    rows.changes++;
    rows.shrunk_at[row] = clock_;
    const size_t at = rows.parts.begin(row), size = rows.parts.size(row);
    float* w = rows.w.data() + at;
    scratch_.resize(size);
    shrink(rows, at, size, due, scratch_.data());
    if (rows.averaged) {
      float* a = rows.a.data() + at;
      for (size_t j = 0; j < size; j++) a[j] += c * (scratch_[j] - w[j]);
    }
    std::copy(scratch_.begin(), scratch_.end(), w);
  }

  // The average of a weight as if the penalties had been applied. Reading changes nothing:
  // otherwise training would depend on when predictions are made.
  float averaged(const TrainedRows& rows, size_t row, size_t j, float c, float inverse) const {
    const float w = rows.w.data()[j];
    const double due = clock_ - rows.shrunk_at[row];
    const float fresh = due > 0.0 ? shrunk(rows, j, due) : w;
    if (!(inverse > 0.0f)) return fresh;
    float a = rows.a.data()[j];
    if (due > 0.0) a += c * (fresh - w);
    return fresh - a * inverse;
  }

 private:
  static constexpr double kWorthwhile = 1e-4;

  void store_changed(TrainedRows& rows, int32_t row, const float* g) {
    const RowParts& parts = rows.parts;
    if (parts.full(row)) return;
    const size_t pitch = parts.pitch();
    changed_.clear();
    for (size_t h = 0; h < parts.histories(); h++) {
      const float* const part = g + h * pitch;
      if (std::any_of(part, part + pitch, [](float x) { return x != 0.0f; })) {
        changed_.push_back(h * pitch);
      }
    }
    rows.widen(row, changed_.size());
    for (size_t cell : changed_) rows.make(row, cell);
  }

  void change_cells(TrainedRows& rows, size_t at, const float* g, size_t count, float rate,
                    float c) {
    require(at + count <= rows.w.size(), "row past the end of its plane");
    const float* change = g;
    if (settings_.adagrad) {
      scratch_.resize(count);
      simd::adagrad(g, count, rows.g.data() + at, scratch_.data());
      change = scratch_.data();
    }
    simd::add_scaled(change, rate, count, rows.w.data() + at);
    if (rows.averaged) simd::add_scaled(change, rate * c, count, rows.a.data() + at);
  }

  void shrink(const TrainedRows& rows, size_t at, size_t n, double due, float* out) const {
    const simd::Penalties penalties = {static_cast<float>(due), static_cast<float>(settings_.l1),
                                       static_cast<float>(settings_.l2)};
    simd::shrink(rows.w.data() + at, settings_.adagrad ? rows.g.data() + at : nullptr, penalties, n,
                 out);
  }
  float shrunk(const TrainedRows& rows, size_t j, double due) const {
    float result;
    shrink(rows, j, 1, due, &result);
    return result;
  }

  const StepSettings settings_;
  std::vector<float> scratch_;
  std::vector<size_t> changed_;
  double clock_ = 0.0;  // sum of rate / examples in an epoch
};

}  // namespace latperc
