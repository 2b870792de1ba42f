// The spelling class of a word (features/orthography.py), for words of ASCII or of Latin
// letters. Python handles all other words.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hashing/text.hh"

namespace latperc {

enum Spelling : int {
  kAskPython = -1,
  kRoman,
  kGreek,
  kGreekCompound,
  kDigits,
  kNumber,
  kOrdinal,
  kHyphenDigit,
  kDigitHyphen,
  kHyphen,
  kInitial,
  kInitials,
  kCapitalsDigits,
  kLettersDigits,
  kAtSign,
  kLower,
  kCapital,
  kCapitals,
  kTitle,
  kMixed,
  kMixedTitle,
  kPunctuation,
  kOtherTitle,
  kOther,
  kSpellings
};
// The names, in the same order.
constexpr const char* kSpellingNames[kSpellings] = {
    "roman",       "greek",           "greek-compound", "digits",  "number",
    "ordinal",     "hyphen-digit",    "digit-hyphen",   "hyphen",  "initial",
    "initials",    "capitals-digits", "letters-digits", "at-sign", "lower",
    "capital",     "capitals",        "title",          "mixed",   "mixed-title",
    "punctuation", "other-title",     "other"};

class Speller {
 public:
  static constexpr int kKnown = 0x370;  // the first Greek character

  // Sets the traits of a character, taken from Python, for all known characters.
  void learn(int c, bool alpha, bool lower, bool upper, bool title) {
    int traits = kAlpha * alpha | kSmall * lower | kLarge * upper | kTitled * title;
    if (c > 0x7f) traits |= kForeign;
    if (c >= '0' && c <= '9') traits |= kDigit;
    if (c <= ' ' || c == 0x7f) traits |= kUnusual;
    if (c == 'I' || c == 'V' || c == 'X') traits |= kRomanDigit;
    if (c == '_') traits |= kUnder;
    traits_[c] = static_cast<uint16_t>(traits);
  }

  Spelling find(const Text& text) const {
    return text.visit([this](const auto* word, size_t n) { return classify(word, n); });
  }

 private:
  static constexpr int kAlpha = 1, kSmall = 2, kLarge = 4, kTitled = 8, kDigit = 16, kForeign = 32;
  static constexpr int kUnusual = 64, kRomanDigit = 128, kUnder = 256;
  static constexpr int kAlnum = kAlpha | kDigit, kNamed = kAlnum | kUnder;

  template <class Char>
  Spelling classify(const Char* word, size_t n) const {
    int any = 0, all = -1;
    for (size_t i = 0; i < n; i++) {
      if (word[i] >= kKnown) return kAskPython;
      any |= traits_[word[i]];
      all &= traits_[word[i]];
    }
    if (n == 0 || (any & kUnusual)) return kAskPython;
    if (all & kAlpha) return of_letters(word, n, any, all);
    if (any & kForeign) return kAskPython;
    return of_ascii(word, n, any, all);
  }

  template <class Char>
  Spelling of_letters(const Char* word, size_t n, int any, int all) const {
    if ((all & kRomanDigit) && is_roman(word, n)) return kRoman;
    if (is_greek(word, n)) return kGreek;
    if (all & kForeign) return kAskPython;  // such letters may have no case
    if (is_small(any)) return kLower;
    if ((any & kLarge) && !(any & (kSmall | kTitled))) return n == 1 ? kCapital : kCapitals;
    const int first = traits_[word[0]];
    int rest = 0;
    for (size_t i = 1; i < n; i++) rest |= traits_[word[i]];
    if ((first & kLarge) && is_small(rest)) return kTitle;
    return first & kSmall ? kMixed : kMixedTitle;
  }
  static bool is_small(int any) { return (any & kSmall) && !(any & (kLarge | kTitled)); }

  // The first matching class.
  template <class Char>
  Spelling of_ascii(const Char* word, size_t n, int any, int all) const {
    if (all & kDigit) return kDigits;
    if ((any & kAlpha) && has_greek(word, n)) return kGreekCompound;
    if (is_number(word, n)) return kNumber;
    const size_t digits = skip(word, n, 0, kDigit);
    if (digits > 0 && ends_ordinal(word + digits, n - digits)) return kOrdinal;
    const size_t letters = skip(word, n, 0, kAlpha);
    if (letters > 0 && letters + 1 < n && word[letters] == '-' &&
        skip(word, n, letters + 1, kDigit) == n) {
      return kHyphenDigit;
    }
    if (digits > 0 && digits + 1 < n && word[digits] == '-' &&
        (traits_[word[digits + 1]] & kAlnum)) {
      return kDigitHyphen;
    }
    if (is_hyphened(word, n)) return kHyphen;
    if (is_initials(word, n)) return n == 2 ? kInitial : kInitials;
    if ((any & kDigit) && (any & kAlpha) && skip(word, n, 0, kNamed) == n) {
      const bool plain = !(any & (kSmall | kUnder));
      return plain && (traits_[word[0]] & kLarge) ? kCapitalsDigits : kLettersDigits;
    }
    if ((word[0] == '@' || word[0] == '#') && n > 1 && skip(word, n, 1, kNamed) == n) {
      return kAtSign;
    }
    if (!(any & kAlnum)) return kPunctuation;
    return traits_[word[0]] & kLarge ? kOtherTitle : kOther;
  }

