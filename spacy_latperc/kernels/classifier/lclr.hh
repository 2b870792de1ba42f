// Batch learning of a classifier over latent chunkings, for comparison: learning over
// constrained latent representations (LCLR: Chang et al. 2010) with passive-aggressive steps,
// and a variant whose inner loop does not decode (MV, 4.2 and Algorithm 5).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "classifier/classifier.hh"
#include "common/signals.hh"
#include "hashing/hash.hh"

namespace latperc {

class Lclr {
 public:
  Lclr(Classifier* classifier, const std::vector<Example>& examples, Random* random, bool shuffle,
       bool averaging)
      : classifier_(classifier),
        examples_(examples),
        random_(random),
        shuffle_(shuffle),
        averaging_(averaging),
        kept_(examples.size()) {
    for (size_t k = 0; k < examples.size(); k++) order_.push_back(k);
  }

  // One outer iteration of Algorithm 5: decode everything once; then epochs over the fixed
  // structures until all signs are right, at most most_epochs. RETURNS: their number.
  int variant(int most_epochs, ClassifierCounts* counts) {
    for (size_t k = 0; k < examples_.size(); k++) keep(k, counts);
    return fit(most_epochs, counts);
  }

  // One outer iteration of LCLR: structures of positives are fixed; those of negatives are
  // collected, with a new decoding in each epoch, until none is new, at most most_epochs.
  // RETURNS: the number of epochs.
  int strict(int most_epochs, ClassifierCounts* counts) {
    for (size_t k = 0; k < examples_.size(); k++) {
      if (examples_[k].y > 0) keep(k, counts);
    }
    for (int pass = 1; std::isfinite(counts->loss); pass++) {
      bool fresh = false;
      for (size_t k = 0; k < examples_.size(); k++) {
        if (examples_[k].y < 0) fresh = keep(k, counts) || fresh;
      }
      if (!fresh) return pass - 1;
      fit(1, counts);
      if (pass == most_epochs) return pass;
    }
    return 0;
  }

 private:
  // RETURNS: true if the current best structures are new for this example.
  bool keep(size_t k, ClassifierCounts* counts) {
    signals_.look();
    const Example& example = examples_[k];
    if (!std::isfinite(classifier_->decode(example.x))) {
      counts->loss = kPlusInf;
      return false;
    }
    counts->decodings++;
    counts->negative_decodings += example.y < 0;
    const Paths& found = classifier_->paths();
    if (std::find(kept_[k].begin(), kept_[k].end(), found) != kept_[k].end()) return false;
    kept_[k].push_back(found);
    counts->structures += example.y < 0;
    return true;
  }

  int fit(int most_epochs, ClassifierCounts* counts) {
    for (int pass = 1; std::isfinite(counts->loss); pass++) {
      if (shuffle_) shuffle(&order_, random_);
      const int64_t wrong = counts->wrong;
      for (size_t k : order_) {
        signals_.look();
        for (const Paths& paths : kept_[k]) {
          classifier_->fit(examples_[k], paths, averaging_, counts);
          if (!std::isfinite(counts->loss)) return pass;
        }
      }
      if (pass == most_epochs || counts->wrong == wrong) return pass;
    }
    return 0;
  }

  Classifier* classifier_;
  SignalCheck signals_;
  const std::vector<Example>& examples_;
  Random* random_;
  const bool shuffle_;
  const bool averaging_;
  std::vector<size_t> order_;
  std::vector<std::vector<Paths>> kept_;  // the structures of each example
};

}  // namespace latperc
