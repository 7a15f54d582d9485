// SPDX-License-Identifier: MIT
#include "zeroth/run/doctor.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "zeroth/engine/witness.hpp"
#include "zeroth/problem_file/read_cost.hpp"

namespace zeroth {
namespace {

struct DoctorLabel {
  enum : std::uint64_t { replicate_noise = 0x646f63, point_noise, points };
};

struct DoctorEvaluations {
  std::vector<Answer> answers;  // those that were not made before a stop are failed
  std::vector<double> seconds;
};

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

std::vector<double> column(const std::vector<Answer>& answers, std::size_t i) {
  std::vector<double> values;
  for (const Answer& a : answers)
    if (!a.failed()) values.push_back(a.values[i]);
  return values;
}

// Under one seed a smooth function changes by nearly equal steps along a short line. One that jumps stands still and
// leaps.
bool jumps(const std::vector<double>& line, double noise_sd) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < line.size(); ++k) steps.push_back(std::abs(line[k] - line[k - 1]));
  if (steps.size() < 4) return false;
  std::ranges::sort(steps);
  const double median = steps[steps.size() / 2], most = steps.back();
  return most > 10 * median && most > 0.02 * noise_sd && most > 1e-9 * std::abs(line[0]);
}

// The examination of one evaluator: asks, and notes what it sees.
class Doctor {
 public:
  Doctor(const ResolvedProblem& problem, const EngineOf& engine_of, std::int64_t replicates,
         const std::function<bool()>& stop)
      : given_(&problem),
        overhearing_([this](const std::string& question, const std::string& reply) {
          last_ = {question, reply};
        }),
        problem_(without_retries(problem)),
        engine_(engine_of(problem_)),
        stop_(stop),
        count_(static_cast<std::size_t>(replicates)),
        seed_(static_cast<std::uint64_t>(problem.run.seed)),
        start_(allowed(problem.spec.first_point())) {}

  Examination examine() {
    const Answer first = first_question();
    if (e_.failed == 0 && !e_.stopped) sample(first);
    if (e_.failed > 0 && !e_.stopped) ask_again();
    e_.advice = advice_on(*given_, e_);
    return std::move(e_);
  }

 private:
  static ResolvedProblem without_retries(const ResolvedProblem& problem) {
    ResolvedProblem copy = problem;
    if (copy.evaluator) copy.evaluator->retries = 0;  // a failure that another attempt hides is what is looked for
    return copy;
  }
  Vector allowed(Vector x) const { return problem_.fence ? problem_.fence->inside(std::move(x)) : x; }
  std::uint64_t replicate_key(std::size_t k) const { return noise_key(seed_, DoctorLabel::replicate_noise, k); }

  DoctorEvaluations ask(const std::vector<Query>& batch) {
    DoctorEvaluations evaluated{std::vector<Answer>(batch.size(), Answer::failed_because("not asked")), {}};
    const auto taken = [&](std::size_t k, Answer a, const Circumstances& how) {
      ++e_.evaluations;
      if (e_.evaluations == 1) e_.first = last_;
      if (a.failed()) {
        if (e_.failed++ == 0) {
          e_.failing = last_;
          failing_.assign(batch[k].x.begin(), batch[k].x.end());
          failing_noise_ = batch[k].noise;
        }
        ++e_.failures[a.failure];
        if (!how.error_output.empty() && e_.error_output.empty()) e_.error_output = how.error_output;
      }
      evaluated.seconds.push_back(how.seconds);
      evaluated.answers[k] = std::move(a);
    };
    engine_->evaluate(batch, taken, stop_);
    e_.stopped = e_.stopped || evaluated.seconds.size() < batch.size();
    return evaluated;
  }

  // Alone: it pays for starting up.
  Answer first_question() {
    Query query;
    query.x = as_span(start_);
    query.noise = replicate_key(0);
    const DoctorEvaluations first = ask({query});
    if (!first.seconds.empty()) e_.first_seconds = first.seconds[0];
    return first.answers[0];
  }

  // Whether a failure is the question's or chance.
  void ask_again() {
    Query query;
    query.x = failing_;
    query.noise = failing_noise_;
    const Exchange kept = e_.failing;
    const auto failed = e_.failed;
    const DoctorEvaluations again = ask({query});
    if (!again.seconds.empty())
      e_.again = e_.failed > failed ? Examination::Again::failed : Examination::Again::succeeded;
    e_.failing = kept;
  }

