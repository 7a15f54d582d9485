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

Search check_candidates(Spec spec, std::vector<Vector> candidates, std::int64_t looks, double confidence,
                        std::uint64_t seed, CheckedAnswer* out) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = candidates[0];
  const auto width = static_cast<std::size_t>(std::max(1, spec.width));
  std::uint64_t asked = 0;
  std::vector<Query> batch;
  const auto ask = [&](std::size_t candidate, std::size_t count) {
    batch.assign(count, {});
    for (Query& q : batch) {
      q.x = as_span(candidates[candidate]);
      q.noise = noise_key(seed, check_label, asked++);
    }
  };
  // Too few looks to choose with are better spent on knowing the one point.
  const std::int64_t choosing = looks / 3, each = choosing / static_cast<std::int64_t>(candidates.size());
  if (candidates.size() > 1 && each >= 5 && spec.constraints > 0) {
    out->chosen = candidates.size() - 1;
    for (std::size_t c = 0; c + 1 < candidates.size(); ++c) {
      CheckedPoint trial(spec.functions());
      for (std::int64_t done = 0; done < each; done += static_cast<std::int64_t>(batch.size())) {
        ask(c, std::min(width, static_cast<std::size_t>(each - done)));
        for (const Answer& answer : co_await look(batch))
          if (!answer.failed()) trial.add(answer.values);
      }
      if (probability_feasible(spec, trial) < confidence) continue;
      out->chosen = c;
      break;
    }
  }
  incumbent.x = candidates[out->chosen];
  for (;;) {
    ask(out->chosen, width);
    for (const Answer& answer : co_await look(batch)) {
      if (answer.failed()) ++out->point.failed;
      else out->point.add(answer.values);
    }
  }
}

double probability_feasible(const Spec& spec, const CheckedPoint& checked) {
  double missing = 0;
  for (Index i = 1; i <= spec.constraints; ++i)
    missing += 1 - probability_nonpositive(checked.estimate(i), checked.looks);
  return std::isnan(missing) ? 0 : std::max(0.0, 1 - missing);
}

std::string honest_status(const Incumbent& incumbent, double probability, double confidence, std::string& note) {
  if (!(probability >= confidence)) return "infeasible";
  const double residual = incumbent.kkt_residual, se = incumbent.kkt_se;
  if (residual + 1.96 * se <= 0.01) return "converged";
  if (residual <= 1.96 * se) note += (note.empty() ? "" : "; ") + std::string("the noise floor is reached");
  return "budget";
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
  result.kkt_residual = {incumbent.kkt_residual, incumbent.kkt_se};
  for (Index i = 1; i <= spec.constraints; ++i) {
    ConstraintResult c;
    const auto k = static_cast<std::size_t>(i - 1);
    c.name = k < names.size() ? names[k] : "c" + std::to_string(i);
    c.value = checked.estimate(i);
    c.probability_feasible = probability_nonpositive(c.value, checked.looks);
    if (incumbent.multipliers.size() >= i) c.multiplier.mean = incumbent.multipliers[i - 1];
    if (incumbent.multiplier_se.size() >= i) c.multiplier.se = incumbent.multiplier_se[i - 1];
    result.constraints.push_back(std::move(c));
  }
}

double probability_all_feasible(const Result& result) {
  double missing = 0;
  for (const auto& c : result.constraints) missing += 1 - c.probability_feasible;
  return std::isnan(missing) ? 0 : std::max(0.0, 1 - missing);
}

}  // namespace zeroth
