// A chain that only answers: the averaged weights, written out, behind an index from
// feature hash to row. It never changes, so that any number of threads may ask at once.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "index.hh"
#include "lattice.hh"
#include "search.hh"
#include "templates.hh"
#include "trainer.hh"

namespace latperc {

struct FrozenRows {
  KeyMap index;                // feature hash -> row (1, 2, ...)
  std::vector<uint64_t> keys;  // row - 1 -> hash
  std::vector<float> w;        // row 0 is zero

  void start(const BlockShape& shape, size_t rows) {
    index.clear();
    index.reserve(rows, 0.3);  // sparse: hardly a bucket overflows
    keys.clear();
    keys.reserve(rows);
    w.assign(shape.stride() * (rows + 1), 0.0f);
  }
  // The place of a new row.
  float* append(const BlockShape& shape, uint64_t key) {
    const int32_t row = static_cast<int32_t>(keys.size()) + 1;
    if (index.insert(key, row) != row) return nullptr;  // the key is there already
    keys.push_back(key);
    return w.data() + shape.stride() * row;
  }
};

class Frozen {
 public:
  Frozen(const Layout& layout, const std::vector<BlockShape>& shapes,
         const std::vector<int32_t>& constants)
      : layout_(layout), shapes_(shapes), constants_(constants) {
    for (size_t b = 0; b < shapes_.size(); b++) {
      rows_.emplace_back(new FrozenRows());
      rows_.back()->start(shapes_[b], 0);
    }
  }

  const Layout& layout() const { return layout_; }
  size_t n_blocks() const { return shapes_.size(); }
  const BlockShape& shape(size_t b) const { return shapes_[b]; }
  FrozenRows& rows(size_t b) { return *rows_[b]; }

  // w - a / c of every row that is not all zero, in the order in which they were made.
  void take(Trainer& trainer, const std::vector<uint64_t>& keys) {
    for (size_t b = 0; b < shapes_.size(); b++) {
      TrainedRows& from = trainer.rows(b);
      const size_t stride = shapes_[b].stride();
      const float inverse = trainer.inverse_c();
      std::vector<float> row(stride);
      rows_[b]->start(shapes_[b], from.rows() - 1);
      for (size_t r = 1; r < from.rows(); r++) {
        bool zero = true;
        for (size_t i = 0; i < stride; i++) {
          const float w = from.w.data()[r * stride + i];
          row[i] = inverse > 0.0f ? w - from.a.data()[r * stride + i] * inverse : w;
          zero = zero && row[i] == 0.0f;
        }
        if (zero) continue;
        std::copy(row.begin(), row.end(), rows_[b]->append(shapes_[b], keys[from.feature_of[r]]));
      }
    }
  }

  // Labels of sentences [first, last) of a batch; -2 throughout a sentence whose mask
  // leaves no path. attrs is [tokens, attributes], bounds the sentences' first tokens.
  void decode(const Program& program, View<const uint64_t> attrs, View<const int64_t> bounds,
              size_t first, size_t last, View<const uint8_t> allowed, bool masked,
              View<int32_t> labels) const {
    Lattice lattice(layout_);
    Viterbi viterbi;
    Tile tile(program);
    std::vector<int32_t> path;
    prepare(program, &lattice);
    lattice.prepare_constants();
    for (size_t s = first; s < last; s++) {
      const int64_t start = bounds[s];
      const int64_t n = bounds[s + 1] - start;
      if (n == 0) continue;
      lattice.n = n;
      find_rows(program, attrs.from(static_cast<size_t>(start) * program.columns), &tile, &lattice);
      lattice.prepare_states();
      if (masked) {
        Trainer::forbid(lattice, allowed.from(static_cast<size_t>(start) * layout_.labels));
      }
      path.assign(static_cast<size_t>(n), 0);
      const bool dead =
          viterbi.run(lattice, lattice.e.data(), masked, path.data()) == kMinusInf;
      for (int64_t i = 0; i < n; i++) labels[start + i] = dead ? -2 : layout_.label_of(path[i]);
    }
  }

 private:
  void prepare(const Program& program, Lattice* lattice) const {
    lattice->blocks.resize(shapes_.size());
    for (size_t b = 0; b < shapes_.size(); b++) {
      Active& active = lattice->blocks[b];
      active.shape = &shapes_[b];
      active.constants = constants_[b];
      active.w = rows_[b]->w.data();
      active.fixed.resize(active.constants);
      for (int t = 0; t < active.constants; t++) {
        active.fixed[t] = rows_[b]->index.find(constant_hash(program, shapes_[b].templates[t]));
      }
    }
  }

  // All hashes of a tile, then all its look-ups: the memory answers while we go on.
  void find_rows(const Program& program, View<const uint64_t> attrs, Tile* tile,
                 Lattice* lattice) const {
    const int T = program.size();
    const int64_t n = lattice->n;
    for (Active& active : lattice->blocks) {
      active.rows.resize(static_cast<size_t>(n) * active.varying());
    }
    for (int64_t first = 0; first < n; first += kTile) {
      const int count = static_cast<int>(std::min<int64_t>(kTile, n - first));
      const View<const uint64_t> hashes = tile->hash(attrs, n, first, count);
      const uint64_t* h = hashes.at(0, static_cast<size_t>(count) * T);
      for (size_t b = 0; b < shapes_.size(); b++) {
        Active& active = lattice->blocks[b];
        const int V = active.varying();
        if (V == 0) continue;
        const FrozenRows& rows = *rows_[b];
        const size_t stride = shapes_[b].stride();
        const int32_t* templates = shapes_[b].templates.data() + active.constants;
        int32_t* out = active.rows.data() + static_cast<size_t>(first) * V;
        for (int i = 0; i < count; i++) {
          for (int t = 0; t < V; t++) rows.index.prefetch(h[i * T + templates[t]]);
        }
        for (int i = 0; i < count; i++) {
          for (int t = 0; t < V; t++) {
            const int32_t row = rows.index.find(h[i * T + templates[t]]);
            out[i * V + t] = row;
            simd::prefetch_row(rows.w.data() + static_cast<size_t>(row) * stride, stride);
          }
        }
      }
    }
  }

  const Layout layout_;
  const std::vector<BlockShape> shapes_;
  const std::vector<int32_t> constants_;
  std::vector<std::unique_ptr<FrozenRows>> rows_;
};

}  // namespace latperc
