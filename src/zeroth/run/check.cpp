// SPDX-License-Identifier: MIT
#include "zeroth/run/check.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "zeroth/core/statistics/binomial.hpp"
#include "zeroth/core/statistics/running_moments.hpp"
#include "zeroth/run/retreat.hpp"

namespace zeroth {
namespace {

// Solvers derive their keys from the seed by small labels; these are out of their way.
enum CheckLabel : std::uint64_t { check_label = 0x636865636b, select_label };

constexpr double select_share = 0.25;        // of the evaluations
constexpr std::int64_t rounds_at_least = 3;  // before anybody leaves
constexpr double beyond_doubt = 0.995;       // one-sided, by Student's t: worse
constexpr double as_good_as_sure = 0.95;     // a better objective does not make up for less than this
// Standard deviations of the model.
constexpr double levels_of_caution[]{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 6};
constexpr std::int64_t enough_to_measure = 4;
constexpr double share_of_retreat = 1.0 / 6;  // of the evaluations, at each of the two points

struct Candidate {
  Vector x;
  CheckedPoint point;
  bool left = false;
  std::vector<double> objectives = {};  // one per round, all candidates under one seed; NaN where it failed
};

// Differences under the same seeds: what the seeds share cancels.
RunningMoments paired_differences(const Candidate& a, const Candidate& b) {
  RunningMoments difference;
  for (std::size_t r = 0; r < std::min(a.objectives.size(), b.objectives.size()); ++r)
    if (const double d = b.objectives[r] - a.objectives[r]; !std::isnan(d)) difference.add(d);
  return difference;
}

// Standard errors that are beyond doubt, after so many evaluations.
double clear_errors(std::int64_t evaluations) {
  return boost::math::quantile(boost::math::students_t(static_cast<double>(std::max<std::int64_t>(1, evaluations - 1))),
                               beyond_doubt);
}

// How much a candidate breaks the limits beyond doubt, each in units of how much it has been seen to vary.
double broken(const Spec& spec, const EqualityRule& rule, const EvaluatedPoints* run, const Candidate& c) {
  double sum = 0;
  const double clear = clear_errors(c.point.evaluations());
  for (Index i = 1; i < spec.functions(); ++i) {
    const Estimate e = c.point.estimate(i);
    const double size =
        i > spec.constraints ? std::abs(e.mean) - rule.tolerance(i - 1 - spec.constraints, e.se) : e.mean;
    const double unit = run ? std::max(run->range(i), 1e-300) : 1;
    const double rounding = run && c.point.exact(i) ? run->rounding(i) : 0;
    sum += std::max(0.0, size - clear * (std::isnan(e.se) ? 0 : e.se) - rounding) / unit;
  }
  return sum;
}

// Whether a is clearly better than b: b is broken and a less so, or both may be feasible, a keeps its limits on
// average and its objective is lower beyond doubt.
bool clearly_better(const Spec& spec, const EqualityRule& rule, const EvaluatedPoints* run, const Candidate& a,
                    const Candidate& b) {
  if (a.point.evaluations() == 0) return false;
  if (b.point.evaluations() == 0) return true;
  const double wrong_a = broken(spec, rule, run, a), wrong_b = broken(spec, rule, run, b);
  if (wrong_a > 0 || wrong_b > 0) return wrong_a < wrong_b;
  // Few evaluations do not tell whether an equality is met, and who breaks it has a lower objective.
  if (spec.equalities > 0) return false;
  const FeasibilityBounds holds_a = feasibility_bounds(spec, rule, a.point);
  if (spec.functions() > 1 && holds_a.low < as_good_as_sure) return false;
  const Estimate f = a.point.estimate(0), g = b.point.estimate(0);
  double gap = g.mean - f.mean, error = std::hypot(f.se, g.se);
  std::int64_t fewer = std::min(a.point.evaluations(), b.point.evaluations());
  // Only where nothing is constrained: who breaks a limit has the lower objective, and whether it is broken is not
  // known better by pairs.
  const RunningMoments paired = spec.functions() == 1 ? paired_differences(a, b) : RunningMoments{};
  if (!a.point.meaning() && paired.count >= rounds_at_least && paired.standard_error() < error) {
    gap = paired.mean;
    error = paired.standard_error();
    fewer = static_cast<std::int64_t>(paired.count);
  }
  return std::isnan(error) ? false : gap > clear_errors(fewer) * error && gap > 0;
}

// Nothing that more evaluations could change: there is no noise at all, or every constraint is five standard errors
// from its limit (an equality: from its tolerance) and the objective known to a thousandth of what it differs by from
// the start's. (Where to stop hangs on the noise, hardly on the means themselves, so intervals keep their coverage; and
// not on a constant that is added to the objective.)
bool decisive(const Spec& spec, const EqualityRule& rule, const EvaluatedPoints* run, const CheckedPoint& point) {
  if (point.evaluations() < 3) return false;
  constexpr double five_errors = 2.9e-7;
  bool exact = true;
  for (Index i = 0; i < spec.functions(); ++i) {
    if (const Statement* s = point.chance(i)) {
      const double at_most = point.probability_feasible(i);
      const double above = 1 - confidence_at_most(s->share, point.bad(i) - 1, point.evaluations());
      if (at_most < 1 - five_errors && above < 1 - five_errors) return false;
    } else {
      exact = exact && point.exact(i);
    }
  }
  if (exact) return true;
  if (point.evaluations() < 30) return false;
  for (Index i = 1; i <= spec.constraints; ++i) {
    if (point.chance(i) || point.exact(i)) continue;
    const Estimate e = point.estimate(i);
    if (!(std::abs(e.mean) > 5 * e.se)) return false;
  }
  for (Index j = 0; j < spec.equalities; ++j) {
    const Estimate e = point.estimate(1 + spec.constraints + j);
    if (!(std::abs(std::abs(e.mean) - rule.tolerance(j, e.se)) > 5 * e.se)) return false;
  }
  const Estimate objective = point.estimate(0);
  double unit = std::abs(objective.mean);
  if (run) {
    const EvaluatedPoint* start = run->find(spec.first_point());
    unit = start && start->answered > 0 ? std::abs(objective.mean - start->mean[0]) : run->range(0);
  }
  return objective.se <= 1e-3 * unit;
}

// So far from one point toward another; both are allowed, and where what lies between is not, it is the other one.
Vector on_the_way(const Spec& spec, const Vector& from, const Vector& to, double share) {
  const Vector x = from + share * (to - from);
  return !spec.known || spec.known(as_span(x)) ? x : to;
}

std::string goal_met(const Spec& spec, const CheckGoals& goals, const CheckedPoint& point) {
  if (point.evaluations() < 2) return {};
  if (goals.objective_halfwidth > 0 && point.interval(0).half_width() <= goals.objective_halfwidth)
    return "objective_halfwidth";
  if (goals.probability > 0 && spec.equalities == 0) {
    double missing = 0;
    for (Index i = 1; i <= spec.constraints; ++i) missing += 1 - point.anytime_probability(i);
    if (1 - missing >= goals.probability) return "probability";
  }
  return {};
}

}  // namespace

Search check_answer(Spec spec, EqualityRule rule, CheckPlan plan, CheckedAnswer* out) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = out->x = plan.recommended;
  const auto width = static_cast<std::int64_t>(std::max(1, spec.width));
  const MeanSequence sequence = MeanSequence::planned_for(plan.evaluations);
  const Meaning* meaning = out->point.meaning();
  const EvaluatedPoints* run = out->run;
  const auto new_point = [&](const Vector& x) {
    CheckedPoint p(spec.functions(), meaning, run, sequence);
    if (plan.believe) p.expect(plan.believe(x));
    return p;
  };
  std::int64_t asked = 0;
  std::vector<Query> batch;
  const auto left = [&] { return plan.evaluations - asked; };
  const auto ask = [&](const Vector& x, std::int64_t count) {
    batch.assign(static_cast<std::size_t>(count), {});
    for (Query& q : batch) q = {as_span(x), noise_key(plan.seed, check_label, static_cast<std::uint64_t>(asked++)), {}};
  };

