// Packed features: pattern codes in place of the ids of all features.
//
// Templates that read the same attributes at different offsets are a family, and the values
// of a family at one place of a sentence are a pattern. A new pattern gives the features of
// its templates consecutive ids, so that one code per family and place determines all ids.
// The nineteen base templates have five families.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/checked.hh"
#include "hashing/families.hh"
#include "hashing/index.hh"
#include "hashing/templates.hh"
#include "simd/lanes.hh"

namespace latperc {

// The index of features: a new feature gets the next id (1, 2, ...). The members are
// references to those of a feature space.
struct FeatureIds {
  KeyMap& index;
  std::vector<uint64_t>& keys;   // id -> hash
  std::vector<int32_t>& counts;  // by id; empty without a frequency cut-off

  FeatureIds(KeyMap& index, std::vector<uint64_t>& keys, std::vector<int32_t>& counts)
      : index(index), keys(keys), counts(counts) {}

  int32_t grow(uint64_t key) {
    const int32_t fresh = static_cast<int32_t>(keys.size());
    const int32_t found = index.insert(key, fresh);
    if (found == fresh) {
      keys.push_back(key);
      if (!counts.empty()) counts.push_back(0);
    }
    return found;
  }
};

// A stored sentence: codes, or the ids themselves, [n, templates].
struct KeptIds {
  View<const int32_t> codes;
  size_t size = 0;  // number of codes
  int64_t n = 0;
  bool packed = false;
};

class Patterns {
 public:
  void build(const Program& program) {
    program_ = &program;
    std::vector<Family> found;
    for (int t = 0; t < program.size(); t++) {
      if (program.constant(t) || program.reads_ngrams(t)) {
        constants_.push_back(t);
      } else {
        add(family_of(program, t), &found);
      }
    }
    direct_.columns = program.columns;
    direct_.begin.push_back(0);
    for (const Family& family : found) add_codes(family);
    beyond_before_.resize(families_.size() + direct_of_.size() + 1, beyond_);
    clear();
  }

  // True if codes take less memory than an id for each template.
  bool pays() const { return 4 * codes_of_token() <= 3 * templates(); }

  size_t templates() const { return static_cast<size_t>(program_->size()); }
  // The number of codes of sentences with so many tokens in all.
  size_t codes(int64_t tokens, size_t sentences) const {
    return static_cast<size_t>(tokens) * codes_of_token() + sentences * beyond_;
  }
  size_t bytes() const { return index_.bytes() + 4 * scattered_.capacity(); }

  // Clears all patterns and ids.
  void clear() {
    index_.clear();
    scattered_.clear();
    scattered_.shrink_to_fit();
    constant_ids_.assign(constants_.size(), 0);
  }

  // Packs sentences; new features get ids.
  class Packer {
   public:
    explicit Packer(Patterns& patterns)
        : patterns_(patterns),
          tile_(patterns.direct_, attributes_of(*patterns.program_)),
          keys_(patterns.families_.size() * Tile::kSpan) {}

    void pack(const TokenAttributes& attrs, int64_t n, FeatureIds features, int32_t* codes) {
      for (int64_t first = 0; first < n; first += kTile) {
        const int tokens = static_cast<int>(std::min<int64_t>(kTile, n - first));
        pack_tile(attrs, n, first, tokens, features, codes);
      }
    }

