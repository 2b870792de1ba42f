// Parsing with frozen weights, safe for any number of threads.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "common/signals.hh"
#include "parser/parser_rows.hh"
#include "parser/parser_search.hh"
#include "parser/parser_trainer.hh"

namespace latperc::parsing {

// A batch of texts: text t has the tokens bounds[t] .. bounds[t + 1].
struct ParserQuery {
  const uint64_t* attrs = nullptr;
  const int64_t* bounds = nullptr;
  size_t texts = 0;
  const uint8_t* may_start = nullptr;
  int beam = 1;
};

class FrozenParser {
 public:
  FrozenParser(const StateTemplates& templates, int relations)
      : templates_(templates), relations_(relations) {}

  AnsweringRows& rows() { return rows_; }

  // Copies the averaged weights without zeros, rounded to 16 bits as in files, so that a model
  // predicts the same before and after it is saved.
  // most: the number of largest weights to keep; 0 for all.
  void take(const ParserTrainer& trainer, size_t most) {
    float largest = 0.0f, least = 0.0f;
    size_t cell_count = 0;
    std::vector<float> sizes;
    trainer.for_each_row([&](size_t, int cell, float w) {
      largest = std::max(largest, std::fabs(w));
      cell_count += cell >= kStructural;
      if (most) sizes.push_back(std::fabs(w));
    });
    if (most && sizes.size() > most) {
      std::nth_element(sizes.begin(), sizes.begin() + (most - 1), sizes.end(),
                       std::greater<float>());
      least = sizes[most - 1];
      cell_count = std::min(cell_count, most);
    }
    // A power of two: integers stay integers, and sums are exact.
    unit_ = 1.0f;
    while (unit_ * kSteps < largest) unit_ *= 2.0f;
    while (largest > 0.0f && unit_ * 0.5f * kSteps >= largest) unit_ *= 0.5f;
    std::vector<std::pair<uint64_t, size_t>> order;
    for (size_t r = 1; r <= trainer.rows().rows(); r++) {
      order.emplace_back(trainer.rows().key(r), r);
    }
    std::sort(order.begin(), order.end());
    rows_.reserve(order.size(), cell_count);
    std::vector<std::pair<int, float>> cells;
    const float inverse = trainer.inverse_c();
    for (const auto& it : order) {
      cells.clear();
      trainer.rows().for_each(it.second, [&](int cell, float w, float a) {
        const float exact = w - a * inverse;
        const float rounded = std::nearbyint(exact / unit_) * unit_;
        if (rounded != 0.0f && std::fabs(exact) >= least) cells.emplace_back(cell, rounded);
      });
      if (!cells.empty()) rows_.append(it.first, cells);
    }
  }
  float unit() const { return unit_; }
  void set_unit(float unit) { unit_ = unit; }

  // Writes heads, numbered in their text (a root is its own), and relations (-1 at roots).
  void parse(const ParserQuery& query, int32_t* heads, int32_t* relations) const {
    Scorer<AnsweringRows> scorer(templates_, rows_, action_count(relations_));
    ParserSearch<AnsweringRows> search(scorer, relations_, query.beam);
    SignalCheck signals;
    for (size_t t = 0; t < query.texts; t++) {
      signals.look();
      const int64_t start = query.bounds[t];
      Text text;
      text.limits.n = text.visible = static_cast<int32_t>(query.bounds[t + 1] - start);
      if (text.limits.n == 0) continue;
      const size_t columns = static_cast<size_t>(templates_.columns());
      text.attrs = View<const uint64_t>(query.attrs + start * columns, text.visible * columns);
      text.limits.may_start = query.may_start + start;
      search.run(text);
      search.arcs(search.first(search.steps()), text.limits.n, heads + start, relations + start);
    }
  }

 private:
  static constexpr float kSteps = 32767.0f;

  const StateTemplates& templates_;
  const int relations_;
  AnsweringRows rows_;
  float unit_ = 1.0f;
};

}  // namespace latperc::parsing
