// SPDX-License-Identifier: MIT
#include "zeroth/run/check.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "zeroth/run/binomial.hpp"

namespace zeroth {
namespace {

// Solvers derive their keys from the seed by small labels; this one is out of their way.
constexpr std::uint64_t check_label = 0x636865636b;

// P(bad) at share r of the way. Of a value with noise the quantiles are taken as linear between the points, so that its
// mean and its spread both are; of one that counts, the probabilities themselves. Half a look is added on either side:
// a probability is never 0 or 1.
double expected_bad(const Statement& s, const CheckedPoint& bold, const CheckedPoint& safe, Index i, double r) {
  std::vector<double> a = bold.values(i), b = safe.values(i);
  std::ranges::sort(a);
  std::ranges::sort(b);
  if (std::ranges::adjacent_find(a) != a.end()) {
    const auto share = [i](const CheckedPoint& p) {
      return (static_cast<double>(p.bad(i)) + 0.5) / (static_cast<double>(p.looks) + 1);
    };
    return (1 - r) * share(bold) + r * share(safe);
  }
  const std::size_t count = a.size() + b.size();
  const auto quantile = [count](const std::vector<double>& v, std::size_t k) { return v[k * v.size() / count]; };
  double bad = 0;
  for (std::size_t k = 0; k < count; ++k) bad += s.bad((1 - r) * quantile(a, k) + r * quantile(b, k));
  return (bad + 0.5) / (static_cast<double>(count) + 1);
}

double probability_all(const Spec& spec, const EqualityRule& rule, const CheckedPoint& point) {
  double missing = 0;
  for (Index i = 1; i <= spec.constraints; ++i) missing += 1 - point.probability_feasible(i);
  for (Index j = 0; j < spec.equalities; ++j)
    missing += 1 - rule.probability(j, point.estimate(1 + spec.constraints + j), point.looks);
  return 1 - missing;
}

// Constraint values are taken as linear between the two points. At share r the mean is m(r) with variance v(r) from the
// looks at both ends; `final_looks` more will have the standard error s. They confirm at `confidence` if their mean is
// below -t s, and do so nine times in ten if m(r) + t s + 1.28 sqrt(v(r) + s^2) <= 0.
// A fallback is what a model took for safe. Where the looks say otherwise there is no retreat to it.
double least_retreat(const Spec& spec, const EqualityRule& rule, const CheckedPoint& bold, const CheckedPoint& safe,
                     std::int64_t final_looks, double confidence) {
  if (safe.looks < 2) return 0;
  if (bold.looks < 2 || final_looks < 2) return 1;
  if (probability_all(spec, rule, safe) < probability_all(spec, rule, bold)) return 0;
  const double each = 1 - (1 - confidence) / static_cast<double>(spec.functions() - 1);  // Bonferroni
  const double t = boost::math::quantile(boost::math::students_t(static_cast<double>(final_looks - 1)), each);
  const auto holds = [&](double r) {
    for (Index i = 1; i <= spec.constraints; ++i) {
      if (const Statement* s = bold.chance(i)) {
        const double bad = expected_bad(*s, bold, safe, i, r);
        if (probability_of_at_most(most_bad(s->share, final_looks, each), final_looks, bad) < 0.9) return false;
        continue;
      }
      const Estimate a = bold.estimate(i), b = safe.estimate(i);
      const double mean = (1 - r) * a.mean + r * b.mean;
      const double variance = std::pow((1 - r) * a.se, 2) + std::pow(r * b.se, 2);
      const double looks = static_cast<double>(bold.looks + safe.looks);
      const double sigma2 = (std::pow(a.se, 2) * static_cast<double>(bold.looks * bold.looks) +
                             std::pow(b.se, 2) * static_cast<double>(safe.looks * safe.looks)) /
                            looks;
      const double s2 = sigma2 / static_cast<double>(final_looks);
      if (mean + t * std::sqrt(s2) + 1.28 * std::sqrt(variance + s2) > 0) return false;
    }
    return true;
  };
  constexpr int steps = 100;
  for (int k = 0; k < steps; ++k)
    if (const double r = static_cast<double>(k) / steps; holds(r)) return r;
  return 1;
}

}  // namespace

CheckedPoint::CheckedPoint(Index functions, const Meaning* m)
    : mean(Vector::Zero(functions)), squares(Vector::Zero(functions)), meaning(m) {
  if (meaning) kept.resize(meaning->statements.size());
}

void CheckedPoint::add(std::span<const double> measured) {
  ++looks;
  std::vector<double> meant;
  if (meaning) {
    meant = meaning->of(measured);
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (const Statement& s = meaning->statements[i]; s.chance()) kept[i].push_back(measured[1 + s.value]);
  }
  const std::span<const double> values = meaning ? std::span<const double>(meant) : measured;
  const Vector delta = as_vector(values) - mean;
  mean += delta / static_cast<double>(looks);
  squares.array() += delta.array() * (as_vector(values) - mean).array();
}

const Statement* CheckedPoint::chance(Index i) const {
  const auto k = static_cast<std::size_t>(i - 1);
  return meaning && i > 0 && k < kept.size() && meaning->statements[k].chance() ? &meaning->statements[k] : nullptr;
}

std::int64_t CheckedPoint::bad(Index i) const {
  return std::ranges::count_if(values(i), [s = chance(i)](double v) { return s->bad(v); });
}

double CheckedPoint::probability_feasible(Index i) const {
  if (const Statement* s = chance(i)) return looks < 1 ? std::nan("") : confidence_at_most(s->share, bad(i), looks);
  return probability_nonpositive(estimate(i), looks);
}

Estimate CheckedPoint::estimate(Index i) const {
  if (looks == 0) return {};
  const double k = static_cast<double>(looks);
  if (chance(i)) {  // Agresti and Coull's standard error: not zero when nothing bad was seen
    const double p = (static_cast<double>(bad(i)) + 2) / (k + 4);
    return {mean[i], std::sqrt(p * (1 - p) / (k + 4))};
  }
  return {mean[i], looks > 1 ? std::sqrt(squares[i] / (k - 1) / k) : std::nan("")};
}

namespace {

// Nothing that more looks could change: there is no noise at all, or every constraint is five standard errors from its
// limit (an equality: from its tolerance) and the objective known to a thousandth. (Where to stop hangs on the noise,
// hardly on the means themselves, so intervals keep their coverage.)
bool decisive(const Spec& spec, const EqualityRule& rule, const CheckedPoint& point) {
  if (point.looks < 3) return false;
  constexpr double five_errors = 2.9e-7;
  for (Index i = 1; i <= spec.constraints; ++i) {
    const Statement* s = point.chance(i);
    if (!s) continue;
    const double at_most = point.probability_feasible(i);
    const double above = 1 - confidence_at_most(s->share, point.bad(i) - 1, point.looks);
    if (at_most < 1 - five_errors && above < 1 - five_errors) return false;
  }
  if (point.squares.isZero(0)) return true;
  if (point.looks < 30) return false;
  for (Index i = 1; i <= spec.constraints; ++i) {
    if (point.chance(i)) continue;
    const Estimate e = point.estimate(i);
    if (!(std::abs(e.mean) > 5 * e.se)) return false;
  }
  for (Index j = 0; j < spec.equalities; ++j) {
    const Estimate e = point.estimate(1 + spec.constraints + j);
    if (!(std::abs(std::abs(e.mean) - rule.tolerance(j, e.se)) > 5 * e.se)) return false;
  }
  const Estimate objective = point.estimate(0);
  return objective.se <= 1e-3 * std::abs(objective.mean);
}

}  // namespace

Search check_answer(Spec spec, EqualityRule rule, Vector bold, std::vector<Vector> fallbacks, std::int64_t looks,
                    double confidence, std::uint64_t seed, CheckedAnswer* out) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = out->x = bold;
  const auto width = static_cast<std::int64_t>(std::max(1, spec.width));
  std::uint64_t asked = 0;
  std::vector<Query> batch;
  const auto ask = [&](const Vector& x, std::int64_t count) {
    batch.assign(static_cast<std::size_t>(count), {});
    for (Query& q : batch) {
      q.x = as_span(x);
      q.noise = noise_key(seed, check_label, asked++);
    }
  };
  const std::int64_t each = looks / 6;
  const bool choosing = !fallbacks.empty() && each >= 5 && spec.constraints > 0;
  Vector safe = choosing ? fallbacks[std::min<std::size_t>(1, fallbacks.size() - 1)] : bold;
  const Meaning* meaning = out->point.meaning;
  CheckedPoint at_safe(spec.functions(), meaning), at_bold(spec.functions(), meaning);
  if (choosing) {
    enum { bold_point, fallback, last_resort };
    for (const auto stop : {bold_point, fallback, last_resort}) {
      if (stop == last_resort) {  // only if there is one, and the fallback has proved not safe at all
        if (fallbacks.size() < 3 || probability_all(spec, rule, at_safe) >= 0.5) break;
        safe = fallbacks.back();
        at_safe = CheckedPoint(spec.functions(), meaning);
      }
      CheckedPoint& point = stop == bold_point ? at_bold : at_safe;
      for (std::int64_t done = 0; done < each; done += static_cast<std::int64_t>(batch.size())) {
        ask(stop == bold_point ? bold : safe, std::min(width, each - done));
        for (const Answer& answer : co_await look(batch))
          if (!answer.failed()) point.add(answer.values);
        if (point.looks >= 3 && point.squares.isZero(0) && !meaning) break;
      }
    }
    out->retreat = least_retreat(spec, rule, at_bold, at_safe, looks - static_cast<std::int64_t>(asked), confidence);
    out->x = bold + out->retreat * (safe - bold);
    incumbent.x = out->x;
  }
  const auto left = [&] { return looks - static_cast<std::int64_t>(asked); };
  const auto move_to = [&](const Vector& x) {
    out->x = incumbent.x = x;
    const std::int64_t failed = out->point.failed;
    out->point = CheckedPoint(spec.functions(), meaning);
    out->point.failed = failed;
  };
  std::int64_t review_at = left() / 2;
  bool reviewed = !choosing;
  int advances = 0;
  for (;;) {
    if (decisive(spec, rule, out->point)) {
      // A chance falls faster than in proportion on the way to a safe point, so the retreat may have been too long:
      // beyond doubt and early. Back toward the bold point then, with this one as the safe one.
      if (!meaning || out->retreat <= 0 || advances == 3 || left() < 2 * each ||
          probability_all(spec, rule, out->point) < confidence)
        break;
      const double share = least_retreat(spec, rule, at_bold, out->point, left(), confidence);
      if (share > 0.9) break;
      ++advances;
      at_safe = out->point;
      safe = out->x;
      out->retreat *= share;
      move_to(bold + share * (safe - bold));
      reviewed = false;
      review_at = left() / 2;
    }
    ask(out->x, width);
    for (const Answer& answer : co_await look(batch)) {
      if (answer.failed()) ++out->point.failed;
      else out->point.add(answer.values);
    }
    if (reviewed || left() > review_at) continue;
    reviewed = true;
    if (probability_all(spec, rule, out->point) >= confidence || out->retreat >= 1) continue;
    const double further = least_retreat(spec, rule, out->point, at_safe, left(), confidence);
    if (further <= 0) continue;
    out->retreat += further * (1 - out->retreat);
    move_to(out->x + further * (safe - out->x));
  }
}

