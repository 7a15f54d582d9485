// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/progress.hpp"
#include "zeroth/cli/signals.hpp"
#include "zeroth/cli/summary.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/engine/mpi.hpp"
#include "zeroth/engine/parties.hpp"

namespace zeroth::cli {
namespace {

struct SolveArguments {
  std::string file, solver, budget, seed, store = "zeroth.db";
  int jobs = 1;
  bool resume = false, json = false, quiet = false;
  double timeout_total = 0;
  std::vector<std::string> settings;
};

ProblemSource source_from(const SolveArguments& a) {
  ProblemSource source = read_source(a.file);
  const auto add = [&](const char* option, const char* key, const std::string& value) {
    if (!value.empty())
      source.overrides.emplace_back(fmt::format("{} {}", option, value), fmt::format("{}={}", key, value));
  };
  add("--solver", "solver.name", a.solver);
  add("--budget", "solver.budget", a.budget);
  add("--seed", "solver.seed", a.seed);
  for (const auto& assignment : a.settings) source.overrides.emplace_back("--set", assignment);
  return source;
}

int finish(const SolveArguments& a, const ResolvedProblem& problem, const SolveOutcome& outcome) {
  if (a.json) fmt::print("{}\n", outcome.json);
  else fmt::print("{}", summary(outcome, problem, a.store));
  std::fflush(stdout);
  if (outcome.result.status == "interrupted") return interrupted;
  return outcome.result.status == "infeasible" ? no_feasible_point : 0;
}

// `lead`: the other parties, if they are on other ranks, are told what the solver is told.
int propose(const SolveArguments& a, const ProblemSource& source, const ResolvedProblem& problem, Engine& engine,
            LeadingParty* lead = nullptr) {
  catch_signals();
  ProgressLine progress(a.quiet, problem);
  const auto begin = std::chrono::steady_clock::now();
  SolveRequest request;
  request.store = a.store;
  request.resume = a.resume;
  request.stop = [&] {
    if (stop_requested()) return true;
    return a.timeout_total > 0 &&
           std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(a.timeout_total);
  };
  bool told_choice = problem.run.name != "auto";
  request.observe = [&](const Progress& p) {
    // Which solver 'auto' has picked and why is the first part of its note.
    if (!told_choice && p.incumbent && p.incumbent->note.find(": ") != std::string::npos) {
      progress.say("auto picked " + p.incumbent->note.substr(0, p.incumbent->note.find(';')));
      told_choice = true;
    }
    progress.observe(p);
    if (lead) lead->told(p.answers);
  };
  request.say = [&](const std::string& line) { progress.say(line); };
  const SolveOutcome outcome = solve(source, problem, engine, request);
  if (lead) progress.say("between the parties: " + lead->traffic());
  const auto asked = static_cast<int>(progress.largest_batch());
  if (asked > 0 && asked < engine.width())
    progress.say(
        fmt::format("note: '{}' asked for at most {} evaluations at a time, so {} of {} workers had nothing to do; "
                    "width = {} under [solver] lets it ask for more",
                    problem.run.name, asked, engine.width() - asked, engine.width(), engine.width()));
  return finish(a, problem, outcome);
}

// Every rank runs the solver for itself and evaluates what its party owns.
int solve_between_parties(const SolveArguments& a, const ProblemSource& source, const ResolvedProblem& problem,
                          MpiWorld& world) {
  if (world.size() != static_cast<int>(problem.parties.size()))
    throw Error(a.file,
                fmt::format("the problem has {} parties, one rank each: mpirun -n {} zeroth solve ..., not -n {}",
                            problem.parties.size(), problem.parties.size(), world.size()));
  if (world.rank() == 0) {
    const auto engine = leading_party(world, problem.parties, a.jobs);
    return propose(a, source, problem, *engine, engine.get());
  }
  ignore_signals();
  const auto engine = following_party(world, problem.parties, a.jobs);
  try {
    run(problem.spec, start_solver(problem), *engine, run_request(problem));
  } catch (const EverythingFailed&) {  // rank 0 says so
  }
  return 0;
}

int solve_with_mpi(const SolveArguments& a, const ProblemSource& source, const ResolvedProblem& problem) {
  MpiWorld world;
  if (!problem.parties.empty() && world.size() > 1) return solve_between_parties(a, source, problem, world);
  if (world.rank() > 0) {
    ignore_signals();
    const auto local = local_engine(problem, 1);
    world.serve(*local);
    return 0;
  }
  const auto engine = world.size() > 1 ? world.engine() : local_engine(problem, a.jobs);
  return propose(a, source, problem, *engine);
}

void solve_command(const SolveArguments& a) {
  const ProblemSource source = source_from(a);
  const ResolvedProblem problem = resolve(source);
  int code = 0;
  if (launched_by_mpi()) {
    code = solve_with_mpi(a, source, problem);
  } else {
    const auto engine = local_engine(problem, a.jobs);
    code = propose(a, source, problem, *engine);
  }
  if (code != 0) throw Exit{code};
}

}  // namespace

void add_solve(CLI::App& app) {
  auto* command = app.add_subcommand("solve", "Optimise the problem in a file");
  auto a = std::make_shared<SolveArguments>();
  command->add_option("FILE", a->file, "problem file (TOML)")->required();
  command->add_option("--solver", a->solver, "solver, instead of the file's; see 'zeroth list solvers'");
  command->add_option("--budget", a->budget, "evaluations in all, instead of the file's");
  command->add_option("--seed", a->seed, "names all randomness of the run, instead of the file's");
  command->add_option("-j,--jobs", a->jobs, "evaluations at a time; the run is the same for any number")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--store", a->store, "where every answer is kept")->capture_default_str();
  command->add_flag("--resume", a->resume, "continue this problem's unfinished run in the store, or start one");
  command->add_option("--set", a->settings, "key=value of [solver], or section.key=value; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--timeout-total", a->timeout_total, "seconds after which the run is interrupted, resumable")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", a->json, "the result as JSON");
  command->add_flag("-q,--quiet", a->quiet, "no progress on stderr");
  command->footer(
      "Exit codes: 0 done, 1 run failed, 2 bad input, 3 no feasible point found, 130 interrupted and resumable.\n"
      "On several machines: mpirun -n N zeroth solve FILE");
  command->callback([a] { solve_command(*a); });
}

}  // namespace zeroth::cli
