// SPDX-License-Identifier: MIT
#include "zeroth/solvers/random_search.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace zeroth {
namespace {

struct RandomSearchLabel {
  enum : std::uint64_t { points, noise };
};

double violation(const Spec& spec, const Answer& answer) {
  double worst = 0;
  for (Index i = 1; i < spec.functions(); ++i) {
    const double value = answer.values[static_cast<std::size_t>(i)];
    worst = std::max(worst, i <= spec.constraints ? value : std::abs(value));
  }
  return worst;
}

}  // namespace

Search random_search(Spec spec, RandomSearchOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();

  const auto batch_size = static_cast<std::size_t>(options.batch > 0 ? options.batch : std::max(1, spec.width));
  Rng rng(derive_key(seed, RandomSearchLabel::points));
  std::deque<Vector> open;  // asked and not answered yet, oldest first
  std::vector<Query> batch(batch_size);
  double best_value = std::numeric_limits<double>::infinity();
  double best_violation = std::numeric_limits<double>::infinity();

  for (std::uint64_t asked = 0;; asked += batch_size) {
    for (std::size_t k = 0; k < batch_size; ++k) {
      Vector& x = open.emplace_back(spec.domain.sample(rng));
      // Known limits cost nothing to ask about; what is never inside is left to whoever guards them.
      for (int again = 0; spec.known && again < 100 && !spec.known(as_span(x)); ++again) x = spec.domain.sample(rng);
      batch[k].x = as_span(x);
      batch[k].noise = noise_key(seed, RandomSearchLabel::noise, asked + k);
    }
    const auto answers = co_await propose(batch);
    for (const Answer& answer : answers) {
      const Vector x = std::move(open.front());
      open.pop_front();
      // What is no number was not asked for, since a cheap constraint surely fails.
      if (answer.failed() || std::ranges::any_of(answer.values, [](double v) { return std::isnan(v); })) continue;
      const double v = violation(spec, answer);
      const double f = answer.values[0];
      if (v < best_violation || (v == best_violation && f < best_value)) {
        best_violation = v;
        best_value = f;
        incumbent.x = x;
      }
    }
  }
}

}  // namespace zeroth
