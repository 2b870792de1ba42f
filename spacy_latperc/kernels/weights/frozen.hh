// A frozen chain: the averaged weights, written out, with an index from feature hash to row.
// It never changes, so any number of threads may predict at once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/signals.hh"
#include "hashing/index.hh"
#include "hashing/templates.hh"
#include "hashing/values.hh"
#include "lattice/kbest.hh"
#include "lattice/lattice.hh"
#include "lattice/max_sums.hh"
#include "lattice/planned_search.hh"
#include "lattice/searcher.hh"
#include "sums/span_marginals.hh"
#include "sums/sums.hh"
#include "weights/row_finder.hh"
#include "weights/trainer.hh"

namespace latperc {

// A cache of the rows of lists for one call, by template and list: tokens of one word share
// their list.
struct ListRows {
  std::vector<int32_t> number;  // [templates over lists, lists + 1] entry of `found`, from 1
  WeightedRows found;

  void start() {
    number.clear();
    found.clear();
    found.close();
  }
};

// A queue of sentences that are searched together.
struct Waiting {
  int count = 0;
  size_t sentence[PlannedSearch::kAtOnce];
  int64_t n[PlannedSearch::kAtOnce];
  std::vector<float> e[PlannedSearch::kAtOnce];  // of the lattice, which takes the one before
  std::vector<int32_t> path[PlannedSearch::kAtOnce];

  size_t floats() const {
    size_t most = 0;
    for (const auto& scores : e) most = std::max(most, scores.size());
    return most;
  }
};

// The buffers of a call, which are reused by later calls, one at a time.
struct Scratch {
  Scratch(const Layout& layout, const std::vector<BlockShape>& shapes,
          const std::vector<LookUps>& look_ups)
      : lattice(layout), list_rows(shapes.size()) {
    for (size_t b = 0; b < shapes.size(); b++) {
      finders.emplace_back(new RowFinder(shapes[b], look_ups[b]));
    }
  }

  Lattice lattice;
  Searcher searcher;
  PlannedSearch planned;
  Waiting waiting;
  Bounds bounds;
  KBest kbest;
  Sums<float> sums;
  MaxSums max_sums;
  SpanSums span_sums;
  std::vector<std::unique_ptr<RowFinder>> finders;  // one per block
  std::vector<ListRows> list_rows;
  std::vector<int32_t> path;
  bool constants_ready = false;  // of the lattice
};

// A request for predictions of a batch of sentences.
struct Query {
  const Program* program = nullptr;
  TokenAttributes attrs;
  View<const int64_t> bounds;  // first tokens of the sentences, and the end
  size_t sentences = 0;
  View<const uint8_t> allowed;  // [tokens, labels]
  bool masked = false;
  ExternalScores external;
  const ValueTable* values = nullptr;  // lists that replace some attributes
  double inverse_temperature = 1.0;
  float recall_constant = 0.0f;  // added to the score of label 0 at every token
};

class Frozen {
 public:
  // keys: for each block a program of one hash per group (the feature's own hash where
  // the group is a single template).
  Frozen(const Layout& layout, const std::vector<BlockShape>& shapes,
         const std::vector<int32_t>& constants, const std::vector<Program>& keys)
      : layout_(layout), shapes_(shapes), constants_(constants) {
    for (size_t b = 0; b < shapes_.size(); b++) {
      rows_.emplace_back(new FrozenRows());
      rows_.back()->start(shapes_[b], 0, 0);
      look_ups_.emplace_back(shapes_[b], keys[b]);
      varying_.push_back(keys[b].size());
    }
    planned_ = is_constant(1);
    bounded_ = is_constant(2) && layout.states() >= kWorthBounds;
  }

  const Layout& layout() const { return layout_; }
  size_t n_blocks() const { return shapes_.size(); }
  const BlockShape& shape(size_t b) const { return shapes_[b]; }
  FrozenRows& rows(size_t b) { return *rows_[b]; }
  // Clears the caches; to be called after rows change.
  void forget() {
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.clear();
  }

