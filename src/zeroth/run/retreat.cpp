// SPDX-License-Identifier: MIT
#include "zeroth/run/retreat.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "zeroth/core/statistics/binomial.hpp"

namespace zeroth {
namespace {

// P(bad) at share r of the way. Of a value with noise the quantiles are taken as linear between the points, so that its
// mean and its spread both are; of one that counts, the probabilities themselves. Half an evaluation is added on either
// side: a probability is never 0 or 1.
double expected_bad(const Statement& s, const CheckedPoint& bold, const CheckedPoint& safe, Index i, double r) {
  std::vector<double> a = bold.values(i), b = safe.values(i);
  std::ranges::sort(a);
  std::ranges::sort(b);
  if (std::ranges::adjacent_find(a) != a.end()) {
    const auto share = [i](const CheckedPoint& p) {
      return (static_cast<double>(p.bad(i)) + 0.5) / (static_cast<double>(p.evaluations()) + 1);
    };
    return (1 - r) * share(bold) + r * share(safe);
  }
  const std::size_t count = a.size() + b.size();
  const auto quantile = [count](const std::vector<double>& v, std::size_t k) { return v[k * v.size() / count]; };
  double bad = 0;
  for (std::size_t k = 0; k < count; ++k) bad += s.bad((1 - r) * quantile(a, k) + r * quantile(b, k));
  return (bad + 0.5) / (static_cast<double>(count) + 1);
}

// Evaluations that an estimate is worth, given the variance of one.
double worth(const Estimate& e, double variance) { return e.se > 0 ? variance / (e.se * e.se) : 0; }

}  // namespace

double least_retreat(const Spec& spec, const EqualityRule& rule, const CheckedPoint& bold, const CheckedPoint& safe,
                     std::int64_t final_evaluations, double confidence) {
  if (safe.evaluations() < 2) return 0;
  if (bold.evaluations() < 2 || final_evaluations < 2) return 1;
  if (feasibility_bounds(spec, rule, safe).low < feasibility_bounds(spec, rule, bold).low) return 0;
  const double each = 1 - (1 - confidence) / static_cast<double>(spec.functions() - 1);  // Bonferroni
  const double t = boost::math::quantile(boost::math::students_t(static_cast<double>(final_evaluations - 1)), each);
  const auto holds = [&](double r) {
    for (Index i = 1; i <= spec.constraints; ++i) {
      if (const Statement* s = bold.chance(i)) {
        const double bad = expected_bad(*s, bold, safe, i, r);
        if (probability_of_at_most(most_bad(s->share, final_evaluations, each), final_evaluations, bad) < 0.9)
          return false;
        continue;
      }
      const Estimate a = bold.pooled(i), b = safe.pooled(i);
      const double mean = (1 - r) * a.mean + r * b.mean;
      const double variance = std::pow((1 - r) * a.se, 2) + std::pow(r * b.se, 2);
      const auto na = static_cast<double>(bold.evaluations()), nb = static_cast<double>(safe.evaluations());
      const double sigma2 = (na * bold.variance(i) + nb * safe.variance(i)) / (na + nb);
      // A model's knowledge will be counted with the final evaluations as it was with these.
      const double known =
          (1 - r) * std::max(0.0, worth(a, bold.variance(i)) - na) + r * std::max(0.0, worth(b, safe.variance(i)) - nb);
      const double s2 = sigma2 / (static_cast<double>(final_evaluations) + known);
      if (mean + t * std::sqrt(s2) + 1.28 * std::sqrt(variance + s2) > 0) return false;
    }
    return true;
  };
  constexpr int steps = 100;
  for (int k = 0; k < steps; ++k)
    if (const double r = static_cast<double>(k) / steps; holds(r)) return r;
  return 1;
}

double chance_to_confirm(const Spec& spec, const Meaning* meaning, const Belief& belief, std::int64_t final_evaluations,
                         double confidence) {
  if (belief.sd.size() != spec.functions() || belief.noise.size() != spec.functions() || final_evaluations < 2)
    return 0;
  const boost::math::normal standard;
  const double each = 1 - (1 - confidence) / static_cast<double>(std::max<Index>(1, spec.functions() - 1));
  const auto fresh = static_cast<double>(final_evaluations);
  const double t = boost::math::quantile(boost::math::students_t(fresh - 1), each);
  double all = 1;
  for (Index i = 1; i <= spec.constraints; ++i) {
    const double mean = belief.mean[i], sd = model_modesty * belief.sd[i];
    const auto k = static_cast<std::size_t>(i - 1);
    if (meaning && k < meaning->statements.size() && meaning->statements[k].chance()) {
      const double share = meaning->statements[k].share, p = std::clamp(mean + share, 0.5 / (fresh + 1), 1.0);
      const double more = std::floor(std::min(p * (1 - p) / (sd * sd), most_pseudo_evaluations * fresh));
      const auto allowed =
          most_bad(share, final_evaluations + std::llround(more), each) - std::llround(std::ceil(p * more));
      // Averaged over the model's own doubt, roughly.
      double holds = 0;
      for (const double z : {-1.0, 0.0, 1.0})
        holds += probability_of_at_most(allowed, final_evaluations, std::clamp(p + z * sd, 1e-6, 1.0)) / 3;
      all *= holds;
      continue;
    }
    const double noise = belief.noise[i];
    if (!(noise > 0)) {
      all *= mean <= 0 ? 1 : 0;
      continue;
    }
    const double more = std::min(noise * noise / (sd * sd), most_pseudo_evaluations * fresh);
    const double share_fresh = fresh / (fresh + more), se = noise / std::sqrt(fresh + more);
    // The pooled mean will be off by the fresh evaluations' share of the model's error and of their own noise.
    const double spread = share_fresh * std::sqrt(sd * sd + noise * noise / fresh);
    all *= boost::math::cdf(standard, std::clamp((-mean - t * se) / std::max(spread, 1e-300), -30.0, 30.0));
  }
  return all;
}

double chance_to_hold(const Spec& spec, const Belief& belief) {
  const boost::math::normal standard;
  double all = 1;
  for (Index i = 1; i <= spec.constraints; ++i) {
    const double sd = std::max(model_modesty * belief.sd[i], 1e-300);
    all *= boost::math::cdf(standard, std::clamp(-belief.mean[i] / sd, -30.0, 30.0));
  }
  return all;
}

}  // namespace zeroth
