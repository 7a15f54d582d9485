// SPDX-License-Identifier: MIT
//
// Algorithm 1 of A. Nguyen and K. Balasubramanian, "Stochastic zeroth-order functional constrained optimization: oracle
// complexity and applications" (SZO-ConEx), for
//     min_{x in X} f_0(x)  s.t.  f_i(x) <= 0, i = 1..m,     F_i(x, xi) noisy evaluations of f_i.
//
//   G_i       = G_{i,nu_i}(x^(t), xi^(t), u^(t))                          the two-point estimate, eq. (gradest)
//   F_nu, Gbar: the same with an independent (xi-bar, u-bar)
//   l_F(x^(t)) = F_nu(x^(t-1)) + Gbar(x^(t-1))' (x^(t) - x^(t-1))         linearised constraints; l_F(x^(0)) =
//   F_nu(x^(0))
//
//   3:  s^(t)   = (1 + theta_t) l_F(x^(t)) - theta_t l_F(x^(t-1))
//   4:  y^(t+1) = [ y^(t) + s^(t) / tau_t ]_+
//   5:  x^(t+1) = prox( G_0 + sum_i y_i^(t+1) G_i, x^(t), eta_t )
//   7:  return    sum_t gamma_t x^(t+1) / sum_t gamma_t
//
// Everything asked at x^(t), for step 5 and for l_F(x^(t+1)), is one batch. Single-function calls per iteration: 2(m+1)
// for the gradients and 2m for the linearisation, 4m + 2 (forward differences, batch 1).
//
// Beyond the paper, stated: linearised = false puts F_nu(x^(t)) in the place of l_F(x^(t)), for an ablation; an
// equality constraint h = 0 is a multiplier of either sign (no projection in step 4); a sample whose evaluations failed
// is drawn again with fresh (xi, u), and after ten failures in a row x^(t) retreats half-way to the last point that
// answered; schedule = "adaptive" takes eta_t, tau_t, gamma_t and theta_t from the run itself (conex_steps.hpp);
// sums = true asks in step 5 only for F_0 + sum_i y_i^(t+1) F_i at each point, which is what it needs: y^(t+1) is known
// before G is asked, but for t = 0, where F_nu(x^(0)) is asked first. Functions that live apart then send m numbers for
// l_F and one for each evaluation of G. (Adaptive steps then take slopes from G-bar of the iteration before.)
#include "zeroth/solvers/conex/conex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "zeroth/solvers/conex/conex_position.hpp"
#include "zeroth/solvers/conex/conex_steps.hpp"
#include "zeroth/solvers/conex/theorem.hpp"