Incumbent believable(const Spec& spec, Incumbent incumbent) {
  if (std::ranges::find(spec.integer, true) != spec.integer.end())
    incumbent.kkt_residual = incumbent.kkt_se = std::nan("");
  return incumbent;
}

double relative_price_of_caution(const Result& result) {
  double price = 0;
  for (const auto& c : result.constraints)
    if (c.multiplier.mean > 0) price += c.multiplier.mean * std::max(0.0, -c.value.mean);
  return price / std::max(std::abs(result.objective.mean), 1e-300);
}

std::string honest_status(const Incumbent& incumbent, double probability, double confidence, double relative_price,
                          std::string& note) {
  if (!(probability >= confidence)) return "infeasible";
  const double residual = incumbent.kkt_residual, se = incumbent.kkt_se;
  if (residual + 1.96 * se <= 0.01 && relative_price <= 0.01) return "converged";
  if (residual <= 1.96 * se) note += (note.empty() ? "" : "; ") + std::string("the noise floor is reached");
  return "budget";
}

double probability_nonpositive(const Estimate& e, std::int64_t looks) {
  if (looks < 2 || std::isnan(e.se)) return std::nan("");
  if (e.se == 0) return e.mean <= 0 ? 1 : 0;
  return boost::math::cdf(boost::math::students_t(static_cast<double>(looks - 1)), -e.mean / e.se);
}