  // Select.
  std::vector<Candidate> candidates;
  const auto enter = [&](const Vector& x) {
    if (std::ranges::none_of(candidates, [&](const Candidate& c) { return c.x == x; }))
      candidates.push_back({x, new_point(x)});
  };
  enter(plan.recommended);
  auto select_until = static_cast<std::int64_t>(select_share * static_cast<double>(plan.evaluations));
  const auto room_in = [](std::int64_t evaluations) { return static_cast<std::size_t>(evaluations / rounds_at_least); };
  const std::size_t room = room_in(select_until);
  for (std::size_t k = 0; k < plan.challengers.size(); ++k)
    if (candidates.size() < (k < plan.always ? room_in(plan.evaluations / 2) : room)) enter(plan.challengers[k]);
  select_until = std::max(select_until, rounds_at_least * static_cast<std::int64_t>(candidates.size()));
  const auto remaining = [&] { return std::ranges::count_if(candidates, [](const Candidate& c) { return !c.left; }); };
  for (std::uint64_t round = 0; remaining() > 1 && asked + remaining() <= select_until; ++round) {
    batch.clear();
    std::vector<Candidate*> who;
    for (Candidate& c : candidates)
      if (!c.left) {
        batch.push_back({as_span(c.x), noise_key(plan.seed, select_label, round), {}});
        who.push_back(&c);
      }
    asked += static_cast<std::int64_t>(batch.size());
    const auto answers = co_await evaluate(batch);
    for (std::size_t k = 0; k < who.size(); ++k) {
      if (answers[k].failed()) who[k]->point.add_failed();
      else who[k]->point.add(answers[k]);
      who[k]->objectives.push_back(answers[k].failed() ? std::nan("") : answers[k].values[0]);
    }
    if (round + 1 < rounds_at_least) continue;
    std::vector<Candidate*> leave;
    for (Candidate* b : who)
      if (std::ranges::any_of(who, [&](Candidate* a) { return a != b && clearly_better(spec, rule, run, *a, *b); }))
        leave.push_back(b);
    if (leave.size() < who.size())
      for (Candidate* c : leave) c->left = true;
  }
  Candidate* chosen = &candidates.front();
  if (chosen->left) {
    // The best of the others: those that may hold first, then by the objective's own estimate.
    const auto score = [&](const Candidate& c) {
      return std::pair(c.left ? 1.0 : 0.0, feasibility_bounds(spec, rule, c.point).low < 0.5
                                               ? infinity
                                               : c.point.estimate(0).mean + c.point.estimate(0).se);
    };
    chosen = &*std::ranges::min_element(candidates,
                                        [&](const Candidate& a, const Candidate& b) { return score(a) < score(b); });
    out->replaced = true;
  }
  for (const Candidate& c : candidates)
    if (&c != chosen && c.point.evaluations() >= 2)
      out->most_feasible = std::max(out->most_feasible, feasibility_bounds(spec, rule, c.point).high);
  const Vector bold = chosen->x;
  CheckedPoint at_bold = chosen->point;
  out->x = incumbent.x = bold;
  out->point = new_point(bold);
  const std::vector<Vector> fallbacks = out->replaced || plan.cautious_at ? std::vector<Vector>{} : plan.cautious;

