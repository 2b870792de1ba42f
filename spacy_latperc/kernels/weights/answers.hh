// Predictions of a frozen chain other than its best labels: probabilities of labels, of label
// sequences and of chunks, max-marginals, and labels chosen by probability.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "lattice/gold.hh"
#include "weights/frozen.hh"

namespace latperc {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

template <class Visit>
inline void for_each_sentence(const Frozen& frozen, const Query& q, const Visit& visit) {
  bool fresh = true;
  frozen.for_each(q, [&](Scratch& scratch, size_t s) {
    if (fresh) {
      scratch.sums.hold_transitions(true);
      scratch.span_sums.forget();
      fresh = false;
    }
    visit(scratch, s);
  });
}

// log Z of the current sentence under its own or other state scores.
inline double sum_up(Scratch& scratch, const Query& q, const float* e, bool masked) {
  return scratch.sums.run(scratch.lattice, e, masked, q.inverse_temperature);
}
inline double sum_up(Scratch& scratch, const Query& q) {
  return sum_up(scratch, q, scratch.lattice.e.data(), q.masked);
}

// P(label at token) of the last summed sentence, [n, pitch]: the marginal of a label is the sum
// over its latent values.
inline void label_marginals(const Layout& layout, const Scratch& scratch, int pitch, float* out) {
  const int K = layout.latent;
  for (int64_t i = 0; i < scratch.lattice.n; i++, out += pitch) {
    const float* states = scratch.sums.states(i);
    for (int l = 0; l < layout.labels; l++) {
      out[l] = std::accumulate(states + l * K + 1, states + (l + 1) * K, states[l * K]);
    }
  }
}

// P(label at token), summed over latent values, [tokens, labels], and log Z. A sentence whose
// mask leaves no path has NaN and a log Z of -inf.
inline void marginals(const Frozen& frozen, const Query& q, View<float> out, View<double> log_z) {
  const Layout& layout = frozen.layout();
  const size_t L = static_cast<size_t>(layout.labels);
  for_each_sentence(frozen, q, [&](Scratch& scratch, size_t s) {
    const int64_t n = scratch.lattice.n;
    log_z[s] = sum_up(scratch, q);
    if (n == 0) return;
    float* at = out.at(static_cast<size_t>(q.bounds[s]) * L, static_cast<size_t>(n) * L);
    if (log_z[s] == kImpossible) {
      std::fill(at, at + n * L, static_cast<float>(kUndefined));
    } else {
      label_marginals(layout, scratch, layout.labels, at);
    }
  });
}

// The score of the best path with this label at this token, [tokens, labels].
inline void max_marginals(const Frozen& frozen, const Query& q, View<float> out) {
  const Layout& layout = frozen.layout();
  for_each_sentence(frozen, q, [&](Scratch& scratch, size_t s) {
    Lattice& lattice = scratch.lattice;
    const float* best = scratch.max_sums.run(lattice, lattice.e.data(), q.masked);
    for (int64_t i = 0; i < lattice.n; i++) {
      for (int l = 0; l < layout.labels; l++) {
        const float* states = best + i * lattice.P + l * layout.latent;
        out[static_cast<size_t>(q.bounds[s] + i) * layout.labels + l] =
            *std::max_element(states, states + layout.latent);
      }
    }
  });
}

// log Z of the paths with these labels; -inf if there is none.
inline double sum_inside(Scratch& scratch, const Query& q, const Sentence& x,
                         std::vector<float>* scores) {
  return sum_up(scratch, q, inside_gold(scratch.lattice, x, scores), true);
}

// The log probability of given labels (or gold codes, see Sentence); NaN for a sentence
// whose mask leaves no path.
inline void log_scores(const Frozen& frozen, const Query& q, View<const int32_t> gold,
                       View<const uint8_t> sets, View<double> out) {
  std::vector<float> scores;
  for_each_sentence(frozen, q, [&](Scratch& scratch, size_t s) {
    Sentence x;
    x.n = scratch.lattice.n;
    if (x.n > 0) x.gold = gold.from(static_cast<size_t>(q.bounds[s]));
    x.sets = sets;
    x.labels = frozen.layout().labels;
    const double all = sum_up(scratch, q);
    out[s] =
        all == kImpossible ? kUndefined : std::min(0.0, sum_inside(scratch, q, x, &scores) - all);
  });
}

// Chunks of the batch: tokens [start, end), all within one sentence, and their types.
struct Chunks {
  View<const int64_t> starts, ends;
  View<const int32_t> types;
  size_t count = 0;
};

// The probability of each chunk; NaN in a sentence whose mask leaves no path.
inline void span_probabilities(const Frozen& frozen, const Query& q, const ChunkTables& tables,
                               const Chunks& chunks, View<double> out) {
  std::vector<size_t> order(chunks.count);
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return chunks.starts[a] < chunks.starts[b]; });
  size_t next = 0;
  for_each_sentence(frozen, q, [&](Scratch& scratch, size_t s) {
    const int64_t first = q.bounds[s];
    const int64_t n = scratch.lattice.n;
    if (next == order.size() || chunks.starts[order[next]] >= first + n) return;
    const double log_z = sum_up(scratch, q);
    for (; next < order.size() && chunks.starts[order[next]] < first + n; next++) {
      const size_t c = order[next];
      out[c] = log_z == kImpossible
                   ? kUndefined
                   : scratch.span_sums.probability(frozen.layout(), n, scratch.sums, tables,
                                                   chunks.starts[c] - first, chunks.ends[c] - first,
                                                   chunks.types[c]);
    }
  });
}

