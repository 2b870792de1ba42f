// Finds the rows of frozen weights for the attributes of a sentence.
//
// Sums of groups of templates are cached by the values that they depend on. Groups that read
// the same values at different offsets (the previous word, the word, the next word) form a
// family: one look-up of a word finds its contribution to the scores of all tokens around it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hashing/families.hh"
#include "hashing/index.hh"
#include "hashing/templates.hh"
#include "hashing/values.hh"
#include "simd/lanes.hh"
#include "weights/weights.hh"

namespace latperc {

struct FrozenRows {
  KeyMap index;                // feature hash -> row (1, 2, ...)
  std::vector<uint64_t> keys;  // row - 1 -> hash
  RowParts parts;
  Plane w;  // row 0 is zero

  // rows, floats: upper limits.
  void start(const BlockShape& shape, size_t rows, size_t floats) {
    index.clear();
    index.reserve(rows, 0.3);  // sparse: hardly a bucket overflows
    keys.clear();
    keys.reserve(rows);
    parts.reset(shape);
    w = Plane();
    w.reserve(std::min(shape.stride() * (rows + 1), floats));
    parts.append_row();
    w.resize(parts.floats());
  }
  // Appends a row with room for these parts; returns 0 if the key exists.
  int32_t append(uint64_t key, const std::vector<uint32_t>& histories) {
    const int32_t row = static_cast<int32_t>(keys.size()) + 1;
    if (index.insert(key, row) != row) return 0;
    keys.push_back(key);
    parts.append_row(histories);
    w.resize(parts.floats());
    return row;
  }
};

// The look-ups for a block.
class LookUps {
 public:
  // keys: a program of one hash for each varying group (see Frozen).
  LookUps(const BlockShape& shape, const Program& keys) {
    direct_.columns = keys.columns;
    direct_.begin.push_back(0);
    std::vector<Family> candidates;
    std::vector<uint8_t> pays;
    for (int v = 0; v < keys.size(); v++) {
      Family alone = family_of(keys, v);
      size_t f = 0;
      while (f < candidates.size() && !alike(candidates[f], alone)) f++;
      if (f == candidates.size()) {
        alone.seed = mix(f + 1);
        candidates.push_back(alone);
        pays.push_back(0);
      } else {
        candidates[f].members.push_back(alone.members[0]);
      }
      if (shape.kind != Kind::state || keys.constant(v)) continue;
      // Words repeat often, pairs of words seldom.
      const bool one_token = *std::max_element(alone.offset.begin(), alone.offset.end()) == 0;
      const bool again = one_token && shape.stride() <= kShort && candidates[f].members.size() > 1;
      pays[f] |= size_of_group(shape, v) > 1 || again;
    }
    for (size_t f = 0; f < candidates.size(); f++) {
      Family& family = candidates[f];
      if (pays[f]) {
        find_reach(&family);
        columns_.insert(columns_.end(), family.column.begin(), family.column.end());
        families_.push_back(family);
      } else {
        for (const Family::Member& member : family.members) add_direct(keys, member.group);
      }
    }
    columns_.insert(columns_.end(), direct_.column.begin(), direct_.column.end());
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  }

  const std::vector<Family>& families() const { return families_; }
  // The attributes that all keys are made of, each once.
  const std::vector<int32_t>& columns() const { return columns_; }
  const Program& direct() const { return direct_; }
  // The group of each template of `direct`.
  const std::vector<int32_t>& direct_groups() const { return direct_groups_; }

  static int first_of_group(const BlockShape& shape, int v) { return v ? shape.groups[v - 1] : 0; }
  static int size_of_group(const BlockShape& shape, int v) {
    if (shape.kind != Kind::state) return 1;
    return shape.groups[v] - first_of_group(shape, v);
  }

 private:
  static constexpr size_t kShort = 128;  // floats of a row

  void add_direct(const Program& keys, int32_t v) {
    direct_groups_.push_back(v);
    append_program(keys, v, &direct_);
  }

  std::vector<Family> families_;
  std::vector<int32_t> columns_;
  Program direct_;
  std::vector<int32_t> direct_groups_;
};

// A cache of the sums of groups by the attributes that they depend on, with the members of a
// family side by side.
struct Memo {
  KeyMap index;   // key -> row of the first member (1, 2, ...)
  Plane w{true};  // fills slowly: row - 1 -> sum