namespace zeroth {
namespace {

struct ConexLabel {
  enum : std::uint64_t { gradient, linearisation };
};

std::vector<double> radii(const Spec& spec, const std::vector<double>& nu) {
  const auto count = static_cast<std::size_t>(spec.functions());
  if (nu.size() == 1) return std::vector<double>(count, nu[0]);
  if (nu.size() == count) return nu;
  throw Error(
      fmt::format("'nu' has {} entries, but needs one for all functions or {} (objective first)", nu.size(), count));
}

void require_sums_possible(const ConexOptions& o, const GradientSample& G) {
  if (!G.can_sum())
    throw Error(
        "'sums' needs 'shared_directions' = true and one radius 'nu': a sum over functions is of evaluations at one "
        "point");
  if (o.estimator.difference == "one-point")
    throw Error(
        "'sums' goes with difference = \"forward\" or \"central\": one-point estimates need every function's past");
}

void use_theorem(const Spec& spec, std::int64_t T, ConexOptions& o) {
  if (!spec.constants)
    throw Error(
        "schedule = \"theorem\" needs the problem's constants L, M, sigma, sigma_f and a bound on the multiplier; give "
        "a "
        "[constants] table or choose schedule = \"fixed\"");
  const TheoremPlan plan = plan_for_iterations(*spec.constants, spec.dimension(), static_cast<double>(T));
  o.eta = {plan.step_offset + plan.eta, 0};
  o.tau = {plan.tau, 0};
  o.theta = o.gamma = {1, 0};
  o.nu.assign(plan.nu.data(), plan.nu.data() + plan.nu.size());
}

}  // namespace

Search conex(Spec spec, ConexOptions o, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const Index m = spec.constraints, functions = spec.functions();
  ConexPosition position(spec, o, incumbent);

  // Where only sums are asked for G, single values come from G-bar: few, and the objective's too if steps need slopes.
  Estimator for_levels = o.estimator;
  if (o.sums) for_levels.batch = 1;
  const auto single = range(o.sums && o.schedule == "adaptive" ? 0 : 1, functions);

  std::int64_t T = o.iterations;
  if (T == 0) {  // the cost of an iteration does not depend on the radii unless they differ under shared directions
    const auto nu =
        o.schedule == "theorem" ? std::vector<double>(static_cast<std::size_t>(functions), 1.0) : radii(spec, o.nu);
    const GradientSample all(spec, o.estimator, nu, range(0, functions), position.described());
    const GradientSample constraints(spec, for_levels, nu, single, position.described());
    T = std::max<std::int64_t>(1, spec.budget / static_cast<std::int64_t>(all.queries() + constraints.queries()));
  }
  if (o.schedule == "theorem") use_theorem(spec, T, o);
  const std::vector<double> nu = radii(spec, o.nu);

  GradientSample G(spec, o.estimator, nu, range(0, functions), position.described());
  GradientSample G_bar(spec, for_levels, nu, single, position.described());
  if (o.sums) require_sums_possible(o, G);

  Vector y = Vector::Zero(functions);        // y[0] = 1 carries the objective through step 5
  Vector l(functions), l_before(functions);  // l_F(x^(t)), l_F(x^(t-1)); entry 0 unused
  Vector level(functions);                   // F_nu(x^(t-1))
  Vector s = Vector::Zero(functions);
  Vector& y_bar = incumbent.multipliers;
  y_bar = Vector::Zero(functions - 1);
  double gamma_sum = 0;
  y[0] = 1;

  std::optional<AdaptiveSteps> steps;
  if (o.schedule == "adaptive") steps.emplace(spec, spec.first_point());

  std::vector<Query> batch;
  std::uint64_t draw = 0;  // names every sample of the run

  const auto dual_step = [&](std::int64_t t) {
    if (t == 0) {  // 1
      for (Index i = 1; i < functions; ++i) l[i] = l_before[i] = G_bar.value(i);
    } else {
      const Vector& change = position.change();
      for (Index i = 1; i < functions; ++i) l[i] = o.linearised ? level[i] + change[i] : G_bar.value(i);
    }
    if (steps && t > 0) steps->moved(position.distance_from(steps->start()));
    if (steps) steps->begin(o.sums ? G_bar : G);
    const double theta = steps ? steps->theta() : o.theta(t);
    for (Index i = 1; i < functions; ++i) s[i] = (1 + theta) * l[i] - theta * l_before[i];  // 3
    const double tau = steps ? steps->tau(s) : o.tau(t);
    for (Index i = 1; i < functions; ++i) {
      y[i] += s[i] / tau;  // 4
      if (i <= m) y[i] = std::max(0.0, y[i]);
    }
  };

  for (std::int64_t t = 0; t < T; ++t) {  // 2
    bool have_G = false, have_G_bar = G_bar.queries() == 0, stepped = false;
    for (int failures = 0; !(have_G && have_G_bar); ++draw) {
      const bool levels_first = o.sums && !have_G_bar && (t == 0 || !o.linearised);
      const bool ask_G = !have_G && !levels_first;
      batch.clear();
      if (ask_G && o.sums) {
        if (!stepped) dual_step(t);
        stepped = true;
        G.propose_sums(position.x(), derive_key(seed, ConexLabel::gradient, draw), y, batch);
      } else if (ask_G) {
        G.propose(position.x(), derive_key(seed, ConexLabel::gradient, draw), batch);
      }
      if (!have_G_bar) G_bar.propose(position.x(), derive_key(seed, ConexLabel::linearisation, draw), batch);
      const auto answers = co_await evaluate(batch);
      const auto split = ask_G ? G.queries() : 0;
      if (ask_G) have_G = o.sums ? G.read_sums(answers.first(split)) : G.read(answers.first(split));
      if (!have_G_bar) have_G_bar = G_bar.read(answers.subspan(split));
      const bool failed = !(have_G_bar && (have_G || !ask_G));
      if (failed && ++failures % 10 == 0) {
        position.retreat();
        have_G = false;
        have_G_bar = G_bar.queries() == 0;
      }
    }
    if (!stepped) dual_step(t);
    const double gamma = steps ? steps->gamma() : o.gamma(t);
    double eta = o.eta(t);
    if (steps) eta = steps->eta(position.squared_gradient(G, y));

    gamma_sum += gamma;
    position.step(G, G_bar, y, eta, gamma / gamma_sum);  // 5, 7

    l_before = l;
    for (Index i = 1; i < functions; ++i) level[i] = G_bar.value(i);
    y_bar += (gamma / gamma_sum) * (y.tail(functions - 1) - y_bar);
  }
}

}  // namespace zeroth
