// SPDX-License-Identifier: MIT
//
// Algorithm 2 of Nguyen and Balasubramanian (the meta-algorithm for the nonconvex setting):
//   1:  for k = 1..K
//   2:    f_i(x; x_{k-1}) = f_i(x) + 2 mu_i W(x, x_{k-1}),  i = 0..m
//   3:    x_k = SZO-ConEx (Algorithm 1) on  min f_0(.; x_{k-1})  s.t.  f_i(.; x_{k-1}) <= 0
//   5:  k-hat uniform on 1..K
//   6:  return x_{k-hat}
// Step 2 needs nothing of the oracle: the known term is added to the answers of an inner `conex`. For W convex-making,
// mu_i must be at least half the weak-convexity constant of f_i, for which L_i/2 always serves; then f_i + 2 mu_i W is
// L_i/2-strongly convex. An equality constraint is left as it is: its graph has no convex side.
#include "zeroth/solvers/conex/proximal_conex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "zeroth/core/statistics/running_moments.hpp"
#include "zeroth/solvers/conex/theorem.hpp"

namespace zeroth {
namespace {

struct ProximalConexLabel {
  enum : std::uint64_t { inner, pick, evaluations };
};

Vector proximal_weights(const Spec& spec, const std::vector<double>& mu) {
  const Index count = spec.functions();
  Vector result(count);
  if (mu.empty()) {
    for (Index i = 0; i < count; ++i) result[i] = spec.constants ? std::max(0.5 * spec.constants->L[i], 1e-12) : 1;
  } else if (mu.size() == 1) {
    result.setConstant(mu[0]);
  } else if (static_cast<Index>(mu.size()) == count) {
    result = as_vector(mu);
  } else {
    throw Error(
        fmt::format("'mu' has {} entries, but needs one for all functions or {} (objective first)", mu.size(), count));
  }
  result.tail(spec.equalities).setZero();
  return result;
}

}  // namespace

Search proximal_conex(Spec spec, ProximalConexOptions o, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const Vector mu = proximal_weights(spec, o.mu);
  o.inner.measure_distance = true;
  const auto functions = static_cast<std::size_t>(spec.functions());
  Rng pick(derive_key(seed, ProximalConexLabel::pick));

  Spec inner_spec = spec;
  const auto evaluations = static_cast<std::size_t>(o.pick == "best" ? o.pick_looks : 0);
  inner_spec.budget = std::max<std::int64_t>(1, spec.budget / o.K - static_cast<std::int64_t>(evaluations));
  if (spec.constants) inner_spec.constants = regularized(*spec.constants, mu);

  Vector x = spec.first_point();
  incumbent.x = x;
  incumbent.multipliers = Vector::Zero(spec.functions() - 1);
  std::vector<Answer> shifted;
  std::vector<Query> replicates(evaluations);
  double best_objective = std::numeric_limits<double>::infinity(), best_violation = best_objective;

  for (std::int64_t k = 1; k <= o.K; ++k) {  // 1
    inner_spec.start = x;                    // x_{k-1}
    Search inner =
        conex(inner_spec, o.inner, derive_key(seed, ProximalConexLabel::inner, static_cast<std::uint64_t>(k)));
    while (!inner.done()) {  // 3
      const auto batch = inner.ask();
      const auto answers = co_await evaluate(batch);
      shifted.assign(answers.begin(), answers.end());
      for (std::size_t q = 0; q < batch.size(); ++q) {
        if (shifted[q].failed()) continue;
        double W = 0;
        if (batch[q].described) {  // whoever made the point has measured it
          W = shifted[q].values.back();
          shifted[q].values.pop_back();
        } else {
          W = spec.domain.distance(as_vector(batch[q].x), x);
        }
        for (std::size_t i = 0; i < functions; ++i) shifted[q].values[i] += 2 * mu[static_cast<Index>(i)] * W;  // 2
        if (shifted[q].values.size() > functions)  // somebody has added them up already
          shifted[q].values.back() += 2 * mu.dot(as_vector(batch[q].weights)) * W;
      }
      inner.tell(shifted);
    }
    x = inner.recommend().x;

    bool take = o.pick == "last";
    if (o.pick == "random") take = pick.below(static_cast<std::uint64_t>(k)) == 0;  // 5: uniform on 1..k at every k
    if (o.pick == "best") {
      for (std::size_t r = 0; r < evaluations; ++r)
        replicates[r] = {
            as_span(x),
            noise_key(seed, ProximalConexLabel::evaluations, static_cast<std::uint64_t>(k) * evaluations + r),
            {}};
      Vector mean = Vector::Zero(spec.functions());
      double answered = 0;
      for (const Answer& answer : co_await evaluate(replicates)) {
        if (answer.failed()) continue;
        answered += 1;
        for (Index i = 0; i < mean.size(); ++i) take_in(answer.values[static_cast<std::size_t>(i)], answered, mean[i]);
      }
      if (answered > 0) {
        double violation = 0;
        for (Index i = 1; i < spec.functions(); ++i)
          violation = std::max(violation, i <= spec.constraints ? mean[i] : std::abs(mean[i]));
        take = violation < best_violation || (violation == best_violation && mean[0] < best_objective);
        if (take) {
          best_violation = violation;
          best_objective = mean[0];
        }
      }
    }
    if (take) {  // 6
      incumbent.x = x;
      incumbent.multipliers = inner.recommend().multipliers;
    }
  }
}

}  // namespace zeroth
