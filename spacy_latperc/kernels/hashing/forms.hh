// The forms under which a word is looked up in a foreign table (knowledge/normalise.py), for
// words of Latin letters. Python handles all other words.
#pragma once
#include <cstddef>
#include <cstdint>

#include "hashing/text.hh"

namespace latperc {

// Properties of characters, taken from Python.
struct Letters {
  static constexpr int kKnown = 0x300;
  static constexpr uint16_t kAsk = 0xffff;  // the result is not a single character

  uint16_t small[kKnown], capital[kKnown];
  bool letter[kKnown];
};

struct Forms {
  static constexpr int64_t kUnknown = -1, kAskForms = -2;
  static constexpr int kNoDigit = 0, kAskDigits = -1;

  const Letters* letters = nullptr;
  bool lower = true;     // look up the lower-case form
  int digit = '0';       // the replacement for digits; kNoDigit or kAskDigits
  bool classes = true;   // look up classes of URLs and mentions, which Python finds
  bool back_off = true;  // capitalised, after the last hyphen, or after the last hash sign

  // The first row >= 0 that look(hash) returns for a form. ask(hash) prefetches for `look`:
  // most words that are not found as written need all their forms looked up.
  template <class Ask, class Look>
  int64_t find(const Text& text, const Ask& ask, const Look& look) const {
    return text.visit([&](const auto* word, size_t n) -> int64_t {
      if (n == 0) return kUnknown;
      const int64_t row = look(hash_of(word, n, [](size_t, int c) { return c; }));
      if (row >= 0) return row;
      bool plain = true;  // only letters
      for (size_t i = 0; i < n; i++) {
        const auto c = word[i];
        if (c >= Letters::kKnown) return kAskForms;
        if (letters->small[c] == Letters::kAsk || letters->capital[c] == Letters::kAsk) {
          return kAskForms;
        }
        plain = plain && letters->letter[c];
      }
      if (!plain && classes && may_have_class(word, n)) return kAskForms;
      if (!plain && digit == kAskDigits && has_digit(word, n)) return kAskForms;
      uint64_t hashes[kMost];
      size_t count = 0;
      each_other(word, n, plain, [&](uint64_t hash) {
        ask(hash);
        hashes[count++] = hash;
      });
      for (size_t k = 0; k < count; k++) {
        const int64_t found = look(hashes[k]);
        if (found >= 0) return found;
      }
      return kUnknown;
    });
  }

 private:
  static constexpr size_t kMost = 12;  // the largest number of forms

  static bool is_digit(int c) { return c >= '0' && c <= '9'; }
  int small(int c) const { return letters->small[c]; }

  template <class Char>
  static bool has_digit(const Char* word, size_t n) {
    for (size_t i = 0; i < n; i++) {
      if (is_digit(word[i])) return true;
    }
    return false;
  }
  template <class Char>
  bool is_small(const Char* word, size_t n) const {
    for (size_t i = 0; i < n; i++) {
      if (small(word[i]) != word[i]) return false;
    }
    return true;
  }

  // change(i, c) replaces character c at position i.
  template <class Char, class Change>
  static uint64_t hash_of(const Char* word, size_t n, const Change& change) {
    uint64_t h = static_cast<uint64_t>(n);
    for (size_t i = 0; i < n; i++) {
      h = join(h, static_cast<uint64_t>(change(i, static_cast<int>(word[i]))) + 1);
    }
    return mix(h);
  }

  template <class Char>
  bool may_have_class(const Char* word, size_t n) const {
    const auto begins = [&](const char* with, size_t size) {
      if (n < size) return false;
      for (size_t i = 0; i < size; i++) {
        if (small(word[i]) != with[i]) return false;
      }
      return true;
    };
    return (word[0] == '@' && n > 1) || begins("http", 4) || begins("www.", 4);
  }

  // Calls take(hash) for all forms but the word itself, in order. plain: only letters.
  template <class Char, class Take>
  void each_other(const Char* word, size_t n, bool plain, const Take& take) const {
    each_rewritten(word, n, take);
    if (!back_off) return;
    take(hash_of(word, n, [this](size_t i, int c) { return i ? small(c) : letters->capital[c]; }));
    if (plain) return;
    for (int sign : {'-', '#'}) {
      size_t rest = n;
      while (rest > 0 && word[rest - 1] != sign) rest--;
      if (rest == 0 || rest == n) continue;
      take(hash_of(word + rest, n - rest, [](size_t, int c) { return c; }));
      each_rewritten(word + rest, n - rest, take);
    }
  }

  // Calls take(hash) for the forms with other case and digits.
  template <class Char, class Take>
  void each_rewritten(const Char* word, size_t n, const Take& take) const {
    const bool lowers = lower && !is_small(word, n);
    const bool digits = digit != kNoDigit && has_digit(word, n);
    const auto zero = [this](int c) { return is_digit(c) ? digit : c; };
    if (lowers) take(hash_of(word, n, [this](size_t, int c) { return small(c); }));
    if (digits) take(hash_of(word, n, [&](size_t, int c) { return zero(c); }));
    if (lowers && digits) {
      take(hash_of(word, n, [&](size_t, int c) { return zero(small(c)); }));
    }
  }
};

}  // namespace latperc
