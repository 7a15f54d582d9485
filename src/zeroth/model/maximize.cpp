// SPDX-License-Identifier: MIT
#include "zeroth/model/maximize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlopt.hpp>

namespace zeroth {
namespace {

constexpr Index dense_dimensions = 100;

constexpr double worst = -1e300, unusable = 1e300;

std::vector<double> to_std(const Vector& v) { return {v.data(), v.data() + v.size()}; }

struct Tracked {
  const Differentiable* function;
  Maximum best;
};

double tracked_value(const std::vector<double>& x_, std::vector<double>& gradient_, void* data) {
  auto& tracked = *static_cast<Tracked*>(data);
  const Vector x = as_vector(x_);
  Vector gradient;
  double value = (*tracked.function)(x, gradient_.empty() ? nullptr : &gradient);
  ++tracked.best.evaluations;
  const bool usable = std::isfinite(value) && (gradient_.empty() || gradient.allFinite());
  if (!usable) {
    value = worst;
    std::ranges::fill(gradient_, 0.0);
  } else if (!gradient_.empty()) {
    std::copy_n(gradient.data(), gradient.size(), gradient_.begin());
  }
  if (value > tracked.best.value) {
    tracked.best.value = value;
    tracked.best.x = x;
  }
  return value;
}

// NLopt reports trouble (round-off, a line search that failed) by exceptions; the best point seen is still good.
void run_quietly(nlopt::opt& search, Vector start) {
  std::vector<double> x = to_std(start);
  double value = 0;
  try {
    search.optimize(x, value);
  } catch (const nlopt::roundoff_limited&) {
  } catch (const std::runtime_error&) {
  } catch (const std::invalid_argument&) {
  }
}

Maximum maximize(nlopt::algorithm algorithm, const Differentiable& function, const Vector& start, const Vector& lower,
                 const Vector& upper, int max_evaluations, double ftol, double xtol, double first_step) {
  Tracked tracked{&function, {start, worst, 0}};
  nlopt::opt search(algorithm, static_cast<unsigned>(start.size()));
  search.set_lower_bounds(to_std(lower));
  search.set_upper_bounds(to_std(upper));
  search.set_max_objective(tracked_value, &tracked);
  search.set_maxeval(max_evaluations);
  if (ftol > 0) search.set_ftol_rel(ftol);
  if (xtol > 0) search.set_xtol_abs(xtol);
  if (first_step > 0) search.set_initial_step(first_step);
  run_quietly(search, start.cwiseMax(lower).cwiseMin(upper));
  return tracked.best;
}

struct ConstrainedTrack {
  const Differentiable* objective;
  const std::vector<Differentiable>* inequalities;
  const std::vector<Differentiable>* equalities;
  double tolerance;
  ConstrainedMinimum best;

  double violation(const Vector& x) const {
    double v = 0;
    for (const auto& c : *inequalities) v = std::max(v, c(x, nullptr));
    for (const auto& h : *equalities) v = std::max(v, std::abs(h(x, nullptr)));
    return v;
  }
};

double to_nlopt(const Differentiable& f, const std::vector<double>& x, std::vector<double>& gradient_) {
  Vector gradient;
  const double value = f(as_vector(x), gradient_.empty() ? nullptr : &gradient);
  if (!gradient_.empty()) std::copy_n(gradient.data(), gradient.size(), gradient_.begin());
  return std::isfinite(value) ? value : unusable;
}

double constrained_value(const std::vector<double>& x, std::vector<double>& gradient, void* data) {
  auto& track = *static_cast<ConstrainedTrack*>(data);
  const double value = to_nlopt(*track.objective, x, gradient);
  // Where every coordinate is held SLSQP goes to points that are no numbers; there no comparison means anything.
  const bool finite = as_vector(x).allFinite() && value < unusable;
  if (finite && value < track.best.value && track.violation(as_vector(x)) <= track.tolerance) {
    track.best.value = value;
    track.best.x = as_vector(x);
    track.best.feasible = true;
  }
  return value;
}

double constraint_value(const std::vector<double>& x, std::vector<double>& gradient, void* data) {
  return to_nlopt(*static_cast<const Differentiable*>(data), x, gradient);
}

}  // namespace

Maximum maximize_lbfgs(const Differentiable& function, Vector start, const Vector& lower, const Vector& upper,
                       int max_evaluations, double relative_tolerance) {
  return maximize(nlopt::LD_LBFGS, function, start, lower, upper, max_evaluations, relative_tolerance, 0, 0);
}

Maximum maximize_derivative_free(const std::function<double(const Vector&)>& function, Vector start,
                                 const Vector& lower, const Vector& upper, double first_step, int max_evaluations,
                                 double x_tolerance) {
  // The quadratic model of BOBYQA costs n^2 a step: in hundreds of dimensions the subspaces of Sbplx get farther.
  const auto algorithm = start.size() == 1                 ? nlopt::LN_COBYLA
                         : start.size() > dense_dimensions ? nlopt::LN_SBPLX
                                                           : nlopt::LN_BOBYQA;
  return maximize(
      algorithm, [&](const Vector& x, Vector*) { return function(x); }, start, lower, upper, max_evaluations, 0,
      x_tolerance, first_step);
}

ConstrainedMinimum minimize_constrained(const Differentiable& objective,
                                        const std::vector<Differentiable>& inequalities,
                                        const std::vector<Differentiable>& equalities, Vector start,
                                        const Vector& lower, const Vector& upper, int max_evaluations,
                                        double tolerance) {
  start = start.cwiseMax(lower).cwiseMin(upper).eval();
  ConstrainedTrack track{&objective, &inequalities, &equalities, tolerance, {}};
  track.best = {start, std::numeric_limits<double>::infinity(), false};
  // SLSQP factors a dense matrix at every step; MMA costs n per constraint, but knows no equalities: an augmented
  // Lagrangian does, at the same cost.
  const auto size = static_cast<unsigned>(start.size());
  const bool dense = start.size() <= dense_dimensions;
  nlopt::opt search(dense ? nlopt::LD_SLSQP : equalities.empty() ? nlopt::LD_MMA : nlopt::AUGLAG, size);
  if (!dense && !equalities.empty()) {
    nlopt::opt inner(nlopt::LD_LBFGS, size);
    inner.set_maxeval(std::max(1, max_evaluations / 4));
    search.set_local_optimizer(inner);
  }
  search.set_lower_bounds(to_std(lower));
  search.set_upper_bounds(to_std(upper));
  search.set_min_objective(constrained_value, &track);
  for (const auto& c : inequalities)
    search.add_inequality_constraint(constraint_value, const_cast<Differentiable*>(&c), tolerance);
  for (const auto& h : equalities)
    search.add_equality_constraint(constraint_value, const_cast<Differentiable*>(&h), tolerance);
  search.set_maxeval(max_evaluations);
  search.set_xtol_abs(1e-8);
  run_quietly(search, start);
  return track.best;
}

}  // namespace zeroth
