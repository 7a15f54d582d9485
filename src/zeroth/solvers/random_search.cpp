// SPDX-License-Identifier: MIT
#include "zeroth/solvers/random_search.hpp"

#include <algorithm>
#include <cmath>
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
  std::vector<Vector> x(batch_size);
  std::vector<Query> batch(batch_size);
  double best_value = std::numeric_limits<double>::infinity();
  double best_violation = std::numeric_limits<double>::infinity();

  for (std::uint64_t asked = 0;; asked += batch_size) {
    for (std::size_t k = 0; k < batch_size; ++k) {
      x[k] = spec.domain.sample(rng);
      batch[k].x = as_span(x[k]);
      batch[k].noise = noise_key(seed, RandomSearchLabel::noise, asked + k);
    }
    const auto answers = co_await look(batch);
    for (std::size_t k = 0; k < batch_size; ++k) {
      if (answers[k].failed()) continue;
      const double v = violation(spec, answers[k]);
      const double f = answers[k].values[0];
      if (v < best_violation || (v == best_violation && f < best_value)) {
        best_violation = v;
        best_value = f;
        incumbent.x = x[k];
      }
    }
  }
}

}  // namespace zeroth
