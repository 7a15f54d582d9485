// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/race.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/followed_run.hpp"
#include "zeroth/lab/parallel.hpp"

namespace zeroth {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class Judge {
 public:
  Judge(const Problem& problem, const RaceLimits& limits, Race& race)
      : problem_(problem), limits_(limits), race_(race), values_(problem.spec.functions()) {
    race_.first = race_.for_good = std::numeric_limits<double>::infinity();
  }

  // Whether the race goes on. Later evaluations are half a percent of the evaluations apart: judging costs an
  // evaluation.
  bool see(const Vector& x, std::int64_t evaluations) {
    race_.done = static_cast<double>(evaluations);
    const bool over = evaluations >= limits_.budget || since(begin_) > limits_.seconds;
    if (!over && race_.done < 1.005 * looked_) return true;
    looked_ = race_.done;
    problem_.truth->expected(as_span(x), {values_.data(), static_cast<std::size_t>(values_.size())});
    const double best = problem_.truth->best_value, scale = std::max(std::abs(best), 1e-9);
    double violation = 0;
    for (Index i = 1; i < values_.size(); ++i)
      violation = std::max(violation, i <= problem_.spec.constraints ? values_[i] : std::abs(values_[i]));
    const double gap = (values_[0] - best) / scale;
    violation /= scale;
    race_.evaluations.push_back(race_.done);
    race_.gap.push_back(gap);
    race_.violation.push_back(violation);
    const bool good = gap <= limits_.tolerance && violation <= limits_.tolerance;
    if (good && std::isinf(race_.first)) race_.first = race_.done;
    if (!good) since_ = std::numeric_limits<double>::infinity();
    else if (std::isinf(since_)) since_ = race_.done;
    if (race_.done >= 2 * since_) {
      race_.for_good = since_;
      return false;
    }
    return !over;
  }
  // A solver that has ended stays where it is.
  void end() {
    if (std::isinf(race_.for_good)) race_.for_good = since_;
  }

 private:
  const Problem& problem_;
  RaceLimits limits_;
  Race& race_;
  Vector values_;
  Clock::time_point begin_ = Clock::now();
  double looked_ = 0, since_ = std::numeric_limits<double>::infinity();
};

double last_score(const Race& r) {
  return r.gap.empty() ? std::numeric_limits<double>::infinity() : std::max(r.gap.back(), r.violation.back());
}

}  // namespace

Race race(const Problem& problem, const Competitor& competitor, const RaceLimits& limits, std::uint64_t seed) {
  Race result;
  Judge judge(problem, limits, result);
  std::int64_t done = 0;
  bool running = true;
  if (competitor.drive) {
    competitor.drive(problem, seed, [&](const Vector& x) { return running = judge.see(x, ++done); });
    if (running) judge.end();
    return result;
  }
  Spec spec = problem.spec;
  spec.budget = limits.budget;
  double seconds = 0;
  auto begin = Clock::now();
  RunState run(spec, competitor.search(spec, seed), unchecked(limits.budget));
  while (running && !run.done()) {
    seconds += since(begin);
    receive_batch(run, [&](const Query& q) { return evaluate_once(problem, q); });
    begin = Clock::now();
    run.advance();
    seconds += since(begin);
    const std::int64_t open = spec.lag > 0 && !run.done() ? static_cast<std::int64_t>(run.batch().size()) : 0;
    running = judge.see(run.recommended(), run.evaluations() + open);
    begin = Clock::now();
  }
  if (run.search_ended()) judge.end();
  result.seconds_per_evaluation = seconds / std::max<double>(1, static_cast<double>(run.evaluations()));
  return result;
}

Competitor best_candidate(const std::string& name, const Problem& held_out, const RaceLimits& limits, int jobs) {
  const std::vector<Competitor> candidates = candidates_named(name, held_out.spec);
  if (candidates.size() == 1) return candidates[0];
  std::vector<Race> races(candidates.size());
  parallel_for(jobs, races.size(), [&](std::size_t k) { races[k] = race(held_out, candidates[k], limits, 1); });
  std::size_t best = 0;
  for (std::size_t k = 1; k < races.size(); ++k)
    if (std::pair(races[k].first, last_score(races[k])) < std::pair(races[best].first, last_score(races[best])))
      best = k;
  return candidates[best];
}

}  // namespace zeroth