  // Retreat.
  double caution = 0, range = 0;
  if (plan.cautious_at && spec.constraints > 0 && !out->replaced) {
    // Expected loss: an infeasible answer counts like the start, a feasible one by its objective between the best and
    // the start, and one that will not be confirmed a tenth more.
    constexpr double unconfirmed = 0.1;
    const Belief at_best = plan.believe(bold), at_start = plan.believe(spec.first_point());
    range = at_best.mean.size() == 0 ? 0 : std::max(at_start.mean[0] - at_best.mean[0], 2 * at_best.sd[0]);
    double least = infinity;
    for (const double deviations : levels_of_caution) {
      const Vector x = deviations == 0 ? bold : plan.cautious_at(deviations);
      const Belief belief = plan.believe(x);
      if (belief.mean.size() == 0 || !(range > 0)) break;
      const double chance = chance_to_confirm(spec, meaning, belief, left(), plan.confidence);
      const double holds = chance_to_hold(spec, belief);
      const double loss = (belief.mean[0] - at_best.mean[0]) / range * holds + (1 - holds) + unconfirmed * (1 - chance);
      if (!(loss < least)) continue;
      least = loss;
      out->x = incumbent.x = x;
      caution = deviations;
    }
    out->point = new_point(out->x);
  }
  const auto each = static_cast<std::int64_t>(share_of_retreat * static_cast<double>(left()));
  const bool choosing = !fallbacks.empty() && each >= 5 && spec.constraints > 0;
  Vector safe = choosing ? fallbacks[std::min<std::size_t>(1, fallbacks.size() - 1)] : bold;
  CheckedPoint at_safe = new_point(safe);
  if (choosing) {
    enum { bold_point, fallback, last_resort };
    for (const auto stop : {bold_point, fallback, last_resort}) {
      if (stop == fallback && feasibility_bounds(spec, rule, at_bold).low >= 1 - 1e-6) break;  // no need of one
      if (stop == last_resort) {  // only if there is one, and the fallback has proved not safe at all
        if (fallbacks.size() < 3 || feasibility_bounds(spec, rule, at_safe).low >= 0.5) break;
        safe = fallbacks.back();
        at_safe = new_point(safe);
      }
      CheckedPoint& point = stop == bold_point ? at_bold : at_safe;
      for (std::int64_t done = point.evaluations(); done < each; done += static_cast<std::int64_t>(batch.size())) {
        ask(stop == bold_point ? bold : safe, std::min(width, each - done));
        for (const Answer& answer : co_await evaluate(batch))
          if (!answer.failed()) point.add(answer);
        if (decisive(spec, rule, run, point)) break;
      }
    }
    out->retreat = least_retreat(spec, rule, at_bold, at_safe, left(), plan.confidence);
    out->x = on_the_way(spec, bold, safe, out->retreat);
    incumbent.x = out->x;
    out->point = new_point(out->x);
  }

