// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"
#include "zeroth/run/result.hpp"

namespace zeroth {

struct MinimizeOptions {        // What minimize() is told beside the problem.
  std::string solver = "auto";  // by its name in the catalog
  std::int64_t budget = 1000;   // joint evaluations, the final check included
  std::uint64_t seed = 1;       // names all randomness of the run
  int jobs = 1;                 // threads that evaluate; the oracle must then be safe to call from several. Where
                                // spec.width is 1, so many points are proposed at a time, too
  // About the problem's values, in the words of a problem file: "probability(wait <= 3) >= 0.95". Empty: E[f_i] <= 0.
  std::vector<std::string> constraints;
  std::string objective;  // what is minimised of it: "cvar(cost, 0.9)". Empty: its mean
  Vector spread;          // how far is far, of variables whose bounds in spec.domain are infinite; empty: 1 each
  Settings settings;      // the solver's own options; see `zeroth describe SOLVER`
};

// The C++ interface: the whole run in memory, without a store. Bad options throw an Error.
Result minimize(const Problem& problem, const MinimizeOptions& options = {});

struct AskedFor {            // An evaluation that a Minimization waits for.
  std::int64_t number = 0;   // its place in the run, by which it is answered
  Vector x;                  // where to evaluate
  std::uint64_t noise = 0;   // names all randomness of the evaluation: `Rng(noise)`, or the seed of a simulator
  std::vector<bool> wanted;  // one flag per function, where spec.cost lets some be left out; empty: all of them
};

// minimize() turned inside out: whoever holds it evaluates, wherever and whenever that is, and gives back single
// answers in any order. It asks what minimize() asks, the final check included, so that the same answers make the same
// result, bit for bit. With spec.width and spec.lag up to width + lag evaluations are open at a time, and what is asked
// next depends on them alone, not on which answer came first. One thread at a time.
class Minimization {
 public:
  // Bad options throw an Error. The problem's oracle is never called and may be missing.
  explicit Minimization(const Problem& problem, const MinimizeOptions& options = {});
  Minimization(Minimization&&) noexcept;             // takes the run over
  Minimization& operator=(Minimization&&) noexcept;  // takes the run over
  ~Minimization();

  bool done() const;                  // nothing more will be asked
  std::vector<AskedFor> ask() const;  // what waits for an answer, oldest first; the same until some is told
  // The answer to one of these: all values that are wanted, or Answer::failed_because(...). An Error, which changes
  // nothing, if that number waits for no answer or if values are missing. Not finite values are a failed evaluation.
  void tell(std::int64_t number, Answer answer);
  Vector recommend() const;  // what the solver would bet on now
  Result result() const;     // the checked answer; before `done` what is known, with Status::interrupted

 private:
  struct Run;
  std::unique_ptr<Run> run_;
};

}  // namespace zeroth
