// SPDX-License-Identifier: MIT
#include "zeroth/run/whole_numbers.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/run/catalog.hpp"
#include "zeroth/run/level_race.hpp"

namespace zeroth {
namespace {

struct WholeNumbersLabel {
  enum : std::uint64_t { threshold = 0x77686f6c, race_noise, polish_seed };
};
constexpr double relaxed_share = 0.5, race_share_with_reals = 0.25;
constexpr double confirming_share = 0.2;  // of the race

// One uniform threshold per coordinate, named by the noise key: two points under one key are rounded by the same ones.
Vector rounded_at_random(const Spec& spec, const Space& space, std::span<const double> x, std::uint64_t key) {
  Vector out = as_vector(x);
  for (Index k = 0; k < out.size(); ++k) {
    if (!spec.integer[static_cast<std::size_t>(k)]) continue;
    const auto [below, above] = space.levels_around(k, out[k]);
    const double share = above > below ? std::clamp((out[k] - below) / (above - below), 0.0, 1.0) : 0;
    Rng rng(derive_key(key, WholeNumbersLabel::threshold, static_cast<std::uint64_t>(k)));
    out[k] = rng.uniform() < share ? above : below;
  }
  return out;
}

Vector nearest(const Spec& spec, const Space& space, Vector x) {
  for (Index k = 0; k < x.size(); ++k)
    if (spec.integer[static_cast<std::size_t>(k)]) x[k] = space.next_level(k, x[k], 0);
  return x;
}

// The whole coordinates of `x` as in `held`.
Vector with_levels_of(const Spec& spec, const Vector& held, Vector x) {
  for (Index k = 0; k < x.size(); ++k)
    if (spec.integer[static_cast<std::size_t>(k)]) x[k] = held[k];
  return x;
}

}  // namespace

Search by_random_rounding(Spec spec, Space space, StartSolver start, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = nearest(spec, space, spec.first_point());
  const bool reals = std::ranges::find(spec.integer, false) != spec.integer.end();
  const auto part = [&](double share) { return static_cast<std::int64_t>(share * static_cast<double>(spec.budget)); };
  std::int64_t done = 0;
  std::vector<Vector> points;
  std::vector<Query> batch;
  LevelRace race(spec, space);

  Spec relaxed = spec;
  relaxed.integer.clear();
  relaxed.budget = part(relaxed_share);
  {
    Search solver = start(relaxed, seed);
    while (!solver.done()) {
      const auto asked = solver.ask();
      if (done + static_cast<std::int64_t>(asked.size()) > relaxed.budget) break;
      batch.assign(asked.begin(), asked.end());
      points.clear();
      for (const Query& q : asked) points.push_back(rounded_at_random(spec, space, q.x, q.noise));
      for (std::size_t k = 0; k < batch.size(); ++k) batch[k].x = as_span(points[k]);
      const auto answers = co_await look(batch);
      done += static_cast<std::int64_t>(batch.size());
      for (std::size_t k = 0; k < batch.size(); ++k)
        if (batch[k].wanted.empty()) race.learn(points[k], answers[k]);
      solver.tell(answers);
      incumbent = solver.recommend();
      incumbent.x = nearest(spec, space, incumbent.x);
      incumbent.cautious.clear();  // half-way to a fallback there may be no level
    }
  }

  race.begin(incumbent.x);
  const std::int64_t race_end = reals ? done + part(race_share_with_reals) : spec.budget;
  const std::int64_t confirm_from =
      race_end - static_cast<std::int64_t>(confirming_share * static_cast<double>(race_end - done));
  const auto looks_of_a_round = [&] {
    return static_cast<std::int64_t>(race.entrants().size()) * LevelRace::looks_each;
  };
  for (;;) {
    if (!race.confirming() && (race.entrants().empty() || done + looks_of_a_round() > confirm_from)) race.confirm();
    incumbent.x = race.best();
    const std::int64_t round = looks_of_a_round();
    if (round == 0 || done + round > race_end) break;
    const std::span<const Vector> entrants = race.entrants();
    batch.clear();
    for (std::size_t k = 0; k < entrants.size(); ++k)
      for (std::int64_t r = 0; r < LevelRace::looks_each; ++r)
        batch.push_back(
            {as_span(entrants[k]),
             noise_key(seed, WholeNumbersLabel::race_noise, static_cast<std::uint64_t>(race.looks_at(k) + r)),
             {}});
    race.tell(co_await look(batch));
    done += round;
    incumbent.trace["race_moves"] = static_cast<double>(race.moves());
  }
  if (!reals) co_return;

  relaxed.start = incumbent.x;
  relaxed.budget = std::max<std::int64_t>(1, spec.budget - done);
  const Vector held = incumbent.x;
  Search solver = start(relaxed, derive_key(seed, WholeNumbersLabel::polish_seed));
  while (!solver.done()) {
    const auto asked = solver.ask();
    batch.assign(asked.begin(), asked.end());
    points.clear();
    for (const Query& q : asked) points.push_back(with_levels_of(spec, held, as_vector(q.x)));
    for (std::size_t k = 0; k < batch.size(); ++k) batch[k].x = as_span(points[k]);
    const auto answers = co_await look(batch);
    solver.tell(answers);
    incumbent = solver.recommend();
    incumbent.x = with_levels_of(spec, held, incumbent.x);
    for (Vector& x : incumbent.cautious) x = with_levels_of(spec, held, x);
  }
}

StartSolver in_whole_numbers(const std::string& solver, const Settings& options, const Space& space) {
  return [solver, options, space](Spec spec, std::uint64_t seed) {
    const SolverEntry& entry = solver_named(solver);
    if (!measures_slopes(solver, spec, options))
      return by_levels(
          std::move(spec), space,
          [&entry, options](Spec inner, std::uint64_t key) { return entry.make(std::move(inner), options, key); },
          seed);
    Settings relaxed = options;
    // The relaxed problem has a smaller budget, for which auto would take the model after all.
    if (solver == "auto") relaxed["bayesian_budget"] = {std::int64_t{0}, "whole numbers"};
    return by_random_rounding(
        std::move(spec), space,
        [&entry, relaxed](Spec inner, std::uint64_t key) { return entry.make(std::move(inner), relaxed, key); }, seed);
  };
}

Search by_levels(Spec spec, Space space, StartSolver start, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const Index n = spec.dimension();
  if (!spec.domain.contains(Vector::Zero(n), 0) || !spec.domain.contains(Vector::Ones(n), 0)) {
    // A known set beside the bounds: what is no box cannot be given other units.
    Search solver = start(spec, seed);
    for (;;) {
      incumbent = solver.recommend();
      if (solver.done()) co_return;
      const auto answers = co_await look(solver.ask());
      solver.tell(answers);
    }
  }
  // Levels on a log scale are not evenly spaced: there distances mean more than numbers of levels.
  std::vector<bool> counted(static_cast<std::size_t>(n), false);
  Vector lower = Vector::Zero(n), upper = Vector::Ones(n), first = spec.first_point();
  incumbent.x = first;
  for (Index k = 0; k < n; ++k) {
    if (!spec.integer[static_cast<std::size_t>(k)]) continue;
    const double least = space.next_level(k, 0, 0), most = space.next_level(k, 1, 0);
    const double second = space.next_level(k, least, 1), before = space.next_level(k, most, -1);
    if (!(second > least) || std::abs((second - least) - (most - before)) > 1e-9) continue;
    counted[static_cast<std::size_t>(k)] = true;
    lower[k] = 1;
    upper[k] = 1 + std::round((most - least) / (second - least));
  }
  const auto from_levels = [&](std::span<const double> x) {
    Vector out = as_vector(x);
    for (Index k = 0; k < n; ++k)
      if (counted[static_cast<std::size_t>(k)])
        out[k] = space.next_level(k, 0, static_cast<int>(std::lround(out[k])) - 1);
    return out;
  };
  for (Index k = 0; k < n; ++k)
    if (counted[static_cast<std::size_t>(k)]) {
      const double least = space.next_level(k, 0, 0), step = space.next_level(k, least, 1) - least;
      first[k] = std::round(1 + (space.next_level(k, first[k], 0) - least) / step);
    }
  Spec levels = spec;
  levels.domain = Domain::box(lower, upper);
  levels.start = first;
  for (Index k = 0; k < n; ++k)
    if (!counted[static_cast<std::size_t>(k)]) levels.integer[static_cast<std::size_t>(k)] = false;
  Search solver = start(levels, seed);
  std::vector<Vector> points;
  std::vector<Query> batch;
  for (;;) {
    incumbent = solver.recommend();
    if (incumbent.x.size() == n) incumbent.x = from_levels(as_span(incumbent.x));
    for (Vector& x : incumbent.cautious) x = from_levels(as_span(x));
    if (solver.done()) co_return;
    const auto asked = solver.ask();
    batch.assign(asked.begin(), asked.end());
    points.clear();
    for (const Query& q : asked) points.push_back(from_levels(q.x));
    for (std::size_t k = 0; k < batch.size(); ++k) batch[k].x = as_span(points[k]);
    const auto answers = co_await look(batch);
    solver.tell(answers);
  }
}

}  // namespace zeroth
