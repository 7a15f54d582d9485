// SPDX-License-Identifier: MIT
#include "zeroth/problems/qcqp.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <memory>

#include "zeroth/problems/fingerprint.hpp"
#include "zeroth/problems/qcqp_optimum.hpp"

namespace zeroth {
namespace {

struct QcqpLabel {
  enum : std::uint64_t { matrices, linear_terms, offsets };
};

Matrix random_matrix(std::uint64_t key, Index n, bool indefinite) {
  Matrix g(n, n);
  fill_normal(key, {g.data(), static_cast<std::size_t>(g.size())});
  if (indefinite) return (g + g.transpose()) / std::sqrt(8 * static_cast<double>(n));
  Matrix a = Matrix::Zero(n, n);
  a.selfadjointView<Eigen::Lower>().rankUpdate(g.transpose(), 1 / static_cast<double>(n));
  return a.selfadjointView<Eigen::Lower>();
}

// An upper bound, rounded up to 20 bits: the last bits of an eigenvalue depend on where the eigensolver's memory
// happens to be aligned, and must not decide a run.
double spectral_norm(const Matrix& a) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(a, Eigen::EigenvaluesOnly);
  int exponent = 0;
  const double mantissa = std::frexp(eigen.eigenvalues().cwiseAbs().maxCoeff(), &exponent);
  return std::ldexp(std::ceil(std::ldexp(mantissa, 20)), exponent - 20);
}

// Upper bounds over X, from |x| <= radius.
Constants constants_of(const std::vector<Quadratic>& f, const QcqpOptions& o, const Domain& domain,
                       double multiplier_bound) {
  const auto count = static_cast<Index>(f.size());
  const double variance = o.noise == "none" ? 0 : o.noise_sd * o.noise_sd * (o.noise == "t5" ? 5.0 / 3.0 : 1.0);
  const double n = static_cast<double>(o.n);
  Constants k;
  k.L = k.M = k.sigma = k.sigma_f = Vector::Zero(count);
  k.diameter = domain.diameter();
  k.radius = domain.radius();
  k.multiplier_bound = multiplier_bound;
  for (Index i = 0; i < count; ++i) {
    const auto& q = f[static_cast<std::size_t>(i)];
    k.L[i] = 2 * spectral_norm(q.A);
    k.M[i] = k.L[i] * k.radius + q.b.norm();
    const double largest = 0.5 * k.L[i] * k.radius * k.radius + q.b.norm() * k.radius + std::abs(q.c);
    if (o.noise_form == "multiplicative") {
      k.sigma[i] = std::sqrt(variance) * k.M[i];
      k.sigma_f[i] = largest * std::sqrt(1 + variance);
    } else if (o.noise_form == "gradient") {
      k.sigma[i] = std::sqrt(variance * n);
      k.sigma_f[i] = std::sqrt(largest * largest + variance * k.radius * k.radius);
    } else {
      k.sigma_f[i] = std::sqrt(largest * largest + variance);
    }
  }
  return k;
}

struct NoisyQcqp {
  std::shared_ptr<const std::vector<Quadratic>> f;
  QcqpOptions o;

  double draw(Rng& rng) const {
    if (o.noise == "none") return 0;
    return o.noise_sd * (o.noise == "t5" ? rng.student_t(5) : rng.normal());
  }

  void operator()(std::span<const double> x_, Rng& rng, std::span<double> values) const {
    const ConstVectorView x = as_vector(x_);
    // Independent noise must differ at two points even under one key, as in a simulator that ignores its seed.
    if (o.noise_form == "independent") rng = Rng(derive_key(rng.bits(), fingerprint(x_)));
    for (std::size_t i = 0; i < f->size(); ++i) {
      const double clean = (*f)[i].value(x);
      if (o.noise_form == "multiplicative") {
        values[i] = clean * (1 + draw(rng));
      } else if (o.noise_form == "gradient") {
        double tilt = 0;
        for (Index j = 0; j < x.size(); ++j) tilt += draw(rng) * x[j];
        values[i] = clean + tilt;
      } else {
        values[i] = clean + draw(rng);
      }
    }
  }
};

}  // namespace

std::vector<Quadratic> qcqp_functions(const QcqpOptions& o) {
  const Index n = o.n;
  const auto key = static_cast<std::uint64_t>(o.instance);
  std::vector<Quadratic> f(static_cast<std::size_t>(o.m) + 1);
  for (std::size_t i = 0; i < f.size(); ++i) {
    f[i].A = o.curvature * random_matrix(derive_key(key, QcqpLabel::matrices, i), n, o.indefinite);
    f[i].b.resize(n);
    fill_normal(derive_key(key, QcqpLabel::linear_terms, i), {f[i].b.data(), static_cast<std::size_t>(n)});
    f[i].c = o.offset * Rng(derive_key(key, QcqpLabel::offsets, i)).uniform(-1, 1) - (i > 0 ? 1 : 0);
  }
  return f;
}

Problem qcqp(const QcqpOptions& o) {
  auto f = std::make_shared<const std::vector<Quadratic>>(qcqp_functions(o));
  Problem problem;
  problem.name = "qcqp";
  Spec& spec = problem.spec;
  spec.domain = o.set == "box"    ? Domain::box(o.n, -o.size, o.size)
                : o.set == "ball" ? Domain::ball(Vector::Zero(o.n), o.size)
                                  : Domain::whole_space(o.n);
  spec.constraints = o.m;
  spec.start = Vector::Zero(o.n);
  spec.common_noise = o.noise_form != "independent";
  spec.defined_everywhere = true;  // a polynomial answers anywhere, as the paper assumes

  Truth truth;
  truth.expected = [f](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < f->size(); ++i) values[i] = (*f)[i].value(as_vector(x));
  };
  double multiplier_bound = 0;
  if (!o.indefinite) {
    const QcqpOptimum optimum = solve_convex_qcqp(*f, o.set, o.size);
    truth.best_value = optimum.value;
    truth.duality_gap = optimum.duality_gap;
    truth.best_point = optimum.x;
    truth.multipliers = optimum.multipliers;
    multiplier_bound = optimum.multipliers.norm();
  }
  if (spec.domain.diameter() < std::numeric_limits<double>::infinity()) {
    Constants constants = constants_of(*f, o, spec.domain, multiplier_bound);
    // No exact multiplier without convexity: Slater's bound at the start, (f_0(start) - inf f_0) / least slack.
    if (o.indefinite && o.m > 0) {
      double slack = std::numeric_limits<double>::infinity();
      for (std::size_t i = 1; i < f->size(); ++i) slack = std::min(slack, -(*f)[i].c);
      const double range =
          0.5 * constants.L[0] * constants.radius * constants.radius + (*f)[0].b.norm() * constants.radius;
      constants.multiplier_bound = range / slack;
    }
    spec.constants = constants;
  }
  problem.truth = std::move(truth);
  problem.oracle = NoisyQcqp{f, o};
  return problem;
}

}  // namespace zeroth
