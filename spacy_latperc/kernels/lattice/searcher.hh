// The search of a layout: exact, or with a beam.
#pragma once
#include "lattice/beam.hh"
#include "lattice/lattice.hh"
#include "lattice/search.hh"

namespace latperc {

class Searcher {
 public:
  // As Viterbi::run.
  float run(Lattice& lattice, const float* e, bool masked, int32_t* path,
            Bounds* bounds = nullptr) {
    if (lattice.layout.beam > 0) return beam_.run(lattice, e, masked, path);
    return viterbi_.run(lattice, e, masked, path, bounds);
  }
  // The beam of the last search, if it had one.
  const Beam& beam() const { return beam_; }

 private:
  Viterbi viterbi_;
  Beam beam_;
};

}  // namespace latperc
