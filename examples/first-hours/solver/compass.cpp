// SPDX-License-Identifier: MIT
// Compass search: tries a step along every coordinate, goes to the best point, and halves the step where none is
// better. A constraint's mean above zero costs a hundred times as much as the objective.
#include "zeroth/solvers/compass.hpp"

#include <algorithm>

namespace zeroth {

Search compass(Spec spec, CompassOptions o, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  spec.domain.project(incumbent.x);
  double step = o.step, best = std::numeric_limits<double>::infinity();
  std::uint64_t asked = 0;
  for (;;) {
    std::vector<Vector> points{incumbent.x};
    for (Index i = 0; i < spec.dimension(); ++i)
      for (const double sign : {-1.0, 1.0}) {
        Vector x = incumbent.x;
        x[i] += sign * step;
        spec.domain.project(x);
        points.push_back(x);
      }
    std::vector<Query> batch;
    for (const Vector& x : points)
      for (std::int64_t r = 0; r < o.replicates; ++r) batch.push_back({as_span(x), noise_key(seed, 1, asked++), {}});
    const auto answers = co_await evaluate(batch);
    best = std::numeric_limits<double>::infinity();
    std::size_t chosen = 0;
    for (std::size_t p = 0; p < points.size(); ++p) {
      double merit = 0, answered = 0;
      for (std::int64_t r = 0; r < o.replicates; ++r) {
        const Answer& a = answers[p * static_cast<std::size_t>(o.replicates) + static_cast<std::size_t>(r)];
        if (a.failed()) continue;
        ++answered;
        merit += a.values[0];
        for (Index i = 1; i <= spec.constraints; ++i)
          merit += 100 * std::max(0.0, a.values[static_cast<std::size_t>(i)]);
      }
      if (answered > 0 && merit / answered < best) {
        best = merit / answered;
        chosen = p;
      }
    }
    if (chosen == 0) step = std::max(1e-6, step / 2);
    incumbent.x = points[chosen];
    incumbent.trace["step"] = step;
  }
}

}  // namespace zeroth