   private:
    void pack_tile(const TokenAttributes& attrs, int64_t n, int64_t first, int tokens,
                   FeatureIds& features, int32_t* codes) {
      Patterns& p = patterns_;
      const View<const uint64_t> direct = tile_.hash(attrs, n, first, tokens);
      const size_t F = p.families_.size(), D = p.direct_of_.size();
      for (size_t f = 0; f < F; f++) {
        const Family& family = p.families_[f];
        uint64_t* keys = keys_.data() + f * Tile::kSpan;
        const int span = tokens + family.high - family.low;
        tile_.grams(family.seed, family.column, family.offset, family.low, span, keys);
        for (int i = 0; i < span; i++) p.index_.prefetch(keys[i]);
      }
      for (size_t d = 0; d < D; d++) {
        for (int i = 0; i < tokens; i++) features.index.prefetch(direct[d * kTile + i]);
      }
      for (size_t k = 0; k < p.constants_.size(); k++) {
        int32_t& id = p.constant_ids_[k];
        if (id || p.program_->reads_ngrams(p.constants_[k])) continue;
        id = features.grow(constant_hash(*p.program_, p.constants_[k]));
      }
      for (size_t f = 0; f < F; f++) {
        const Family& family = p.families_[f];
        const uint64_t* keys = keys_.data() + f * Tile::kSpan;
        int32_t* out = codes + p.begin(f, n) + first;
        const int span = tokens + family.high - family.low;
        for (int i = 0; i < span; i++) {
          const int32_t known = p.index_.find(keys[i]);
          out[i] = known ? known : meet(family, keys[i], i + family.low, features);
        }
      }
      for (size_t d = 0; d < D; d++) {
        int32_t* out = codes + p.begin(F + d, n) + first;
        for (int i = 0; i < tokens; i++) out[i] = features.grow(direct[d * kTile + i]);
      }
    }

    // The code of a new pattern that begins at a token of the tile or near it.
    int32_t meet(const Family& family, uint64_t key, int place, FeatureIds& features) {
      ids_.clear();
      bool in_order = true;
      for (const Family::Member& member : family.members) {
        ids_.push_back(
            features.grow(tile_.one(*patterns_.program_, member.group, place - member.shift)));
        in_order = in_order && ids_.back() == ids_[0] + static_cast<int32_t>(ids_.size()) - 1;
      }
      std::vector<int32_t>& scattered = patterns_.scattered_;
      const int32_t code = in_order ? ids_[0] : -static_cast<int32_t>(scattered.size()) - 1;
      patterns_.index_.insert(key, code);
      if (!in_order) scattered.insert(scattered.end(), ids_.begin(), ids_.end());
      return code;
    }

    Patterns& patterns_;
    Tile tile_;
    std::vector<uint64_t> keys_;  // [families, kSpan]
    std::vector<int32_t> ids_;    // of one pattern
  };

  // The ids of a sentence, [n, templates], written to `storage` if they are packed.
  View<const int32_t> ids(const KeptIds& kept, std::vector<int32_t>* storage) const {
    return ids(kept, storage, [](int32_t, size_t) {});
  }
  // Calls visit(id, count) for each id, or for the first of `count` consecutive ids.
  template <class Visit>
  LATPERC_INLINE View<const int32_t> ids(const KeptIds& kept, std::vector<int32_t>* storage,
                                         const Visit& visit) const {
    const size_t T = templates(), count = static_cast<size_t>(kept.n) * T;
    if (!kept.packed) {
      const int32_t* const ids = kept.codes.at(0, count);
      for (size_t k = 0; k < count; k++) visit(ids[k], 1);
      return kept.codes;
    }
    // Ids of a pattern at tokens outside the sentence are written there too.
    const size_t beyond = 2 * kReach * T;
    if (storage->size() < count + 2 * beyond) storage->resize(count + 2 * beyond);
    int32_t* const ids = storage->data() + beyond;
    unpack(kept.codes.at(0, kept.size), kept.n, ids, visit);
    return View<const int32_t>(ids, count);
  }
  void copy_ids(const KeptIds& kept, std::vector<int32_t>* storage, int32_t* to) const {
    const size_t count = static_cast<size_t>(kept.n) * templates();
    std::copy_n(ids(kept, storage).at(0, count), count, to);
  }

 private:
  size_t codes_of_token() const { return families_.size() + direct_of_.size(); }

  // The place of the codes of a family in a sentence of n tokens.
  size_t begin(size_t family, int64_t n) const {
    return family * static_cast<size_t>(n) + beyond_before_[family];
  }

