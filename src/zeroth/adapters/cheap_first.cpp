// SPDX-License-Identifier: MIT
#include "zeroth/adapters/cheap_first.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace zeroth {
namespace {

constexpr double surely = 0.99;
constexpr double modesty = 1.5;                // a belief's standard deviation is widened by this factor
constexpr double worth_a_stage = 2;            // so many times as dear as the dearest of the stage before
constexpr std::size_t enough_to_begin = 4;     // points that are asked in full, whatever their constraints say
constexpr std::uint64_t first_replicates = 5;  // of the cheap functions at the first point, for who has no model

struct CheapFirstLabel {
  enum : std::uint64_t { noise = 0x63686561, survey_points, survey_noise };
};

std::uint64_t hash_of_position(std::span<const double> x) {
  std::uint64_t h = x.size();
  for (const double v : x) h = derive_key(h, std::bit_cast<std::uint64_t>(v + 0.0));  // -0 is 0
  return h;
}

// The noise of single evaluations, from those at one point under different keys.
class Replicates {
 public:
  explicit Replicates(Index functions) : squares_(Vector::Zero(functions)), pairs_(Vector::Zero(functions)) {}

  void add(const Query& query, std::span<const double> values) {
    const auto [place, is_new] = first_.try_emplace(hash_of_position(query.x), First{query.noise, {}});
    if (is_new) place->second.values.assign(values.begin(), values.end());
    if (is_new || place->second.noise == query.noise) return;
    for (Index i = 0; i < squares_.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double gap = values[k] - place->second.values[k];
      if (std::isnan(gap)) continue;
      squares_[i] += 0.5 * gap * gap;
      pairs_[i] += 1;
    }
  }
  double variance(Index i) const { return pairs_[i] > 0 ? squares_[i] / pairs_[i] : infinity; }
  double degrees(Index i) const { return pairs_[i]; }

 private:
  struct First {
    std::uint64_t noise;
    std::vector<double> values;
  };
  std::unordered_map<std::uint64_t, First> first_;
  Vector squares_, pairs_;
};

// P(E[f_i] > 0) by one evaluation and the belief before it.
double probability_of_failing(double value, double mean, double sd, double noise) {
  if (!(noise > 0)) return value > 0 ? 1 : 0;
  const double prior = modesty * modesty * sd * sd, error = noise * noise;
  const double weight = prior / (prior + error);
  const double at = mean + weight * (value - mean), spread = std::sqrt(weight * error);
  if (!(spread > 0)) return at > 0 ? 1 : 0;
  return 0.5 * std::erfc(-at / spread / 1.41421356237309504880);
}

class Judge {
 public:
  explicit Judge(const Spec& spec) : constraints_(spec.constraints), replicates_(spec.functions()) {}

  void learn(const Query& query, std::span<const double> values) {
    replicates_.add(query, values);
    if (std::ranges::none_of(values, [](double v) { return std::isnan(v); })) whole_.insert(hash_of_position(query.x));
  }

  // By the values that are known, whether some inequality fails for sure at x.
  bool surely_infeasible(const Incumbent& solver, std::span<const double> x, std::span<const double> values) const {
    if (whole_.size() < enough_to_begin) return false;
    const Belief belief = solver.believe ? solver.believe(as_vector(x)) : Belief{};
    for (Index i = 1; i <= constraints_; ++i) {
      const double value = values[static_cast<std::size_t>(i)];
      if (std::isnan(value)) continue;
      if (belief.mean.size() > i && belief.noise.size() > i) {
        if (probability_of_failing(value, belief.mean[i], belief.sd[i], belief.noise[i]) >= surely) return true;
        continue;
      }
      if (replicates_.degrees(i) < 1) continue;
      const double noise = std::sqrt(replicates_.variance(i));
      const boost::math::students_t t(replicates_.degrees(i));
      if (value > noise * boost::math::quantile(t, surely)) return true;
    }
    return false;
  }

