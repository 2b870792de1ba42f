// Attributes with several values per token, each with a weight.
//
// A token has either one plain value of an attribute, in the matrix of attributes, or a list:
// one of the batch, or the n-grams of characters of its word, which are stored with the word.
// A template over lists multiplies out: one feature for each combination of values, weighted by
// the product of their weights. If that gives a single feature of weight 1, it is the plain
// feature, even if it was written as a list.
//
// An attribute may also be dense: every token has a vector of as many numbers. A template over
// it alone has one feature for each place, as for a list with all places, but what is stored
// is the numbers alone.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/checked.hh"
#include "hashing/templates.hh"

namespace latperc {

constexpr float kNgramWeight = 0.5f;

// A feature of a token with a weight other than 1.
struct WeightedId {
  int32_t which;  // template
  int32_t id;
  float value;
};

// A template over vectors, in training.
struct DenseTemplate {
  int32_t which = 0;
  int64_t offset = 0;
  std::vector<int32_t> ids;  // feature of each place
};

// The vectors of a template, [tokens, width].
struct DenseNumbers {
  std::shared_ptr<const DenseTemplate> of;
  int32_t width = 0;
  View<const float> numbers;

  // The vector that token i of a sentence reads; null beyond its ends.
  const float* at(int64_t first, int64_t i, int64_t n) const {
    const int64_t token = i + of->offset;
    if (token < 0 || token >= n) return nullptr;
    return numbers.at(static_cast<size_t>(first + token) * width, width);
  }
};

// The weighted features of a sentence, token by token; begin is null if there are none but of
// vectors.
struct WeightedIds {
  const int64_t* begin = nullptr;  // [n + 1] places in items
  View<const WeightedId> items;
  const std::vector<DenseNumbers>* dense = nullptr;
  int64_t start = 0;  // the first token among the vectors

  bool any() const { return begin != nullptr; }
  int64_t first(int64_t i) const { return begin ? begin[i] : 0; }
  int64_t last(int64_t i) const { return begin ? begin[i + 1] : 0; }
};

// The vectors of an attribute, [tokens, width]; keys: of each place.
struct DenseColumn {
  int32_t attribute = 0;
  int32_t width = 0;
  std::vector<uint64_t> keys;
  View<const float> numbers;
};

// The lists of a batch.
struct ValueTable {
  int columns = 0;                // the number of attributes with lists
  std::vector<int32_t> column;    // attribute -> its column, or -1
  std::vector<int32_t> list_of;   // [tokens, columns] number of the list; 0: plain value
  std::vector<int64_t> begin{0};  // list l: begin[l - 1] .. begin[l]
  std::vector<uint64_t> keys;
  std::vector<float> values;
  std::vector<DenseColumn> dense;

  // The number of the vectors that a template reads; -1 for none.
  int dense_of(const Program& program, int t) const {
    for (size_t c = 0; c < dense.size() && program.begin[t + 1] == program.begin[t] + 1; c++) {
      if (dense[c].attribute == program.column[program.begin[t]]) return static_cast<int>(c);
    }
    return -1;
  }
  size_t lists() const { return begin.size() - 1; }
  int32_t list(int64_t token, int32_t attribute) const {
    const int32_t c = column[attribute];
    return c < 0 ? 0 : list_of[static_cast<size_t>(token) * columns + c];
  }
};

// The hash of a place of a template over vectors.
inline uint64_t dense_key(const Program& program, int t, uint64_t place) {
  return finish(join(program.seed[t], place)) & program.kept[t];
}

// Finds the features of templates over lists, token by token.
class ListedFeatures {
 public:
  // table: the lists of the batch, or null.
  // start, n: the first token of the sentence in the batch, and its length.
  ListedFeatures(const ValueTable* table, const Program& program, int64_t start, int64_t n,
                 const TokenAttributes& attrs)
      : table_(table), program_(program), start_(start), n_(n), attrs_(attrs) {}

  // concerns: true if the template reads an attribute with lists; meets: also at token i.
  static bool concerns(const ValueTable* table, const Program& program, int t) {
    for (int p = program.begin[t]; table && p < program.begin[t + 1]; p++) {
      if (table->column[program.column[p]] >= 0) return true;
    }
    return program.reads_ngrams(t);
  }
  bool meets(int t, int64_t i) const {
    for (int p = program_.begin[t]; p < program_.begin[t + 1]; p++) {
      const int64_t at = i + program_.offset[p];
      if (at >= 0 && at < n_ && (list(at, program_.column[p]) || ngrams(at, program_.column[p])))
        return true;
    }
    return false;
  }

  // The list of the batch that is the only value of the template at token i; 0 if there are
  // others.
  int32_t only_list(int t, int64_t i) const {
    const int p = program_.begin[t];
    const int64_t at = i + program_.offset[p];
    if (program_.begin[t + 1] != p + 1 || at < 0 || at >= n_) return 0;
    return list(at, program_.column[p]);
  }

  // The hashes of template t at token i, with their weights.
  const std::vector<std::pair<uint64_t, float>>& find(int t, int64_t i) {
    found_.assign(1, {program_.seed[t], 1.0f});
    for (int p = program_.begin[t]; p < program_.begin[t + 1]; p++) {
      const int64_t at = i + program_.offset[p];
      const bool inside = at >= 0 && at < n_;
      const int32_t l = inside ? list(at, program_.column[p]) : 0;
      const uint64_t* grams = inside ? ngrams(at, program_.column[p]) : nullptr;
      if (l == 0 && grams == nullptr) {
        const uint64_t key = inside ? attrs_.value(static_cast<size_t>(at), program_.column[p])
                                    : padding(at < 0 ? at : at - n_ + 1);
        for (auto& feature : found_) feature.first = join(feature.first, key);
        continue;
      }
      before_.swap(found_);
      found_.clear();
      for (const auto& feature : before_) {
        for (int64_t k = l ? table_->begin[l - 1] : 0; l && k < table_->begin[l]; k++) {
          found_.emplace_back(join(feature.first, table_->keys[k]),
                              feature.second * table_->values[k]);
        }
        for (uint64_t k = 1; grams && k <= grams[0]; k++) {
          found_.emplace_back(join(feature.first, grams[k]), feature.second * kNgramWeight);
        }
      }
    }
    for (auto& feature : found_) feature.first = finish(feature.first) & program_.kept[t];
    return found_;
  }

  static bool plain(const std::vector<std::pair<uint64_t, float>>& features) {
    return features.size() == 1 && features[0].second == 1.0f;
  }

 private:
  // What a token inside the sentence has of an attribute: the number of a list of the batch,
  // or n-grams.
  int32_t list(int64_t at, int32_t attribute) const {
    return table_ ? table_->list(start_ + at, attribute) : 0;
  }
  const uint64_t* ngrams(int64_t at, int32_t attribute) const {
    if (!program_.has_ngrams(attribute)) return nullptr;
    return attrs_.ngrams(static_cast<size_t>(at), attribute);
  }

  const ValueTable* const table_;
  const Program& program_;
  const int64_t start_, n_;
  const TokenAttributes attrs_;
  std::vector<std::pair<uint64_t, float>> found_, before_;
};

}  // namespace latperc