  // Copies the averaged weights (w - a / c) of the nonzero rows, in the order of their creation.
  void take(Trainer& trainer, const std::vector<uint64_t>& keys) {
    for (size_t b = 0; b < shapes_.size(); b++) {
      TrainedRows& from = trainer.rows(b);
      const size_t pitch = from.parts.pitch();
      std::vector<float> row;
      std::vector<uint32_t> histories;
      rows_[b]->start(shapes_[b], from.rows() - 1, from.parts.floats());
      FrozenRows& to = *rows_[b];
      for (size_t r = 1; r < from.rows(); r++) {
        constexpr size_t kAhead = 16;
        if (r + kAhead < from.rows()) to.index.prefetch(keys[from.feature_of[r + kAhead]]);
        const int32_t which = static_cast<int32_t>(r);
        trainer.average_row(b, which, &row);
        histories.clear();
        for (size_t first = 0; first < row.size(); first += pitch) {
          if (simd::all_zero(row.data() + first, pitch)) continue;
          histories.push_back(from.parts.history(which, first / pitch));
        }
        if (histories.empty()) continue;
        const int32_t fresh = to.append(keys[from.feature_of[r]], histories);
        for (size_t i = 0; i < row.size(); i += pitch) {
          const size_t cell = from.parts.history(which, i / pitch) * pitch;
          const size_t place = to.parts.find(fresh, cell);
          if (place >= pitch) std::copy_n(row.data() + i, pitch, to.w.data() + place);
        }
      }
    }
  }

  // Writes the best labels; kNoPath for every token of a sentence without a path.
  void decode(const Query& q, View<int32_t> labels) const {
    const auto write = [&](size_t s, int64_t n, const int32_t* path, float score) {
      const bool dead = score == kMinusInf;
      for (int64_t i = 0; i < n; i++) {
        labels[q.bounds[s] + i] = dead ? kNoPath : layout_.label_of(path[i]);
      }
    };
    for_each(
        q,
        [&](Scratch& scratch, size_t s) {
          Lattice& lattice = scratch.lattice;
          if (planned_ && lattice.n > 0) {
            Waiting& waiting = scratch.waiting;
            waiting.sentence[waiting.count] = s;
            waiting.n[waiting.count] = lattice.n;
            waiting.e[waiting.count++].swap(lattice.e);
            if (waiting.count == PlannedSearch::kAtOnce) search_waiting(scratch, write);
          } else {
            std::vector<int32_t>& path = scratch.path;
            path.assign(static_cast<size_t>(lattice.n), 0);
            write(s, lattice.n, path.data(), search(scratch, q.masked, path.data()));
          }
        },
        [&](Scratch& scratch) { search_waiting(scratch, write); });
  }

  // Appends the labels and scores of the k best label sequences of each sentence, best first,
  // and writes their number by sentence.
  void kbest(const Query& q, size_t k, std::vector<int32_t>* labels, std::vector<float>* scores,
             View<int32_t> counts) const {
    for_each(q, [&](Scratch& scratch, size_t s) {
      Lattice& lattice = scratch.lattice;
      KBest& search = scratch.kbest;
      const size_t found = search.find(lattice, lattice.e.data(), q.masked, k);
      counts[s] = static_cast<int32_t>(found);
      for (size_t p = 0; p < found; p++) {
        const int32_t* path = search.path(p);
        scores->push_back(search.score(p));
        labels->insert(labels->end(), path, path + lattice.n);
        if (layout_.latent == 1) continue;
        for (auto state = labels->end() - lattice.n; state != labels->end(); ++state) {
          *state = layout_.label_of(*state);
        }
      }
    });
  }

  // Calls visit(scratch, s) for each sentence when its lattice is ready.
  template <class Visit>
  void for_each(const Query& q, const Visit& visit) const {
    for_each(q, visit, [](Scratch&) {});
  }

