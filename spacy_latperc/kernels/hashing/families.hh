// Families of templates (or groups of templates) that read the same attributes at different
// offsets: the previous word, the word, the next word.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hashing/templates.hh"

namespace latperc {

// Templates that differ only by a shift in their offsets.
struct Family {
  struct Member {
    int32_t group;  // or template
    int32_t shift;  // the offset of its first value from its token
  };
  uint64_t seed = 0;
  std::vector<int32_t> column, offset;  // relative to the first value
  std::vector<Member> members;
  int low = 0, high = 0;  // the smallest and the largest shift
};

// A family with program v as its only member.
inline Family family_of(const Program& keys, int v) {
  Family result;
  std::vector<std::pair<int32_t, int32_t>> parts;
  for (int p = keys.begin[v]; p < keys.begin[v + 1]; p++) {
    parts.emplace_back(keys.offset[p], keys.column[p]);
  }
  std::sort(parts.begin(), parts.end());
  const int32_t shift = parts.empty() ? 0 : parts[0].first;
  for (const auto& part : parts) {
    result.offset.push_back(part.first - shift);
    result.column.push_back(part.second);
  }
  result.members.push_back({v, shift});
  return result;
}

inline bool alike(const Family& x, const Family& y) {
  return x.offset == y.offset && x.column == y.column;
}

inline void find_reach(Family* family) {
  family->low = family->high = family->members[0].shift;
  for (const Family::Member& member : family->members) {
    family->low = std::min<int>(family->low, member.shift);
    family->high = std::max<int>(family->high, member.shift);
  }
}

// Appends program v of `from` to another program.
inline void append_program(const Program& from, int v, Program* to) {
  to->seed.push_back(from.seed[v]);
  to->kept.push_back(from.kept[v]);
  for (int p = from.begin[v]; p < from.begin[v + 1]; p++) {
    to->column.push_back(from.column[p]);
    to->offset.push_back(from.offset[p]);
  }
  to->begin.push_back(static_cast<int32_t>(to->column.size()));
}

}  // namespace latperc
