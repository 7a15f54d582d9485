// SPDX-License-Identifier: MIT
#include "zeroth/run/problem_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "zeroth/core/error.hpp"
#include "zeroth/run/catalog.hpp"
#include "zeroth/run/identity.hpp"
#include "zeroth/run/read_parties.hpp"
#include "zeroth/run/read_space.hpp"
#include "zeroth/run/whole_numbers.hpp"

namespace zeroth {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t most_functions = 1'000'000;

// Names, or a number of them.
std::vector<std::string> read_names(const Section& s, const std::string& key, const char* prefix) {
  const DocumentEntry* entry = s.find(key);
  if (!entry) return {};
  if (!std::holds_alternative<std::vector<std::string>>(entry->value) &&
      !std::holds_alternative<std::vector<double>>(entry->value)) {
    const auto count = whole_at(s, key);
    if (*count < 0 || *count > most_functions)
      throw Error(entry->where, fmt::format("'{}' is {}, but must be a list of names or a number >= 0", key, *count));
    std::vector<std::string> names;
    for (std::int64_t i = 1; i <= *count; ++i) names.push_back(prefix + std::to_string(i));
    return names;
  }
  auto names = *texts_at(s, key);
  auto sorted = names;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw Error(entry->where, fmt::format("'{}' names '{}' twice; names must differ", key, *twice));
  return names;
}

void require_program(const Evaluator& e, const std::string& where) {
  const std::string& program = e.command.front();
  if (program.find('/') != std::string::npos) {
    const fs::path path = fs::path(program).is_absolute() ? fs::path(program) : fs::path(e.directory) / program;
    if (!fs::exists(path))
      throw Error(where,
                  fmt::format("'command' starts '{}', which does not exist (looked for {})", program, path.string()));
    if (fs::is_directory(path) || ::access(path.c_str(), X_OK) != 0)
      throw Error(where, fmt::format("'command' starts '{}', which cannot be executed; run: chmod +x {}", program,
                                     path.string()));
    return;
  }
  const char* search = std::getenv("PATH");
  std::string_view rest = search ? search : "";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const fs::path path = fs::path(rest.substr(0, colon)) / program;
    if (::access(path.c_str(), X_OK) == 0) return;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  throw Error(where, fmt::format("'command' starts '{}', which is not in PATH; install it, or write './{}' if it lies "
                                 "beside the problem file",
                                 program, program));
}

double bounded(const Section& s, const std::string& key, double otherwise, double most) {
  const double value = number_at(s, key).value_or(otherwise);
  if (!(value >= 0) || value > most)
    throw Error(s.where_of(key), fmt::format("'{}' is {}, but must be from 0 to {}", key, value, most));
  return value;
}

void read_command(const Document& document, const Section& s, bool must_run, ResolvedProblem& out) {
  refuse_unknown_keys(s, {"name", "command", "builtin", "constraints", "equalities", "equality_tolerance", "protocol",
                          "common_noise", "direction", "timeout", "retries"});
  Evaluator e;
  const bool shared = document.find("party");
  e.command = texts_at(s, "command").value_or(std::vector<std::string>{});
  if (!shared && (e.command.empty() || e.command.front().empty()))
    throw Error(s.where_of("command"),
                "'command' must be a list such as [\"./evaluate.py\"] or [\"Rscript\", \"evaluate.R\"]");
  for (const auto& word : e.command)
    if (word.find('\0') != std::string::npos) throw Error(s.where_of("command"), "'command' holds a zero byte");
  e.directory = fs::path(document.file).parent_path().string();
  if (e.directory.empty()) e.directory = ".";
  e.stream = choice_at(s, "protocol", {"stream", "once"}).value_or("stream") == "stream";
  e.timeout = bounded(s, "timeout", 0, 1e9);
  e.retries = whole_at(s, "retries").value_or(0);
  if (e.retries < 0 || e.retries > 1000)
    throw Error(s.where_of("retries"), fmt::format("'retries' is {}, but must be from 0 to 1000", e.retries));
  out.maximize = e.maximize = choice_at(s, "direction", {"minimize", "maximize"}).value_or("minimize") == "maximize";
  out.constraint_names = read_names(s, "constraints", "c");
  out.equality_names = read_names(s, "equalities", "h");
  out.meaning =
      read_meaning(out.constraint_names, static_cast<Index>(out.equality_names.size()), s.where_of("constraints"));
  if (must_run && !shared) require_program(e, s.where_of("command"));

  out.space = read_space(document);
  out.spec.domain = out.space.domain();
  out.spec.start = out.space.start();
  out.spec.integer = out.space.integer();
  out.spec.common_noise = flag_at(s, "common_noise").value_or(false);
  out.spec.constraints = static_cast<Index>(out.constraint_names.size());
  e.constraints = static_cast<Index>(out.value_names().size());
  out.spec.equalities = e.equalities = static_cast<Index>(out.equality_names.size());
  e.write_x = [space = out.space, user = std::vector<double>()](std::span<const double> x, std::string& json) mutable {
    user.resize(x.size());
    space.to_user(x, user);
    space.write_json(user, json);
  };
  if (!shared) {
    out.evaluator = std::move(e);
    return;
  }
  out.parties = read_parties(document, out, e);
  // Under MPI a machine has its own party's program, and need not have the others'.
  for (std::size_t k = 0; must_run && k < out.parties.size(); ++k)
    if (!launched_by_mpi() || static_cast<std::size_t>(mpi_rank_hint()) == k)
      require_program(out.parties[k].evaluator, document.all("party")[k]->where_of("command"));
}

Space in_units(const std::vector<Unit>& units) {
  Variables v;
  v.lower = v.upper = Vector(static_cast<Index>(units.size()));
  v.start = Vector::Constant(v.lower.size(), std::nan(""));
  for (const Unit& unit : units) {
    const auto i = static_cast<Index>(v.names.size());
    v.names.push_back(unit.name);
    v.lower[i] = unit.lower;
    v.upper[i] = unit.upper;
    v.type.push_back(unit.whole ? VariableType::integer : VariableType::real);
    v.log_scale.push_back(unit.log_scale);
  }
  return Space::of(std::move(v));
}

void read_builtin(const Document& document, const Section& s, ResolvedProblem& out) {
  for (const char* section : {"variable", "variables", "set"})
    if (const Section* found = document.find(section))
      throw Error(found->where, fmt::format("a builtin problem brings its own variables; remove [{}]", section));
  Settings settings;
  for (const auto& [key, entry] : s.entries)
    if (key != "name" && key != "builtin" && key != "equality_tolerance") settings.emplace(key, as_setting(key, entry));
  out.builtin = problem_named(*text_at(s, "builtin"), s.where_of("builtin")).make(settings);
  out.spec = out.builtin->spec;
  out.space = out.builtin->units.empty() ? Space::plain(out.spec.dimension()) : in_units(out.builtin->units);
  out.maximize = out.builtin->maximize;
  out.constraint_names = out.builtin->constraint_names;
  for (auto i = static_cast<Index>(out.constraint_names.size()) + 1; i <= out.spec.constraints; ++i)
    out.constraint_names.push_back("c" + std::to_string(i));
  for (Index i = 1; i <= out.spec.equalities; ++i) out.equality_names.push_back("h" + std::to_string(i));
}

void read_tolerance(const Section& s, Spec& spec) {
  const char* key = "equality_tolerance";
  if (!s.find(key)) return;
  if (spec.equalities == 0)
    throw Error(s.where_of(key), fmt::format("'{}' is given, but the problem has no equalities; remove it", key));
  spec.equality_tolerance = as_vector(*numbers_at(s, key, static_cast<std::size_t>(spec.equalities)));
  for (const double v : spec.equality_tolerance)
    if (!(v > 0) || std::isinf(v))
      throw Error(s.where_of(key), fmt::format("'{}' holds {}, but must hold finite numbers > 0", key, v));
}

void read_constants(const Section& s, Spec& spec) {
  refuse_unknown_keys(s, {"L", "M", "sigma", "sigma_f", "multiplier_bound", "diameter", "radius"});
  Constants constants = spec.constants.value_or(Constants{});
  const auto vector = [&](const char* key, Vector& target) {
    const auto list = numbers_at(s, key, static_cast<std::size_t>(spec.functions()));
    if (list) target = as_vector(*list);
    else if (target.size() == 0) target = Vector::Zero(spec.functions());
    for (const double v : target)
      if (!(v >= 0) || std::isinf(v))
        throw Error(s.where_of(key), fmt::format("'{}' holds {}, but must hold finite numbers >= 0", key, v));
  };
  vector("L", constants.L);
  vector("M", constants.M);
  vector("sigma", constants.sigma);
  vector("sigma_f", constants.sigma_f);
  constexpr double most = 1e300;
  constants.multiplier_bound = bounded(s, "multiplier_bound", constants.multiplier_bound, most);
  const double diameter = spec.domain.diameter(), radius = spec.domain.radius();
  constants.diameter = bounded(s, "diameter", std::isfinite(diameter) ? diameter : 0, most);
  constants.radius = bounded(s, "radius", std::isfinite(radius) ? radius : 0, most);
  spec.constants = constants;
}

void read_solver(const Document& document, ResolvedProblem& out) {
  Section nothing{"solver", document.file, {}};
  const Section* s = document.find("solver");
  if (!s) s = &nothing;
  const OptionList own = options_of(out.run);
  for (const auto& [key, entry] : s->entries) {
    const auto found = std::ranges::find_if(own, [&name = key](const Option& o) { return o.name() == name; });
    if (found != own.end()) found->set(as_setting(key, entry));
    else out.solver_options.emplace(key, as_setting(key, entry));
  }
  const SolverEntry& solver = solver_named(out.run.name, s->where_of("name"));
  solver.describe([&](const OptionList& options) {
    // A misspelt key may be the run's or the solver's: both are offered.
    for (const auto& [key, setting] : out.solver_options) {
      std::vector<std::string> known;
      for (const auto& o : options) known.push_back(o.name());
      if (std::ranges::find(known, key) != known.end()) continue;
      for (const auto& o : own) known.push_back(o.name());
      const std::string near = nearest_name(key, known);
      throw Error(setting.where, fmt::format("solver '{}' has no option '{}'; {}", out.run.name, key,
                                             near.empty() ? fmt::format("see 'zeroth describe {}'", out.run.name)
                                                          : fmt::format("did you mean '{}'?", near)));
    }
    apply(out.solver_options, options, "solver '" + out.run.name + "'");
    // A tolerance that the problem states is the solver's too, unless it is told another.
    for (const auto& o : options)
      if (o.name() == "equality_tolerance" && o.value() != "0" && out.spec.equality_tolerance.size() > 0)
        out.solver_options.emplace(o.name(), Setting{out.spec.equality_tolerance.minCoeff(), s->where});
  });
  constexpr std::int64_t widest = 1'000'000;
  if (out.run.width > widest)
    throw Error(s->where_of("width"), fmt::format("'width' is {}, but must be at most {}", out.run.width, widest));
  out.spec.budget = out.run.budget;
  out.spec.width = static_cast<int>(out.run.width);
}

}  // namespace