  // The same, and finish(scratch) at the end.
  template <class Visit, class Finish>
  void for_each(const Query& q, const Visit& visit, const Finish& finish) const {
    std::unique_ptr<Scratch> scratch = borrow();
    Lattice& lattice = scratch->lattice;
    for (ListRows& known : scratch->list_rows) known.start();
    const bool other = lattice.recall_constant != q.recall_constant;
    lattice.recall_constant = q.recall_constant;
    if (prepare(*q.program, &lattice) || other || !scratch->constants_ready) {
      lattice.prepare_constants();
      scratch->planned.forget();
      scratch->bounds.forget();
      scratch->constants_ready = true;
    }
    SignalCheck signals;
    for (size_t s = 0; s < q.sentences; s++) {
      signals.look();
      const int64_t start = q.bounds[s];
      lattice.n = q.bounds[s + 1] - start;
      const size_t first = static_cast<size_t>(start);
      const TokenAttributes at = q.attrs.from(first);
      find_rows(*q.program, at, scratch.get());
      prefetch_attributes(q, s + 1);
      find_weighted(*q.program, at, q.values, start, scratch.get());
      lattice.prepare_states(q.external.from(start));
      if (q.masked) lattice.forbid(q.allowed.from(first * layout_.labels));
      visit(*scratch, s);
    }
    finish(*scratch);
    give_back(std::move(scratch));
  }

 private:
  float search(Scratch& scratch, bool masked, int32_t* path) const {
    Lattice& lattice = scratch.lattice;
    const bool bounded = bounded_ && lattice.n > 2;
    if (bounded && !scratch.bounds.ready()) {
      const int S = lattice.S;
      scratch.bounds.plan(lattice.triples(2), S, S, S, lattice.P);
    }
    return scratch.searcher.run(lattice, lattice.e.data(), masked, path,
                                bounded ? &scratch.bounds : nullptr);
  }

  // Searches the sentences in the queue, and calls write(s, n, path, score) for each.
  template <class Write>
  void search_waiting(Scratch& scratch, const Write& write) const {
    Waiting& waiting = scratch.waiting;
    if (waiting.count == 0) return;
    PlannedSearch& planned = scratch.planned;
    if (!planned.ready()) planned.plan(layout_, scratch.lattice.pairs(0));
    PlannedSearch::Task tasks[PlannedSearch::kAtOnce];
    for (int t = 0; t < waiting.count; t++) {
      waiting.path[t].assign(static_cast<size_t>(waiting.n[t]), 0);
      tasks[t] = {waiting.e[t].data(), waiting.n[t], waiting.path[t].data(), kMinusInf};
    }
    planned.forward(tasks, waiting.count);
    planned.trace(tasks, waiting.count);
    for (int t = 0; t < waiting.count; t++) {
      write(waiting.sentence[t], tasks[t].n, tasks[t].path, tasks[t].score);
    }
    waiting.count = 0;
  }

  // True if an exact search of this order meets the same transitions at every token.
  bool is_constant(int order) const {
    if (layout_.search_order() != order || layout_.beam > 0) return false;
    for (size_t b = 0; b < shapes_.size(); b++) {
      if (static_cast<int>(shapes_[b].kind) == order && varying_[b] > 0) return false;
    }
    return true;
  }

  static constexpr int kWorthBounds = 40;  // states; with fewer, bounds cost more than they save
  static constexpr size_t kBigLattice = 1u << 20;

  std::unique_ptr<Scratch> borrow() const {
    std::lock_guard<std::mutex> lock(mutex_);
    if (idle_.empty()) return std::unique_ptr<Scratch>(new Scratch(layout_, shapes_, look_ups_));
    std::unique_ptr<Scratch> scratch = std::move(idle_.back());
    idle_.pop_back();
    return scratch;
  }

  void give_back(std::unique_ptr<Scratch> scratch) const {
    const Lattice& lattice = scratch->lattice;
    const size_t pairs = static_cast<size_t>(lattice.S) * lattice.P;
    const size_t floats = std::max(lattice.e.size(), scratch->waiting.floats());
    if (floats > std::max(kBigLattice, pairs)) return;  // memory of a huge Doc is not kept
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(scratch));
  }

