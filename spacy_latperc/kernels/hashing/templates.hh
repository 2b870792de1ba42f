// Hashing of templates: attribute ids in, one 64-bit feature hash per template out.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/checked.hh"
#include "hashing/attributes.hh"
#include "hashing/hash.hh"
#include "simd/lanes.hh"

namespace latperc {

constexpr int kReach = 5;  // offsets range from -kReach to kReach
constexpr int kTile = 64;  // tokens hashed at a time, so that a tile fits the first-level cache

struct Program {
  // Template t joins the parts begin[t] .. begin[t + 1]; without parts it is the bias.
  std::vector<uint64_t> seed;
  std::vector<int32_t> begin;
  std::vector<int32_t> column;
  std::vector<int32_t> offset;
  std::vector<uint64_t> kept;  // the bits of the hash that tell features apart
  int columns = 0;
  // For each attribute whether it has lists of n-grams, and for each template whether it reads
  // one of these; empty if none has.
  std::vector<uint8_t> ngrams, over_ngrams;

  int size() const { return static_cast<int>(seed.size()); }
  bool has_ngrams(int32_t attribute) const { return !ngrams.empty() && ngrams[attribute]; }
  bool reads_ngrams(int t) const { return !over_ngrams.empty() && over_ngrams[t]; }
  void find_ngrams() {
    for (int t = 0; !ngrams.empty() && t < size(); t++) {
      over_ngrams.push_back(0);
      for (int p = begin[t]; p < begin[t + 1]; p++) over_ngrams[t] |= ngrams[column[p]];
    }
  }
  bool constant(int t) const { return begin[t] == begin[t + 1]; }
};

// The attributes that templates read, each once.
inline std::vector<int32_t> attributes_of(const Program& program) {
  std::vector<int32_t> found = program.column;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

inline uint64_t constant_hash(const Program& program, int t) {
  return finish(program.seed[t]) & program.kept[t];
}

// The value at an offset outside the sentence: the distance from its start or end.
inline uint64_t padding(int64_t distance) {
  return mix(0x5851f42d4c957f2dULL + static_cast<uint64_t>(distance));
}

// Four hashes at a time, in integers: every instruction set gives the same.
#if defined(LATPERC_VECTORS)
typedef uint64_t Hashes4 __attribute__((vector_size(32)));
LATPERC_INLINE void join_all(Hashes4& h, const Hashes4& value) {
  h = (h ^ value) * kJoin;
  h ^= h >> 29;
}
LATPERC_INLINE void finish_all(Hashes4& h, uint64_t kept) { h = (h * kFinish) & kept; }
#else
struct Hashes4 {
  uint64_t x[4];
};
inline void join_all(Hashes4& h, const Hashes4& value) {
  for (int j = 0; j < 4; j++) h.x[j] = join(h.x[j], value.x[j]);
}
inline void finish_all(Hashes4& h, uint64_t kept) {
  for (uint64_t& x : h.x) x = finish(x) & kept;
}
#endif

template <int kParts>
LATPERC_INLINE void join_strips(uint64_t seed, const uint64_t* const* in, int parts, uint64_t kept,
                                int count, uint64_t* out) {
  for (int i = 0; i < count; i += 4) {
    uint64_t same[4] = {seed, seed, seed, seed};
    Hashes4 h, value;
    std::memcpy(&h, same, sizeof(h));
    for (int p = 0; p < (kParts ? kParts : parts); p++) {
      std::memcpy(&value, in[p] + i, sizeof(value));
      join_all(h, value);
    }
    finish_all(h, kept);
    std::memcpy(out + i, &h, sizeof(h));
  }
}

// Joins in[0][i], in[1][i], ... to the hash out[i] for i < count. Reads and writes in steps of
// four.
LATPERC_WIDE_CLONES static void join_columns(uint64_t seed, const uint64_t* const* in, int parts,
                                             uint64_t kept, int count, uint64_t* out) {
  if (parts == 1) {
    join_strips<1>(seed, in, parts, kept, count, out);
  } else if (parts == 2) {
    join_strips<2>(seed, in, parts, kept, count, out);
  } else {
    join_strips<0>(seed, in, parts, kept, count, out);
  }
}

// Copies attributes to columns: attribute a of token i to to[a * room + i].
LATPERC_CLONES static void spread_attributes(const int32_t* wanted, size_t count,
                                             const int32_t* place, const uint64_t* columns,
                                             size_t width, const uint64_t* const* words, int tokens,
                                             size_t room, uint64_t* to) {
  for (size_t k = 0; k < count; k++) {
    const int32_t at = place[wanted[k]];
    uint64_t* out = to + static_cast<size_t>(wanted[k]) * room;
    if (at < 0) {
      for (int i = 0; i < tokens; i++) out[i] = words[i][-1 - at];
      continue;
    }
    const uint64_t* in = columns + at;
    int i = 0;
    for (; i + 4 <= tokens; i += 4, in += 4 * width) {
      const uint64_t four[4] = {in[0], in[width], in[2 * width], in[3 * width]};
      std::memcpy(out + i, four, sizeof(four));
    }
    for (; i < tokens; i++, in += width) out[i] = *in;
  }
}

class Tile {
 public:
  explicit Tile(const Program& program) : Tile(program, attributes_of(program)) {}
  // wanted: the attributes that the program and `grams` read.
  Tile(const Program& program, const std::vector<int32_t>& wanted)
      : program_(program),
        wanted_(wanted),
        window_(static_cast<size_t>(program.columns) * kWindow),
        hashes_(static_cast<size_t>(program.size()) * kTile) {
    for (int k = 0; k < kReach; k++) {
      pads_[k] = padding(k - kReach);
      pads_[kReach + k] = padding(k + 1);
    }
  }

  // The attributes and the first token of the last tile, and the length of its sentence.
  const TokenAttributes& attributes() const { return attrs_; }
  int64_t first() const { return first_; }
  int64_t sentence() const { return n_; }

  // The hash of template t of another program over the same attributes, at token first + i
  // of the last tile.
  uint64_t one(const Program& program, int t, int i) const {
    uint64_t h = program.seed[t];
    for (int p = program.begin[t]; p < program.begin[t + 1]; p++) {
      h = join(h, value(program.column[p], first_ + i + program.offset[p]));
    }
    return finish(h) & program.kept[t];
  }

  // Hashes the values in these columns at these offsets, for each of `span` tokens from
  // first + low on, which may lie up to kReach outside the tile. `out` has room for kSpan.
  static constexpr int kSpan = kTile + 2 * kReach + 2;
  void grams(uint64_t seed, const std::vector<int32_t>& column, const std::vector<int32_t>& offset,
             int low, int span, uint64_t* out) {
    parts_.clear();
    for (size_t k = 0; k < column.size(); k++) parts_.push_back(place(column[k], low + offset[k]));
    join_columns(seed, parts_.data(), static_cast<int>(parts_.size()), ~uint64_t{0}, span, out);
  }

  // Hashes tokens [first, first + count) of a sentence of n tokens whose attributes are given:
  // element [t * kTile + i] is the hash of template t at token first + i.
  View<const uint64_t> hash(const TokenAttributes& attrs, int64_t n, int64_t first, int count) {
    attrs_ = attrs;
    n_ = n;
    first_ = first;
    fill_window(count);
    for (int t = 0; t < program_.size(); t++) {
      parts_.clear();
      for (int p = program_.begin[t]; p < program_.begin[t + 1]; p++) {
        parts_.push_back(place(program_.column[p], program_.offset[p]));
      }
      join_columns(program_.seed[t], parts_.data(), static_cast<int>(parts_.size()),
                   program_.kept[t], count, hashes_.data() + static_cast<size_t>(t) * kTile);
    }
    return view(hashes_);
  }

 private:
  // The tokens of a column: the tile, the tokens in reach of its offsets, and what the last
  // step of four reads past the end.
  static constexpr int kWindow = kTile + 2 * kReach + 6;

  // The value at token first + i.
  const uint64_t* place(int32_t column, int i) const {
    return window_.data() + static_cast<size_t>(column) * kWindow + kReach + i;
  }

  uint64_t value(int32_t column, int64_t i) const {
    if (i < 0) return padding(i);
    return i < n_ ? attrs_.value(static_cast<size_t>(i), column) : padding(i - n_ + 1);
  }

  void fill_window(int count) {
    const int64_t begin = std::max<int64_t>(0, first_ - kReach);
    const int64_t end = std::min<int64_t>(n_, first_ + count + kReach);
    for (int32_t a : wanted_) {
      uint64_t* to = window_.data() + static_cast<size_t>(a) * kWindow;
      if (first_ < kReach) std::copy_n(pads_ + first_, kReach - first_, to);
      if (end < first_ + count + kReach) {
        std::copy_n(pads_ + kReach, first_ + count + kReach - end, to + (end - first_ + kReach));
      }
    }
    const size_t tokens = static_cast<size_t>(end - begin);
    const size_t at = static_cast<size_t>(begin);
    const size_t width = attrs_.width;
    spread_attributes(wanted_.data(), wanted_.size(), attrs_.place.all(),
                      attrs_.columns.at(at * width, tokens * width), width,
                      attrs_.words.all() ? attrs_.words.at(at, tokens) : nullptr,
                      static_cast<int>(tokens), kWindow,
                      window_.data() + (begin - first_ + kReach));
  }

  const Program& program_;
  std::vector<int32_t> wanted_;   // attributes
  TokenAttributes attrs_;         // of the sentence
  int64_t n_ = 0, first_ = 0;     // the length of the sentence; the first token of the tile
  uint64_t pads_[2 * kReach];     // values before and after a sentence
  std::vector<uint64_t> window_;  // [columns, kWindow]
  std::vector<uint64_t> hashes_;  // [templates, kTile]
  std::vector<const uint64_t*> parts_;
};

}  // namespace latperc
