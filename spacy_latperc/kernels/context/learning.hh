// Training of context models from raw text.
//
// Instead of normalised probabilities, the model learns to distinguish the word of a place from
// random words (noise contrastive estimation: Gutmann and Hyvarinen 2010, Mnih and Teh 2012); its
// scores approach log probabilities. Words are distinguished from their alternatives by pairs
// (conditional noise contrastive estimation: Ceylan and Gutmann 2018), and so are gaps without a
// missing word.
//
// Steps are those of AdaGrad, with one sum of squares for each row.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/signals.hh"
#include "context/places.hh"
#include "hashing/hash.hh"
#include "simd/exp.hh"

namespace latperc {

struct ContextLearning {
  int window = 4;
  size_t symbols = 0;
  int noise = 8;         // random words for each word of the text
  int alternatives = 3;  // alternatives drawn for each word
  int small = 3;         // small words drawn for each gap
  double gaps = 0.3;     // the share of the gaps that is used
  double rate = 0.1;     // the initial learn rate
  int passes = 1;
  uint64_t seed = 0;
};

// The noise distribution: words in proportion to their probability.
struct ContextNoise {
  const int32_t* words = nullptr;
  uint32_t size = 0;
  const float* logarithm = nullptr;  // by symbol: of its number of draws for a word
};

class ContextLearner {
 public:
  ContextLearner(const ContextLearning& settings, const float* bias, ContextNoise noise,
                 ContextAlternatives alternatives, ContextSmallWords small)
      : settings_(settings),
        noise_(noise),
        alternatives_(alternatives),
        small_(small),
        random_(settings.seed),
        bias(bias, bias + settings.symbols) {
    const size_t rows = 2 * settings.window * settings.symbols;
    start(rows, 0.1f, 41, &input);
    start(settings.symbols, 0.01f, 42, &output);
    input_squares_.assign(rows, 0.0f);
    output_squares_.assign(settings.symbols, 0.0f);
    bias_squares_.assign(settings.symbols, 0.0f);
    is_small_.assign(settings.symbols, 0);
    for (int32_t k = 0; k < small.size; k++) is_small_[small.words[k]] = 1;
    // Pairs of a small word and nothing are drawn from both sides with different frequencies.
    most_gaps_ = static_cast<uint32_t>(settings.gaps * kChances);
    const double share = static_cast<double>(most_gaps_) / kChances;
    if (most_gaps_ && small.size) {
      toward_small_ = static_cast<float>(std::log(share * settings.small / small.size));
    }
  }

  void learn(const int32_t* words, const int64_t* bounds, size_t sentences);

  LATPERC_INLINE void learn_sentence(const ContextRow& row) {
    for (int64_t i = 0; i <= row.size; i++) {
      if (i < row.size) learn_word(row, i);
      if (small_.size && random_.below(kChances) < most_gaps_) learn_gap(row, i);
    }
  }

 private:
  static constexpr int kSize = ContextRow::kSize;
  static constexpr uint32_t kChances = 1 << 16;
  static constexpr double kSlowing = 0.8;  // the decrease of the rate by the end
  static constexpr float kLeastSquare = 1e-6f, kLeastBiasSquare = 1e-2f;

  void start(size_t rows, float width, uint64_t key, std::vector<float>* table) const {
    table->resize(rows * kSize);
    const uint64_t mine = join(join(settings_.seed, key), 1);
    for (size_t i = 0; i < table->size(); i++) (*table)[i] = width * noise(join(mine, i));
  }

  // Eight partial sums on every instruction set.
  LATPERC_INLINE static float product(const float* a, const float* b) {
    float part[kLane];
    for (int v = 0; v < kLane; v++) part[v] = a[v] * b[v];
    for (int j = kLane; j < kSize; j += kLane) {
      for (int v = 0; v < kLane; v++) part[v] += a[j + v] * b[j + v];
    }
    for (int v = 0; v < 4; v++) part[v] += part[v + 4];
    return (part[0] + part[2]) + (part[1] + part[3]);
  }

  static float logarithm(int64_t n) { return static_cast<float>(std::log(static_cast<double>(n))); }

  LATPERC_INLINE static float chance(float odds) {
    float e;
    simd::exponential(odds < 0 ? odds : -odds, e);
    return (odds < 0 ? e : 1.0f) / (1.0f + e);
  }

  // A place with the sum of its rows and the gradient of that sum.
  struct Place {
    size_t rows[2 * ContextRow::kWidest];
    float sum[kSize], slope[kSize];
    float square;  // the mean square of the sum
  };

  LATPERC_INLINE void open(const ContextRow& row, int64_t i, bool gap, Place& place) const {
    row.beside(i, gap, settings_.window, settings_.symbols, place.rows);
    for (int j = 0; j < kSize; j++) place.sum[j] = place.slope[j] = 0;
    for (int d = 0; d < 2 * settings_.window; d++) {
      const float* from = input.data() + place.rows[d] * kSize;
      for (int j = 0; j < kSize; j++) place.sum[j] += from[j];
    }
    place.square = product(place.sum, place.sum) / kSize;
  }

