// SPDX-License-Identifier: MIT
//
// KKT at x* = level a + sqrt(1 - level^2) p, p = (1, -1)/sqrt(2) orthogonal to a = (1, 1)/sqrt(2): with lambda = sum of
// y_i/sqrt(m) and a multiplier of the ball along x*,
//   -e_1 + lambda a + (...) x* = 0   =>   lambda = <e_1, a> - <e_1, p> level / sqrt(1 - level^2),
// since the component along the tangent t = sqrt(1 - level^2) a - level p of the circle must vanish. The curvature
// terms are radial at x* and only shift the multiplier of the ball.
#include "zeroth/problems/wedge.hpp"

#include <cmath>
#include <numbers>

namespace zeroth {

Problem wedge(const WedgeOptions& o) {
  const double half = std::numbers::sqrt2 / 2;
  const double root_m = std::sqrt(static_cast<double>(o.m));
  const double c = o.level + 0.5 * o.kappa;  // on the sphere the constraint then reads a'x <= level
  const double across = std::sqrt(1 - o.level * o.level);

  Problem problem;
  problem.name = "wedge";
  Spec& spec = problem.spec;
  spec.domain = Domain::ball(Vector::Zero(o.n), 1);
  spec.constraints = o.m;
  spec.start = Vector::Zero(o.n);
  spec.common_noise = true;
  spec.defined_everywhere = true;

  const auto expected = [o, half, root_m, c](std::span<const double> x, std::span<double> values) {
    const double bend = 0.5 * o.kappa * as_vector(x).squaredNorm();
    values[0] = -x[0] + bend;
    const double constraint = (half * (x[0] + x[1]) - c + bend) / root_m;
    for (std::size_t i = 1; i < values.size(); ++i) values[i] = constraint;
  };
  problem.oracle = [o, expected, root_m](std::span<const double> x, Rng& noise, std::span<double> values) {
    expected(x, values);
    const double each = o.tilt / std::sqrt(static_cast<double>(x.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      double tilt = 0;
      std::uint64_t signs = 0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        if (j % 64 == 0) signs = noise.bits();
        tilt += (signs >> (j % 64) & 1) != 0 ? x[j] : -x[j];
      }
      values[i] += (each * tilt + o.noise_sd * noise.normal()) / (i > 0 ? root_m : 1);
    }
  };

  Truth truth;
  truth.expected = expected;
  truth.best_point = Vector::Zero(o.n);
  truth.best_point[0] = half * (o.level + across);
  truth.best_point[1] = half * (o.level - across);
  truth.best_value = -truth.best_point[0] + 0.5 * o.kappa;
  const double lambda = half * (1 - o.level / across);
  truth.multipliers = Vector::Constant(o.m, lambda / root_m);

  Constants k;
  const double lipschitz = 1 + o.kappa + o.tilt;  // |gradient| on the ball, tilted
  Vector scale = Vector::Constant(o.m + 1, 1 / root_m);
  scale[0] = 1;
  k.L = o.kappa * scale;
  k.M = lipschitz * scale;
  k.sigma = o.tilt * scale;
  k.sigma_f = std::sqrt(std::pow(1 + c + 0.5 * o.kappa, 2) + o.tilt * o.tilt + o.noise_sd * o.noise_sd) * scale;
  k.multiplier_bound = truth.multipliers.norm();
  k.diameter = spec.domain.diameter();
  k.radius = spec.domain.radius();
  spec.constants = k;
  problem.truth = std::move(truth);
  return problem;
}

}  // namespace zeroth
