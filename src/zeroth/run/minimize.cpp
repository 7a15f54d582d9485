// SPDX-License-Identifier: MIT
#include "zeroth/run/minimize.hpp"

#include <fmt/format.h>

#include <cmath>

#include "zeroth/adapters/cheap_first.hpp"
#include "zeroth/adapters/fence.hpp"
#include "zeroth/adapters/first_points.hpp"
#include "zeroth/adapters/growing_box.hpp"
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/catalog/integer_solvers.hpp"
#include "zeroth/catalog/safe_option.hpp"
#include "zeroth/core/iterate.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/run/run_state.hpp"

namespace zeroth {
namespace {

Space space_of_values(const Spec& spec) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Variables v;
  v.lower = Vector::Constant(spec.dimension(), -infinity);
  v.upper = Vector::Constant(spec.dimension(), infinity);
  v.start = Vector::Constant(spec.dimension(), std::nan(""));
  std::vector<Index> all;
  for (Index k = 0; k < spec.dimension(); ++k) {
    const auto place = static_cast<std::size_t>(k);
    v.type.push_back(spec.integer[place] ? VariableType::integer : VariableType::real);
    v.log_scale.push_back(false);
    all.push_back(k);
  }
  return Space::of(std::move(v), {spec.domain}, {all});
}

// What the problem and the options come to.
struct ReadyRun {
  Spec spec;  // of the functions that the solver sees
  RunRequest request;
  std::unique_ptr<Meaning> meaning;  // the request points to it
  StartSolver start;
};

void plan_costs(const Problem& problem, ReadyRun& ready) {
  RunRequest& request = ready.request;
  request.cost = problem.spec.cost;
  const double all = request.cost.size() > 0 ? request.cost.sum() : 1;
  if (request.cost.size() > 0 && (request.cost.size() != problem.spec.functions() || !(request.cost.minCoeff() >= 0) ||
                                  !(all > 0) || !std::isfinite(all)))
    throw Error(fmt::format("spec.cost must hold {} finite numbers >= 0, one per function, not all 0",
                            problem.spec.functions()));
  if (static_cast<double>(request.budget) < all)
    throw Error(fmt::format("the budget of {} is below the {} that one evaluation of all functions costs",
                            request.budget, all));
  ready.spec.plan_for(request.cost.size() > 0
                          ? affordable_evaluations(static_cast<double>(request.budget), request.cost)
                          : request.budget,
                      request.check_share);
}

void read_meaning_of(const Problem& problem, const MinimizeOptions& options, ReadyRun& ready) {
  if (options.constraints.empty() && options.objective.empty()) return;
  std::vector<std::string> names = problem.constraint_names;
  for (auto i = static_cast<Index>(names.size()) + 1; i <= problem.spec.constraints; ++i)
    names.push_back("c" + std::to_string(i));
  const std::vector<std::string>& declared = options.constraints.empty() ? names : options.constraints;
  auto meaning = read_meaning(declared, problem.spec.equalities, "", names, {options.objective, problem.maximize, ""});
  ready.spec.constraints = static_cast<Index>(declared.size());
  ready.spec.cost = cost_of_stated(problem.spec.cost, meaning);
  ready.request.names.constraints = declared;
  if (!meaning) return;
  ready.meaning = std::make_unique<Meaning>(std::move(*meaning));
  ready.request.meaning = ready.meaning.get();
}

// Solver and adapters, as the spec wants them.
StartSolver start_for(const MinimizeOptions& options, const ReadyRun& ready) {
  StartSolver start = [name = options.solver, settings = options.settings](Spec spec, std::uint64_t seed) {
    return solver_named(name).make(std::move(spec), settings, seed);
  };
  if (works_in_a_box(options.solver)) start = in_growing_box(std::move(start), ready.spec, options.spread);
  // Here coordinates are what the oracle gets.
  if (!ready.spec.integer.empty()) start = with_integer_variables(options.solver, start, space_of_values(ready.spec));
  if (!(ready.request.safe > 0)) start = with_relaxation(options.solver, std::move(start));
  const std::optional<Meaning> meaning = ready.meaning ? std::optional(*ready.meaning) : std::nullopt;
  if (meaning)
    start = [inner = std::move(start), stated = *meaning, slopes = measures_slopes(options.solver),
             anywhere = !(ready.request.safe > 0)](Spec spec, std::uint64_t seed) {
      return with_chance_constraints(std::move(spec), stated, inner, slopes, seed, anywhere);
    };
  if (!ready.spec.known_points.empty() || !ready.spec.evaluated.empty())
    start = [inner = std::move(start), meaning](Spec spec, std::uint64_t seed) {
      return after_points(std::move(spec), meaning, inner, seed);
    };
  return start;
}

ReadyRun ready_run(const Problem& problem, const MinimizeOptions& options) {
  if (options.budget < 1) throw Error(fmt::format("the budget must be at least 1 evaluation, not {}", options.budget));
  ReadyRun ready;
  ready.spec = problem.spec;
  ready.request.solver = options.solver;
  ready.request.budget = options.budget;
  ready.request.seed = options.seed;
  ready.request.safe = safe_probability(options.solver, options.settings);
  ready.request.names.constraints = problem.constraint_names;
  plan_costs(problem, ready);
  if (ready.spec.width <= 1) ready.spec.width = std::max(1, options.jobs);
  read_meaning_of(problem, options, ready);
  ready.start = start_for(options, ready);
  // A set that is no box can lose a point to rounding.
  if (!ready.spec.integer.empty() && ready.spec.domain.cut()) {
    const Space space = space_of_values(ready.spec);
    ready.spec.known = [domain = ready.spec.domain, space, own = ready.spec.known](std::span<const double> x) {
      const Vector rounded = space.to_user(Vector(as_vector(x)));
      return domain.contains(rounded, 1e-9) && (!own || own(as_span(rounded)));
    };
  }
  return ready;
}

Search search_of(const ReadyRun& ready) {
  if (!ready.spec.known) return ready.start(ready.spec, ready.request.seed);
  const Space space = ready.spec.integer.empty() ? Space::plain(ready.spec.dimension()) : space_of_values(ready.spec);
  return fenced(Fence(ready.spec, space), ready.spec, ready.start, ready.request.seed);
}

// Whole coordinates are whole for whoever evaluates, also half-way to a fallback, where the check may go.
Vector whole_where_wanted(const Spec& spec, Vector x) {
  for (std::size_t k = 0; k < spec.integer.size() && x.size() > 0; ++k)
    if (spec.integer[k]) x[static_cast<Index>(k)] = std::round(x[static_cast<Index>(k)]);
  return x;
}

Problem with_whole_coordinates(Problem problem) {
  if (problem.spec.integer.empty()) return problem;
  const auto rounded = [spec = problem.spec](std::span<const double> x) {
    return whole_where_wanted(spec, Vector(as_vector(x)));
  };
  if (problem.oracle)
    problem.oracle = [inner = std::move(problem.oracle), rounded](std::span<const double> x, Rng& noise,
                                                                  std::span<double> values) {
      const Vector at = rounded(x);
      inner(as_span(at), noise, values);
    };
  if (problem.partial)
    problem.partial = [inner = std::move(problem.partial), rounded](std::span<const double> x, Rng& noise,
                                                                    std::span<const std::uint8_t> wanted,
                                                                    std::span<double> values) {
      const Vector at = rounded(x);
      inner(as_span(at), noise, wanted, values);
    };
  return problem;
}

}  // namespace