ResolvedProblem resolve(const Document& document, bool must_run) {
  static const std::vector<std::string> known{"problem", "variable",  "variables", "set",
                                              "solver",  "constants", "party"};
  for (const Section& s : document.sections) {
    if (std::ranges::find(known, s.name) == known.end()) {
      const auto near = nearest_name(s.name, known);
      throw Error(s.where,
                  fmt::format("there is no section [{}]; {}", s.name,
                              near.empty() ? "there are: problem, variable, variables, set, solver, constants, party"
                                           : fmt::format("did you mean [{}]?", near)));
    }
    if (s.name != "variable" && s.name != "set" && s.name != "party" && document.all(s.name).size() > 1)
      throw Error(document.all(s.name)[1]->where, fmt::format("[{}] stands twice; one is enough", s.name));
  }
  const Section* problem = document.find("problem");
  if (!problem) throw Error(document.file, "there is no [problem] section; 'zeroth init' writes a file to start from");
  const bool builtin = problem->find("builtin"), parties = document.find("party");
  const bool command = problem->find("command") || parties;
  if (parties && problem->find("command"))
    throw Error(problem->where_of("command"), "every [[party]] has a command of its own; remove the one of [problem]");
  if (command == builtin)
    throw Error(problem->where_of("builtin"),
                command ? "[problem] has both 'command' and 'builtin'; keep one of them"
                        : "[problem] needs 'command' (your program) or 'builtin' (a benchmark)");
  ResolvedProblem out;
  out.file = document.file;
  if (builtin) read_builtin(document, *problem, out);
  else read_command(document, *problem, must_run, out);
  read_tolerance(*problem, out.spec);
  out.name = text_at(*problem, "name").value_or(builtin ? out.builtin->name : fs::path(document.file).stem().string());
  if (const Section* constants = document.find("constants")) read_constants(*constants, out.spec);
  read_solver(document, out);
  out.identity = identity_of(document, out);
  return out;
}

Search start_solver(const ResolvedProblem& problem) {
  const auto seed = static_cast<std::uint64_t>(problem.run.seed);
  StartSolver start = [&solver = solver_named(problem.run.name), options = problem.solver_options](
                          Spec spec, std::uint64_t key) { return solver.make(std::move(spec), options, key); };
  if (!problem.spec.integer.empty()) start = in_whole_numbers(problem.run.name, problem.solver_options, problem.space);
  return problem.meaning ? as_meant(problem.spec, *problem.meaning, start, seed) : start(problem.spec, seed);
}

}  // namespace zeroth