  void sample(const Answer& first) {
    std::vector<Query> batch(count_);  // entry 0 repeats the first question, the others have fresh noise
    for (std::size_t k = 0; k < count_; ++k) {
      batch[k].x = as_span(start_);
      batch[k].noise = replicate_key(k);
    }
    const DoctorEvaluations replicated = ask(batch);
    Rng rng(derive_key(seed_, DoctorLabel::points));
    std::vector<Vector> x;
    for (std::size_t k = 0; k < count_; ++k) x.push_back(allowed(problem_.spec.domain.sample(rng)));
    for (std::size_t k = 0; k < count_; ++k) {
      batch[k].x = as_span(x[k]);
      batch[k].noise = noise_key(seed_, DoctorLabel::point_noise, k);
    }
    const DoctorEvaluations scattered = ask(batch);
    if (e_.stopped) return;
    note_times(replicated, scattered);
    note_functions(replicated.answers, scattered.answers);
    note_feasible(scattered.answers);
    judge_seed(first, replicated.answers[0]);
    if (e_.failed == 0 && !first.failed()) note_under_one_seed(first, x);
    if (problem_.evaluator && !problem_.evaluator->partial.empty() && !first.failed()) ask_alone(first);
    note_budgets();
  }

  void note_times(const DoctorEvaluations& a, const DoctorEvaluations& b) {
    std::vector<double> seconds = a.seconds;
    seconds.insert(seconds.end(), b.seconds.begin(), b.seconds.end());
    std::ranges::sort(seconds);
    e_.median_seconds = seconds[seconds.size() / 2];
    e_.longest_seconds = std::max(e_.first_seconds, seconds.back());
  }

