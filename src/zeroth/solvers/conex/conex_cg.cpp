// SPDX-License-Identifier: MIT
//
// conex-cg: what SZO-ConEx estimates and extrapolates, with the prox step replaced by a conditional-gradient step, for
// sets X over which a linear function is cheaply minimised and projections are not. With G_i and Gbar_i the estimates
// of Algorithm 1 (conex.cpp), rho_t = ((k+1)/(t+k))^(2/3), gamma_t = (k+1)/(t+k), k = `offset`, t = 1, 2, ..:
//
//   c^(t)   = (1 - rho_t) [c^(t-1) + Gbar' (x^(t) - x^(t-1))] + rho_t F_nu(x^(t))    constraints, carried along by
//                                                                                   their linearisation and averaged
//   y^(t)   = [z^(t) + c^(t) / tau_t]_+                                             dual prox step from z, any sign for
//   h z^(t+1) = z^(t) + gamma_t (y^(t) - z^(t))                                       the average of past multipliers
//   d^(t)   = (1 - rho_t) d^(t-1) + rho_t (G_0 + sum_i y_i^(t) G_i)                  averaged, so that noise dies out
//   v^(t)   = argmin_{v in X} <d^(t), v>
//   x^(t+1) = x^(t) + gamma_t (v^(t) - x^(t))                                        stays in X without a projection
//
// The averaging of d and the steps are those of F. Locatello, A. Yurtsever, O. Fercoq and V. Cevher, "Stochastic
// Frank-Wolfe for composite convex minimization", NeurIPS 2019, whose rate in the objective is t^(-1/3), with k = 8;
// the linearised constraints are those of Algorithm 1 and of G. Lan, E. Romeijn and Z. Zhou, "Conditional gradient
// methods for convex optimization with general affine and nonlinear constraints", SIAM J. Optimization 31, 2021. Our
// own: zeroth-order estimates in the place of gradients, equalities, and the dual step from z. From 0 in the place of z
// a constraint would be violated by y* tau_t, however long the run; from the average of past multipliers it is not. No
// rate is proved for the whole; docs/solvers/conex-cg.md measures it.
#include "zeroth/solvers/conex/conex_cg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace zeroth {
namespace {

struct ConexCgLabel {
  enum : std::uint64_t { gradient, linearisation };
};

}  // namespace

Search conex_cg(Spec spec, ConexCgOptions o, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const Index n = spec.dimension(), functions = spec.functions();
  const auto count = static_cast<std::size_t>(functions);
  if (o.nu.size() == 1) o.nu.assign(count, o.nu[0]);
  if (o.nu.size() != count)
    throw Error(fmt::format("'nu' has {} entries, but needs one for all functions or {} (objective first)", o.nu.size(),
                            count));
  GradientSample G(spec, o.estimator, o.nu, range(0, functions));
  GradientSample G_bar(spec, o.estimator, o.nu, range(1, functions));

  Vector& x = incumbent.x;
  Vector& y_told = incumbent.multipliers;
  x = spec.first_point();
  spec.domain.project(x);
  y_told = Vector::Zero(functions - 1);
  Vector y = Vector::Zero(functions), z = y, c = Vector::Zero(functions), d = Vector::Zero(n), g(n), v(n), step(n);
  y[0] = 1;

  std::vector<Query> batch;
  const auto k = static_cast<double>(o.offset);
  std::int64_t t = 0;
  for (std::uint64_t draw = 0;; ++draw) {
    batch.clear();
    G.propose(x, derive_key(seed, ConexCgLabel::gradient, draw), batch);
    G_bar.propose(x, derive_key(seed, ConexCgLabel::linearisation, draw), batch);
    const auto answers = co_await evaluate(batch);
    if (!G.read(answers.first(G.queries())) || !G_bar.read(answers.subspan(G.queries()))) continue;  // drawn again
    const double gamma = (k + 1) / (static_cast<double>(++t) + k), rho = std::pow(gamma, 2.0 / 3);

    for (Index i = 1; i < functions; ++i) c[i] = (1 - rho) * c[i] + rho * G_bar.value(i);
    const double tau = o.tau(t - 1);
    for (Index i = 1; i < functions; ++i) {
      y[i] = z[i] + c[i] / tau;
      if (i <= spec.constraints) y[i] = std::max(0.0, y[i]);
      z[i] += gamma * (y[i] - z[i]);
    }

    G.combine(y, 0, g);
    d = (1 - rho) * d + rho * g;
    spec.domain.minimize_linear(d, v);
    step = gamma * (v - x);
    G_bar.add_along(step, 0, c);
    x += step;
    y_told = z.tail(functions - 1);
  }
}

}  // namespace zeroth
