// SPDX-License-Identifier: MIT
//
// adaptive-conex. One round, from the point w in coordinates along orthonormal directions u_1..u_n:
//   evaluate  some blocks of directions at x + r u_j (one evaluation each), and at x itself (design.cpp)
//   learn  levels, slopes and Hessians of all functions, each with a variance (learning.cpp, local_model.cpp)
//   judge  the last step, by evaluations at where it led (step_acceptance.cpp)
//   step   the model's optimum within X under its own constraints, with a prox term eta |d|^2 / 2, eta = sqrt(n) tau:
//          as large as the Hessians' error in spectral norm (state.cpp, subproblem.cpp)
// In few dimensions regressions through all evaluations take the place of learning slope by slope (orders,
// regression). Few variables under noise that is said to be shared begin with quadratic steps under one key
// (opening.cpp).
//
// What Algorithm 1 of the paper asks for (eta_t, tau_t, nu) is measured: eta from how wrong predicted slopes prove, the
// dual step is exact, the radius from noise and third derivatives (radius). The frame is the paper's:
// linearised constraints carried along by the model (extrapolation), a dual step, a prox step.
//
// With a lag further rounds are asked before the first is answered to the end; late answers are data about where they
// were asked (late_answers.cpp).
#include "zeroth/solvers/adaptive_conex/adaptive_conex.hpp"

#include <algorithm>
#include <iterator>

#include "zeroth/core/error.hpp"
#include "zeroth/solvers/adaptive_conex/state.hpp"
#include "zeroth/solvers/adaptive_conex/units.hpp"

namespace zeroth {
namespace {

Search dense_adaptive_conex(Spec spec, AdaptiveConexOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  adaptive::State state(spec, options, seed);
  adaptive::Units units(spec.functions());
  std::vector<Answer> early;  // of rounds that are not answered to the end
  for (;;) {
    state.show(incumbent);
    units.outside(incumbent);
    const auto& batch = state.plan();
    if (!state.asks_ahead()) {
      const auto answers = co_await evaluate(batch);
      state.learn(units.inside(answers));
      state.step();
      continue;
    }
    const auto answers = co_await propose(batch);
    std::ranges::move(units.inside(answers), std::back_inserter(early));
    state.put_off();
    if (state.learn_late(early)) state.step();
  }
}

}  // namespace

Search adaptive_conex(Spec spec, AdaptiveConexOptions options, std::uint64_t seed) {
  // A Hessian per function, as far as memory and time allow: a factorisation, n^3 / 3, comes once in n / 8 evaluations.
  const double square = static_cast<double>(spec.dimension()) * static_cast<double>(spec.dimension());
  const bool dense = 8.0 / 3 * square <= options.tuning.dense_flops &&
                     8 * static_cast<double>(spec.functions()) * square <= options.tuning.dense_bytes;
  // Beyond the dense solver's reach most of an equality's slope is unseen at first, and what is seen would have to mend
  // the whole level: steps across X, which the gradient memory does not survive.
  if (!dense && spec.equalities > 0)
    throw Error(
        "adaptive-conex (and auto) hold equalities up to 2,000 variables, and fewer with very many constraints; beyond "
        "that use name = \"conex\" with schedule = \"adaptive\" under [solver], and a budget of many times the "
        "variables");
  return dense ? dense_adaptive_conex(std::move(spec), options, seed)
               : wide_adaptive_conex(std::move(spec), options, seed);
}

}  // namespace zeroth