  template <class Visit>
  LATPERC_INLINE void unpack(const int32_t* codes, int64_t n, int32_t* ids,
                             const Visit& visit) const {
    const size_t T = templates();
    for (size_t k = 0; k < constants_.size(); k++) {
      int32_t* to = ids + constants_[k];
      for (int64_t i = 0; i < n; i++, to += T) *to = constant_ids_[k];
    }
    for (size_t f = 0; f < families_.size(); f++) {
      const Family& family = families_[f];
      const int32_t* const from = codes + begin(f, n);
      const int64_t span = n + family.high - family.low;
      const int64_t* const to = family_places_[f].data();
      int32_t* const first = ids + family.low * static_cast<int64_t>(T);
      switch (family.members.size()) {
        case 2:
          unpack_family<2>(from, span, to, 2, first, visit);
          break;
        case 3:
          unpack_family<3>(from, span, to, 3, first, visit);
          break;
        case 4:
          unpack_family<4>(from, span, to, 4, first, visit);
          break;
        case 5:
          unpack_family<5>(from, span, to, 5, first, visit);
          break;
        default:
          unpack_family<0>(from, span, to, family.members.size(), first, visit);
      }
    }
    for (size_t d = 0; d < direct_of_.size(); d++) {
      const int32_t* const code = codes + begin(families_.size() + d, n);
      int32_t* to = ids + direct_of_[d];
      for (int64_t i = 0; i < n; i++, to += T) {
        *to = code[i];
        visit(code[i], 1);
      }
    }
  }
  template <size_t kMembers, class Visit>
  LATPERC_INLINE void unpack_family(const int32_t* codes, int64_t span, const int64_t* to,
                                    size_t members, int32_t* ids, const Visit& visit) const {
    const size_t T = templates();
    if (kMembers) members = kMembers;
    for (int64_t p = 0; p < span; p++, ids += T) {
      const int32_t code = codes[p];
      if (code >= 0) {
        for (size_t m = 0; m < members; m++) ids[to[m]] = code + static_cast<int32_t>(m);
        visit(code, members);
      } else {
        const int32_t* const scattered = scattered_.data() - (code + 1);
        for (size_t m = 0; m < members; m++) {
          ids[to[m]] = scattered[m];
          visit(scattered[m], 1);
        }
      }
    }
  }

  static void add(const Family& family, std::vector<Family>* families) {
    for (Family& known : *families) {
      if (!alike(known, family)) continue;
      known.members.push_back(family.members[0]);
      return;
    }
    families->push_back(family);
  }

  void add_codes(Family family) {
    if (family.members.size() == 1) {  // stored as the id
      direct_of_.push_back(family.members[0].group);
      append_program(*program_, family.members[0].group, &direct_);
      return;
    }
    family.seed = mix(families_.size() + 1);
    find_reach(&family);
    beyond_before_.push_back(beyond_);
    beyond_ += static_cast<size_t>(family.high - family.low);
    family_places_.emplace_back();
    for (const Family::Member& member : family.members) {
      const int64_t T = static_cast<int64_t>(templates());
      family_places_.back().push_back(member.group - member.shift * T);
    }
    families_.push_back(std::move(family));
  }

  const Program* program_ = nullptr;
  std::vector<int32_t> constants_;     // templates without attributes, and those over n-grams
  std::vector<int32_t> constant_ids_;  // the ids of their features; of n-grams 0
  std::vector<Family> families_;
  // For each family, the places of the ids of a pattern, relative to its token.
  std::vector<std::vector<int64_t>> family_places_;
  Program direct_;                     // templates without others in their family
  std::vector<int32_t> direct_of_;     // the numbers of these templates
  std::vector<size_t> beyond_before_;  // additional codes of the families before
  size_t beyond_ = 0;                  // additional codes of all families
  KeyMap index_;                       // hash of a pattern -> code
  // Ids of patterns that are not consecutive, from place -1 - code on.
  std::vector<int32_t> scattered_;
};

}  // namespace latperc
