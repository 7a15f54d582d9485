// SPDX-License-Identifier: MIT
#include "zeroth/report/bench_race.hpp"

#include <chrono>
#include <cmath>
#include <limits>

#include "zeroth/engine/engine.hpp"

namespace zeroth {
namespace {

class Judge {
 public:
  Judge(const Problem& problem, double tolerance, Race& race)
      : problem_(problem), tolerance_(tolerance), race_(race), values_(problem.spec.functions()) {
    race_.first = race_.for_good = std::numeric_limits<double>::infinity();
  }

  void see(const Vector& x, std::int64_t evaluations) {
    problem_.truth->expected(as_span(x), {values_.data(), static_cast<std::size_t>(values_.size())});
    const double best = problem_.truth->best_value, scale = std::max(std::abs(best), 1e-9);
    double violation = 0;
    for (Index i = 1; i < values_.size(); ++i)
      violation = std::max(violation, i <= problem_.spec.constraints ? values_[i] : std::abs(values_[i]));
    const double gap = (values_[0] - best) / scale;
    violation /= scale;
    race_.evaluations.push_back(static_cast<double>(evaluations));
    race_.gap.push_back(gap);
    race_.violation.push_back(violation);
    const bool good = gap <= tolerance_ && violation <= tolerance_;
    if (good && std::isinf(race_.first)) race_.first = static_cast<double>(evaluations);
    if (!good) race_.for_good = std::numeric_limits<double>::infinity();
    else if (std::isinf(race_.for_good)) race_.for_good = static_cast<double>(evaluations);
  }

 private:
  const Problem& problem_;
  double tolerance_;
  Race& race_;
  Vector values_;
};

}  // namespace

Race race(const Problem& problem, const Competitor& competitor, std::int64_t budget, std::uint64_t seed,
          double tolerance) {
  Race result;
  Judge judge(problem, tolerance, result);
  std::int64_t done = 0;
  if (competitor.drive) {
    competitor.drive(problem, seed, [&](const Vector& x) {
      judge.see(x, ++done);
      return done < budget;
    });
    return result;
  }
  using Clock = std::chrono::steady_clock;
  Spec spec = problem.spec;
  spec.budget = budget;
  double seconds = 0;
  auto begin = Clock::now();
  Search search = competitor.search(spec, seed);
  std::vector<Answer> answers;
  while (!search.done()) {
    const auto batch = search.ask();
    if (done + static_cast<std::int64_t>(batch.size()) > budget) break;
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    answers.clear();
    for (const Query& q : batch) answers.push_back(evaluate_once(problem, q));
    done += static_cast<std::int64_t>(batch.size());
    begin = Clock::now();
    search.tell(answers);
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    judge.see(search.recommend().x, done);
    begin = Clock::now();
  }
  result.seconds_per_evaluation = seconds / std::max<double>(1, static_cast<double>(done));
  return result;
}

}  // namespace zeroth
