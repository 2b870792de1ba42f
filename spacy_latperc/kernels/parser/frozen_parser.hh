// Parsing with weights that never change: any number of threads may ask at once.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "common/signals.hh"
#include "parser/arc_shares.hh"
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
  const int32_t* heads = nullptr;  // known ones, numbered in their text; null: none
  const int32_t* relations = nullptr;
  int beam = 1;
  bool merge = false;  // states that are equal
};

// The best trees of a batch of texts, one after the other, best first.
struct BestTrees {
  std::vector<int32_t> heads, relations;  // of all tokens of each
  std::vector<float> scores;
};

class FrozenParser {
 public:
  FrozenParser(const StateTemplates& templates, System system, int relations)
      : templates_(templates), system_(system), relations_(relations) {}

  AnsweringRows& rows() { return rows_; }

  // Averaged weights, in whole steps of their range, as files of 16 bits have them: a model
  // says the same before it is saved and after. Zeros are not kept.
  // most: only so many weights are kept, the largest ones; 0 for all.
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
    // A power of two: whole weights stay whole, and sums are exact.
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

  // Heads, numbered in their text (a root is its own), and relations (-1 at roots).
  // shares: how sure the search is of each at a temperature (arc_shares.hh); null: unasked.
  void parse(const ParserQuery& query, double temperature, int32_t* heads, int32_t* relations,
             float* shares) const {
    ArcShares sure;
    for_each(query, [&](size_t, int64_t start, const Text& text, Search& search) {
      search.arcs(search.first(search.steps()), text.limits.n, heads + start, relations + start);
      if (shares) sure.find(search, system_, text, temperature, shares + start);
    });
  }

  // The best trees that the beam has in the end, all of them different.
  // counts: [texts], how many there are of each, at most k.
  void find_best(const ParserQuery& query, int k, BestTrees* found, int32_t* counts) const {
    for_each(query, [&](size_t t, int64_t, const Text& text, Search& search) {
      const size_t n = static_cast<size_t>(text.limits.n);
      const size_t before = found->heads.size();
      for (int32_t at = search.first(search.steps());
           at < search.end(search.steps()) && counts[t] < k; at++) {
        const size_t own = found->heads.size();
        found->heads.resize(own + n);
        found->relations.resize(own + n);
        search.arcs(at, text.limits.n, &found->heads[own], &found->relations[own]);
        if (occurs(*found, before, own, n)) {  // by other actions
          found->heads.resize(own);
          found->relations.resize(own);
          continue;
        }
        found->scores.push_back(search.states()[at].score);
        counts[t]++;
      }
    });
  }

 private:
  using Search = ParserSearch<AnsweringRows>;
  static constexpr float kSteps = 32767.0f;

  // Parses each text that is not empty: visit(number, first token, text, search).
  template <class Visit>
  void for_each(const ParserQuery& query, const Visit& visit) const {
    Scorer<AnsweringRows> scorer(templates_, rows_, action_count(relations_));
    const StateIdentity identity(templates_);
    Search search(system_, scorer, relations_, query.beam, query.merge ? &identity : nullptr);
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
      if (query.heads) text.known = {query.heads + start, query.relations + start};
      search.run(text);
      visit(t, start, text, search);
    }
  }

  static bool occurs(const BestTrees& found, size_t before, size_t own, size_t n) {
    for (size_t other = before; other < own; other += n) {
      const auto same = [&](const std::vector<int32_t>& column) {
        return std::equal(column.begin() + other, column.begin() + other + n, column.begin() + own);
      };
      if (same(found.heads) && same(found.relations)) return true;
    }
    return false;
  }

  const StateTemplates& templates_;
  const System system_;
  const int relations_;
  AnsweringRows rows_;
  float unit_ = 1.0f;
};

}  // namespace latperc::parsing
