// Templates at work: rows of attribute ids in, one 64-bit feature hash per template out.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/checked.hh"
#include "hashing/hash.hh"

namespace latperc {

constexpr int kReach = 5;  // offsets go from -kReach to kReach
constexpr int kTile = 64;  // tokens hashed at a time: the tile stays in the first cache

struct Program {
  // Template t joins the parts begin[t] .. begin[t + 1]; one without parts is the bias.
  std::vector<uint64_t> seed;
  std::vector<int32_t> begin;
  std::vector<int32_t> column;
  std::vector<int32_t> offset;
  std::vector<uint64_t> kept;  // bits of the hash; features that differ in others are one
  int columns = 0;

  int size() const { return static_cast<int>(seed.size()); }
  bool constant(int t) const { return begin[t] == begin[t + 1]; }
};

inline uint64_t constant_hash(const Program& program, int t) {
  return finish(program.seed[t]) & program.kept[t];
}

// What an offset sees beyond the sentence: the distance past its start or its end.
inline uint64_t padding(int64_t distance) {
  return mix(0x5851f42d4c957f2dULL + static_cast<uint64_t>(distance));
}

class Tile {
 public:
  explicit Tile(const Program& program)
      : program_(program),
        window_(static_cast<size_t>(kTile + 2 * kReach) * program.columns),
        hashes_(static_cast<size_t>(kTile) * program.size()) {}

  // The hash of template t of another program over the same attributes, at token
  // first + i of the tile last hashed.
  uint64_t one(const Program& program, int t, int i) const {
    const int A = program.columns;
    uint64_t h = program.seed[t];
    for (int p = program.begin[t]; p < program.begin[t + 1]; p++) {
      h = join(
          h, window_[static_cast<size_t>(kReach + i + program.offset[p]) * A + program.column[p]]);
    }
    return finish(h) & program.kept[t];
  }

  // Hashes of the values in these columns, so many tokens after each of the `span` tokens
  // from first + low on, which may lie beyond the tile by as many as kReach.
  void grams(uint64_t seed, const std::vector<int32_t>& column, const std::vector<int32_t>& offset,
             int low, int span, uint64_t* out) const {
    const int A = program_.columns;
    for (int p = 0; p < span; p++) out[p] = seed;
    for (size_t k = 0; k < column.size(); k++) {
      const uint64_t* in =
          window_.data() + static_cast<size_t>(kReach + low + offset[k]) * A + column[k];
      for (int p = 0; p < span; p++) out[p] = join(out[p], in[p * A]);
    }
    for (int p = 0; p < span; p++) out[p] = finish(out[p]);
  }

  // Hashes of tokens [first, first + count) of a sentence of n tokens whose attributes
  // are attrs[n x columns]: element [i * templates + t] belongs to token first + i.
  View<const uint64_t> hash(View<const uint64_t> attrs, int64_t n, int64_t first, int count) {
    fill_window(attrs, n, first, count);
    const int T = program_.size();
    const int A = program_.columns;
    const uint64_t* window = window_.data();
    for (int t = 0; t < T; t++) {
      const int b = program_.begin[t];
      const int e = program_.begin[t + 1];
      const uint64_t seed = program_.seed[t];
      const uint64_t kept = program_.kept[t];
      uint64_t* out = hashes_.data() + t;
      if (e - b == 1) {
        const uint64_t* in = window + (kReach + program_.offset[b]) * A + program_.column[b];
        for (int i = 0; i < count; i++) out[i * T] = finish(join(seed, in[i * A])) & kept;
        continue;
      }
      if (e - b == 2) {
        const uint64_t* one = window + (kReach + program_.offset[b]) * A + program_.column[b];
        const uint64_t* two =
            window + (kReach + program_.offset[b + 1]) * A + program_.column[b + 1];
        for (int i = 0; i < count; i++) {
          out[i * T] = finish(join(join(seed, one[i * A]), two[i * A])) & kept;
        }
        continue;
      }
      for (int i = 0; i < count; i++) {
        uint64_t h = seed;
        for (int p = b; p < e; p++) {
          h = join(h, window[(kReach + i + program_.offset[p]) * A + program_.column[p]]);
        }
        out[i * T] = finish(h) & kept;
      }
    }
    return view(hashes_);
  }

 private:
  void fill_window(View<const uint64_t> attrs, int64_t n, int64_t first, int count) {
    const int A = program_.columns;
    for (int r = 0; r < count + 2 * kReach; r++) {
      const int64_t i = first - kReach + r;
      uint64_t* row = window_.data() + static_cast<size_t>(r) * A;
      if (i >= 0 && i < n) {
        std::memcpy(row, attrs.at(static_cast<size_t>(i) * A, A), sizeof(uint64_t) * A);
      } else {
        const uint64_t pad = padding(i < 0 ? i : i - n + 1);
        for (int a = 0; a < A; a++) row[a] = pad;
      }
    }
  }

  const Program& program_;
  std::vector<uint64_t> window_;
  std::vector<uint64_t> hashes_;
};

}  // namespace latperc