  void note_functions(const std::vector<Answer>& replicated, const std::vector<Answer>& scattered) {
    const auto names = measured_names(problem_);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto here = column(replicated, i), around = column(scattered, i);
      const SampleMoments at_start = moments(here), over = moments(around);
      FunctionReport f;
      f.name = names[i];
      f.mean = i == 0 && problem_.maximize ? -at_start.mean : at_start.mean;
      f.noise_sd = at_start.sd;
      f.spread = over.sd;
      f.excess_kurtosis = at_start.excess_kurtosis;
      // Under normal noise the sample's excess kurtosis has standard error near sqrt(24 / n).
      f.heavy_tails = at_start.excess_kurtosis > 3 * std::sqrt(24 / static_cast<double>(count_));
      std::set<double> distinct(here.begin(), here.end());
      distinct.insert(around.begin(), around.end());
      constexpr std::size_t few = 4;
      if (distinct.size() <= few && here.size() + around.size() > 2 * few)
        f.distinct = {distinct.begin(), distinct.end()};
      e_.functions.push_back(std::move(f));
    }
  }

  void note_feasible(const std::vector<Answer>& scattered) {
    for (const Answer& a : scattered) {
      if (a.failed()) continue;
      ++e_.scattered_points;
      const std::vector<double> meant = problem_.meaning ? problem_.meaning->of(a.values) : a.values;
      bool feasible = true;
      for (Index i = 1; i <= problem_.spec.constraints; ++i)
        feasible = feasible && !(meant[static_cast<std::size_t>(i)] > 0);
      e_.feasible_points += feasible;
    }
  }

  void judge_seed(const Answer& first, const Answer& again) {
    if (first.failed() || again.failed()) return;
    const bool noisy = std::ranges::any_of(e_.functions, [](const FunctionReport& f) { return f.noise_sd > 0; });
    e_.seed = first.values != again.values ? Examination::Seed::ignored
              : noisy                      ? Examination::Seed::honoured
                                           : Examination::Seed::no_noise;
  }

  // The same noise at other points: what does not change there does not depend on x; what leaps nearby jumps.
  void note_under_one_seed(const Answer& first, const std::vector<Vector>& scattered) {
    const bool repeatable = e_.seed == Examination::Seed::honoured || e_.seed == Examination::Seed::no_noise;
    if (!repeatable) {
      for (FunctionReport& f : e_.functions)  // spread of noise alone: not told apart from it
        f.ignores_x = f.noise_sd > 0 && f.spread < 1.1 * f.noise_sd && f.spread > 0.4 * f.noise_sd;
      const bool all = std::ranges::all_of(e_.functions, &FunctionReport::ignores_x);
      for (FunctionReport& f : e_.functions) f.ignores_x = all;
      return;
    }
    constexpr std::size_t far = 3, near = 9;
    std::vector<Vector> x(scattered.begin(), scattered.begin() + static_cast<std::ptrdiff_t>(std::min(far, count_)));
    const std::size_t others = x.size();
    Vector toward = scattered[0] - start_;
    for (std::size_t i = 0; i < problem_.spec.integer.size(); ++i)
      if (problem_.spec.integer[i]) toward[static_cast<Index>(i)] = 0;
    const bool line = toward.norm() > 0;
    for (std::size_t k = 0; line && k < near; ++k)
      x.push_back(allowed(start_ + toward * (0.02 * static_cast<double>(k) / (near - 1))));
    std::vector<Query> batch(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      batch[k].x = as_span(x[k]);
      batch[k].noise = replicate_key(0);
    }
    const auto answers = ask(batch).answers;
    if (std::ranges::any_of(answers, &Answer::failed)) return;
    for (std::size_t i = 0; i < e_.functions.size(); ++i) {
      e_.functions[i].ignores_x =
          std::ranges::all_of(answers, [&](const Answer& a) { return a.values[i] == first.values[i]; });
      std::vector<double> values;
      for (std::size_t k = others; k < answers.size(); ++k) values.push_back(answers[k].values[i]);
      e_.functions[i].jumps = jumps(values, e_.functions[i].noise_sd);
    }
  }

  // Asks for every function alone, under the noise of the first question.
  void ask_alone(const Answer& all) {
    const auto names = measured_names(problem_);
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::vector<std::uint8_t> wanted(names.size(), 0);
      wanted[i] = 1;
      Query query;
      query.x = as_span(start_);
      query.noise = replicate_key(0);
      query.wanted = wanted;
      const DoctorEvaluations evaluated = ask({query});
      AloneReport report{names[i], evaluated.seconds.empty() ? 0 : evaluated.seconds.front()};
      report.answered = !evaluated.answers.front().failed();
      report.agrees = report.answered && evaluated.answers.front().values[i] == all.values[i];
      e_.alone.push_back(std::move(report));
    }
  }

  // The file's own budget, and larger ones: a smaller one would only make the answer worse. A rule of thumb, and said
  // to be one: 100 evaluations per variable, more where one evaluation's noise hides what there is to find. What is
  // known of each is the standard error of the answer's objective, which rests on the share that the check keeps.
  void note_budgets() {
    double worst = 0;
    for (const FunctionReport& f : e_.functions)
      if (f.spread > 0) worst = std::max(worst, f.noise_sd / f.spread);
    const double raw =
        100 * static_cast<double>(problem_.spec.dimension() + 1) * (1 + std::pow(5 * std::min(worst, 1.0), 2));
    const auto rounded = [](double value) {
      const double magnitude = std::pow(10, std::floor(std::log10(value)));
      return static_cast<std::int64_t>(std::ceil(value / magnitude * 2 - 1e-9) / 2 * magnitude);
    };
    const double one = problem_.cost.size() > 0 ? problem_.cost.sum() : 1;
    const auto own = static_cast<std::int64_t>(std::floor(static_cast<double>(problem_.run.budget) / one));
    std::set<std::int64_t> budgets{std::max<std::int64_t>(1, own)};
    if (rounded(raw) > own) budgets.insert(rounded(raw));
    budgets.insert(rounded(10 * static_cast<double>(*budgets.rbegin())));
    for (const std::int64_t b : budgets) {
      const double checked = std::max(2.0, problem_.run.check_share * static_cast<double>(b));
      e_.budgets.push_back({b, e_.functions[0].noise_sd / std::sqrt(checked)});
    }
  }

  const ResolvedProblem* given_;
  Exchange last_;
  Overhearing overhearing_;
  ResolvedProblem problem_;
  std::unique_ptr<Engine> engine_;
  std::function<bool()> stop_;
  std::size_t count_;
  std::uint64_t seed_;
  Vector start_;
  std::vector<double> failing_;
  std::uint64_t failing_noise_ = 0;
  Examination e_;
};

}  // namespace

Examination examine(const ResolvedProblem& problem, const EngineOf& engine_of, std::int64_t replicates,
                    const std::function<bool()>& stop) {
  return Doctor(problem, engine_of, replicates, stop).examine();
}

}  // namespace zeroth