 private:
  Index constraints_;
  Replicates replicates_;
  std::unordered_set<std::uint64_t> whole_;  // points that were asked in full
};

// Points all over the set for the cheap functions: as many as cost about one evaluation of the others.
std::vector<Vector> points_of_survey(const Spec& spec, const std::vector<std::uint8_t>& cheap, std::uint64_t seed) {
  constexpr double each_variable = 20, at_least = 8;
  constexpr std::int64_t worth_it = 20;  // evaluations that the budget pays for
  double first = 0;
  for (Index i = 0; i < spec.cost.size(); ++i)
    if (cheap[static_cast<std::size_t>(i)] != 0) first += spec.cost[i];
  const double rest = spec.cost.sum() - first;
  const double count = std::min(each_variable * static_cast<double>(spec.dimension()), first > 0 ? rest / first : 1e6);
  // Between levels and where a variable does not apply there is nothing to measure.
  if (count < at_least || spec.budget < worth_it || !spec.integer.empty() || spec.active) return {};
  Rng rng(derive_key(seed, CheapFirstLabel::survey_points));
  std::vector<Vector> points;
  for (int k = 0; k < static_cast<int>(count); ++k) {
    Vector x = spec.domain.sample(rng);
    for (int again = 0; spec.known && again < 100 && !spec.known(as_span(x)); ++again) x = spec.domain.sample(rng);
    points.push_back(std::move(x));
  }
  return points;
}

// Of the points of a survey those with the least violation, and of these as far apart as can be.
std::vector<std::size_t> best_of_survey(const Spec& spec, const std::vector<Evaluated>& survey) {
  std::vector<double> violation;
  for (const Evaluated& e : survey) {
    double worst = 0;
    for (Index i = 1; i <= spec.constraints; ++i)
      if (const double v = e.values[static_cast<std::size_t>(i)]; v > worst) worst = v;
    violation.push_back(worst);
  }
  std::vector<std::size_t> chosen;
  std::vector<double> distance(survey.size(), infinity);
  while (chosen.size() < std::min(enough_to_begin, survey.size())) {
    std::size_t best = survey.size();
    for (std::size_t k = 0; k < survey.size(); ++k) {
      if (std::ranges::find(chosen, k) != chosen.end()) continue;
      if (best == survey.size() || violation[k] < violation[best] ||
          (violation[k] == violation[best] && distance[k] > distance[best]))
        best = k;
    }
    chosen.push_back(best);
    for (std::size_t k = 0; k < survey.size(); ++k)
      distance[k] = std::min(distance[k], (survey[k].x - survey[best].x).squaredNorm());
  }
  return chosen;
}

Search in_stages(Spec spec, std::vector<std::vector<std::uint8_t>> stages, StartSolver start, std::uint64_t seed,
                 bool learns) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  const auto functions = static_cast<std::size_t>(spec.functions());
  Judge judge(spec);
  const std::vector<Vector> surveyed = learns ? points_of_survey(spec, stages.front(), seed) : std::vector<Vector>{};
  if (!surveyed.empty()) {
    std::vector<Query> questions;
    for (std::size_t k = 0; k < surveyed.size(); ++k)
      questions.push_back({as_span(surveyed[k]), noise_key(seed, CheapFirstLabel::survey_noise, k), stages.front()});
    std::vector<Evaluated> survey;
    std::vector<std::uint64_t> keys;
    {
      const auto answers = co_await evaluate(questions);
      for (std::size_t k = 0; k < surveyed.size(); ++k)
        if (!answers[k].failed()) {
          survey.push_back({surveyed[k], answers[k].values, answers[k].se, 1});
          keys.push_back(questions[k].noise);
        }
    }
    const std::vector<std::size_t> best = best_of_survey(spec, survey);
    std::vector<std::uint8_t> others(functions);
    for (std::size_t i = 0; i < functions; ++i) others[i] = stages.front()[i] == 0 ? 1 : 0;
    questions.clear();
    for (const std::size_t k : best) questions.push_back({as_span(survey[k].x), keys[k], others});
    const auto answers = co_await evaluate(questions);
    for (std::size_t j = 0; j < best.size(); ++j) {
      if (answers[j].failed()) continue;
      Evaluated& e = survey[best[j]];
      if (!answers[j].se.empty()) e.se.resize(functions, std::nan(""));
      for (std::size_t i = 0; i < functions; ++i) {
        if (others[i] == 0) continue;
        e.values[i] = answers[j].values[i];
        if (!answers[j].se.empty()) e.se[i] = answers[j].se[i];
      }
      judge.learn(questions[j], e.values);
    }
    spec.evaluated.insert(spec.evaluated.end(), survey.begin(), survey.end());
  }
  Search solver = start(std::move(spec), seed);
  std::vector<Answer> told;
  std::vector<Query> batch;
  std::vector<std::size_t> open, going_on;
  // Whoever has no model may never ask twice at one point, and nothing would ever be sure.
  if (!learns && !solver.done() && !solver.ask().empty()) {
    for (std::uint64_t k = 0; k < first_replicates; ++k)
      batch.push_back({solver.ask().front().x, noise_key(seed, CheapFirstLabel::noise, k), stages.front()});
    const auto answers = co_await evaluate(batch);
    for (std::size_t k = 0; k < answers.size(); ++k)
      if (!answers[k].failed()) judge.learn(batch[k], answers[k].values);
  }
  for (;;) {
    incumbent = solver.recommend();
    if (solver.done()) co_return;
    const auto asked = solver.ask();
    told.assign(asked.size(), Answer{std::vector<double>(functions, std::nan("")), {}, {}});
    const auto splits = [&](const Query& q) { return !q.whole && q.wanted.empty() && q.weights.empty(); };
    open.resize(asked.size());
    std::iota(open.begin(), open.end(), std::size_t{0});
    for (std::size_t stage = 0; stage < stages.size() && !open.empty(); ++stage) {
      batch.clear();
      for (const std::size_t k : open) {
        batch.push_back(asked[k]);
        if (splits(asked[k])) batch.back().wanted = stages[stage];
      }
      const auto answers = co_await evaluate(batch);
      going_on.clear();
      for (std::size_t j = 0; j < open.size(); ++j) {
        const std::size_t k = open[j];
        Answer& all = told[k];
        if (!splits(asked[k]) || answers[j].failed()) {
          all = answers[j];
          if (!all.failed() && asked[k].weights.empty() && asked[k].wanted.empty()) judge.learn(asked[k], all.values);
          continue;
        }
        if (!answers[j].se.empty()) all.se.resize(functions, std::nan(""));
        for (std::size_t i = 0; i < functions; ++i) {
          if (stages[stage][i] == 0) continue;
          all.values[i] = answers[j].values[i];
          if (!answers[j].se.empty()) all.se[i] = answers[j].se[i];
        }
        const bool last = stage + 1 == stages.size();
        if (last || judge.surely_infeasible(solver.recommend(), asked[k].x, all.values))
          judge.learn(asked[k], all.values);
        else going_on.push_back(k);
      }
      open.swap(going_on);
    }
    solver.tell(told);
  }
}

}  // namespace

std::vector<std::vector<std::uint8_t>> stages_of(const Spec& spec) {
  const auto functions = static_cast<std::size_t>(spec.functions());
  if (spec.cost.size() != spec.functions()) return {std::vector<std::uint8_t>(functions, 1)};
  std::vector<Index> order(functions);
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index i) { return spec.cost[i]; });
  std::vector<std::vector<std::uint8_t>> stages;
  double dearest = 0;
  bool tells = false;  // the last stage has an inequality, by which the next may be spared
  for (const Index i : order) {
    if (stages.empty() || (tells && dearest > 0 && spec.cost[i] >= worth_a_stage * dearest)) {
      stages.emplace_back(functions, 0);
      tells = false;
    }
    stages.back()[static_cast<std::size_t>(i)] = 1;
    dearest = spec.cost[i];
    tells = tells || (i >= 1 && i <= spec.constraints);
  }
  return stages;
}

Search ask_cheap_first(Spec spec, StartSolver start, std::uint64_t seed, bool learns) {
  auto stages = stages_of(spec);
  if (stages.size() < 2) return start(std::move(spec), seed);
  return in_stages(std::move(spec), std::move(stages), std::move(start), seed, learns);
}

}  // namespace zeroth