EqualityRule::EqualityRule(const Spec& spec)
    : given_(spec.equality_tolerance), largest_(Vector::Zero(spec.equalities)) {}

void EqualityRule::see(const Query& query, const Answer& answer) {
  if (largest_.size() == 0 || answer.failed()) return;
  // Equalities are the last values, however many statements are made about the others.
  const Index first = static_cast<Index>(answer.values.size()) - largest_.size();
  for (Index j = 0; j < largest_.size(); ++j) {
    if (query.wants(first + j))
      largest_[j] = std::max(largest_[j], std::abs(answer.values[static_cast<std::size_t>(first + j)]));
  }
}

double EqualityRule::tolerance(Index equality, double se) const {
  if (given_.size() > 0) return given_[equality];
  return std::max(0.01 * largest_[equality], std::isnan(se) ? 0 : 4 * se);
}

double EqualityRule::probability(Index equality, const Estimate& e, std::int64_t looks) const {
  const double limit = tolerance(equality, e.se);
  // Both ends of |E[h]| <= limit are inequalities of the kind above.
  const double below = probability_nonpositive({e.mean - limit, e.se}, looks);
  const double above = probability_nonpositive({-limit - e.mean, e.se}, looks);
  return std::isnan(below) ? below : std::max(0.0, below + above - 1);
}

