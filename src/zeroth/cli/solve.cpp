// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "zeroth/catalog/replicas.hpp"
#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/cli/problem_arguments.hpp"
#include "zeroth/cli/progress.hpp"
#include "zeroth/cli/signals.hpp"
#include "zeroth/cli/summary.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/engine/mpi.hpp"
#include "zeroth/engine/parties.hpp"
#include "zeroth/engine/watched.hpp"
#include "zeroth/run/stored/continued.hpp"

namespace zeroth::cli {
namespace {

struct SolveArguments : ProblemArguments {
  int jobs = 1;
  bool resume = false, json = false;
  double timeout_total = 0;
};

int finish(const SolveArguments& a, const ResolvedProblem& problem, const SolveOutcome& outcome) {
  if (a.json) write_json(outcome.json + "\n");
  else print("{}", summary(outcome, problem, a.store));
  flush_result();
  return exit_code_of(outcome.result);
}

std::string waiting_words(const WatchedEngine& engine, const ResolvedProblem& problem) {
  const double timeout = problem.evaluator ? problem.evaluator->timeout : 0;
  return fmt::format(
      "no answer since {:.0f} s, {} under way{}", engine.silent_seconds(),
      engine.under_way() == 1 ? "an evaluation is" : fmt::format("{} evaluations are", engine.under_way()),
      timeout > 0         ? fmt::format("; one counts as failed after {:.6g} s (timeout)", timeout)
      : problem.evaluator ? "; a hang would last for ever: timeout = SECONDS under [problem] ends it ('zeroth check' "
                            "suggests how many)"
                          : "");
}

// `lead`: the other parties, if they are on other ranks, are told what the solver is told.
int propose(const SolveArguments& a, const ProblemSource& source, const ResolvedProblem& problem, Engine& workers,
            LeadingParty* lead = nullptr) {
  catch_signals();
  ProgressLine progress(a.quiet, problem);
  WatchedEngine engine(workers);
  Silence silence;
  const auto begin = std::chrono::steady_clock::now();
  SolveRequest request;
  request.store = a.store;
  request.resume = a.resume;
  bool told_resumable = !launched_by_mpi(), told_waiting = false;
  request.stop = [&] {
    if (silence.worth_saying(engine.silent_seconds())) progress.say(waiting_words(engine, problem));
    if (stop_requested()) {
      if (!std::exchange(told_waiting, true) && engine.under_way() > 0 && !launched_by_mpi())
        progress.say(
            fmt::format("stopping; waiting for {} under way ({:.0f} s since the last answer). Ctrl-C again stops "
                        "at once; every answer is kept",
                        engine.under_way() == 1 ? "the evaluation" : fmt::format("{} evaluations", engine.under_way()),
                        engine.silent_seconds()));
      // mpirun ends a job in this way when a rank has died, and leaves a second.
      if (!std::exchange(told_resumable, true))
        note(
            "zeroth: the job is being ended, by a signal or because a rank died; every answer is kept in {}: go on "
            "with the "
            "same command and --resume\n",
            a.store);
      return true;
    }
    return a.timeout_total > 0 &&
           std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(a.timeout_total);
  };
  bool told_choice = problem.run.name != "auto";
  request.observe = [&](const Progress& p) {
    if (!told_choice && p.incumbent && !p.incumbent->chosen.empty()) {
      progress.say("auto picked " + p.incumbent->chosen + ": " + p.incumbent->chosen_because);
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
    world.serve(*local, replicas_of(problem.spec));
    return 0;
  }
  const auto engine = world.size() > 1 ? world.engine() : local_engine(problem, a.jobs);
  return propose(a, source, problem, *engine);
}

void solve_command(const SolveArguments& a) {
  auto [source, problem] = problem_from(a, true);
  if (a.resume) {
    const std::string said = continue_earlier_run(source, a.store, problem);
    if (!said.empty() && !a.quiet) note("{}\n", said);
    problem = resolve(source);
  }
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

int exit_code_of(const Result& result) {
  if (result.status == Status::interrupted) return interrupted;
  switch (result.feasibility) {
    case Feasibility::infeasible:
      return infeasible;
    case Feasibility::undecided:
      return undecided;
    case Feasibility::confirmed:
      break;
  }
  return 0;
}

void add_solve(CLI::App& app) {
  auto* command = app.add_subcommand("solve", "Optimise the problem in a file");
  auto a = std::make_shared<SolveArguments>();
  add_problem_options(*command, *a);
  command->add_option("-j,--jobs", a->jobs, "evaluations at a time; the run is the same for any number")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_flag("--resume", a->resume, "continue this problem's unfinished run in the store, or start one");
  command->add_option("--timeout-total", a->timeout_total, "seconds after which the run is interrupted, resumable")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", a->json, "the result as JSON");
  command->footer(
      "Exit codes: 0 the answer is confirmed feasible, 1 run failed, 2 bad input, 3 the evidence says infeasible,\n"
      "4 undecided, 130 interrupted and resumable.\n"
      "On several machines: mpirun -n N zeroth solve FILE");
  command->callback([a] { solve_command(*a); });
}

}  // namespace zeroth::cli