Result minimize(const Problem& problem, const MinimizeOptions& options) {
  if (!problem.oracle && !problem.partial) throw Error("the problem has no oracle");
  ReadyRun ready = ready_run(problem, options);
  ready.spec.described_points = !ready.meaning && nobody_reads_points(ready.spec);
  const Problem measured = with_whole_coordinates(problem);  // engines know what is measured, not what is stated of it
  const auto engine = options.jobs > 1 ? threads_engine(measured, options.jobs) : serial_engine(measured);
  Result result = run(ready.spec, search_of(ready), *engine, ready.request);
  result.x = whole_where_wanted(problem.spec, std::move(result.x));
  return result;
}

struct Minimization::Run {
  Run(const Problem& problem, ReadyRun prepared)
      : ready(std::move(prepared)),
        measured(static_cast<std::size_t>(problem.spec.functions())),
        partial(problem.spec.cost.size() > 0),
        state(ready.spec, search_of(ready), ready.request) {}

  ReadyRun ready;
  std::size_t measured;  // functions that an evaluation measures
  bool partial;
  RunState state;
};

Minimization::Minimization(const Problem& problem, const MinimizeOptions& options)
    : run_(std::make_unique<Run>(problem, ready_run(problem, options))) {}
Minimization::Minimization(Minimization&&) noexcept = default;
Minimization& Minimization::operator=(Minimization&&) noexcept = default;
Minimization::~Minimization() = default;

bool Minimization::done() const { return run_->state.done(); }

std::vector<AskedFor> Minimization::ask() const {
  std::vector<AskedFor> open;
  for (const std::int64_t number : run_->state.pending()) {
    const Query& query = run_->state.question(number);
    AskedFor& asked =
        open.emplace_back(AskedFor{number, whole_where_wanted(run_->ready.spec, as_vector(query.x)), query.noise, {}});
    if (run_->partial && query.weights.empty() && !query.wanted.empty())
      asked.wanted.assign(query.wanted.begin(), query.wanted.end());
  }
  return open;
}

void Minimization::tell(std::int64_t number, Answer answer) {
  RunState& state = run_->state;
  if (done()) throw Error("the run is done; nothing was asked");
  const std::int64_t place = number - state.evaluations();
  if (!answer.failed() && place >= 0 && place < static_cast<std::int64_t>(state.batch().size())) {
    const Query& query = state.question(number);
    if (answer.values.size() != run_->measured)
      throw Error(fmt::format("evaluation {} has {} values, but must have {}: objective, constraints, equalities",
                              number, answer.values.size(), run_->measured));
    if (!answer.se.empty() && answer.se.size() != run_->measured)
      throw Error(fmt::format("evaluation {} has {} standard errors, but must have {} or none", number,
                              answer.se.size(), run_->measured));
    for (std::size_t i = 0; i < answer.values.size() && !answer.failed(); ++i) {
      const bool wanted = query.wants(static_cast<Index>(i));
      // As every engine does it (engine/serial.cpp).
      if (wanted && !std::isfinite(answer.values[i]))
        answer = Answer::failed_because("function " + std::to_string(i) + " is not a finite number");
      else if (!wanted && run_->partial && query.weights.empty()) answer.values[i] = std::nan("");
    }
  }
  state.receive(number, std::move(answer));
  while (!state.done() && state.complete()) state.advance();
}

Vector Minimization::recommend() const { return whole_where_wanted(run_->ready.spec, run_->state.recommended()); }

Result Minimization::result() const {
  Result result = run_->state.result();
  result.x = whole_where_wanted(run_->ready.spec, std::move(result.x));
  return result;
}

}  // namespace zeroth
