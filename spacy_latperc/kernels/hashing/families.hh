// Templates (or groups of templates) that see the same values from several tokens: the word
// before, the word, the word after.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hashing/templates.hh"

namespace latperc {

// Those whose values lie alike, each some tokens further on.
struct Family {
  struct Member {
    int32_t group;  // or template
    int32_t shift;  // its values begin so many tokens after the token that it is about
  };
  uint64_t seed = 0;
  std::vector<int32_t> column, offset;  // from where the values begin
  std::vector<Member> members;
  int low = 0, high = 0;  // the least and the largest shift
};

// The family of one, of program v.
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

// Program v of `from`, appended to another one.
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
