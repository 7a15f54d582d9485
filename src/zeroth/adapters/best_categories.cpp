// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <list>
#include <map>

#include "zeroth/adapters/integer_variables.hpp"

namespace zeroth {
namespace {

struct CategoriesLabel {
  enum : std::uint64_t { global = 0x63617465, local, race_noise, crossing_noise };
};
constexpr double choosing_share = 0.35;        // of the search: a model of everything
constexpr double categories_race_share = 0.3;  // of the search: local searches side by side
constexpr std::size_t most_entrants = 4;
constexpr std::int64_t comparing_share = 4;  // one evaluation in so many of a round compares
constexpr std::int64_t fewest_replicates = 3;
constexpr double fewest_each = 10;       // evaluations of one entrant in one round
constexpr std::size_t most_crossed = 8;  // combinations that are tried where the recommended one is
constexpr double crossing_share = 0.25;  // of the race
constexpr std::size_t fewest_crossing = 2;
constexpr double categories_surely = 2;  // standard errors
constexpr double fewest_for_surely = 5;  // replicates

using Categories = std::vector<double>;

Categories categories_of(const Spec& spec, const Vector& x) {
  Categories found;
  for (std::size_t k = 0; k < spec.categories.size(); ++k)
    if (spec.categories[k] > 0) found.push_back(x[static_cast<Index>(k)]);
  return found;
}

Vector with_categories_of(const Spec& spec, const Vector& held, Vector x) {
  for (std::size_t k = 0; k < spec.categories.size(); ++k)
    if (spec.categories[k] > 0) x[static_cast<Index>(k)] = held[static_cast<Index>(k)];
  return x;
}

bool is_whole(const Spec& spec, const Answer& a) {
  return !a.failed() && a.values.size() == static_cast<std::size_t>(spec.functions()) &&
         std::ranges::none_of(a.values, [](double v) { return std::isnan(v); });
}

// What a point promises: by how much it seems to violate, and its objective.
struct Promise {
  double violation = infinity, value = infinity;
  bool better_than(const Promise& other) const {
    return violation < other.violation || (violation == other.violation && value < other.value);
  }
};

Promise promise_of(const Spec& spec, const Incumbent& model, const Evaluated& e) {
  const Belief belief = model.believe ? model.believe(e.x) : Belief{};
  const bool believed = belief.mean.size() >= spec.functions();
  Promise p{0, believed ? belief.mean[0] : e.values[0]};
  for (Index i = 1; i < spec.functions(); ++i) {
    const double v = believed ? belief.mean[i] : e.values[static_cast<std::size_t>(i)];
    p.violation = std::max(p.violation, i <= spec.constraints ? v : std::abs(v));
  }
  return p;
}

// One combination of categories with its own search of everything else.
struct Entrant {
  Vector held;  // where it began: its categories stay
  Search search;
  std::vector<std::vector<double>> replicates;  // of a round, under the keys of all; empty where one failed
  int beaten = 0;                               // by how many
  bool out = false;
};

struct Measured {
  double violation = infinity, error = 0;  // of the worst inequality or equality; within its error it counts as met
  std::ptrdiff_t answered = 0;
};

Measured measured_by(const Spec& spec, const Entrant& e) {
  Measured m;
  m.answered = std::ranges::count_if(e.replicates, [](const auto& r) { return !r.empty(); });
  const auto n = static_cast<double>(m.answered);
  if (n > 0) m.violation = 0;
  for (std::size_t i = 1; i < static_cast<std::size_t>(spec.functions()) && n > 0; ++i) {
    double sum = 0, squares = 0;
    for (const auto& r : e.replicates) {
      if (r.empty()) continue;
      sum += r[i];
      squares += r[i] * r[i];
    }
    const double mean = sum / n, v = static_cast<Index>(i) <= spec.constraints ? mean : std::abs(mean);
    const double se = n > 1 ? std::sqrt(std::max(0.0, squares / n - mean * mean) / (n - 1)) : 0;
    if (v - se > m.violation) m = {v - se, se, m.answered};
  }
  return m;
}

enum class Verdict : std::uint8_t { no_better, better, surely_better };

// Of a over b, by their replicates.
Verdict compared(const Spec& spec, const Entrant& a, const Entrant& b) {
  const Measured ma = measured_by(spec, a), mb = measured_by(spec, b);
  if (ma.violation > 0 || mb.violation > 0) {
    if (ma.violation == mb.violation) return ma.answered > mb.answered ? Verdict::better : Verdict::no_better;
    if (ma.violation > mb.violation) return Verdict::no_better;
    const bool surely = mb.violation - ma.violation > categories_surely * std::hypot(ma.error, mb.error);
    return surely && static_cast<double>(mb.answered) >= fewest_for_surely ? Verdict::surely_better : Verdict::better;
  }
  double sum = 0, squares = 0, n = 0;
  for (std::size_t k = 0; k < a.replicates.size(); ++k) {
    if (a.replicates[k].empty() || b.replicates[k].empty()) continue;
    const double gap = b.replicates[k][0] - a.replicates[k][0];
    sum += gap;
    squares += gap * gap;
    ++n;
  }
  if (!(sum > 0)) return Verdict::no_better;
  const double mean = sum / n, se = n > 1 ? std::sqrt(std::max(0.0, squares / n - mean * mean) / (n - 1)) : infinity;
  return n >= fewest_for_surely && mean > categories_surely * se ? Verdict::surely_better : Verdict::better;
}

// Who goes on, the best first: nobody who is surely worse than another, and at most half of them.
void send_out(const Spec& spec, std::list<Entrant>& entrants) {
  for (Entrant& e : entrants) {
    e.beaten = 0;
    for (const Entrant& other : entrants) {
      if (&other == &e) continue;
      const Verdict v = compared(spec, other, e);
      e.beaten += v != Verdict::no_better;
      e.out = e.out || v == Verdict::surely_better;
    }
  }
  entrants.sort([](const Entrant& a, const Entrant& b) { return a.beaten < b.beaten; });
  const std::size_t places = (entrants.size() + 1) / 2;
  std::size_t place = 0;
  for (Entrant& e : entrants) {
    if (place >= places) e.out = true;
    if (place++ == 0) e.out = false;
  }
  entrants.remove_if([](const Entrant& e) { return e.out; });
}

// So many can race with what the race may cost.
std::size_t entrants_for(std::int64_t evaluations) {
  std::size_t count = most_entrants;
  const auto rounds = [](std::size_t k) { return std::ceil(std::log2(static_cast<double>(k))); };
  while (count > 1 && static_cast<double>(evaluations) / rounds(count) / static_cast<double>(count) < fewest_each)
    --count;
  return count;
}

// A combination at its best point so far.
struct Combination {
  Promise promise;
  Vector x;
};

// The most promising ones first, but the recommended one before all. What a model believes of single points says little
// of what a combination is worth once it is tuned: its doubts leave nobody out.
std::vector<Combination> promising_combinations(const Spec& spec, const Incumbent& model,
                                                const std::vector<Evaluated>& seen) {
  std::map<Categories, Combination> by_categories;
  for (const Evaluated& e : seen) {
    const Promise p = promise_of(spec, model, e);
    Combination& best = by_categories[categories_of(spec, e.x)];
    if (p.better_than(best.promise)) best = {p, e.x};
  }
  const Categories leading = categories_of(spec, model.x);
  std::vector<Combination> order{
      {by_categories.contains(leading) ? by_categories[leading].promise : Promise{}, model.x}};
  for (auto& [key, best] : by_categories)
    if (best.x.size() > 0 && key != leading) order.push_back(best);
  std::stable_sort(order.begin() + 1, order.end(),
                   [](const Combination& a, const Combination& b) { return a.promise.better_than(b.promise); });
  if (order.size() > most_crossed) order.resize(most_crossed);
  return order;
}

// What replicates at a point promise.
Promise promise_of(const Spec& spec, std::span<const Answer> answers) {
  Vector mean = Vector::Zero(spec.functions());
  double count = 0;
  for (const Answer& a : answers) {
    if (!is_whole(spec, a)) continue;
    mean += as_vector(std::span(a.values));
    ++count;
  }
  if (count == 0) return {};
  mean /= count;
  Promise p{0, mean[0]};
  for (Index i = 1; i < spec.functions(); ++i)
    p.violation = std::max(p.violation, i <= spec.constraints ? mean[i] : std::abs(mean[i]));
  return p;
}

Spec spec_at(const Spec& spec, const Vector& held, const std::vector<Evaluated>& seen, std::int64_t budget) {
  Spec inner = spec;
  inner.start = held;
  inner.evaluated.clear();
  for (const Evaluated& e : seen)
    if (categories_of(spec, e.x) == categories_of(spec, held)) inner.evaluated.push_back(e);
  inner.categories.clear();
  inner.active = {};
  inner.budget = std::max<std::int64_t>(spec.check + 1, budget);
  for (std::size_t k = 0; k < inner.integer.size(); ++k)
    if (spec.categories[k] > 0) inner.integer[k] = false;
  if (std::ranges::find(inner.integer, true) == inner.integer.end()) inner.integer.clear();
  return inner;
}

// What this entrant asks, at its own categories.
void ask_at(const Spec& spec, const Entrant& e, std::vector<Vector>& points, std::vector<Query>& batch) {
  const auto asked = e.search.ask();
  batch.assign(asked.begin(), asked.end());
  points.clear();
  for (const Query& q : asked) points.push_back(with_categories_of(spec, e.held, as_vector(q.x)));
  for (std::size_t k = 0; k < batch.size(); ++k) batch[k].x = as_span(points[k]);
}

void recommend_of(const Spec& spec, const Entrant& e, Incumbent& incumbent) {
  incumbent = e.search.recommend();
  incumbent.x = with_categories_of(spec, e.held, incumbent.x);
  for (Vector& x : incumbent.cautious) x = with_categories_of(spec, e.held, x);
  for (Vector& x : incumbent.candidates) x = with_categories_of(spec, e.held, x);
}

}  // namespace

// A model of everything first; then the combinations that may be best race each other, each with a local search of its
// own: after every round their recommendations are compared under shared noise, and at least half of them leave. The
// last one has the rest of the budget.
Search within_best_categories(Spec spec, Space space, StartSolver global, StartSolver local, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  const auto share_of = [&](double share) {
    return static_cast<std::int64_t>(share * static_cast<double>(spec.search_budget()));
  };
  std::int64_t done = 0;
  std::vector<Evaluated> seen = spec.evaluated;
  std::vector<Combination> combinations;
  {
    Search solver = by_levels(spec, space, std::move(global), derive_key(seed, CategoriesLabel::global));
    while (!solver.done()) {
      const auto asked = solver.ask();
      if (done > 0 && done + static_cast<std::int64_t>(asked.size()) > share_of(choosing_share)) break;
      const auto answers = co_await evaluate(asked);
      done += static_cast<std::int64_t>(answers.size());
      for (std::size_t k = 0; k < answers.size(); ++k)
        if (asked[k].weights.empty() && is_whole(spec, answers[k]))
          seen.push_back({as_vector(asked[k].x), answers[k].values, answers[k].se, 1});
      solver.tell(answers);
      incumbent = solver.recommend();
    }
    combinations = promising_combinations(spec, incumbent, seen);
  }
  const std::int64_t race_end = done + share_of(categories_race_share);
  const std::size_t places = entrants_for(share_of(categories_race_share));
  std::vector<Vector> points;
  std::vector<Query> batch;
  // Numbers that are good with one combination are good with others, or not: each is tried there, too.
  const auto crossing =
      std::max(fewest_crossing,
               static_cast<std::size_t>(crossing_share * static_cast<double>(race_end - done)) / combinations.size());
  if (places > 1 && combinations.size() > 1) {
    for (const Combination& c : combinations) points.push_back(with_categories_of(spec, c.x, incumbent.x));
    for (const Vector& x : points)
      for (std::size_t r = 0; r < crossing; ++r)
        batch.push_back({as_span(x), noise_key(seed, CategoriesLabel::crossing_noise, r), {}});
    const auto answers = co_await evaluate(batch);
    done += static_cast<std::int64_t>(batch.size());
    for (std::size_t k = 0; k < combinations.size(); ++k) {
      const Promise there = promise_of(spec, answers.subspan(k * crossing, crossing));
      if (k == 0) combinations[k].promise = there;
      else if (there.better_than(combinations[k].promise)) combinations[k] = {there, points[k]};
    }
    std::stable_sort(combinations.begin() + 1, combinations.end(),
                     [](const Combination& a, const Combination& b) { return a.promise.better_than(b.promise); });
  }
  combinations.resize(std::min(combinations.size(), places));
  std::list<Entrant> entrants;
  for (const Combination& c : combinations) {
    const Spec inner = spec_at(spec, c.x, seen, spec.budget - done);
    const std::uint64_t key = derive_key(seed, CategoriesLabel::local, entrants.size());
    entrants.push_back(
        {c.x, inner.integer.empty() ? local(inner, key) : by_random_rounding(inner, space, local, key), {}, 0, false});
  }
  recommend_of(spec, entrants.front(), incumbent);
  const auto rounds_left = [&] {
    return std::max<std::int64_t>(1, std::lround(std::ceil(std::log2(entrants.size()))));
  };
  for (std::uint64_t round = 0; entrants.size() > 1; ++round) {
    const std::int64_t each = (race_end - done) / rounds_left() / static_cast<std::int64_t>(entrants.size());
    const std::int64_t replicates = std::max(fewest_replicates, each / comparing_share);
    if (each < 2 * fewest_replicates && round > 0) break;
    for (Entrant& e : entrants) {
      for (std::int64_t used = 0; !e.search.done();) {
        ask_at(spec, e, points, batch);
        used += static_cast<std::int64_t>(batch.size());
        if (used > each - replicates) break;
        const auto answers = co_await evaluate(batch);
        done += static_cast<std::int64_t>(batch.size());
        e.search.tell(answers);
        if (&e == &entrants.front()) recommend_of(spec, e, incumbent);
      }
    }
    batch.clear();
    points.clear();
    for (Entrant& e : entrants) points.push_back(with_categories_of(spec, e.held, e.search.recommend().x));
    for (const Vector& x : points)
      for (std::int64_t r = 0; r < replicates; ++r)
        batch.push_back({as_span(x),
                         noise_key(seed, CategoriesLabel::race_noise, (round << 32) + static_cast<std::uint64_t>(r)),
                         {}});
    const auto answers = co_await evaluate(batch);
    done += static_cast<std::int64_t>(batch.size());
    std::size_t place = 0;
    for (Entrant& e : entrants) {
      e.replicates.assign(static_cast<std::size_t>(replicates), {});
      for (auto& replicate : e.replicates) {
        if (is_whole(spec, answers[place])) replicate = answers[place].values;
        ++place;
      }
    }
    send_out(spec, entrants);
    recommend_of(spec, entrants.front(), incumbent);
  }
  Entrant& winner = entrants.front();
  while (!winner.search.done()) {
    ask_at(spec, winner, points, batch);
    const auto answers = co_await evaluate(batch);
    winner.search.tell(answers);
    recommend_of(spec, winner, incumbent);
  }
}

}  // namespace zeroth
