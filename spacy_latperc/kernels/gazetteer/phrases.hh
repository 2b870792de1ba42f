// A set of phrases that finds the longest match at each token of a text.
//
// A phrase is a sequence of token hashes. The phrases form a trie: a node stands for a prefix
// and is identified by its 64-bit hash, so that one hash table is the whole trie. With n
// nodes, a token of the text collides with a wrong node with probability n / 2^64. A node
// counts the phrases that pass through it, and is removed with the last of them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/memory.hh"
#include "hashing/hash.hh"

namespace latperc {

// The position of a token in a match.
enum class Place : uint8_t { kOutside = 0, kBegin = 1, kInside = 2, kEnd = 3, kSingle = 4 };

// Every public call takes the lock: call it without the GIL.
class PhraseTrie {
 public:
  static constexpr size_t kMostNodes = 1u << 31;

  size_t phrases() const {
    const Reading lock(mutex_);
    return phrases_;
  }
  size_t nodes() const {
    const Reading lock(mutex_);
    return table_.size;
  }
  size_t bytes() const {
    const Reading lock(mutex_);
    return table_.slots * sizeof(Slot);
  }

  bool contains(const uint64_t* tokens, size_t n) const {
    const Reading lock(mutex_);
    return has(tokens, n);
  }

  // RETURNS: false if the phrase was in the set before.
  bool add(const uint64_t* tokens, size_t n) {
    const Writing lock(mutex_);
    if (n == 0 || has(tokens, n)) return false;
    reserve(table_.size + n);
    uint64_t name = kRoot;
    for (size_t i = 0; i < n; i++) {
      name = child(name, tokens[i]);
      const uint32_t last = i + 1 == n;
      table_.put(name, (table_.count(name) + kOne) | last);
    }
    phrases_++;
    return true;
  }

  // RETURNS: false if there is no such phrase.
  bool remove(const uint64_t* tokens, size_t n) {
    const Writing lock(mutex_);
    if (!has(tokens, n)) return false;
    uint64_t name = kRoot;
    for (size_t i = 0; i < n; i++) {
      name = child(name, tokens[i]);
      const uint32_t last = i + 1 == n;
      const uint32_t left = table_.count(name) - (kOne | last);
      if (left) {
        table_.put(name, left);
      } else {
        table_.erase(name);
      }
    }
    phrases_--;
    return true;
  }

  // Finds the position of each token in the longest matches, left to right; matches do not
  // overlap. Document d has the tokens docs[d] to docs[d + 1].
  //
  // Nodes are looked up a tile of tokens ahead of the matching: the children of the root are
  // prefetched first, then one tile later those of their children that exist.
  void match(const uint64_t* tokens, const int64_t* docs, size_t n_docs, uint8_t* places) const {
    const Reading lock(mutex_);
    const size_t begin = static_cast<size_t>(docs[0]), end = static_cast<size_t>(docs[n_docs]);
    if (table_.size == 0) {
      std::fill(places + begin, places + end, value(Place::kOutside));
      return;
    }
    Beginning beginnings[4 * kTile];
    const auto at = [&](size_t i) -> Beginning& { return beginnings[(i - begin) % (4 * kTile)]; };
    const int64_t* followed_doc = docs + 1;  // the end of the document of a token
    const int64_t* matched_doc = docs + 1;
    size_t free = begin;  // the first token at which a match may begin
    for (size_t first = begin; first < end + 2 * kTile; first += kTile) {
      for (size_t i = first; i < std::min(first + kTile, end); i++) {
        at(i).name = child(kRoot, tokens[i]);
        table_.prefetch(at(i).name);
      }
      if (first < begin + kTile) continue;
      for (size_t i = first - kTile; i < std::min(first, end); i++) {
        while (i >= static_cast<size_t>(*followed_doc)) followed_doc++;
        Beginning& beginning = at(i);
        beginning.count = table_.count(beginning.name);
        if (i + 1 == static_cast<size_t>(*followed_doc) || !goes_on(beginning.count)) continue;
        beginning.name = child(beginning.name, tokens[i + 1]);
        table_.prefetch(beginning.name);
      }
      if (first < begin + 2 * kTile) continue;
      for (size_t i = std::max(free, first - 2 * kTile); i < std::min(first - kTile, end);) {
        while (i >= static_cast<size_t>(*matched_doc)) matched_doc++;
        const size_t left = static_cast<size_t>(*matched_doc) - i;
        const size_t length = longest(at(i), tokens + i, left);
        write(length, places + i);
        i += std::max<size_t>(length, 1);
        free = i;
      }
    }
  }

  // All nodes by name, each with twice the number of its phrases, plus 1 if one ends there.
  void list(std::vector<uint64_t>* names, std::vector<uint32_t>* counts) const {
    const Reading lock(mutex_);
    std::vector<std::pair<uint64_t, uint32_t>> found;
    found.reserve(table_.size);
    for (size_t at = 0; at < table_.slots; at++) {
      const Slot& slot = table_.slot(at);
      if (slot.count) found.emplace_back(slot.name(), slot.count);
    }
    std::sort(found.begin(), found.end());
    names->reserve(found.size());
    counts->reserve(found.size());
    for (const auto& [name, count] : found) {
      names->push_back(name);
      counts->push_back(count);
    }
  }

