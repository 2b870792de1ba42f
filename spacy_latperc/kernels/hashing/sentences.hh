// Reads lines of UTF-8 as word numbers: one sentence per line, words between white space.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hashing/vocabulary.hh"

namespace latperc {

// The number of bytes of the character at p; 0 if it is not valid UTF-8.
inline size_t utf8_length(const unsigned char* p, size_t left) {
  const unsigned char c = p[0];
  if (c < 0x80) return 1;
  const size_t n = c >= 0xc2 && c < 0xe0   ? 2
                   : c >= 0xe0 && c < 0xf0 ? 3
                   : c >= 0xf0 && c < 0xf5 ? 4
                                           : 0;
  if (n == 0 || n > left) return 0;
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80) return 0;
  }
  // Overlong encodings, surrogates, and code points above U+10FFFF.
  if (c == 0xe0 && p[1] < 0xa0) return 0;
  if (c == 0xed && p[1] > 0x9f) return 0;
  if (c == 0xf0 && p[1] < 0x90) return 0;
  if (c == 0xf4 && p[1] > 0x8f) return 0;
  return n;
}

inline bool is_separator(unsigned char c) { return c <= ' ' || c == 0x7f; }
inline bool is_control(unsigned char c) {
  return is_separator(c) && c != ' ' && c != '\t' && c != '\r';
}

struct LineCounts {
  int64_t lines = 0;
  int64_t empty = 0;
  int64_t with_controls = 0;  // lines with control characters, which separate words
  int64_t not_utf8 = 0;       // the first line that is not UTF-8, from 1; 0: none
  int64_t with_null = 0;      // the first line with a NUL character
};

// Appends the sentences of complete lines; stops at the first invalid line.
inline void read_lines(const char* text, size_t size, bool grow, Vocabulary& vocabulary,
                       std::vector<int32_t>& ids, std::vector<int64_t>& bounds,
                       LineCounts& counts) {
  const unsigned char* p = reinterpret_cast<const unsigned char*>(text);
  const unsigned char* end = p + size;
  while (p < end) {
    counts.lines++;
    const void* found = std::memchr(p, '\n', static_cast<size_t>(end - p));
    const unsigned char* stop = found ? static_cast<const unsigned char*>(found) : end;
    const size_t before = ids.size();
    bool controls = false;
    while (p < stop) {
      if (is_separator(*p)) {
        if (*p == 0) {
          counts.with_null = counts.lines;
          return;
        }
        controls |= is_control(*p);
        p++;
        continue;
      }
      const unsigned char* word = p;
      while (p < stop && !is_separator(*p)) {
        const size_t n = utf8_length(p, static_cast<size_t>(stop - p));
        if (n == 0) {
          counts.not_utf8 = counts.lines;
          return;
        }
        p += n;
      }
      const char* bytes = reinterpret_cast<const char*>(word);
      const size_t length = static_cast<size_t>(p - word);
      ids.push_back(grow ? vocabulary.add(bytes, length) : vocabulary.find(bytes, length));
    }
    p = stop + 1;
    counts.with_controls += controls;
    if (ids.size() == before) {
      counts.empty++;
    } else {
      bounds.push_back(static_cast<int64_t>(ids.size()));
    }
  }
}

}  // namespace latperc