  // Clears the cache, with a fixed size: growing would cost more than it saves.
  void start(size_t rows, size_t stride) {
    index.clear();
    index.reserve(rows, 0.5);
    w.clear();
    w.reserve(rows * stride);
  }
};

class RowFinder {
 public:
  RowFinder(const BlockShape& shape, const LookUps& look_ups)
      : shape_(shape),
        look_ups_(look_ups),
        tile_(look_ups.direct(), look_ups.columns()),
        keys_(look_ups.families().size() * kSpan),
        found_(look_ups.families().size() * kSpan) {}

  const Memo& memo() const { return memo_; }

  // Codes of the rows of n tokens, [n, groups]: r is row r, and -1 - r is row r of the memo.
  void find(const Program& program, const FrozenRows& rows, const TokenAttributes& attrs, int64_t n,
            int groups, int32_t* out) {
    const size_t stride = shape_.stride();
    if (!look_ups_.families().empty() && (memo_.w.size() == 0 || memo_.w.size() > kMemoFloats)) {
      memo_.start(kMemoFloats / stride + 1, stride);
    }
    for (int64_t first = 0; first < n; first += kTile) {
      const int count = static_cast<int>(std::min<int64_t>(kTile, n - first));
      const size_t D = look_ups_.direct_groups().size();
      const View<const uint64_t> hashes = tile_.hash(attrs, n, first, count);
      find_tile(program, rows, D ? hashes.at(0, kTile * D) : nullptr, count, groups,
                out + static_cast<size_t>(first) * groups);
    }
  }

 private:
  static constexpr size_t kMemoFloats = 6u << 20;  // 24 MB a block and thread
  static constexpr int kSpan = Tile::kSpan;
  static constexpr size_t kKnown = ~size_t{0};

  // A key that is not in the cache.
  struct Missing {
    int family, place;
    size_t sums;  // place of its sums in the memo, or kKnown
  };

  // All look-ups of a tile are prefetched before the first is made, which hides the latency
  // of the memory.
  void find_tile(const Program& program, const FrozenRows& rows, const uint64_t* direct, int count,
                 int groups, int32_t* out) {
    const std::vector<Family>& families = look_ups_.families();
    const std::vector<int32_t>& alone = look_ups_.direct_groups();
    const int D = static_cast<int>(alone.size());
    const size_t stride = shape_.stride();
    for (size_t f = 0; f < families.size(); f++) {
      const Family& family = families[f];
      uint64_t* keys = keys_.data() + f * kSpan;
      const int span = count + family.high - family.low;
      tile_.grams(family.seed, family.column, family.offset, family.low, span, keys);
      for (int p = 0; p < span; p++) memo_.index.prefetch(keys[p]);
    }
    for (int d = 0; d < D; d++) {
      for (int i = 0; i < count; i++) rows.index.prefetch(direct[d * kTile + i]);
    }
    find_missing(count);
    hash_missing(program, rows);
    const bool whole = rows.parts.whole();
    rows_.resize(kTile);
    for (int d = 0; d < D; d++) {
      find_all(rows.index, direct + d * kTile, count, rows_.data());
      if (whole) {
        place<false>(rows_.data(), count, 0, rows.w.data(), groups, out + alone[d]);
        continue;
      }
      for (int i = 0; i < count; i++) {
        out[i * groups + alone[d]] = rows_[i];
        rows.parts.prefetch(rows_[i]);
      }
    }
    for (int d = 0; !whole && d < D; d++) {
      for (int i = 0; i < count; i++) {
        rows.parts.prefetch_found(out[i * groups + alone[d]], rows.w.data());
      }
    }
    number_missing(rows);
    for (size_t f = 0; f < families.size(); f++) {
      const Family& family = families[f];
      const int32_t members = static_cast<int32_t>(family.members.size());
      for (int32_t m = 0; m < members; m++) {
        const Family::Member& member = family.members[m];
        const int32_t* found = found_.data() + f * kSpan + member.shift - family.low;
        place<true>(found, count, m, memo_.w.data(), groups, out + member.group);
      }
    }
    sum_missing(rows);
  }

  // Writes the codes of rows, `groups` apart, and prefetches the rows, which are `plus` behind
  // the found ones.
  template <bool kRemembered>
  void place(const int32_t* found, int count, int32_t plus, const float* w, int groups,
             int32_t* out) const {
    const size_t stride = shape_.stride();
    if (kRemembered) w -= stride;  // number 1 is the first
    for (int i = 0; i < count; i++) {
      const int32_t row = found[i] + plus;
      out[static_cast<size_t>(i) * groups] = kRemembered ? -row : row;
      simd::prefetch_row(w + static_cast<size_t>(row) * stride, stride);
    }
  }

