// SPDX-License-Identifier: MIT
#include "zeroth/solvers/auto.hpp"

#include <algorithm>

#include "zeroth/solvers/adaptive_conex.hpp"
#include "zeroth/solvers/trust_bo.hpp"

namespace zeroth {
namespace {

struct Choice {
  bool bayesian;
  std::string why;
};

Choice choose(const Spec& spec, const AutoOptions& options) {
  const Index n = spec.dimension();
  const bool few = n <= options.bayesian_dimension;
  const bool whole = std::ranges::find(spec.integer, true) != spec.integer.end();
  if (few && spec.budget <= options.bayesian_budget)
    return {true, whole ? "trust-bo: some variables only take whole values, where differences say little"
                        : "trust-bo: few variables and few evaluations, where a model of the whole set pays"};
  return {false, whole ? "adaptive-conex: too much for a Bayesian model; whole-number variables are treated as real"
                       : "adaptive-conex: enough evaluations to measure slopes and noise"};
}

}  // namespace

Search auto_solver(Spec spec, AutoOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const Choice choice = choose(spec, options);
  Search inner = choice.bayesian ? trust_bo(spec, {}, seed) : adaptive_conex(spec, {}, seed);
  for (;;) {
    incumbent = inner.recommend();
    incumbent.note = choice.why + (incumbent.note.empty() ? "" : "; " + incumbent.note);
    if (inner.done()) co_return;
    const auto answers = co_await look(inner.ask());
    inner.tell(answers);
  }
}

}  // namespace zeroth