  // RETURNS: true if the rows of constants are not those of the last call.
  bool prepare(const Program& program, Lattice* lattice) const {
    bool other = false;
    lattice->blocks.resize(shapes_.size());
    for (size_t b = 0; b < shapes_.size(); b++) {
      Active& active = lattice->blocks[b];
      active.shape = &shapes_[b];
      active.constants = constants_[b];
      active.parts = &rows_[b]->parts;
      active.w = rows_[b]->w.data();
      active.frozen = true;
      const bool bounded = layout_.boundaries && shapes_[b].kind == Kind::state;
      active.first = bounded ? rows_[b]->index.find(kStartKey) : 0;
      active.last = bounded ? rows_[b]->index.find(kEndKey) : 0;
      active.fixed.resize(active.constants);
      for (int t = 0; t < active.constants; t++) {
        const int32_t row = rows_[b]->index.find(constant_hash(program, shapes_[b].templates[t]));
        other = other || row != active.fixed[t];
        active.fixed[t] = row;
      }
    }
    return other;
  }

  // Prefetches the attributes of a sentence. Inline, since GCC removes calls of functions that
  // only prefetch.
  LATPERC_INLINE void prefetch_attributes(const Query& q, size_t s) const {
    if (s >= q.sentences) return;
    constexpr size_t kMost = 256;  // tokens; the processor prefetches the rest by itself
    constexpr size_t kInLine = 8;
    const size_t first = static_cast<size_t>(q.bounds[s]);
    const size_t count = std::min<size_t>(static_cast<size_t>(q.bounds[s + 1]) - first, kMost);
    const size_t width = q.attrs.width;
    const uint64_t* columns = q.attrs.columns.at(first * width, count * width);
    for (size_t k = 0; k < count * width; k += kInLine) simd::prefetch(columns + k);
    int32_t low = 0, high = 0;  // range of the places among the values of a word
    for (const LookUps& look_ups : look_ups_) {
      for (int32_t a : look_ups.columns()) {
        const int32_t at = q.attrs.place[a];
        if (at >= 0) continue;
        low = low ? std::max(low, at) : at;
        high = std::min(high, at);
      }
    }
    if (low == 0) return;
    const uint64_t* const* words = q.attrs.words.at(first, count);
    for (size_t i = 0; i < count; i++) {
      simd::prefetch(words[i] + (-1 - low));
      simd::prefetch(words[i] + (-1 - high));
    }
  }

  void find_rows(const Program& program, const TokenAttributes& attrs, Scratch* scratch) const {
    const int64_t n = scratch->lattice.n;
    for (size_t b = 0; b < shapes_.size(); b++) {
      Active& active = scratch->lattice.blocks[b];
      const int V = active.varying();
      active.rows.resize(static_cast<size_t>(n) * V);
      if (V > 0) {
        scratch->finders[b]->find(program, *rows_[b], attrs, n, V, active.rows.data());
      }
      active.memo = scratch->finders[b]->memo().w.data();
    }
  }

