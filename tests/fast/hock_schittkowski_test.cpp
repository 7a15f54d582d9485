// SPDX-License-Identifier: MIT
#include "zeroth/problems/hock_schittkowski.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlopt.hpp>

namespace zeroth {
namespace {

struct Call {
  const Problem* problem;
  std::size_t function;
};

double call(const std::vector<double>& x, std::vector<double>& gradient, void* raw) {
  const auto* c = static_cast<const Call*>(raw);
  std::vector<double> values(static_cast<std::size_t>(c->problem->spec.functions()));
  const auto at = [&](const std::vector<double>& point) {
    c->problem->truth->expected(point, values);
    return values[c->function];
  };
  std::vector<double> moved = x;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    const double h = 1e-6 * (1 + std::abs(x[j]));
    moved[j] = x[j] + h;
    const double up = at(moved);
    moved[j] = x[j] - h;
    gradient[j] = (up - at(moved)) / (2 * h);
    moved[j] = x[j];
  }
  return at(x);
}

// The best feasible value that SLSQP finds from `start`; infinity if it ends infeasible.
double local_optimum(const Problem& problem, std::vector<double> x) {
  const Index n = problem.spec.dimension();
  Vector low = Vector::Constant(n, -1e150), high = -low;
  problem.spec.domain.project(low);
  problem.spec.domain.project(high);
  nlopt::opt opt(nlopt::LD_SLSQP, static_cast<unsigned>(n));
  opt.set_lower_bounds(std::vector<double>(low.begin(), low.end()));
  opt.set_upper_bounds(std::vector<double>(high.begin(), high.end()));
  std::vector<Call> calls;
  for (std::size_t i = 0; i < static_cast<std::size_t>(problem.spec.functions()); ++i) calls.push_back({&problem, i});
  opt.set_min_objective(call, &calls[0]);
  const auto m = static_cast<std::size_t>(problem.spec.constraints);
  for (std::size_t i = 1; i < calls.size(); ++i)
    i <= m ? opt.add_inequality_constraint(call, &calls[i], 0) : opt.add_equality_constraint(call, &calls[i], 1e-9);
  opt.set_maxeval(500);
  opt.set_xtol_rel(1e-10);
  double value = 0;
  try {
    opt.optimize(x, value);
  } catch (const std::exception&) {  // rounding: where it stands is judged below
  }
  std::vector<double> values(calls.size());
  problem.truth->expected(x, values);
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!((i <= m ? values[i] : std::abs(values[i])) <= 1e-6)) return std::numeric_limits<double>::infinity();
  return values[0];
}

std::vector<int> all_numbers() {
  std::vector<int> numbers = hock_schittkowski_numbers();
  for (const int number : hock_schittkowski_equality_numbers()) numbers.push_back(number);
  return numbers;
}

TEST(HockSchittkowski, StartsAreInTheBounds) {
  EXPECT_EQ(hock_schittkowski_numbers().size(), 24u);
  EXPECT_EQ(hock_schittkowski_equality_numbers().size(), 15u);
  for (const int number : all_numbers()) {
    const Problem p = hock_schittkowski({number, 0});
    EXPECT_TRUE(p.spec.domain.contains(p.spec.start)) << number;
    EXPECT_LE(p.spec.dimension(), 15);
  }
}

// A slip in a formula, a bound that cuts off the optimum or one that lets in a better point would all show here.
TEST(HockSchittkowski, AnotherSolverFindsThePublishedOptimaWithoutNoise) {
  for (const int number : all_numbers()) {
    const Problem p = hock_schittkowski({number, 0});
    double best = local_optimum(p, {p.spec.start.begin(), p.spec.start.end()});
    Rng rng(static_cast<std::uint64_t>(number));
    Vector low = Vector::Constant(p.spec.dimension(), -1e150), high = -low;
    p.spec.domain.project(low);
    p.spec.domain.project(high);
    for (int trial = 0; trial < 40; ++trial) {
      std::vector<double> x;
      for (Index j = 0; j < low.size(); ++j) x.push_back(rng.uniform(low[j], high[j]));
      best = std::min(best, local_optimum(p, x));
    }
    EXPECT_NEAR(best, p.truth->best_value, 1e-5 * std::max(1.0, std::abs(p.truth->best_value))) << "hs" << number;
  }
}

}  // namespace
}  // namespace zeroth