  // Measure.
  const auto move_to = [&](const Vector& x) {
    out->x = incumbent.x = x;
    out->point = new_point(x);
  };
  // The model was wrong about the point: further away from the limits, unless what the search has confirmed costs
  // little more.
  const auto move_away = [&] {
    constexpr double little = 0.1;
    const Vector cautious = plan.cautious_at(std::max(1.5, 2 * caution));
    for (const Vector& x : plan.confirmed) {
      const Belief there = plan.believe(x), instead = plan.believe(cautious);
      if (x == out->x || there.mean.size() == 0 || instead.mean.size() == 0) continue;
      if (there.mean[0] - instead.mean[0] <= little * range) return move_to(x);
    }
    move_to(cautious);
  };
  std::int64_t review_at = left() / 2;
  bool reviewed = plan.nothing_feasible || (!choosing && (!plan.cautious_at || out->replaced));
  int advances = 0;
  for (;;) {
    out->met = goal_met(spec, plan.goals, out->point);
    if (!out->met.empty()) break;
    if (decisive(spec, rule, run, out->point)) {
      if (plan.cautious_at && !reviewed && left() >= enough_to_measure &&
          feasibility_bounds(spec, rule, out->point).low < 0.5) {
        reviewed = true;
        move_away();
        continue;
      }
      // A chance falls faster than in proportion on the way to a safe point, so the retreat may have been too long:
      // beyond doubt and early. Back toward the bold point then, with this one as the safe one.
      if (!meaning || out->retreat <= 0 || advances == 3 || left() < 2 * each ||
          feasibility_bounds(spec, rule, out->point).low < plan.confidence)
        break;
      const double share = least_retreat(spec, rule, at_bold, out->point, left(), plan.confidence);
      if (share > 0.9) break;
      ++advances;
      at_safe = out->point;
      safe = out->x;
      out->retreat *= share;
      move_to(on_the_way(spec, bold, safe, share));
      reviewed = false;
      review_at = left() / 2;
    }
    ask(out->x, std::clamp<std::int64_t>(left(), 1, width));
    for (const Answer& answer : co_await evaluate(batch)) {
      if (answer.failed()) out->point.add_failed();
      else out->point.add(answer);
    }
    if (reviewed || left() > review_at) continue;
    reviewed = true;
    const double holds = feasibility_bounds(spec, rule, out->point).low;
    if (holds >= plan.confidence || out->retreat >= 1) continue;
    if (plan.cautious_at) {
      if (holds < 0.5 && left() >= enough_to_measure) move_away();
      continue;
    }
    const double further = least_retreat(spec, rule, out->point, at_safe, left(), plan.confidence);
    if (further <= 0) continue;
    out->retreat += further * (1 - out->retreat);
    move_to(on_the_way(spec, out->x, safe, further));
  }
}

}  // namespace zeroth