// The sequence that the chain allows with the largest sum of label marginals (LVP,
// equations 1 and 2: labels by the sum over their latent paths); kNoPath if there is none.
inline void decode_marginals(const Frozen& frozen, const Query& q, View<int32_t> labels) {
  Layout rules = frozen.layout();
  rules.latent = 1;
  rules.order = rules.beam = 0;
  Lattice lattice(rules);
  lattice.prepare_constants();
  Viterbi search;
  for_each_sentence(frozen, q, [&](Scratch& scratch, size_t s) {
    const size_t n = static_cast<size_t>(scratch.lattice.n);
    if (n == 0) return;
    int32_t* out = labels.at(static_cast<size_t>(q.bounds[s]), n);
    lattice.n = scratch.lattice.n;
    lattice.e.assign(n * lattice.P, 0.0f);
    if (sum_up(scratch, q) != kImpossible) {
      label_marginals(frozen.layout(), scratch, lattice.P, lattice.e.data());
    }
    for (float& p : lattice.e)
      p = p > 0.0f ? p : kMinusInf;  // labels without probability are not taken
    if (search.run(lattice, lattice.e.data(), true, out) == kMinusInf) {
      std::fill(out, out + n, kNoPath);
    }
  });
}

// The most probable of the k best label sequences, summed over latent paths; ties go to the
// better path. kNoPath if there is none.
inline void decode_sequences(const Frozen& frozen, const Query& q, size_t k, View<int32_t> labels) {
  const Layout& layout = frozen.layout();
  std::vector<float> scores;
  std::vector<int32_t> given;
  for_each_sentence(frozen, q, [&](Scratch& scratch, size_t s) {
    const int64_t n = scratch.lattice.n;
    if (n == 0) return;
    int32_t* out = labels.at(static_cast<size_t>(q.bounds[s]), static_cast<size_t>(n));
    std::fill(out, out + n, kNoPath);
    const size_t found = scratch.kbest.find(scratch.lattice, scratch.lattice.e.data(), q.masked, k);
    double best = kImpossible;
    for (size_t p = 0; p < found; p++) {
      given.resize(n);
      for (int64_t i = 0; i < n; i++) given[i] = layout.label_of(scratch.kbest.path(p)[i]);
      Sentence x;
      x.n = n;
      x.gold = view(static_cast<const std::vector<int32_t>&>(given));
      x.labels = layout.labels;
      const double log_z = sum_inside(scratch, q, x, &scores);
      if (p > 0 && !(log_z > best)) continue;
      best = log_z;
      std::copy(given.begin(), given.end(), out);
    }
  });
}

}  // namespace latperc