namespace {

void describe(const CheckedPoint& checked, const Incumbent& incumbent, Index function, ConstraintResult& c) {
  c.value = checked.estimate(function);
  if (incumbent.multipliers.size() >= function) c.multiplier.mean = incumbent.multipliers[function - 1];
  if (incumbent.multiplier_se.size() >= function) c.multiplier.se = incumbent.multiplier_se[function - 1];
}

std::string name_of(const std::vector<std::string>& names, Index k, const char* prefix) {
  return k < static_cast<Index>(names.size()) ? names[static_cast<std::size_t>(k)] : prefix + std::to_string(k + 1);
}

Chance chance_of(const Statement& s, const CheckedPoint& checked, Index i) {
  if (s.kind == Statement::Kind::quantile) {
    const auto [lower, upper] = quantile_interval(checked.values(i), s.level);
    return {true, sample_quantile(checked.values(i), s.level), lower, upper};
  }
  const std::int64_t seen = s.about_bad ? checked.bad(i) : checked.looks - checked.bad(i);
  const auto [lower, upper] = probability_interval(seen, checked.looks);
  return {false, static_cast<double>(seen) / static_cast<double>(checked.looks), lower, upper};
}

}  // namespace

void summarize(const Spec& spec, const EqualityRule& rule, const CheckedPoint& checked, const Incumbent& incumbent,
               const FunctionNames& names, Result& result) {
  result.replicates = checked.looks;
  result.objective = checked.estimate(0);
  result.kkt_residual = {incumbent.kkt_residual, incumbent.kkt_se};
  for (Index i = 1; i <= spec.constraints; ++i) {
    ConstraintResult c;
    c.name = name_of(names.constraints, i - 1, "c");
    describe(checked, incumbent, i, c);
    c.probability_feasible = checked.probability_feasible(i);
    if (const Statement* s = checked.chance(i); s && checked.looks > 0) c.chance = chance_of(*s, checked, i);
    result.constraints.push_back(std::move(c));
  }
  for (Index j = 0; j < spec.equalities; ++j) {
    EqualityResult h;
    h.name = name_of(names.equalities, j, "h");
    describe(checked, incumbent, 1 + spec.constraints + j, h);
    h.tolerance = rule.tolerance(j, h.value.se);
    h.probability_feasible = rule.probability(j, h.value, checked.looks);
    if (checked.looks > 1) {
      const boost::math::students_t law(static_cast<double>(checked.looks - 1));
      const double half = boost::math::quantile(law, 0.975) * h.value.se;
      h.low = std::max(0.0, std::abs(h.value.mean) - half);
      h.high = std::abs(h.value.mean) + half;
    }
    result.equalities.push_back(std::move(h));
  }
}

double probability_all_feasible(const Result& result) {
  double missing = 0;
  for (const auto& c : result.constraints) missing += 1 - c.probability_feasible;
  for (const auto& h : result.equalities) missing += 1 - h.probability_feasible;
  return std::isnan(missing) ? 0 : std::max(0.0, 1 - missing);
}

}  // namespace zeroth
