// SPDX-License-Identifier: MIT
#include "zeroth/run/check.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace zeroth {
namespace {

// Solvers derive their keys from the seed by small labels; this one is out of their way.
constexpr std::uint64_t check_label = 0x636865636b;

}  // namespace

void CheckedPoint::add(std::span<const double> values) {
  ++looks;
  const Vector delta = as_vector(values) - mean;
  mean += delta / static_cast<double>(looks);
  squares.array() += delta.array() * (as_vector(values) - mean).array();
}

Estimate CheckedPoint::estimate(Index i) const {
  if (looks == 0) return {};
  const double k = static_cast<double>(looks);
  return {mean[i], looks > 1 ? std::sqrt(squares[i] / (k - 1) / k) : std::nan("")};
}

Search check_point(Spec spec, Vector x, std::uint64_t seed, CheckedPoint* out) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = x;
  const auto width = static_cast<std::size_t>(std::max(1, spec.width));
  std::vector<Query> batch(width);
  for (std::uint64_t asked = 0;; asked += width) {
    for (std::size_t k = 0; k < width; ++k) {
      batch[k].x = as_span(x);
      batch[k].noise = noise_key(seed, check_label, asked + k);
    }
    for (const Answer& answer : co_await look(batch)) {
      if (answer.failed()) ++out->failed;
      else out->add(answer.values);
    }
  }
}

double probability_nonpositive(const Estimate& e, std::int64_t looks) {
  if (looks < 2 || std::isnan(e.se)) return std::nan("");
  if (e.se == 0) return e.mean <= 0 ? 1 : 0;
  return boost::math::cdf(boost::math::students_t(static_cast<double>(looks - 1)), -e.mean / e.se);
}

void summarize(const Spec& spec, const CheckedPoint& checked, const Incumbent& incumbent,
               const std::vector<std::string>& names, Result& result) {
  result.replicates = checked.looks;
  result.objective = checked.estimate(0);
  for (Index i = 1; i <= spec.constraints; ++i) {
    ConstraintResult c;
    const auto k = static_cast<std::size_t>(i - 1);
    c.name = k < names.size() ? names[k] : "c" + std::to_string(i);
    c.value = checked.estimate(i);
    c.probability_feasible = probability_nonpositive(c.value, checked.looks);
    if (incumbent.multipliers.size() >= i) c.multiplier.mean = incumbent.multipliers[i - 1];
    result.constraints.push_back(std::move(c));
  }
}

double probability_all_feasible(const Result& result) {
  double missing = 0;
  for (const auto& c : result.constraints) missing += 1 - c.probability_feasible;
  return std::isnan(missing) ? 0 : std::max(0.0, 1 - missing);
}

}  // namespace zeroth
