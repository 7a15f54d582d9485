// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/noise.hpp"

#include <algorithm>
#include <cmath>

namespace zeroth::adaptive {
namespace {

constexpr double least_stated_weight = 0.05, most_stated_weight = 20;  // of one evaluation in levels, by what it states
constexpr double least_stated_share = 1e-3;  // of the largest error in a batch: nobody is that much surer

bool states_errors(const Answer& answer) {
  return !answer.se.empty() && std::ranges::all_of(answer.se, [](double e) { return std::isfinite(e); });
}

}  // namespace

NoiseBelief::NoiseBelief(Index functions, const Tuning& tuning)
    : variance(Vector::Zero(functions)),
      squares(variance),
      replicate_squares(variance),
      above(variance),
      below(variance),
      tune_(tuning) {}

void NoiseBelief::observe(std::span<const Answer> levels, const Vector& expected) {
  double good = 0;
  Vector mean = Vector::Zero(variance.size()), own = mean;
  for (const Answer& answer : levels) {
    if (answer.failed()) continue;
    ++good;
    const Vector values = as_vector(answer.values), delta = values - mean;
    for (Index i = 0; i < variance.size(); ++i) {
      const double off = values[i] - expected[i];
      if (off * off > tune_.outlier * tune_.outlier * variance[i]) ++(off > 0 ? above : below)[i];
    }
    mean += delta / good;
    own.array() += delta.array() * (values - mean).array();
  }
  here = {mean, variance, good};
  const double clip = tune_.beyond_doubt * tune_.beyond_doubt;
  if (good > 1) {
    // The noise may change with x: about the last two hundred degrees of freedom count.
    // Surprises are clipped at four standard deviations wherever the model learns, so the noise they are held against
    // is measured with the same clip: under heavy tails the difference would pass for a better model than there is.
    if (degrees > tune_.noise_settled) own = own.cwiseMin(clip * (good - 1) * variance);
    const double keep = std::exp(-(good - 1) / tune_.noise_memory);
    squares = keep * squares + own;
    degrees = keep * degrees + good - 1;
    variance = squares / degrees;
    here.variance = variance.cwiseMax(own / (good - 1));  // noise that was small elsewhere may be large here
  }
  weigh_stated(levels);
}

double NoiseBelief::stated(const Answer& answer, Index i, double usual) {
  if (!states_errors(answer)) return usual;
  const double se = answer.se[static_cast<std::size_t>(i)];
  return std::max(se * se, least_stated_share * usual);
}

double NoiseBelief::weight_of(const Answer& answer) const {
  if (!states_errors(answer)) return 1;
  double sum = 0, count = 0;
  for (Index i = 0; i < variance.size(); ++i) {
    const double se = answer.se[static_cast<std::size_t>(i)];
    if (!(variance[i] > 0)) continue;
    sum += se > 0 ? std::clamp(variance[i] / (se * se), least_stated_weight, most_stated_weight) : most_stated_weight;
    ++count;
  }
  return count > 0 ? sum / count : 1;
}

// Evaluations at x whose evaluators state their errors: the mean weighted by these, and its variance from them.
void NoiseBelief::weigh_stated(std::span<const Answer> levels) {
  if (here.evaluations == 0 ||
      std::ranges::any_of(levels, [](const Answer& a) { return !a.failed() && !states_errors(a); }))
    return;
  for (Index i = 0; i < variance.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    double largest = 0, sum = 0, precision = 0;
    for (const Answer& a : levels)
      if (!a.failed()) largest = std::max(largest, a.se[at] * a.se[at]);
    if (!(largest > 0)) continue;
    for (const Answer& a : levels) {
      if (a.failed()) continue;
      const double one = 1 / std::max(a.se[at] * a.se[at], least_stated_share * largest);
      precision += one;
      sum += one * a.values[at];
    }
    here.mean[i] = sum / precision;
    here.variance[i] = here.evaluations / precision;
  }
}

}  // namespace zeroth::adaptive