  // Missing sums are added in four steps, so that prefetches can arrive in between.
  // Step 1: find the missing keys.
  void find_missing(int count) {
    const std::vector<Family>& families = look_ups_.families();
    missing_.clear();
    for (size_t f = 0; f < families.size(); f++) {
      const int span = count + families[f].high - families[f].low;
      int32_t* found = found_.data() + f * kSpan;
      find_all(memo_.index, keys_.data() + f * kSpan, span, found);
      for (int p = 0; p < span; p++) {
        if (found[p] == KeyMap::kNone) missing_.push_back({static_cast<int>(f), p, kKnown});
      }
    }
  }

  // Step 2: hash the features of the missing sums.
  void hash_missing(const Program& program, const FrozenRows& rows) {
    hashes_.clear();
    weighted_.clear();
    counts_.clear();
    ListedFeatures listed(nullptr, program, 0, tile_.sentence(), tile_.attributes());
    for (const Missing& each : missing_) {
      const Family& family = look_ups_.families()[each.family];
      for (const Family::Member& member : family.members) {
        const int first = LookUps::first_of_group(shape_, member.group);
        const int size = LookUps::size_of_group(shape_, member.group);
        const int i = family.low + each.place - member.shift;
        const size_t begin = hashes_.size();
        bool any = false;
        for (int k = first; k < first + size; k++) {
          const bool ngrams = size > 1 && program.reads_ngrams(shape_.templates[k]);
          hashes_.push_back(ngrams ? 0 : tile_.one(program, shape_.templates[k], i));
          any |= ngrams;
        }
        for (int k = first; any && k < first + size; k++) {
          if (!program.reads_ngrams(shape_.templates[k])) continue;
          for (const auto& [hash, value] : listed.find(shape_.templates[k], tile_.first() + i)) {
            hashes_.push_back(hash);
            weighted_.push_back(value);
          }
        }
        counts_.push_back(hashes_.size() - begin - static_cast<size_t>(size));
        for (size_t k = begin; k < hashes_.size(); k++) rows.index.prefetch(hashes_[k]);
      }
    }
  }

  // Step 3: look up their rows, and allocate the sums.
  void number_missing(const FrozenRows& rows) {
    const size_t stride = shape_.stride();
    missing_rows_.resize(hashes_.size());
    find_all(rows.index, hashes_.data(), hashes_.size(), missing_rows_.data());
    for (int32_t row : missing_rows_) {
      simd::prefetch_row(rows.w.data() + static_cast<size_t>(row) * stride, stride);
    }
    for (Missing& each : missing_) {
      const Family& family = look_ups_.families()[each.family];
      const size_t at = static_cast<size_t>(each.family) * kSpan + each.place;
      const size_t end = memo_.w.size();
      const int32_t fresh = static_cast<int32_t>(end / stride) + 1;
      found_[at] = memo_.index.insert(keys_[at], fresh);
      if (found_[at] != fresh) continue;  // twice in this tile
      each.sums = end;
      memo_.w.resize(end + stride * family.members.size());
    }
  }

  // Step 4: add the rows.
  void sum_missing(const FrozenRows& rows) {
    const size_t stride = shape_.stride();
    const int32_t* next = missing_rows_.data();
    const float* value = weighted_.data();
    const size_t* count = counts_.data();
    for (const Missing& each : missing_) {
      float* sums = memo_.w.data() + each.sums;
      for (const Family::Member& member : look_ups_.families()[each.family].members) {
        const int size = LookUps::size_of_group(shape_, member.group);
        if (each.sums != kKnown) {
          simd::add_rows(rows.w.data(), stride, next, size, sums);
          simd::add_scaled_parts(rows.w.data(), stride, stride, next + size, value,
                                 static_cast<int64_t>(*count), sums);
          sums += stride;
        }
        next += static_cast<size_t>(size) + *count;
        value += *count++;
      }
    }
  }

  const BlockShape& shape_;
  const LookUps& look_ups_;
  Tile tile_;
  Memo memo_;
  std::vector<uint64_t> keys_;  // [families, kSpan]
  std::vector<int32_t> found_;  // [families, kSpan]
  std::vector<Missing> missing_;
  // The rows of missing sums: for each member of a family those of its templates, then those of
  // weighted n-grams, whose number is in counts_.
  std::vector<uint64_t> hashes_;
  std::vector<int32_t> missing_rows_;
  std::vector<float> weighted_;
  std::vector<size_t> counts_;
  std::vector<int32_t> rows_;
};

}  // namespace latperc
