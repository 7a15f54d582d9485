// SPDX-License-Identifier: MIT
#include "zeroth/run/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "zeroth/problem_file/read_cost.hpp"

namespace zeroth {
namespace {

struct DoctorLabel {
  enum : std::uint64_t { replicate_noise = 0x646f63, point_noise, points };
};

struct DoctorEvaluations {
  std::vector<Answer> answers;
  std::vector<double> seconds;
};

DoctorEvaluations evaluation_at(Engine& engine, const std::vector<Query>& batch, Examination& e) {
  DoctorEvaluations evaluated{std::vector<Answer>(batch.size()), {}};
  std::map<std::string, int> reasons;
  engine.evaluate(batch,
                  [&](std::size_t k, Answer a, const Circumstances& how) {
                    ++e.evaluations;
                    if (a.failed()) {
                      ++e.failed;
                      ++reasons[a.failure];
                      if (!how.error_output.empty()) e.error_output = how.error_output;
                    }
                    evaluated.seconds.push_back(how.seconds);
                    evaluated.answers[k] = std::move(a);
                  },
                  {});
  for (const auto& [reason, count] : reasons) e.failures.push_back(fmt::format("{} x {}", count, reason));
  return evaluated;
}

std::vector<double> column(const std::vector<Answer>& answers, std::size_t i) {
  std::vector<double> values;
  for (const Answer& a : answers)
    if (!a.failed()) values.push_back(a.values[i]);
  return values;
}

struct SampleMoments {
  double mean = 0, sd = 0, excess_kurtosis = 0;
};

SampleMoments moments(const std::vector<double>& v) {
  SampleMoments m;
  if (v.size() < 2) return m;
  const double n = static_cast<double>(v.size());
  for (const double x : v) m.mean += x / n;
  double second = 0, fourth = 0;
  for (const double x : v) {
    const double d = x - m.mean;
    second += d * d / n;
    fourth += d * d * d * d / n;
  }
  m.sd = std::sqrt(second * n / (n - 1));
  if (second > 0) m.excess_kurtosis = fourth / (second * second) - 3;
  return m;
}

Examination::Seed judge_seed(const Answer& first, const Answer& again, const std::vector<FunctionReport>& functions) {
  if (first.failed() || again.failed()) return Examination::Seed::not_known;
  if (first.values != again.values) return Examination::Seed::ignored;
  const bool noisy = std::ranges::any_of(functions, [](const FunctionReport& f) { return f.noise_sd > 0; });
  return noisy ? Examination::Seed::honoured : Examination::Seed::no_noise;
}

// A rule of thumb, and said to be one: 100 evaluations per variable, more when one evaluation's noise hides what there
// is to find, so that averaging can bring it down to a fifth of the spread.
std::int64_t suggest_budget(Index variables, const std::vector<FunctionReport>& functions) {
  double worst = 0;
  for (const FunctionReport& f : functions)
    if (f.spread > 0) worst = std::max(worst, f.noise_sd / f.spread);
  const double factor = 1 + std::pow(5 * std::min(worst, 1.0), 2);
  const double raw = 100 * static_cast<double>(variables + 1) * factor;
  const double magnitude = std::pow(10, std::floor(std::log10(raw)));
  return static_cast<std::int64_t>(std::ceil(raw / magnitude * 2) / 2 * magnitude);
}

// Asks for every function alone, under the noise of the first question.
void ask_alone(const ResolvedProblem& problem, Engine& engine, const Query& first, const Answer& all, Examination& e) {
  const auto names = measured_names(problem);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::uint8_t> wanted(names.size(), 0);
    wanted[i] = 1;
    Query query = first;
    query.wanted = wanted;
    const DoctorEvaluations evaluated = evaluation_at(engine, {query}, e);
    AloneReport report{names[i], evaluated.seconds.empty() ? 0 : evaluated.seconds.front()};
    report.answered = !evaluated.answers.front().failed();
    report.agrees = report.answered && evaluated.answers.front().values[i] == all.values[i];
    e.alone.push_back(std::move(report));
  }
}

void advise_on_costs(const ResolvedProblem& problem, Examination& e) {
  for (const AloneReport& a : e.alone)
    if (a.answered && !a.agrees && e.seed == Examination::Seed::honoured)
      e.advice.push_back(
          fmt::format("{} is another number when it is asked alone than among the others, under the same seed: give "
                      "every function a generator of its own, seeded by the seed that is sent",
                      a.name));
  if (e.alone.empty() || problem.cost.size() > 0) return;
  const auto by_time = [](const AloneReport& a, const AloneReport& b) { return a.seconds < b.seconds; };
  const auto [least, most] = std::ranges::minmax_element(e.alone, by_time);
  if (most->seconds > 3 * least->seconds)
    e.advice.push_back(
        fmt::format("asked alone, {} took {:.3g} s and {} {:.3g} s: say so under [cost], and dear "
                    "functions are not asked where a cheap constraint surely fails",
                    most->name, most->seconds, least->name, least->seconds));
}

void advise(const ResolvedProblem& problem, Examination& e) {
  if (e.seed == Examination::Seed::honoured && !problem.spec.common_noise)
    e.advice.push_back(
        "the evaluator honours its seed: set common_noise = true under [problem], solvers then cancel noise");
  if (e.seed == Examination::Seed::ignored && problem.spec.common_noise)
    e.advice.push_back(
        "common_noise = true, but the same x and seed gave different numbers: seed every generator with the "
        "seed that is sent, or set common_noise = false");
  if (problem.evaluator && problem.evaluator->timeout == 0)
    e.advice.push_back(
        fmt::format("no timeout is set, so a hang lasts for ever: timeout = {:.3g} would be ten times the "
                    "longest evaluation seen",
                    std::max(1.0, 10 * e.longest_seconds)));
  if (problem.evaluator && !problem.evaluator->stream && !problem.evaluator->files && e.median_seconds < 0.5)
    e.advice.push_back("evaluations are short: protocol = \"stream\" saves starting a process for each");
  for (const FunctionReport& f : e.functions)
    if (f.heavy_tails)
      e.advice.push_back(
          fmt::format("the noise of {} has heavy tails: means need more evaluations than its sd suggests", f.name));
  if (e.failed > 0 && problem.evaluator && problem.evaluator->retries == 0)
    e.advice.push_back("if failures are by chance, retries = 1 under [problem] tries again");
}

}  // namespace

