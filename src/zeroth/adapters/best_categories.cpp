// SPDX-License-Identifier: MIT
#include <algorithm>

#include "zeroth/adapters/integer_variables.hpp"

namespace zeroth {
namespace {

struct CategoriesLabel {
  enum : std::uint64_t { global = 0x63617465, local };
};
constexpr double choosing_share = 0.35;  // of the search

}  // namespace

Search within_best_categories(Spec spec, Space space, StartSolver global, StartSolver local, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  const auto end = static_cast<std::int64_t>(choosing_share * static_cast<double>(spec.search_budget()));
  std::int64_t done = 0;
  {
    Search solver = by_levels(spec, space, std::move(global), derive_key(seed, CategoriesLabel::global));
    while (!solver.done()) {
      const auto asked = solver.ask();
      if (done > 0 && done + static_cast<std::int64_t>(asked.size()) > end) break;
      const auto answers = co_await evaluate(asked);
      done += static_cast<std::int64_t>(answers.size());
      solver.tell(answers);
      incumbent = solver.recommend();
    }
  }
  const Vector held = incumbent.x;
  Spec inner = spec;
  inner.start = held;
  inner.evaluated.clear();
  inner.categories.clear();
  inner.active = {};
  inner.budget = std::max<std::int64_t>(spec.check + 1, spec.budget - done);
  for (std::size_t k = 0; k < inner.integer.size(); ++k)
    if (spec.categories[k] > 0) inner.integer[k] = false;
  if (std::ranges::find(inner.integer, true) == inner.integer.end()) inner.integer.clear();
  const bool whole = !inner.integer.empty();
  const auto with_categories = [&](Vector x) {
    for (Index k = 0; k < x.size(); ++k)
      if (spec.categories[static_cast<std::size_t>(k)] > 0) x[k] = held[k];
    return x;
  };
  const std::uint64_t key = derive_key(seed, CategoriesLabel::local);
  Search solver = whole ? by_random_rounding(inner, space, std::move(local), key) : local(inner, key);
  std::vector<Vector> points;
  std::vector<Query> batch;
  while (!solver.done()) {
    const auto asked = solver.ask();
    batch.assign(asked.begin(), asked.end());
    points.clear();
    for (const Query& q : asked) points.push_back(with_categories(as_vector(q.x)));
    for (std::size_t k = 0; k < batch.size(); ++k) batch[k].x = as_span(points[k]);
    const auto answers = co_await evaluate(batch);
    solver.tell(answers);
    incumbent = solver.recommend();
    incumbent.x = with_categories(incumbent.x);
    for (Vector& x : incumbent.cautious) x = with_categories(x);
    for (Vector& x : incumbent.candidates) x = with_categories(x);
  }
}

}  // namespace zeroth
