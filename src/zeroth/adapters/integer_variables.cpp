// SPDX-License-Identifier: MIT
#include "zeroth/adapters/integer_variables.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/adapters/integer_local_search.hpp"

namespace zeroth {
namespace {

struct IntegerVariablesLabel {
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
    Rng rng(derive_key(key, IntegerVariablesLabel::threshold, static_cast<std::uint64_t>(k)));
    out[k] = rng.uniform() < share ? above : below;
  }
  return out;
}

Vector nearest(const Spec& spec, const Space& space, Vector x) {
  for (Index k = 0; k < x.size(); ++k)
    if (spec.integer[static_cast<std::size_t>(k)]) x[k] = space.next_level(k, x[k], 0);
  return x;
}

// Whether two points have the same categories and the same coordinates that count.
bool alike(const Spec& spec, const Vector& a, const Vector& b) {
  for (std::size_t k = 0; k < spec.categories.size(); ++k)
    if (spec.categories[k] > 0 && a[static_cast<Index>(k)] != b[static_cast<Index>(k)]) return false;
  if (!spec.active) return true;
  std::vector<std::uint8_t> at_a(static_cast<std::size_t>(a.size())), at_b = at_a;
  spec.active(as_span(a), at_a);
  spec.active(as_span(b), at_b);
  return at_a == at_b;
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
  const auto part = [&](double share) {
    return static_cast<std::int64_t>(share * static_cast<double>(spec.search_budget()));
  };
  std::int64_t done = 0;
  std::vector<Vector> points;
  std::vector<Query> batch;
  LevelRace race(spec, space);

  Spec relaxed = spec;
  relaxed.integer.clear();
  const std::int64_t relaxed_end = part(relaxed_share);
  relaxed.budget = relaxed_end + spec.check;
  {
    Search solver = start(relaxed, seed);
    while (!solver.done()) {
      const auto asked = solver.ask();
      if (done + static_cast<std::int64_t>(asked.size()) > relaxed_end) break;
      batch.assign(asked.begin(), asked.end());
      points.clear();
      for (const Query& q : asked) points.push_back(rounded_at_random(spec, space, q.x, q.noise));
      for (std::size_t k = 0; k < batch.size(); ++k) batch[k].x = as_span(points[k]);
      const auto answers = co_await evaluate(batch);
      done += static_cast<std::int64_t>(batch.size());
      for (std::size_t k = 0; k < batch.size(); ++k)
        if (batch[k].wanted.empty()) race.learn(points[k], answers[k]);
      solver.tell(answers);
      incumbent = solver.recommend();
      incumbent.x = nearest(spec, space, incumbent.x);
      incumbent.cautious.clear();  // half-way to a fallback there may be no level
      incumbent.candidates.clear();
      incumbent.believe = {};
      incumbent.cautious_at = {};
    }
  }

  race.begin(incumbent.x);
  const std::int64_t race_end = reals ? done + part(race_share_with_reals) : spec.search_budget();
  const std::int64_t confirm_from =
      race_end - static_cast<std::int64_t>(confirming_share * static_cast<double>(race_end - done));
  const auto evaluations_of_a_round = [&] {
    return static_cast<std::int64_t>(race.entrants().size()) * LevelRace::evaluations_each;
  };
  for (;;) {
    if (!race.confirming() && (race.entrants().empty() || done + evaluations_of_a_round() > confirm_from))
      race.confirm();
    incumbent.x = race.best();
    const std::int64_t round = evaluations_of_a_round();
    if (round == 0 || done + round > race_end) break;
    const std::span<const Vector> entrants = race.entrants();
    batch.clear();
    for (std::size_t k = 0; k < entrants.size(); ++k)
      for (std::int64_t r = 0; r < LevelRace::evaluations_each; ++r)
        batch.push_back(
            {as_span(entrants[k]),
             noise_key(seed, IntegerVariablesLabel::race_noise, static_cast<std::uint64_t>(race.evaluations_at(k) + r)),
             {}});
    race.tell(co_await evaluate(batch));
    done += round;
    incumbent.trace["race_moves"] = static_cast<double>(race.moves());
    incumbent.trace["race_confirming"] = race.confirming() ? 1 : 0;
  }
  if (!reals) co_return;

  relaxed.start = incumbent.x;
  relaxed.budget = std::max<std::int64_t>(1, spec.budget - done);
  const Vector held = incumbent.x;
  Search solver = start(relaxed, derive_key(seed, IntegerVariablesLabel::polish_seed));
  while (!solver.done()) {
    const auto asked = solver.ask();
    batch.assign(asked.begin(), asked.end());
    points.clear();
    for (const Query& q : asked) points.push_back(with_levels_of(spec, held, as_vector(q.x)));
    for (std::size_t k = 0; k < batch.size(); ++k) batch[k].x = as_span(points[k]);
    const auto answers = co_await evaluate(batch);
    solver.tell(answers);
    incumbent = solver.recommend();
    incumbent.x = with_levels_of(spec, held, incumbent.x);
    for (Vector& x : incumbent.cautious) x = with_levels_of(spec, held, x);
    for (Vector& x : incumbent.candidates) x = with_levels_of(spec, held, x);
  }
}

Search by_levels(Spec spec, Space space, StartSolver start, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const Index n = spec.dimension();
  if (const Box ends = spec.domain.bounds(); !ends.lower.isZero(0) || !ends.upper.isOnes(0) ||
                                             !spec.domain.contains(Vector::Zero(n), 0) ||
                                             !spec.domain.contains(Vector::Ones(n), 0)) {
    // A known set beside the bounds: what is no box cannot be given other units.
    Search solver = start(spec, seed);
    for (;;) {
      incumbent = solver.recommend();
      if (solver.done()) co_return;
      const auto answers = co_await propose(solver.ask(), solver.proposes());
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
  // A category between two levels: every level has the same share of the way, where rounding would give half of one to
  // the first and the last. Levels themselves stay what they are.
  const auto level_at = [&](Index k, double v) {
    const auto place = static_cast<std::size_t>(k);
    if (spec.categories.empty() || spec.categories[place] < 2) return static_cast<int>(std::lround(v));
    const int levels = spec.categories[place];
    return 1 + std::clamp(static_cast<int>((v - 1) / (levels - 1) * levels), 0, levels - 1);
  };
  const auto from_levels = [&](std::span<const double> x) {
    Vector out = as_vector(x);
    for (Index k = 0; k < n; ++k)
      if (counted[static_cast<std::size_t>(k)]) out[k] = space.next_level(k, 0, level_at(k, out[k]) - 1);
    return out;
  };
  const auto to_levels = [&](Vector x) {
    for (Index k = 0; k < n; ++k)
      if (counted[static_cast<std::size_t>(k)]) {
        const double least = space.next_level(k, 0, 0), step = space.next_level(k, least, 1) - least;
        x[k] = std::round(1 + (space.next_level(k, x[k], 0) - least) / step);
      }
    return x;
  };
  Spec levels = spec;
  levels.domain = Domain::box(lower, upper);
  levels.start = to_levels(first);
  if (spec.active)
    levels.active = [from_levels, own = spec.active](std::span<const double> x, std::span<std::uint8_t> flags) {
      const Vector there = from_levels(x);
      own(as_span(there), flags);
    };
  if (spec.known)
    levels.known = [&from_levels, own = spec.known](std::span<const double> x) { return own(as_span(from_levels(x))); };
  for (Evaluated& known : levels.evaluated) known.x = to_levels(known.x);
  for (Vector& x : levels.known_points) x = to_levels(x);
  for (Index k = 0; k < n; ++k)
    if (!counted[static_cast<std::size_t>(k)]) levels.integer[static_cast<std::size_t>(k)] = false;
  Search solver = start(levels, seed);
  std::vector<Vector> points;
  std::vector<Query> batch;
  for (;;) {
    incumbent = solver.recommend();
    if (incumbent.x.size() == n) incumbent.x = from_levels(as_span(incumbent.x));
    for (Vector& x : incumbent.cautious) x = from_levels(as_span(x));
    // Half-way to other categories there is nothing.
    std::erase_if(incumbent.cautious, [&](const Vector& x) { return !alike(spec, incumbent.x, x); });
    for (Vector& x : incumbent.candidates) x = from_levels(as_span(x));
    if (incumbent.cautious_at)
      incumbent.cautious_at = [inner = incumbent.cautious_at, &from_levels](double deviations) {
        return from_levels(as_span(inner(deviations)));
      };
    if (incumbent.believe)
      incumbent.believe = [inner = incumbent.believe, &to_levels](const Vector& x) { return inner(to_levels(x)); };
    if (solver.done()) co_return;
    const auto asked = solver.ask();
    batch.assign(asked.begin(), asked.end());
    points.clear();
    for (const Query& q : asked) points.push_back(from_levels(q.x));
    for (std::size_t k = 0; k < batch.size(); ++k) batch[k].x = as_span(points[k]);
    const auto answers = co_await propose(batch, solver.proposes());
    solver.tell(answers);
  }
}

}  // namespace zeroth
