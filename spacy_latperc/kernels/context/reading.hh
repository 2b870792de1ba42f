// Scores of the tokens of sentences under a context model.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/signals.hh"
#include "context/places.hh"

namespace latperc {

// Rows of 8-bit integers, whose sums are exact in any order.
struct ContextTables {
  int window = 0;
  size_t symbols = 0;
  const int8_t* input = nullptr;   // [2 window, symbols, size]
  const int8_t* output = nullptr;  // [symbols, size]
  const float* scale = nullptr;    // by symbol, the factor of a product
  const float* bias = nullptr;     // by symbol
};

// The scores by token.
struct ContextColumns {
  float* fit;      // log probability of the word in its place
  float* better;   // score of the best alternative minus that of the word
  float* missing;  // score of the best small word before it minus that of nothing
  float* fewer;    // score of nothing minus that of the word
};

namespace context {

constexpr int kSize = ContextRow::kSize;
constexpr float kNoOther = -1e9f;

struct Sum {
  int16_t x[kSize];
};

// Conversions of vectors need GCC 9 or clang.
#if defined(LATPERC_VECTORS) && (defined(__clang__) || __GNUC__ >= 9)
#define LATPERC_CONTEXT_VECTORS
typedef int8_t Bytes __attribute__((vector_size(16)));
typedef int16_t Shorts __attribute__((vector_size(32)));
#endif

LATPERC_INLINE void add_rows(const ContextTables& tables, const size_t* rows, Sum& sum) {
#if defined(LATPERC_CONTEXT_VECTORS)
  constexpr int kWidth = sizeof(Bytes), kParts = kSize / kWidth;
  Shorts total[kParts] = {};
  for (int d = 0; d < 2 * tables.window; d++) {
    const int8_t* row = tables.input + rows[d] * kSize;
    LATPERC_UNROLL for (int k = 0; k < kParts; k++) {
      Bytes part;
      std::memcpy(&part, row + k * kWidth, sizeof(part));
      total[k] += __builtin_convertvector(part, Shorts);
    }
  }
  std::memcpy(sum.x, total, sizeof(total));
#else
  for (int j = 0; j < kSize; j++) sum.x[j] = 0;
  for (int d = 0; d < 2 * tables.window; d++) {
    const int8_t* row = tables.input + rows[d] * kSize;
    for (int j = 0; j < kSize; j++) sum.x[j] = static_cast<int16_t>(sum.x[j] + row[j]);
  }
#endif
}

LATPERC_INLINE float score(const ContextTables& tables, const Sum& sum, int32_t symbol) {
  const int8_t* row = tables.output + static_cast<size_t>(symbol) * kSize;
  int32_t product = 0;
  for (int j = 0; j < kSize; j++) product += static_cast<int32_t>(sum.x[j]) * row[j];
  return tables.bias[symbol] + tables.scale[symbol] * static_cast<float>(product);
}

LATPERC_INLINE float missing(const ContextTables& tables, const ContextRow& row, int64_t i,
                             const ContextSmallWords& small) {
  size_t rows[2 * ContextRow::kWidest];
  Sum sum;
  row.beside(i, true, tables.window, tables.symbols, rows);
  add_rows(tables, rows, sum);
  float best = kNoOther;
  for (int32_t k = 0; k < small.size; k++) {
    best = std::max(best, score(tables, sum, small.words[k]));
  }
  return small.size ? best - score(tables, sum, ContextSymbols::kNothing) : kNoOther;
}

LATPERC_INLINE void read(const ContextTables& tables, const ContextRow& row,
                         const ContextAlternatives& alternatives, const ContextSmallWords& small,
                         const ContextColumns& out, int64_t first) {
  size_t rows[2 * ContextRow::kWidest];
  Sum sum;
  for (int64_t i = 0; i < row.size; i++) {  // prefetches all rows, which are random accesses
    simd::prefetch(tables.output + static_cast<size_t>(row.words[i]) * kSize);
    row.beside(i, false, tables.window, tables.symbols, rows);
    for (int d = 0; d < 2 * tables.window; d++) simd::prefetch(tables.input + rows[d] * kSize);
  }
  for (int64_t i = 0; i < row.size; i++) {
    const int32_t word = row.words[i];
    row.beside(i, false, tables.window, tables.symbols, rows);
    add_rows(tables, rows, sum);
    const float here = score(tables, sum, word);
    float best = kNoOther;
    for (int64_t a = alternatives.begin[word]; a < alternatives.begin[word + 1]; a++) {
      best = std::max(best, score(tables, sum, alternatives.others[a]) - here);
    }
    out.fit[first + i] = here;
    out.better[first + i] = best;
    out.fewer[first + i] = score(tables, sum, ContextSymbols::kNothing) - here;
    out.missing[first + i] = missing(tables, row, i, small);
  }
  if (row.size) {  // the gap after the sentence counts for the last token
    float& last = out.missing[first + row.size - 1];
    last = std::max(last, missing(tables, row, row.size, small));
  }
}

LATPERC_WIDE_CLONES static void read_sentence(const ContextTables& tables, const ContextRow& row,
                                              const ContextAlternatives& alternatives,
                                              const ContextSmallWords& small,
                                              const ContextColumns& out, int64_t first) {
  read(tables, row, alternatives, small, out, first);
}

}  // namespace context

inline void read_contexts(const ContextTables& tables, const int32_t* words, const int64_t* bounds,
                          size_t sentences, const ContextAlternatives& alternatives,
                          const ContextSmallWords& small, const ContextColumns& out) {
  SignalCheck signals;
  for (size_t s = 0; s < sentences; s++) {
    signals.look();
    const ContextRow row{words + bounds[s], bounds[s + 1] - bounds[s]};
    context::read_sentence(tables, row, alternatives, small, out, bounds[s]);
  }
}

}  // namespace latperc
