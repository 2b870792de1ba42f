// A set of phrases that finds the longest match at each token of a text.
//
// A phrase is a sequence of token hashes. The phrases form a trie: a node stands for a prefix
// and is identified by its 64-bit hash. With n nodes, a token of the text collides with a
// wrong node with probability n / 2^64. A node counts the phrases that pass through it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashing/hash.hh"
#include "hashing/index.hh"

namespace latperc {

// The position of a token in a match.
enum class Place : uint8_t { kOutside = 0, kBegin = 1, kInside = 2, kEnd = 3, kSingle = 4 };

class PhraseTrie {
 public:
  size_t phrases() const { return phrases_; }
  size_t nodes() const { return nodes_; }
  size_t bytes() const { return index_.bytes() + sizeof(uint32_t) * counts_.capacity(); }

  // True if all prefixes of the phrase exist too, which may fail only in a damaged file.
  bool contains(const uint64_t* tokens, size_t n) const {
    uint64_t name = kRoot;
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++) {
      name = child(name, tokens[i]);
      count = this->count(name);
      if (count < kOne) return false;
    }
    return count & 1;
  }

  // RETURNS: false if the phrase was in the set before.
  bool add(const uint64_t* tokens, size_t n) {
    if (n == 0 || contains(tokens, n)) return false;
    uint64_t name = kRoot;
    for (size_t i = 0; i < n; i++) {
      name = child(name, tokens[i]);
      uint32_t& count = node(name);
      nodes_ += count == 0;
      count = (count + kOne) | (i + 1 == n);
    }
    phrases_++;
    return true;
  }

  // RETURNS: false if there is no such phrase.
  bool remove(const uint64_t* tokens, size_t n) {
    if (!contains(tokens, n)) return false;
    uint64_t name = kRoot;
    for (size_t i = 0; i < n; i++) {
      name = child(name, tokens[i]);
      uint32_t& count = node(name);
      count -= kOne | (i + 1 == n);
      nodes_ -= count == 0;
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
    const size_t begin = static_cast<size_t>(docs[0]), end = static_cast<size_t>(docs[n_docs]);
    if (nodes_ == 0) {
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
        index_.prefetch(at(i).name);
      }
      if (first < begin + kTile) continue;
      for (size_t i = first - kTile; i < std::min(first, end); i++) {
        while (i >= static_cast<size_t>(*followed_doc)) followed_doc++;
        Beginning& beginning = at(i);
        beginning.count = count(beginning.name);
        if (i + 1 == static_cast<size_t>(*followed_doc) || !goes_on(beginning.count)) continue;
        beginning.name = child(beginning.name, tokens[i + 1]);
        index_.prefetch(beginning.name);
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
    index_.for_each([&](uint64_t name, int32_t node) {
      if (counts_[node]) names->push_back(name);
    });
    std::sort(names->begin(), names->end());
    for (uint64_t name : *names) counts->push_back(count(name));
  }

  // Fills an empty set from the arrays of `list`. RETURNS: false if they are invalid.
  bool restore(const uint64_t* names, const uint32_t* counts, size_t n) {
    for (size_t i = 0; i < n; i++) phrases_ += counts[i] & 1;
    index_.reserve(n, kLoad);
    for (size_t i = 0; i < n; i++) {
      if (i && names[i] <= names[i - 1]) return false;
      if (counts[i] < kOne || counts[i] / kOne > phrases_) return false;
      node(names[i]) = counts[i];
    }
    nodes_ = n;
    return true;
  }

 private:
  static constexpr uint64_t kRoot = 0x6a09e667f3bcc909ULL;
  static constexpr uint32_t kOne = 2;
  static constexpr double kLoad = 0.6;
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

  // kOne times the number of phrases through the node, plus 1 if one ends there.
  uint32_t count(uint64_t name) const { return counts_[index_.find(name)]; }

  // The count of a node, made if there is none. Nodes without phrases stay in the index until
  // the set is saved and read again.
  uint32_t& node(uint64_t name) {
    const int32_t number = index_.insert(name, static_cast<int32_t>(counts_.size()));
    if (static_cast<size_t>(number) == counts_.size()) counts_.push_back(0);
    return counts_[number];
  }

  // The length of the longest phrase among the first n tokens; 0 if none.
  size_t longest(const Beginning& beginning, const uint64_t* tokens, size_t n) const {
    size_t length = beginning.count & 1;
    uint64_t name = beginning.name;
    uint32_t count = beginning.count;
    for (size_t i = 1; i < n && goes_on(count); i++) {
      if (i > 1) name = child(name, tokens[i]);
      count = this->count(name);
      if (count & 1) length = i + 1;
    }
    return length;
  }

  static void write(size_t length, uint8_t* places) {
    places[0] = value(length == 0 ? Place::kOutside : length == 1 ? Place::kSingle : Place::kBegin);
    for (size_t k = 1; k < length; k++) places[k] = value(Place::kInside);
    if (length > 1) places[length - 1] = value(Place::kEnd);
  }

  KeyMap index_;                     // name -> node (1, 2, ...)
  std::vector<uint32_t> counts_{0};  // by node; 0 for names without one
  size_t phrases_ = 0, nodes_ = 0;
};

}  // namespace latperc
