// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <deque>

#include "zeroth/adapters/fence.hpp"

namespace zeroth {

Search fenced(Fence fence, Spec spec, StartSolver start, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  if (spec.start.size() == 0 && !fence.admits(spec.domain.center())) spec.start = fence.anchor();
  incumbent.x = fence.inside(spec.first_point());
  Search solver = start(std::move(spec), seed);
  std::vector<Vector> points;
  std::vector<Query> batch;
  for (;;) {
    incumbent = solver.recommend();
    if (incumbent.x.size() > 0) incumbent.x = fence.inside(incumbent.x);
    // The check may go anywhere between the recommendation and a fallback: only a way that is inside is offered.
    std::erase_if(incumbent.cautious, [&](const Vector& x) {
      for (const double share : {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0})
        if (!fence.admits((1 - share) * incumbent.x + share * x)) return true;
      return false;
    });
    if (incumbent.cautious_at)
      incumbent.cautious_at = [inner = incumbent.cautious_at, &fence](double deviations) {
        return fence.inside(inner(deviations));
      };
    std::erase_if(incumbent.candidates, [&](const Vector& x) { return !fence.admits(x); });
    if (solver.done()) co_return;
    const auto asked = solver.ask();
    batch.assign(asked.begin(), asked.end());
    points.clear();
    points.reserve(batch.size());
    for (Query& q : batch) {
      const Vector x = as_vector(q.x);
      if (fence.admits(x)) continue;
      points.push_back(fence.inside(x));
      q.x = as_span(points.back());
    }
    const auto answers = co_await propose(batch, solver.proposes());
    solver.tell(answers);
  }
}

namespace {

Search seeing_limits(Spec spec, StartSolver start, Space space, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const auto extra = space.known().size();
  const auto before = static_cast<std::size_t>(1 + spec.constraints);
  const auto count = static_cast<std::size_t>(spec.functions());
  incumbent.x = spec.first_point();
  const auto widened = [&](std::vector<double>& values, std::span<const double> limits) {
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(before), limits.begin(), limits.end());
  };
  std::vector<double> limits(extra);
  for (Evaluated& e : spec.evaluated) {
    space.known_values(as_span(e.x), limits);
    widened(e.values, limits);
    if (!e.se.empty()) widened(e.se, std::vector<double>(extra, 0.0));
  }
  if (spec.constants) spec.constants.reset();  // they say nothing of these functions
  spec.constraints += static_cast<Index>(extra);
  if (spec.cost.size() > 0) {  // limits that are known cost nothing
    std::vector<double> cost(spec.cost.begin(), spec.cost.end());
    widened(cost, std::vector<double>(extra, 0.0));
    spec.cost = as_vector(std::span<const double>(cost));
  }
  Search solver = start(std::move(spec), seed);
  std::vector<Query> batch;
  std::vector<std::vector<std::uint8_t>> wanted;
  std::vector<std::vector<double>> weights;
  struct Open {  // a question without an answer: with a lag there are more than the last batch has
    Vector x;
    std::vector<double> weights;  // as the solver asked
  };
  std::deque<Open> open;
  std::vector<Answer> seen;
  for (;;) {
    incumbent = solver.recommend();
    const auto shorten = [&](Vector& v) {  // what is known of declared functions alone
      if (static_cast<std::size_t>(v.size()) != count - 1 + extra) return;
      const auto head = static_cast<Index>(before - 1), tail = static_cast<Index>(count - before);
      Vector kept(head + tail);
      kept << v.head(head), v.tail(tail);
      v = kept;
    };
    shorten(incumbent.multipliers);
    shorten(incumbent.multiplier_se);
    incumbent.believe = {};  // it knows other functions than those declared
    incumbent.cautious_at = {};
    if (solver.done()) co_return;
    const auto asked = solver.ask();
    batch.assign(asked.begin(), asked.end());
    wanted.assign(batch.size(), {});
    weights.assign(batch.size(), {});
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const auto cut = [&](const auto& all, auto& own) {
        own.assign(all.begin(), all.end());
        own.erase(own.begin() + static_cast<std::ptrdiff_t>(before),
                  own.begin() + static_cast<std::ptrdiff_t>(before + extra));
      };
      if (!asked[k].wanted.empty()) {
        cut(asked[k].wanted, wanted[k]);
        batch[k].wanted = wanted[k];
      }
      if (!asked[k].weights.empty()) {
        cut(asked[k].weights, weights[k]);
        batch[k].weights = weights[k];
      }
      open.push_back({as_vector(asked[k].x), {asked[k].weights.begin(), asked[k].weights.end()}});
    }
    const auto answers = co_await propose(batch, solver.proposes());
    seen.assign(answers.begin(), answers.end());
    for (std::size_t k = 0; k < seen.size(); ++k) {
      if (seen[k].failed()) continue;
      space.known_values(as_span(open[k].x), limits);
      // Outside of where an expression is defined it is only known to be violated.
      for (double& value : limits)
        if (!std::isfinite(value)) value = 1;
      const bool summed = seen[k].values.size() > count;
      widened(seen[k].values, limits);
      if (!seen[k].se.empty()) widened(seen[k].se, std::vector<double>(extra, 0.0));
      if (summed)
        for (std::size_t j = 0; j < extra; ++j) seen[k].values.back() += open[k].weights[before + j] * limits[j];
    }
    open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(seen.size()));
    solver.tell(seen);
  }
}

}  // namespace

StartSolver with_known_limits(StartSolver start, const Space& space) {
  return [start = std::move(start), space](Spec spec, std::uint64_t seed) {
    return seeing_limits(std::move(spec), start, space, seed);
  };
}

}  // namespace zeroth
