// SPDX-License-Identifier: MIT
#include "zeroth/solvers/auto/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/core/statistics/equality_share.hpp"
#include "zeroth/model/normal.hpp"

namespace zeroth {
namespace {

// A point as fresh evaluations and the model see it together: the model's word counts by its error, widened, and not
// where fresh evaluations contradict it.
struct Seen {
  double objective = 0, error = 0;
  double violated = 0;  // probability that some limit is broken
};

Seen seen(const Site& site, const Site& other, const Belief& belief, const Spec& spec, const Vector& scale) {
  constexpr double modesty = 1.5, contradiction = 2.5;
  Seen out;
  for (Index i = 0; i < spec.functions(); ++i) {
    // Few evaluations each: the variance is that of both points.
    const auto freedom = static_cast<double>(site.answered + other.answered - 2);
    const double variance = freedom > 0 ? (site.squares[i] + other.squares[i]) / freedom : 0;
    double mean = site.mean[i], error2 = variance / static_cast<double>(site.answered);
    if (belief.sd.size() > i) {
      const double sd2 = std::pow(modesty * belief.sd[i], 2), gap = mean - belief.mean[i];
      if (sd2 > 0 && std::isfinite(gap) && gap * gap <= contradiction * contradiction * (error2 + sd2)) {
        const double weight = sd2 / (sd2 + error2);
        mean -= (1 - weight) * gap;
        error2 *= weight;
      }
    }
    if (i == 0) {
      out.objective = mean;
      out.error = std::sqrt(error2);
      continue;
    }
    const double rounding = 1e-6 * std::max(scale[i], 1e-300);
    const double beyond = i > spec.constraints ? std::abs(mean) - equality_share * scale[i] : mean - rounding;
    const double p = error2 > 0 ? normal_cdf(beyond / std::sqrt(error2)) : beyond > 0 ? 1.0 : 0.0;
    out.violated = std::min(1.0, out.violated + p);
  }
  return out;
}

}  // namespace

Comparison::Comparison(const Spec& spec, Vector ours, Vector theirs)
    : spec_(spec),
      ours_{std::move(ours), 0, 0, Vector::Zero(spec.functions()), Vector::Zero(spec.functions())},
      theirs_{std::move(theirs), 0, 0, Vector::Zero(spec.functions()), Vector::Zero(spec.functions())} {}

void Comparison::add(const Answer& at_ours, const Answer& at_theirs) {
  for (const auto& [site, answer] : {std::pair{&ours_, &at_ours}, std::pair{&theirs_, &at_theirs}}) {
    if (answer->failed()) ++site->failed;
    else site->add(answer->values);
  }
  if (!at_ours.failed() && !at_theirs.failed()) paired_.add(at_theirs.values[0] - at_ours.values[0]);
}

double Comparison::lead(const Incumbent& model, const Vector& scale) const {
  if (ours() == theirs()) return 0;
  if (ours_.answered == 0 || theirs_.answered == 0)
    return ours_.answered > 0 ? clearly : theirs_.answered > 0 ? -clearly : 0;
  const auto belief = [&](const Vector& x) { return model.believe ? model.believe(x) : Belief{}; };
  const Seen a = seen(ours_, theirs_, belief(ours()), spec_, scale),
             b = seen(theirs_, ours_, belief(theirs()), spec_, scale);
  constexpr double even = 0.5;
  if (std::max(a.violated, b.violated) > even && std::abs(a.violated - b.violated) > 0.1)
    return a.violated < b.violated ? clearly : -clearly;
  double gap = b.objective - a.objective, error = std::hypot(a.error, b.error);
  if (paired_.count >= 3 && paired_.standard_error() < error) {
    gap = paired_.mean;
    error = paired_.standard_error();
  }
  return error > 0 ? gap / error : gap > 0 ? clearly : gap < 0 ? -clearly : 0;
}

}  // namespace zeroth
