// SPDX-License-Identifier: MIT
#include "zeroth/problems/smooth.hpp"

#include <cmath>
#include <memory>

#include "zeroth/problems/fingerprint.hpp"

namespace zeroth {
namespace {

struct SmoothLabel {
  enum : std::uint64_t { rows, other_rows, point };
};

Matrix normal_matrix(std::uint64_t key, Index rows, Index columns) {
  Matrix a(rows, columns);
  fill_normal(key, {a.data(), static_cast<std::size_t>(a.size())});
  return a;
}

struct Family {
  SmoothOptions o;
  Matrix a, b;
  Vector target, tilt;
  double shift = 0, level = 0;

  double h(const Vector& x) const {
    const double n = static_cast<double>(o.n);
    if (o.family == "logistic") {
      const Vector z = a * x;
      const double top = z.maxCoeff();
      return n * (top + std::log((z.array() - top).exp().mean())) + 0.05 * x.squaredNorm();
    }
    if (o.family == "quartic") {
      double sum = 0;
      for (Index j = 0; j < o.n; ++j) {
        const double s = std::pow(30.0, static_cast<double>(j) / std::max(1.0, n - 1)), d = x[j] - target[j];
        sum += s * (d * d * d * d + d * d);
      }
      return sum;
    }
    if (o.family == "rosenbrock") {
      double sum = 0;
      for (Index j = 0; j + 1 < o.n; ++j) sum += 5 * std::pow(x[j + 1] - x[j] * x[j], 2) + std::pow(1 - x[j], 2);
      return o.n == 1 ? std::pow(1 - x[0], 2) : sum;
    }
    if (o.family == "queue") return 0.5 * (x - target).squaredNorm();
    return (1 - (a * x).array()).max(0).sum() + 0.25 * x.squaredNorm();
  }

  // Like the objective it grows along with n, so that a multiplier of order one trades them: a score that counts gap
  // and violation alike would otherwise take a gross violation for none.
  double k(const Vector& x) const {
    const double n = static_cast<double>(o.n);
    if (o.family == "logistic") return n * (1 + (-(b * x).array()).exp()).log().mean();
    if (o.family == "quartic") return (x - b.row(0).transpose()).squaredNorm();
    if (o.family == "rosenbrock") return x.squaredNorm();
    if (o.family == "queue") return (1 - (0.55 - 0.2 * x.array())).inverse().sum();
    return n * (1 + (b * x).array()).max(0).mean();
  }

  void expected(const Vector& x, std::span<double> values) const {
    values[0] = h(x) - tilt.dot(x) + shift;
    values[1] = k(x) - level;
  }
};

template <class Function>
Vector slope(const Function& f, const Vector& x) {
  Vector g(x.size()), moved = x;
  for (Index j = 0; j < x.size(); ++j) {
    constexpr double step = 1e-6;
    moved[j] = x[j] + step;
    const double up = f(moved);
    moved[j] = x[j] - step;
    g[j] = (up - f(moved)) / (2 * step);
    moved[j] = x[j];
  }
  return g;
}

}  // namespace

Problem smooth_problem(const SmoothOptions& o) {
  auto f = std::make_shared<Family>();
  f->o = o;
  const Index n = o.n;
  const double root = std::sqrt(static_cast<double>(n));
  const auto key = derive_key(static_cast<std::uint64_t>(o.instance), 77);
  f->a = normal_matrix(derive_key(key, SmoothLabel::rows), 2 * n, n) / root;
  f->b = normal_matrix(derive_key(key, SmoothLabel::other_rows), 2 * n, n) / (o.family == "quartic" ? 4 : root);
  Rng rng(derive_key(key, SmoothLabel::point));
  Vector best(n);
  f->target.resize(n);
  for (Index j = 0; j < n; ++j) {
    best[j] = rng.uniform(-0.9, 0.9);
    f->target[j] = best[j] + rng.uniform(-0.5, 0.5);
  }
  f->tilt = Vector::Zero(n);
  Truth truth;
  if (o.family == "rosenbrock") {
    best.setOnes();
    f->level = static_cast<double>(n);
    f->shift = -static_cast<double>(n);
    truth.multipliers = Vector::Zero(1);
  } else {
    const Vector gh = slope([&](const Vector& x) { return f->h(x); }, best);
    const Vector gk = slope([&](const Vector& x) { return f->k(x); }, best);
    const double multiplier = 0.5 * root / std::max(1e-3, gk.norm());  // a pull of the constraint of 0.5 per variable
    f->tilt = gh + multiplier * gk;
    f->level = f->k(best);
    const Vector zero = Vector::Zero(n);
    const double at_best = f->h(best) - f->tilt.dot(best), at_start = f->h(zero);
    f->shift = -at_best - std::max(1.0, std::abs(at_start - at_best));
    truth.multipliers = Vector::Constant(1, multiplier);
  }
  Problem problem;
  problem.name = "smooth";
  problem.spec.domain = Domain::box(n, -2, 2);
  problem.spec.constraints = 1;
  problem.spec.start = Vector::Zero(n);
  problem.spec.common_noise = o.noise_form != "independent" && o.noise_form != "growing";
  truth.expected = [f](std::span<const double> x, std::span<double> values) { f->expected(as_vector(x), values); };
  Vector values(2);
  truth.expected(as_span(best), {values.data(), 2});
  truth.best_value = values[0];
  truth.best_point = best;
  problem.truth = std::move(truth);
  problem.oracle = [f](std::span<const double> x, Rng& noise, std::span<double> out) {
    const SmoothOptions& option = f->o;
    const Vector point = as_vector(x);
    f->expected(point, out);
    const double size = static_cast<double>(option.n);
    if (option.noise_form == "independent" || option.noise_form == "growing")
      noise = Rng(derive_key(noise.bits(), fingerprint(x)));
    const double sd = option.noise_sd;
    for (double& v : out) {
      if (option.noise_form == "multiplicative") v *= 1 + 0.1 * sd * noise.normal();
      else if (option.noise_form == "growing") v += sd * (1 + point.squaredNorm() / size) * noise.normal();
      else if (option.noise_form == "gradient") {
        double tilt = 0;
        for (const double c : x) tilt += noise.normal() * c;
        v += sd * tilt / std::sqrt(size);
      } else v += sd * noise.normal();
    }
  };
  return problem;
}

}  // namespace zeroth