  // Replaces the contents by the arrays of `list`. RETURNS: false, with nothing changed, if
  // the arrays are invalid.
  bool restore(const uint64_t* names, const uint32_t* counts, size_t n) {
    size_t phrases = 0;
    for (size_t i = 0; i < n; i++) phrases += counts[i] & 1;
    for (size_t i = 0; i < n; i++) {
      if (i && names[i] <= names[i - 1]) return false;
      if (counts[i] < kOne || counts[i] / kOne > phrases) return false;
    }
    Table fresh(slots_for(n));
    for (size_t i = 0; i < n; i++) fresh.put(names[i], counts[i]);
    const Writing lock(mutex_);
    table_ = std::move(fresh);
    phrases_ = phrases;
    return true;
  }

 private:
  using Reading = std::shared_lock<std::shared_mutex>;
  using Writing = std::unique_lock<std::shared_mutex>;

  // 12 bytes, read at random, nearly always from one cache line.
  struct Slot {
    uint64_t name() const { return static_cast<uint64_t>(high) << 32 | low; }
    void set_name(uint64_t name) {
      high = static_cast<uint32_t>(name >> 32);
      low = static_cast<uint32_t>(name);
    }

    uint32_t high, low;
    // kOne times the number of phrases through the node, plus 1 if one ends; 0 if empty.
    uint32_t count;
  };

  // A node is in the first free slot from the one that its name hashes to.
  struct Table {
    Table() = default;
    explicit Table(size_t n) : memory(n * sizeof(Slot)), slots(n) {}

    Slot& slot(size_t at) const { return static_cast<Slot*>(memory.data())[at]; }
    size_t home(uint64_t name) const { return static_cast<size_t>((name >> 32) * slots >> 32); }
    size_t after(size_t at) const { return at + 1 == slots ? 0 : at + 1; }

    // The slot of this node, or the empty slot where it would be.
    size_t locate(uint64_t name) const {
      size_t at = home(name);
      while (slot(at).count && slot(at).name() != name) at = after(at);
      return at;
    }

    uint32_t count(uint64_t name) const { return slot(locate(name)).count; }

    void put(uint64_t name, uint32_t count) {
      Slot& place = slot(locate(name));
      size += place.count == 0;
      place.set_name(name);
      place.count = count;
    }

    // Later entries move up if the gap kept them from a better slot.
    void erase(uint64_t name) {
      size_t gap = locate(name);
      for (size_t at = after(gap); slot(at).count; at = after(at)) {
        const size_t first = home(slot(at).name());
        const bool stays = gap <= at ? gap < first && first <= at : gap < first || first <= at;
        if (stays) continue;
        slot(gap) = slot(at);
        gap = at;
      }
      slot(gap) = Slot{0, 0, 0};
      size--;
    }

    void prefetch(uint64_t name) const {
#if defined(__GNUC__)
      __builtin_prefetch(&slot(home(name)));
#else
      (void)name;
#endif
    }

    Memory memory;
    size_t slots = 0;
    size_t size = 0;
  };

  static constexpr uint64_t kRoot = 0x6a09e667f3bcc909ULL;
  static constexpr uint32_t kOne = 2;
  static constexpr double kFull = 0.5;  // load factor: most look-ups miss
  static constexpr size_t kSmallest = 16;
  static constexpr size_t kTile = 32;  // tokens

  // The node of the phrases that begin at a token.
  struct Beginning {
    uint64_t name;   // of the child of the root, then of its child
    uint32_t count;  // of the first
  };

  static uint8_t value(Place place) { return static_cast<uint8_t>(place); }

  // True if phrases continue after a node, that is, unless it does not exist or the only
  // phrase through it ends there.
  static bool goes_on(uint32_t count) { return count != 0 && count != (kOne | 1); }

  static uint64_t child(uint64_t name, uint64_t token) { return mix(join(name, token)); }

  static size_t slots_for(size_t nodes) {
    if (nodes > kMostNodes) throw std::length_error("too many phrases");
    return std::max(kSmallest, static_cast<size_t>(static_cast<double>(nodes) / kFull) + 1);
  }

  void reserve(size_t nodes) {
    if (slots_for(nodes) <= table_.slots) return;
    Table fresh(slots_for(std::max(nodes, table_.size + table_.size / 2)));
    for (size_t at = 0; at < table_.slots; at++) {
      const Slot& slot = table_.slot(at);
      if (slot.count) fresh.put(slot.name(), slot.count);
    }
    table_ = std::move(fresh);
  }

  // True if all prefixes of the phrase exist too, which may fail only in a damaged file.
  bool has(const uint64_t* tokens, size_t n) const {
    if (n == 0 || table_.size == 0) return false;
    uint64_t name = kRoot;
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++) {
      name = child(name, tokens[i]);
      count = table_.count(name);
      if (count < kOne) return false;
    }
    return count & 1;
  }

  // The length of the longest phrase among the first n tokens; 0 if none.
  size_t longest(const Beginning& beginning, const uint64_t* tokens, size_t n) const {
    size_t length = beginning.count & 1;
    uint64_t name = beginning.name;
    uint32_t count = beginning.count;
    for (size_t i = 1; i < n && goes_on(count); i++) {
      if (i > 1) name = child(name, tokens[i]);
      count = table_.count(name);
      if (count & 1) length = i + 1;
    }
    return length;
  }

  static void write(size_t length, uint8_t* places) {
    places[0] = value(length == 0 ? Place::kOutside : length == 1 ? Place::kSingle : Place::kBegin);
    for (size_t k = 1; k < length; k++) places[k] = value(Place::kInside);
    if (length > 1) places[length - 1] = value(Place::kEnd);
  }

  mutable std::shared_mutex mutex_;
  Table table_;
  size_t phrases_ = 0;
};

}  // namespace latperc