  LATPERC_INLINE float score(const Place& place, int32_t symbol) const {
    return bias[symbol] + product(place.sum, output.data() + static_cast<size_t>(symbol) * kSize);
  }

  // slope: the derivative of the loss with respect to the score of the symbol.
  LATPERC_INLINE void correct(Place& place, int32_t symbol, float slope) {
    float* to = output.data() + static_cast<size_t>(symbol) * kSize;
    float& squares = output_squares_[symbol];
    squares += slope * slope * place.square;
    const float step = rate_ * slope / std::sqrt(squares + kLeastSquare);
    for (int j = 0; j < kSize; j++) {
      place.slope[j] += slope * to[j];
      to[j] -= step * place.sum[j];
    }
    bias_squares_[symbol] += slope * slope;
    bias[symbol] -= rate_ * slope / std::sqrt(bias_squares_[symbol] + kLeastBiasSquare);
  }

  // other: a symbol drawn for a symbol with this known score; toward, back: the log probabilities
  // of drawing it for the symbol, and the symbol for it.
  // RETURNS: the slope of the symbol.
  LATPERC_INLINE float tell_apart(Place& place, float known, int32_t other, float toward,
                                  float back) {
    const float slope = chance(known - score(place, other) + (toward - back)) - 1.0f;
    correct(place, other, -slope);
    return slope;
  }

  LATPERC_INLINE void close(Place& place, int32_t symbol, float slope) {
    correct(place, symbol, slope);
    const float square = product(place.slope, place.slope) / kSize;
    for (int d = 0; d < 2 * settings_.window; d++) {
      float& squares = input_squares_[place.rows[d]];
      squares += square;
      const float step = rate_ / std::sqrt(squares + kLeastSquare);
      float* to = input.data() + place.rows[d] * kSize;
      for (int j = 0; j < kSize; j++) to[j] -= step * place.slope[j];
    }
  }

  LATPERC_INLINE void learn_word(const ContextRow& row, int64_t i) {
    const int32_t word = row.words[i];
    Place place;
    open(row, i, false, place);
    const float known = score(place, word);
    float slope = chance(known - noise_.logarithm[word]) - 1.0f;
    for (int k = 0; k < settings_.noise; k++) {
      const int32_t other = noise_.words[random_.below(noise_.size)];
      if (other == word) continue;
      correct(place, other, chance(score(place, other) - noise_.logarithm[other]));
    }
    const int64_t n = alternatives_.count(word);
    const int64_t begin = alternatives_.begin[word];
    for (int k = 0; n && k < settings_.alternatives; k++) {
      const int32_t other = alternatives_.others[begin + random_.below(static_cast<uint32_t>(n))];
      const float back = logarithm(alternatives_.count(other));
      slope += tell_apart(place, known, other, -logarithm(n), -back);
    }
    if (is_small_[word] && most_gaps_) {
      slope += tell_apart(place, known, ContextSymbols::kNothing, 0.0f, toward_small_);
    }
    close(place, word, slope);
  }

  LATPERC_INLINE void learn_gap(const ContextRow& row, int64_t i) {
    Place place;
    open(row, i, true, place);
    const float known = score(place, ContextSymbols::kNothing);
    float slope = 0;
    for (int k = 0; k < settings_.small; k++) {
      const int32_t other = small_.words[random_.below(static_cast<uint32_t>(small_.size))];
      slope += tell_apart(place, known, other, toward_small_, 0.0f);
    }
    close(place, ContextSymbols::kNothing, slope);
  }

  const ContextLearning settings_;
  const ContextNoise noise_;
  const ContextAlternatives alternatives_;
  const ContextSmallWords small_;
  Random random_;
  float rate_ = 0, toward_small_ = 0;
  uint32_t most_gaps_ = 0;
  std::vector<uint8_t> is_small_;
  std::vector<float> input_squares_, output_squares_, bias_squares_;

 public:
  std::vector<float> input;   // [2 window, symbols, size]
  std::vector<float> output;  // [symbols, size]
  std::vector<float> bias;
};

LATPERC_WIDE_CLONES static void learn_sentence(ContextLearner* learner, const ContextRow& row) {
  learner->learn_sentence(row);
}

inline void ContextLearner::learn(const int32_t* words, const int64_t* bounds, size_t sentences) {
  SignalCheck signals;
  std::vector<size_t> order(sentences);
  for (int pass = 0; pass < settings_.passes; pass++) {
    for (size_t s = 0; s < sentences; s++) order[s] = s;
    shuffle(&order, &random_);
    const double done = static_cast<double>(pass) / settings_.passes;
    rate_ = static_cast<float>(settings_.rate * (1 - kSlowing * done));
    for (size_t s : order) {
      signals.look();
      latperc::learn_sentence(this, {words + bounds[s], bounds[s + 1] - bounds[s]});
    }
  }
}

}  // namespace latperc
