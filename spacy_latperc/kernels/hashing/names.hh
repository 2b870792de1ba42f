// The names of features that callers give.
#pragma once
#include "hashing/text.hh"

namespace latperc {

// Continues the hash of a name with all characters of a text. Unlike Text::hash it needs no
// length, so that the hash of a prefix serves all names that begin with it; mix ends it.
inline uint64_t fold(uint64_t h, const Text& text) {
  return text.visit([=](const auto* characters, size_t n) {
    uint64_t folded = h;
    for (size_t i = 0; i < n; i++) folded = join(folded, static_cast<uint64_t>(characters[i]) + 1);
    return folded;
  });
}

}  // namespace latperc
