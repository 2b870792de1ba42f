// The n-grams of a text in hash tables with their counts.
//
// A slot holds 24 bits of the hash of an n-gram and the code of its count; 0 is free. N-grams
// that need only a count have a table of their own: the longest ones, and those that occur
// once, which have one word on each side.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashing/hash.hh"
#include "ngrams/count_codes.hh"

namespace latperc {

struct SlotTable {
  static constexpr size_t kNone = ~size_t(0);

  const uint32_t* slots = nullptr;
  size_t size = 0;
  size_t steps = 0;  // the largest distance of an n-gram from its home slot

  static uint32_t mark(uint64_t mixed) { return static_cast<uint32_t>(mixed) << 8; }
  static size_t home(uint64_t mixed, size_t size) {
    return static_cast<size_t>((mixed >> 32) * size >> 32);
  }

  // Finds the slot of an n-gram by its mixed hash. The search ends even in damaged tables.
  size_t find(uint64_t mixed) const {
    const uint32_t wanted = mark(mixed);
    size_t at = home(mixed, size);
    for (size_t step = 0; step <= steps; step++) {
      if (!slots[at]) return kNone;
      if ((slots[at] & ~0xffu) == wanted) return at;
      at = at + 1 == size ? 0 : at + 1;
    }
    return kNone;
  }

  void prefetch(uint64_t mixed) const { __builtin_prefetch(slots + home(mixed, size)); }

  double count(size_t slot) const {
    return slot == kNone ? 0 : CountCodes::shared().number(slots[slot] & 0xff);
  }
};

// A table under construction.
class SlotFilling {
 public:
  static constexpr double kFull = 0.85;

  static size_t room(size_t entries) {
    return static_cast<size_t>(static_cast<double>(entries) / kFull) + 8;
  }

  void open(size_t entries) {
    slots.assign(room(entries), 0);
    steps = 0;
  }

  // RETURNS: the slot of an n-gram, occupied if it is new.
  size_t place(uint64_t h) {
    const uint64_t mixed = mix(h);
    const uint32_t wanted = SlotTable::mark(mixed);
    size_t at = SlotTable::home(mixed, slots.size()), step = 0;
    while (slots[at] && (slots[at] & ~0xffu) != wanted) {
      at = at + 1 == slots.size() ? 0 : at + 1;
      step++;
    }
    if (!slots[at]) slots[at] = wanted;
    steps = std::max(steps, step);
    return at;
  }

  double count(size_t slot) const { return CountCodes::shared().number(slots[slot] & 0xff); }
  void set(size_t slot, double count) {
    slots[slot] = (slots[slot] & ~0xffu) | CountCodes::shared().code(count);
  }

  std::vector<uint32_t> slots;
  size_t steps = 0;
};

struct EvidenceTable {
  static constexpr uint64_t kBegin = 1, kEnd = 2;  // the hashes of start and end symbols
  static constexpr uint64_t kGram = 3;

  SlotTable slots, plain;
  // Codes by slot of `slots`: see Ngram.
  const uint8_t* adjusted = nullptr;
  const uint16_t* total = nullptr;
  const uint16_t* rest = nullptr;

  // A bit for each mark in one of the tables; may be null. It saves look-ups of unknown n-grams.
  static constexpr uint64_t kMarks = 1 << 24;
  const uint8_t* marks = nullptr;
  static void note_marks(const SlotTable& table, uint8_t* marks) {
    for (size_t at = 0; at < table.size; at++) {
      const uint32_t mark = table.slots[at] >> 8;
      if (table.slots[at]) marks[mark >> 3] |= static_cast<uint8_t>(1 << (mark & 7));
    }
  }

  // True if n-grams of this count are in `plain`.
  static bool is_plain(int length, int order, double count) {
    return length == order || count <= 1;
  }

  // False if no table has the n-gram, as for most n-grams of a sentence.
  bool may_have(uint64_t mixed) const {
    if (!marks) return true;
    const uint64_t bit = mixed & (kMarks - 1);
    return marks[bit >> 3] >> (bit & 7) & 1;
  }
  void prefetch_mark(uint64_t mixed) const {
    if (marks) __builtin_prefetch(marks + ((mixed & (kMarks - 1)) >> 3));
  }
  void prefetch(uint64_t mixed, bool longest) const {
    plain.prefetch(mixed);
    if (!longest) slots.prefetch(mixed);
  }

  static uint64_t start() { return kGram; }
  static uint64_t longer(uint64_t h, uint64_t word) { return join(h, word); }
};

}  // namespace latperc
