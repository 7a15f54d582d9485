// SPDX-License-Identifier: MIT
//
// adaptive-conex in very many dimensions: memory of order n (m + 1), no Hessian matrices. In units of X's half-widths:
//   D_i  = (F_i(x + r u) - F_i(x - r u)) / 2r            under one key where keys are honoured
//   h_i += gain u (D_i - u'h_i)                          gradient memory, corrected along each fresh direction u
//   b_i  : mean of u'A_i u, which second differences tell for nothing
//   d    = -(h_0 + sum y_i h_i) / L                      prox step with L = safety (b_0 + sum y_i b_i), y >= 0 from the
//          m-dimensional dual of  min <h_0, d> + L |d|^2 / 2  s.t.  level_i + <h_i, d> <= 0
//   h_i += b_i d                                         prediction: where the step has used a slope up, it is gone
// A step that proves worse than no step beyond doubt is taken back and the safety doubled.
#include <algorithm>
#include <cmath>

#include "zeroth/solvers/adaptive_basis.hpp"
#include "zeroth/solvers/adaptive_conex.hpp"
#include "zeroth/solvers/adaptive_subproblem.hpp"

namespace zeroth {
namespace {

using adaptive::Basis;
using adaptive::scales;
using adaptive::solve_dual;

struct AdaptiveWideLabel {
  enum : std::uint64_t { basis, noise };
};

double value_of(const Answer& answer, Index i) { return answer.values[static_cast<std::size_t>(i)]; }

// Are two evaluations under one key at almost one point much nearer than two evaluations at one point under two keys?
bool keys_honoured(std::span<const Answer> answers, Index functions) {
  if (answers[0].failed() || answers[1].failed() || answers[2].failed()) return false;
  for (Index i = 0; i < functions; ++i) {
    const double apart = std::abs(value_of(answers[1], i) - value_of(answers[0], i));
    if (apart > 0 && std::abs(value_of(answers[2], i) - value_of(answers[0], i)) > 0.05 * apart) return false;
  }
  return true;
}

// x + r scale u, or where X ends. Along which way the two points of a pair lie apart, the caller takes from them.
void place(const Domain& domain, const Vector& x, const Vector& scale, const Vector& u, double r, Vector& point) {
  point.noalias() = x + r * scale.cwiseProduct(u);
  domain.project(point);
}

}  // namespace

Search wide_adaptive_conex(Spec spec, AdaptiveConexOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const Index n = spec.dimension(), functions = spec.functions(), count = functions - 1;
  Vector x = spec.first_point();
  spec.domain.project(x);
  incumbent.x = x;
  incumbent.multipliers = Vector::Zero(count);
  incumbent.note = "many dimensions: gradient memory and one curvature per function";

  const Basis basis(n, derive_key(seed, AdaptiveWideLabel::basis));
  const Vector scale = scales(spec.domain, x), inverse_scale = scale.cwiseInverse();
  const double largest = 0.9 / basis.largest_entry();
  const Index block = options.block > 0 ? options.block : std::max<Index>(8, (spec.width + 1) / 2);

  Vector u, v(n), before_x = x, step = Vector::Zero(n);
  std::vector<Vector> points(static_cast<std::size_t>(2 * block));
  std::vector<Query> batch(3);
  std::uint64_t keys = 0;
  const auto fresh_key = [&] { return noise_key(seed, AdaptiveWideLabel::noise, keys++); };

  basis.direction(0, u);
  points[0].resize(n);
  place(spec.domain, x, scale, u, 1e-6 * largest, points[0]);
  batch[0] = {as_span(x), fresh_key(), {}};
  batch[1] = {as_span(x), fresh_key(), {}};
  batch[2] = {as_span(points[0]), batch[0].noise, {}};
  bool common = keys_honoured(co_await evaluate(batch), functions);
  const double radius = (common ? 1e-3 : options.radius > 0 ? options.radius : 0.3) * largest;

  Matrix h = Matrix::Zero(n, functions);
  Vector level, level_variance = Vector::Constant(functions, 1e300), noise = Vector::Zero(functions);
  Vector curvature = Vector::Zero(functions), y = Vector::Zero(count), before_level, innovation(functions);
  Vector surprise = Vector::Zero(functions), before_variance;
  double evaluations = 0, pairs = 0, safety = 1;
  batch.resize(static_cast<std::size_t>(2 * block) + 2);
  for (std::int64_t t = 0;; ++t) {
    const std::uint64_t shared = fresh_key();
    batch[0] = {as_span(x), shared, {}};
    batch[1] = {as_span(x), fresh_key(), {}};
    for (Index k = 0; k < block; ++k) {
      const auto q = static_cast<std::size_t>(2 * k);
      basis.direction((t * block + k) % n, u);
      for (const std::size_t side : {0u, 1u}) {
        place(spec.domain, x, scale, u, side == 0 ? radius : -radius, points[q + side]);
        batch[2 + q + side] = {as_span(points[q + side]), common ? shared : fresh_key(), {}};
      }
    }
    const auto answers = co_await evaluate(batch);

    // Levels: evaluations at x against what the model carried here.
    const bool one = !answers[0].failed(), two = !answers[1].failed();
    Vector seen = Vector::Zero(functions);
    if (one) seen += as_vector(answers[0].values);
    if (two) seen += as_vector(answers[1].values);
    const double good = one + two;
    bool worse = good == 0;
    if (good > 0) {
      seen /= good;
      if (good > 1) {
        const double keep = std::min(++evaluations, 50.0);
        noise += ((as_vector(answers[0].values) - as_vector(answers[1].values)).cwiseAbs2() / 2 - noise) / keep;
      }
      if (before_level.size() > 0) {
        double change = seen[0] - before_level[0], doubt = noise[0] / good + before_variance[0];
        for (Index i = 0; i < count; ++i) {
          const double penalty = 2 * std::abs(y[i]);
          change += penalty * (std::max(0.0, seen[i + 1]) - std::max(0.0, before_level[i + 1]));
          doubt += penalty * penalty * (noise[i + 1] / good + before_variance[i + 1]);
        }
        worse = change > 4 * std::sqrt(doubt) + 1e-12 * std::abs(seen[0]);
      }
    }
    if (worse && before_level.size() > 0) {
      x = before_x;
      level = before_level;
      level_variance = before_variance;
      before_level.resize(0);
      for (Index i = 0; i < functions; ++i) h.col(i) -= curvature[i] * step;
      safety *= 2;
      incumbent.x = x;
      continue;
    }
    if (good == 0) continue;
    if (level.size() == 0) level = seen;
    for (Index i = 0; i < functions; ++i) {
      const double gain = level_variance[i] / (level_variance[i] + noise[i] / good + 1e-300);
      level[i] += gain * (seen[i] - level[i]);
      level_variance[i] *= 1 - gain;
    }
    safety = std::max(1.0, 0.95 * safety);

    // Slopes and curvatures: every pair corrects the memory along the way that its points lie apart.
    for (Index k = 0; k < block; ++k) {
      const auto q = static_cast<std::size_t>(2 * k);
      const Answer &up = answers[2 + q], &down = answers[3 + q];
      if (up.failed() || down.failed()) continue;
      v.noalias() = (points[q] - points[q + 1]).cwiseProduct(inverse_scale);
      const double length2 = v.squaredNorm();
      if (!(length2 > 0)) continue;
      innovation.noalias() = -(h.transpose() * v);
      const double share = 1 / std::min(++pairs, 200.0);
      for (Index i = 0; i < functions; ++i) {
        innovation[i] += value_of(up, i) - value_of(down, i);
        const double middle = common && one ? value_of(answers[0], i) : level[i];
        curvature[i] += share * (4 * (value_of(up, i) + value_of(down, i) - 2 * middle) / length2 - curvature[i]);
        surprise[i] += share * (innovation[i] * innovation[i] / length2 - surprise[i]);
        const double of_noise = common ? 0 : 2 * noise[i] / length2;
        innovation[i] *= surprise[i] > 0 ? std::clamp(1 - of_noise / surprise[i], 0.02, 1.0) / length2 : 0;
      }
      h.noalias() += v * innovation.transpose();
    }

    double curved = curvature[0];
    for (Index i = 0; i < count; ++i) curved += std::abs(y[i]) * curvature[i + 1];
    const double flattest = 1e-6 * (1e-12 + h.col(0).norm() / largest);
    const double L = safety * std::max(curved, flattest);
    if (count > 0) {
      const Matrix dual = h.rightCols(count).transpose() * h.rightCols(count) / L;
      const Vector c = level.tail(count) - h.rightCols(count).transpose() * h.col(0) / L;
      const double slope = h.col(0).norm(), least = std::sqrt(std::max(1e-300, L * dual.diagonal().maxCoeff()));
      y = solve_dual(dual, c, spec.constraints, 100 * slope / least, y);
    }
    before_x = x;
    before_level = level;
    before_variance = level_variance;
    step = h.col(0);
    if (count > 0) step.noalias() += h.rightCols(count) * y;
    x -= scale.cwiseProduct(step) / L;
    spec.domain.project(x);
    step = (x - before_x).cwiseProduct(inverse_scale);
    const double moved = step.squaredNorm();
    for (Index i = 0; i < functions; ++i) {
      const double change = h.col(i).dot(step) + 0.5 * curvature[i] * moved;
      level[i] += change;
      level_variance[i] += 0.25 * change * change;  // of a change the model tells half for sure
      h.col(i) += curvature[i] * step;
    }
    incumbent.x = x;
    incumbent.multipliers = y;
    incumbent.trace["curvature"] = L;
    incumbent.trace["step"] = std::sqrt(moved);
  }
}

}  // namespace zeroth
