// SPDX-License-Identifier: MIT
//
// adaptive-conex in very many dimensions: memory of order n (m + 1), no Hessian matrices.
//   h_i += gain u (D_i - u'h_i)       gradient memory, corrected along each fresh direction u (sketch and project)
//   d = -(h_0 + sum y_i h_i) / L      prox step with one curvature L, y >= 0 from the m-dimensional dual of
//   min <h_0, d> + L |d|^2 / 2  s.t.  level_i + <h_i, d> <= 0
// D_i is a difference along u: under one key where keys are honoured, central otherwise. L starts as the largest
// curvature that second differences showed, doubles when a step proves worse than no step, and slowly falls while steps
// are good.
#include <algorithm>
#include <cmath>

#include "zeroth/solvers/adaptive_basis.hpp"
#include "zeroth/solvers/adaptive_conex.hpp"
#include "zeroth/solvers/adaptive_subproblem.hpp"

namespace zeroth {
namespace {

using namespace adaptive;
enum Label : std::uint64_t { basis_label, noise_label };

double value(const Answer& answer, Index i) { return answer.values[static_cast<std::size_t>(i)]; }

}  // namespace

Search wide_adaptive_conex(Spec spec, AdaptiveConexOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const Index n = spec.dimension(), functions = spec.functions(), count = functions - 1;
  Vector x = spec.first_point();
  spec.domain.project(x);
  incumbent.x = x;
  incumbent.multipliers = Vector::Zero(count);
  incumbent.note = "many dimensions: gradient memory and one curvature";

  const Basis basis(n, derive_key(seed, basis_label));
  const Vector scale = scales(spec.domain, x);
  const double largest = 0.9 / basis.largest_entry();
  const bool common = spec.common_noise;
  const double radius = (common ? 1e-3 : 0.5) * largest;
  const Index block = options.block > 0 ? options.block : std::max<Index>(8, (spec.width + 1) / 2);

  Matrix h = Matrix::Zero(n, functions);
  std::vector<Vector> points(static_cast<std::size_t>(2 * block) + 1), directions(static_cast<std::size_t>(block));
  std::vector<Query> batch(points.size());
  Vector level = Vector::Zero(functions), y = Vector::Zero(count), before_x = x, before_level, step(n),
         innovation(functions);
  Vector noise = Vector::Zero(functions);  // of the level: running mean of squared surprises at rest
  double curvature = 0;
  std::uint64_t keys = 0;
  bool first = true;
  for (std::int64_t t = 0;; ++t) {
    const std::uint64_t shared = noise_key(seed, noise_label, keys++);
    points[0] = x;
    batch[0] = {as_span(points[0]), shared, {}};
    for (Index k = 0; k < block; ++k) {
      const auto q = static_cast<std::size_t>(k);
      basis.direction((t * block + k) % n, directions[q]);
      for (std::size_t side = 0; side < 2; ++side) {
        Vector& point = points[1 + 2 * q + side];
        point = x;
        step = (side == 0 ? radius : -radius) * scale.cwiseProduct(directions[q]);
        spec.domain.make_room(point, step, false);
        point += step;
        spec.domain.project(point);
        batch[1 + 2 * q + side] = {as_span(point), common ? shared : noise_key(seed, noise_label, keys++), {}};
      }
    }
    const auto answers = co_await look(batch);
    if (answers[0].failed()) {
      x = before_x;
      curvature *= 4;
      continue;
    }
    const Vector seen = as_vector(answers[0].values);
    if (!first) {
      double worse = seen[0] - before_level[0], doubt = noise[0];
      for (Index i = 0; i < count; ++i) {
        const double penalty = 2 * std::abs(y[i]);
        worse += penalty * (std::max(0.0, seen[i + 1]) - std::max(0.0, before_level[i + 1]));
        doubt += penalty * penalty * noise[i + 1];
      }
      if (worse > 3 * std::sqrt(2 * doubt) + 1e-12 * std::abs(seen[0])) {
        x = before_x;
        curvature *= 2;
        first = true;
        continue;
      }
      noise = 0.8 * noise + 0.2 * (seen - level).cwiseAbs2();
      curvature *= 0.97;
    }
    level = first ? seen : Vector(level + 0.5 * (seen - level));
    double sharpest = 0;
    for (Index k = 0; k < block; ++k) {
      const auto q = static_cast<std::size_t>(k);
      const Answer &up = answers[1 + 2 * q], &down = answers[2 + 2 * q];
      if (up.failed() || down.failed()) continue;
      innovation = -(h.transpose() * directions[q]);
      for (Index i = 0; i < functions; ++i) {
        innovation[i] += (value(up, i) - value(down, i)) / (2 * radius);
        if (i == 0 || y[i - 1] > 0)
          sharpest = std::max(sharpest,
                              std::abs(value(up, i) + value(down, i) - 2 * value(answers[0], i)) / (radius * radius));
      }
      h.noalias() += directions[q] * innovation.transpose();
    }
    curvature = std::max(curvature, t == 0 ? 2 * sharpest : 0.0);
    if (!(curvature > 0)) curvature = std::max(1e-12, h.col(0).norm() / largest);

    Vector c = level.tail(count);
    if (count > 0) {
      const Matrix dual = h.rightCols(count).transpose() * h.rightCols(count) / curvature;
      c -= h.rightCols(count).transpose() * h.col(0) / curvature;
      y = solve_dual(dual, c, spec.constraints, 1e6, y);
    }
    before_x = x;
    before_level = level;
    step = h.col(0);
    if (count > 0) step += h.rightCols(count) * y;
    step /= -curvature;
    x += scale.cwiseProduct(step);
    spec.domain.project(x);
    step = (x - before_x).cwiseQuotient(scale);
    level += h.transpose() * step;
    first = false;
    incumbent.x = x;
    incumbent.multipliers = y;
    incumbent.trace["curvature"] = curvature;
    incumbent.trace["step"] = step.norm();
  }
}

}  // namespace zeroth
