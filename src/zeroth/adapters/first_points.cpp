// SPDX-License-Identifier: MIT
#include "zeroth/adapters/first_points.hpp"

#include <algorithm>
#include <cmath>

namespace zeroth {
namespace {

struct EarlierLabel {
  enum : std::uint64_t { noise = 0x6561726c };
};

}  // namespace

const Evaluated* best_evaluated(const Spec& spec, const Meaning* meaning) {
  const Evaluated* best = nullptr;
  double best_violation = infinity, best_value = infinity;
  for (const Evaluated& e : spec.evaluated) {
    if (std::ranges::any_of(e.values, [](double v) { return std::isnan(v); })) continue;
    const std::vector<double> values = meaning ? meaning->of(e.values) : e.values;
    double violation = 0;
    for (Index i = 1; i < spec.functions(); ++i) {
      const double value = values[static_cast<std::size_t>(i)];
      violation = std::max(violation, i <= spec.constraints ? value : std::abs(value));
    }
    if (violation > best_violation || (violation == best_violation && !(e.values[0] < best_value))) continue;
    best = &e;
    best_violation = violation;
    best_value = e.values[0];
  }
  return best;
}

Search after_points(Spec spec, std::optional<Meaning> meaning, StartSolver start, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  const Meaning* const stated = meaning ? &*meaning : nullptr;
  const std::vector<Vector> points = std::move(spec.known_points);
  spec.known_points.clear();
  const auto width = static_cast<std::size_t>(std::max(1, spec.width));
  std::vector<Query> batch;
  for (std::size_t done = 0; done < points.size(); done += batch.size()) {
    batch.clear();
    for (std::size_t k = done; k < std::min(points.size(), done + width); ++k)
      batch.push_back({as_span(points[k]), noise_key(seed, EarlierLabel::noise, k), {}});
    const auto answers = co_await evaluate(batch);
    for (std::size_t k = 0; k < batch.size(); ++k)
      if (!answers[k].failed()) spec.evaluated.push_back({points[done + k], answers[k].values, answers[k].se, 1});
    if (const Evaluated* best = best_evaluated(spec, stated)) incumbent.x = best->x;
  }
  if (const Evaluated* best = best_evaluated(spec, stated); best && spec.start.size() == 0) spec.start = best->x;
  spec.budget =
      std::max(spec.budget - spec.search_budget() + 1, spec.budget - static_cast<std::int64_t>(points.size()));
  Search solver = start(std::move(spec), seed);
  for (;;) {
    incumbent = solver.recommend();
    if (solver.done()) co_return;
    const auto answers = co_await propose(solver.ask(), solver.proposes());
    solver.tell(answers);
  }
}

}  // namespace zeroth