  // Replaces the rows of templates over lists of values. Cached sums of groups already include
  // the n-grams of words.
  void find_weighted(const Program& program, const TokenAttributes& attrs, const ValueTable* values,
                     int64_t start, Scratch* scratch) const {
    const int64_t n = scratch->lattice.n;
    for (size_t b = 0; b < shapes_.size(); b++) {
      Active& active = scratch->lattice.blocks[b];
      active.weighted.clear();
      for (ActiveVectors& vectors : active.vectors) vectors.numbers = nullptr;
      if (values == nullptr && program.ngrams.empty()) continue;
      std::vector<std::pair<int, int>> listed;  // template, and its place among the rows
      for (size_t place = constants_[b]; place < shapes_[b].templates.size(); place++) {
        const int t = shapes_[b].templates[place];
        const bool dense = values && values->dense_of(program, t) >= 0;
        if (!dense && !ListedFeatures::concerns(values, program, t)) continue;
        const int v = row_place(b, place);
        if (LookUps::size_of_group(shapes_[b], v) > 1) {
          if (program.reads_ngrams(t)) continue;
          throw std::invalid_argument("lists of values in a group of templates");
        }
        listed.emplace_back(t, v);
      }
      std::sort(listed.begin(), listed.end());
      find_vectors(program, values, b, start, n, &listed, &active);
      if (listed.empty()) continue;
      ListedFeatures features(values, program, start, n, attrs);
      const size_t lists = values ? values->lists() + 1 : 0;
      ListRows& known = scratch->list_rows[b];
      known.number.resize(listed.size() * lists, 0);
      for (int64_t i = 0; i < n; i++) {
        active.weighted.close();
        for (size_t l = 0; l < listed.size(); l++) {
          const int t = listed[l].first;
          if (!features.meets(t, i)) continue;
          int32_t& row = active.rows[static_cast<size_t>(i) * active.varying() + listed[l].second];
          row = 0;
          const int32_t list = features.only_list(t, i);
          int32_t* number = list ? &known.number[l * lists + list] : nullptr;
          if (number && *number) {
            active.weighted.add(known.found, known.found.begin[*number - 1],
                                known.found.begin[*number]);
            continue;
          }
          const size_t before = active.weighted.rows.size();
          const auto& found = features.find(t, i);
          if (ListedFeatures::plain(found)) {
            row = rows_[b]->index.find(found[0].first);
            continue;
          }
          for (const auto& [hash, value] : found) {
            const int32_t other = rows_[b]->index.find(hash);
            if (other) active.weighted.add(other, value);
          }
          if (!number) continue;
          known.found.add(active.weighted, static_cast<int64_t>(before),
                          static_cast<int64_t>(active.weighted.rows.size()));
          known.found.close();
          *number = static_cast<int32_t>(known.found.begin.size()) - 1;
        }
      }
      active.weighted.close();
    }
  }

  // Takes the templates over vectors out of those that are listed. Their rows are looked up
  // once, as long as the scratch memory lives.
  void find_vectors(const Program& program, const ValueTable* values, size_t b, int64_t start,
                    int64_t n, std::vector<std::pair<int, int>>* listed, Active* active) const {
    const auto is_vector = [&](const std::pair<int, int>& item) {
      const int c = values ? values->dense_of(program, item.first) : -1;
      if (c < 0) return false;
      const DenseColumn& column = values->dense[c];
      const size_t width = static_cast<size_t>(column.width);
      const uint64_t seed = program.seed[item.first];
      auto v = std::find_if(active->vectors.begin(), active->vectors.end(),
                            [&](const ActiveVectors& known) { return known.seed == seed; });
      if (v == active->vectors.end()) v = active->vectors.insert(v, ActiveVectors());
      if (v->seed != seed || v->rows.size() != width) {
        v->seed = seed;
        v->rows.clear();
        for (uint64_t place : column.keys) {
          v->rows.push_back(rows_[b]->index.find(dense_key(program, item.first, place)));
        }
      }
      v->n = n;
      v->offset = program.offset[program.begin[item.first]];
      v->numbers = column.numbers.at(static_cast<size_t>(start) * width, n * width);
      for (int64_t i = std::max<int64_t>(0, -v->offset); i < std::min(n, n - v->offset); i++) {
        active->rows[static_cast<size_t>(i) * active->varying() + item.second] = 0;
      }
      return true;
    };
    listed->erase(std::remove_if(listed->begin(), listed->end(), is_vector), listed->end());
  }

  // The place of a template, or of the group with it, among the rows of a token.
  int row_place(size_t b, size_t place) const {
    const BlockShape& shape = shapes_[b];
    if (shape.kind != Kind::state) return static_cast<int>(place) - constants_[b];
    const auto end =
        std::upper_bound(shape.groups.begin(), shape.groups.end(), static_cast<int32_t>(place));
    return static_cast<int>(end - shape.groups.begin());
  }

  const Layout layout_;
  const std::vector<BlockShape> shapes_;
  const std::vector<int32_t> constants_;
  std::vector<LookUps> look_ups_;
  std::vector<int> varying_;  // groups of rows that are not constant
  // Searches use a plan (order 1), or bounds (order 2).
  bool planned_ = false, bounded_ = false;
  std::vector<std::unique_ptr<FrozenRows>> rows_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> idle_;
};

}  // namespace latperc