Examination examine(const ResolvedProblem& problem, Engine& engine, std::int64_t replicates) {
  Examination e;
  const std::uint64_t seed = static_cast<std::uint64_t>(problem.run.seed);
  const auto allowed = [&](Vector x) { return problem.fence ? problem.fence->inside(std::move(x)) : x; };
  const Vector start = allowed(problem.spec.first_point());
  const auto count = static_cast<std::size_t>(replicates);

  // The first evaluation is alone: it pays for starting up.
  std::vector<Query> batch(1);
  batch[0].x = as_span(start);
  batch[0].noise = noise_key(seed, DoctorLabel::replicate_noise, 0);
  const DoctorEvaluations first = evaluation_at(engine, batch, e);
  e.first_seconds = first.seconds.at(0);
  if (e.failed > 0) {
    advise(problem, e);
    return e;
  }
  batch.assign(count, batch[0]);  // entry 0 repeats the first question, the others have fresh noise
  for (std::size_t k = 1; k < count; ++k) batch[k].noise = noise_key(seed, DoctorLabel::replicate_noise, k);
  const DoctorEvaluations replicated = evaluation_at(engine, batch, e);

  Rng rng(derive_key(seed, DoctorLabel::points));
  std::vector<Vector> x;
  for (std::size_t k = 0; k < count; ++k) x.push_back(allowed(problem.spec.domain.sample(rng)));
  for (std::size_t k = 0; k < count; ++k) {
    batch[k].x = as_span(x[k]);
    batch[k].noise = noise_key(seed, DoctorLabel::point_noise, k);
  }
  const DoctorEvaluations scattered = evaluation_at(engine, batch, e);

  std::vector<double> seconds = replicated.seconds;
  seconds.insert(seconds.end(), scattered.seconds.begin(), scattered.seconds.end());
  std::ranges::sort(seconds);
  e.median_seconds = seconds[seconds.size() / 2];
  e.longest_seconds = std::max(e.first_seconds, seconds.back());
  const auto values = static_cast<Index>(problem.value_names().size());
  for (Index i = 0; i < 1 + values + problem.spec.equalities; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const SampleMoments here = moments(column(replicated.answers, k)), around = moments(column(scattered.answers, k));
    FunctionReport f;
    f.name = i == 0        ? "objective"
             : i <= values ? problem.value_names()[k - 1]
                           : problem.equality_names[static_cast<std::size_t>(i - 1 - values)];
    f.mean = i == 0 && problem.maximize ? -here.mean : here.mean;
    f.noise_sd = here.sd;
    f.spread = around.sd;
    f.excess_kurtosis = here.excess_kurtosis;
    // Under normal noise the sample's excess kurtosis has standard error near sqrt(24 / n).
    f.heavy_tails = here.excess_kurtosis > 3 * std::sqrt(24 / static_cast<double>(count));
    e.functions.push_back(f);
  }
  e.seed = judge_seed(first.answers[0], replicated.answers[0], e.functions);
  e.suggested_budget = suggest_budget(problem.spec.dimension(), e.functions);
  if (problem.evaluator && !problem.evaluator->partial.empty())
    ask_alone(problem, engine, {as_span(start), noise_key(seed, DoctorLabel::replicate_noise, 0), {}}, first.answers[0],
              e);
  advise(problem, e);
  advise_on_costs(problem, e);
  return e;
}

}  // namespace zeroth