  // The first character from `at` on without any of these traits.
  template <class Char>
  size_t skip(const Char* word, size_t n, size_t at, int traits) const {
    while (at < n && (traits_[word[at]] & traits)) at++;
    return at;
  }

  // X{0,3}(IX|IV|V?I{0,3}) of letters I, V and X.
  template <class Char>
  static bool is_roman(const Char* word, size_t n) {
    size_t at = 0;
    while (at < n && at < 3 && word[at] == 'X') at++;
    if (n - at == 2 && word[at] == 'I' && (word[at + 1] == 'X' || word[at + 1] == 'V')) return true;
    if (at < n && word[at] == 'V') at++;
    const size_t ones = at;
    while (at < n && at < ones + 3 && word[at] == 'I') at++;
    return at == n;
  }

  template <class Char>
  static bool is_greek(const Char* word, size_t n) {
    static constexpr const char* kGreekNames[] = {
        "alpha", "beta",  "gamma",  "delta",   "epsilon", "zeta", "eta",     "theta",
        "iota",  "kappa", "lambda", "mu",      "nu",      "xi",   "omicron", "pi",
        "rho",   "sigma", "tau",    "upsilon", "phi",     "chi",  "psi",     "omega"};
    constexpr size_t kLongest = 7;
    if (n < 2 || n > kLongest) return false;
    char small[kLongest + 1] = {};
    for (size_t i = 0; i < n; i++) {
      if (word[i] > 0x7f) return false;
      small[i] = static_cast<char>(word[i] | 0x20);
    }
    for (const char* name : kGreekNames) {
      // Most words differ in the first letter.
      if (small[0] == name[0] && std::strcmp(small, name) == 0) return true;
    }
    return false;
  }

  // True if the name of a Greek letter occurs as a word.
  template <class Char>
  bool has_greek(const Char* word, size_t n) const {
    for (size_t at = 0; at < n; at++) {
      const size_t end = skip(word, n, at, kNamed);
      if (end > at && skip(word, n, at, kAlpha) == end && is_greek(word + at, end - at))
        return true;
      at = end;
    }
    return false;
  }

  // [+-]?\d[\d.,:/]*
  template <class Char>
  bool is_number(const Char* word, size_t n) const {
    size_t at = word[0] == '+' || word[0] == '-';
    if (at == n || !(traits_[word[at]] & kDigit)) return false;
    for (; at < n; at++) {
      const auto c = word[at];
      if (!(traits_[c] & kDigit) && c != '.' && c != ',' && c != ':' && c != '/') return false;
    }
    return true;
  }

  // st, nd, rd, th or s.
  template <class Char>
  static bool ends_ordinal(const Char* word, size_t n) {
    if (n != 1 && n != 2) return false;
    const int first = word[0] | 0x20, second = n == 2 ? word[1] | 0x20 : 0;
    if (n == 1) return first == 's';
    return (first == 's' && second == 't') || (first == 'n' && second == 'd') ||
           (first == 'r' && second == 'd') || (first == 't' && second == 'h');
  }

  // [^\W_]+(-[^\W_]+)+
  template <class Char>
  bool is_hyphened(const Char* word, size_t n) const {
    size_t parts = 0;
    for (size_t at = 0;; at++) {
      const size_t end = skip(word, n, at, kAlnum);
      if (end == at) return false;
      parts++;
      if (end == n) return parts > 1;
      if (word[end] != '-') return false;
      at = end;
    }
  }

  // ([A-Z]\.)+
  template <class Char>
  bool is_initials(const Char* word, size_t n) const {
    if (n % 2) return false;
    for (size_t i = 0; i < n; i += 2) {
      if (!(traits_[word[i]] & kLarge) || word[i + 1] != '.') return false;
    }
    return true;
  }

  uint16_t traits_[kKnown] = {};
};

}  // namespace latperc
