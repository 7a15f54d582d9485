// SPDX-License-Identifier: MIT
#include "zeroth/problem_file/problem_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "zeroth/adapters/cheap_first.hpp"
#include "zeroth/adapters/fence.hpp"
#include "zeroth/adapters/first_points.hpp"
#include "zeroth/adapters/growing_box.hpp"
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/catalog/integer_solvers.hpp"
#include "zeroth/catalog/safe_option.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/core/iterate.hpp"
#include "zeroth/problem_file/identity.hpp"
#include "zeroth/problem_file/read_cost.hpp"
#include "zeroth/problem_file/read_files.hpp"
#include "zeroth/problem_file/read_parties.hpp"
#include "zeroth/problem_file/read_space.hpp"

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
    std::error_code failure;
    const auto status = fs::status(path, failure);
    if (status.type() == fs::file_type::not_found)
      throw Error(where,
                  fmt::format("'command' starts '{}', which does not exist (expected: {})", program, path.string()));
    if (failure)
      throw Error(where, fmt::format("'command' starts '{}', which cannot be read: {}", program, failure.message()));
    if (fs::is_directory(status))
      throw Error(where, fmt::format("'command' starts '{}', which is a directory, not a program", program));
    if (::access(path.c_str(), X_OK) != 0)
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

void refuse_files_unless(bool wanted, bool shared, const Document& document) {
  const Section* problem = document.find("problem");
  if (wanted && shared)
    throw Error(problem->where_of("protocol"),
                "'protocol' is \"files\", but a [[party]] answers on stdout; use \"stream\" or \"once\"");
  for (const char* name : {"files", "files.constraints"})
    if (const Section* s = document.find(name); s && !wanted)
      throw Error(s->where,
                  fmt::format("[{}] is for protocol = \"files\" under [problem]; add it, or remove the section", name));
}

void read_command(const Document& document, const Section& s, bool must_run, const std::vector<KnownLimit>& known,
                  ResolvedProblem& out) {
  refuse_unknown_keys(s, {"name", "command", "builtin", "constraints", "equalities", "equality_tolerance", "protocol",
                          "common_noise", "direction", "timeout", "retries", "linear", "known", "known_functions",
                          "seed_bits", "points", "evaluated", "objective", "partial"});
  Evaluator e;
  const bool shared = document.find("party");
  e.command = texts_at(s, "command").value_or(std::vector<std::string>{});
  // Whoever only asks and tells needs no program.
  const bool by_hand = !must_run && !s.find("command");
  if (!shared && !by_hand && (e.command.empty() || e.command.front().empty()))
    throw Error(s.where_of("command"),
                "'command' must be a list such as [\"./evaluate.py\"] or [\"Rscript\", \"evaluate.R\"]");
  for (const auto& word : e.command)
    if (word.find('\0') != std::string::npos) throw Error(s.where_of("command"), "'command' holds a zero byte");
  e.directory = fs::path(document.file).parent_path().string();
  if (e.directory.empty()) e.directory = ".";
  const std::string protocol = choice_at(s, "protocol", {"stream", "once", "files"}).value_or("stream");
  e.stream = protocol == "stream";
  refuse_files_unless(protocol == "files", shared, document);
  e.timeout = bounded(s, "timeout", 0, 1e9);
  e.retries = whole_at(s, "retries").value_or(0);
  if (e.retries < 0 || e.retries > 1000)
    throw Error(s.where_of("retries"), fmt::format("'retries' is {}, but must be from 0 to 1000", e.retries));
  out.maximize = e.maximize = choice_at(s, "direction", {"minimize", "maximize"}).value_or("minimize") == "maximize";
  out.constraint_names = read_names(s, "constraints", "c");
  out.equality_names = read_names(s, "equalities", "h");
  out.objective = text_at(s, "objective").value_or("");
  out.meaning = read_meaning(out.constraint_names, static_cast<Index>(out.equality_names.size()),
                             s.where_of("constraints"), {}, {out.objective, out.maximize, s.where_of("objective")});
  if (must_run && !shared) require_program(e, s.where_of("command"));

  e.seed_bits = static_cast<int>(whole_at(s, "seed_bits").value_or(53));
  if (const auto bits = whole_at(s, "seed_bits").value_or(53); bits < 8 || bits > 53)
    throw Error(s.where_of("seed_bits"),
                fmt::format("'seed_bits' is {}, but must be from 8 to 53 (31 for R, 32 for numpy)", bits));
  const auto functions = texts_at(s, "known_functions").value_or(std::vector<std::string>{});
  out.limits_unknown = functions.size() > known.size();
  if (must_run && out.limits_unknown)
    throw Error(s.where_of("known_functions"),
                "'known_functions' are functions of a Python program; run it from there");
  out.space = read_space(document, known);
  out.spec.domain = out.space.domain();
  out.spec.start = out.space.start();
  if (out.spec.start.size() > 0 && !out.spec.domain.contains(out.spec.start, 0))
    out.spec.domain.project(out.spec.start);
  out.spec.integer = out.space.integer();
  out.spec.categories = out.space.categories();
  if (out.space.conditional())
    out.spec.active = [space = out.space](std::span<const double> x, std::span<std::uint8_t> flags) {
      space.active(x, flags);
    };
  out.spec.log_offset = out.space.log_offset();
  out.spec.common_noise = flag_at(s, "common_noise").value_or(false);
  out.spec.constraints = static_cast<Index>(out.constraint_names.size());
  e.constraints = static_cast<Index>(out.value_names().size());
  out.spec.equalities = e.equalities = static_cast<Index>(out.equality_names.size());
  e.write_x = [space = out.space, user = std::vector<double>()](std::span<const double> x, std::string& json) mutable {
    user.resize(x.size());
    space.to_user(x, user);
    space.write_json(user, json);
  };
  if (protocol == "files") e.files = read_files(document, out, must_run, e);
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
  for (const char* section : {"variable", "variables", "set", "linear", "files", "files.constraints"})
    if (const Section* found = document.find(section))
      throw Error(found->where,
                  fmt::format("a builtin problem brings its own variables and oracle; remove [{}]", section));
  Settings settings;
  for (const auto& [key, entry] : s.entries)
    if (key != "name" && key != "builtin" && key != "equality_tolerance" && key != "points" && key != "evaluated" &&
        key != "partial")
      settings.emplace(key, as_setting(key, entry));
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
  if (out.run.lag > widest)
    throw Error(s->where_of("lag"), fmt::format("'lag' is {}, but must be at most {}", out.run.lag, widest));
  if (out.run.carried >= out.run.budget)
    throw Error(s->where_of("carried"),
                fmt::format("'carried' is {}, but must be below the budget of {}", out.run.carried, out.run.budget));
  require_affordable(out, s->where_of("budget"));
  const std::int64_t rest = out.run.budget - out.run.carried;
  out.spec.plan_for(out.cost.size() > 0 ? affordable_evaluations(static_cast<double>(rest), out.cost) : rest,
                    out.run.check_share);
  out.spec.width = static_cast<int>(out.run.width);
  out.spec.lag = static_cast<int>(out.run.lag);
}

void read_stop_rules(const Section& s, StopRules& rules) {
  Settings given;
  for (const auto& [key, entry] : s.entries) given.emplace(key, as_setting(key, entry));
  apply(given, options_of(rules), "[stop]");
}

// Points to evaluate first and evaluations from elsewhere, as rows of numbers: what --points, 'zeroth import' and the
// Python module hand over. A row of `evaluated` is a point, the measured values, their standard errors (nan: not known)
// and the number of evaluations that they are means of.
void read_earlier(const Section& s, ResolvedProblem& out) {
  const auto n = static_cast<std::size_t>(out.spec.dimension());
  const auto rows = [&](const char* key, std::size_t width) {
    std::vector<std::span<const double>> found;
    const DocumentEntry* entry = s.find(key);
    if (!entry) return found;
    const auto* numbers = std::get_if<std::vector<double>>(&entry->value);
    if (!numbers || numbers->size() % width != 0)
      throw Error(entry->where, fmt::format("'{}' must be a list of numbers, {} for each point", key, width));
    for (std::size_t k = 0; k < numbers->size(); k += width) found.push_back(std::span(*numbers).subspan(k, width));
    return found;
  };
  const auto inside = [&](const char* key, std::size_t number, std::span<const double> row) {
    const Vector user = as_vector(row.first(n));
    if (const std::string why = why_outside(out, user); !why.empty())
      throw Error(s.where_of(key), fmt::format("point {} of '{}' may not be evaluated: {}", number + 1, key, why));
    Vector x = out.space.to_solver(user);
    return out.fence ? out.fence->inside(std::move(x)) : x;
  };
  const auto points = rows("points", n);
  for (std::size_t k = 0; k < points.size(); ++k) out.spec.known_points.push_back(inside("points", k, points[k]));
  const auto m = static_cast<std::size_t>(out.meaning ? out.meaning->measured() : out.spec.functions());
  const auto evaluated = rows("evaluated", n + 2 * m + 1);
  for (std::size_t k = 0; k < evaluated.size(); ++k) {
    const auto row = evaluated[k];
    Evaluated e{inside("evaluated", k, row), {}, {}, static_cast<std::int64_t>(row.back())};
    const auto values = row.subspan(n, m), se = row.subspan(n + m, m);
    e.values.assign(values.begin(), values.end());
    if (std::ranges::any_of(se, [](double v) { return !std::isnan(v); })) e.se.assign(se.begin(), se.end());
    for (const double v : e.values)
      if (!std::isfinite(v) && !(out.partial() && std::isnan(v)))
        throw Error(s.where_of("evaluated"), fmt::format("point {} has a value {}", k + 1, v));
    for (const double v : e.se)
      if (v < 0 || std::isinf(v))
        throw Error(s.where_of("evaluated"), fmt::format("point {} has a standard error {}", k + 1, v));
    if (!(row.back() >= 1) || row.back() != std::floor(row.back()))
      throw Error(s.where_of("evaluated"), fmt::format("point {} is a mean of {} evaluations", k + 1, row.back()));
    if (out.maximize) e.values[0] = -e.values[0];
    out.spec.evaluated.push_back(std::move(e));
  }
}

}  // namespace

ResolvedProblem resolve(const Document& document, bool must_run, const std::vector<KnownLimit>& limits) {
  static const std::vector<std::string> known{"problem", "variable",  "variables", "set",   "linear",
                                              "solver",  "constants", "party",     "files", "files.constraints",
                                              "stop",    "cost"};
  for (const Section& s : document.sections) {
    if (std::ranges::find(known, s.name) == known.end()) {
      const auto near = nearest_name(s.name, known);
      throw Error(s.where, fmt::format("there is no section [{}]; {}", s.name,
                                       near.empty() ? fmt::format("there are: {}", fmt::join(known, ", "))
                                                    : fmt::format("did you mean [{}]?", near)));
    }
    if (s.name != "variable" && s.name != "set" && s.name != "linear" && s.name != "party" &&
        document.all(s.name).size() > 1)
      throw Error(document.all(s.name)[1]->where, fmt::format("[{}] stands twice; one is enough", s.name));
  }
  const Section* problem = document.find("problem");
  if (!problem) throw Error(document.file, "there is no [problem] section; 'zeroth init' writes a file to start from");
  const bool builtin = problem->find("builtin"), parties = document.find("party");
  const bool command = problem->find("command") || parties;
  if (parties && problem->find("command"))
    throw Error(problem->where_of("command"), "every [[party]] has a command of its own; remove the one of [problem]");
  if (command && builtin)
    throw Error(problem->where_of("builtin"), "[problem] has both 'command' and 'builtin'; keep one of them");
  if (must_run && !command && !builtin)
    throw Error(problem->where_of("builtin"),
                "[problem] needs 'command' (your program) or 'builtin' (a benchmark); without, 'zeroth ask' and "
                "'zeroth tell' let you evaluate by other means");
  ResolvedProblem out;
  out.file = document.file;
  if (builtin) read_builtin(document, *problem, out);
  else read_command(document, *problem, must_run, limits, out);
  read_tolerance(*problem, out.spec);
  read_cost(document, out);
  out.name = text_at(*problem, "name").value_or(builtin ? out.builtin->name : fs::path(document.file).stem().string());
  if (const Section* constants = document.find("constants")) read_constants(*constants, out.spec);
  read_solver(document, out);
  if (const Section* stop = document.find("stop")) read_stop_rules(*stop, out.stop_rules);
  if (out.space.has_limits()) {
    try {
      out.fence = std::make_shared<const Fence>(out.spec, out.space);
    } catch (const Error& e) {
      throw Error(problem->where_of(problem->find("known") ? "known" : "linear"), e.what());
    }
    if (out.spec.start.size() > 0 && !out.fence->admits(out.spec.start)) {
      const std::string why = why_outside(out, out.space.to_user(out.spec.start));
      throw Error(problem->where_of(problem->find("known") ? "known" : "linear"),
                  fmt::format("the start of the variables is not allowed: {}; choose another or leave it out", why));
    }
    out.spec.known = [fence = out.fence](std::span<const double> x) { return fence->admits(as_vector(x)); };
  }
  read_earlier(*problem, out);
  out.identity = identity_of(document, out);
  return out;
}

std::string why_outside(const ResolvedProblem& problem, const Vector& user) {
  const Variables& v = problem.space.variables();
  const auto label = [&](Index i) {
    return v.names.empty() ? fmt::format("x[{}]", i) : v.names[static_cast<std::size_t>(i)];
  };
  Vector applying = user;
  problem.space.drop_inactive({applying.data(), static_cast<std::size_t>(applying.size())});
  for (Index i = 0; i < user.size(); ++i) {
    if (std::isnan(applying[i]) && problem.space.conditional() &&
        !problem.space.variables().when[static_cast<std::size_t>(i)].empty()) {
      if (std::isnan(user[i])) continue;
      return fmt::format("{} = {} is given, but does not apply there; leave it out", label(i),
                         problem.space.text_of(i, user[i]));
    }
    if (!problem.space.variables().values_of(i).empty() && !(user[i] >= v.lower[i] && user[i] <= v.upper[i]))
      return fmt::format("{} is {}, which is none of its values", label(i), user[i]);
    if (!std::isfinite(user[i])) return fmt::format("{} is {}, not a finite number", label(i), user[i]);
    if (problem.space.speaks_alike()) continue;
    if (user[i] < v.lower[i] || user[i] > v.upper[i])
      return fmt::format("{} = {} is outside its bounds [{}, {}]", label(i), user[i], v.lower[i], v.upper[i]);
    if (v.type[static_cast<std::size_t>(i)] != VariableType::real && user[i] != std::floor(user[i]))
      return fmt::format("{} = {} is not an integer", label(i), user[i]);
  }
  const Vector x = problem.space.to_solver(user);
  // A point on the border may come back a rounding error outside of it.
  if (!problem.spec.domain.contains(x, 1e-9)) {
    for (const LinearRow& row : problem.space.rows()) {
      const double value = dot_where_needed(row.coefficients, as_span(user)), slack = 1e-9 * (1 + std::abs(value));
      if (value > row.upper + slack || value < row.lower - slack)
        return fmt::format("'{}' is not satisfied: the left side comes to {}", row.text, value);
    }
    return "it is outside the set";
  }
  for (const KnownLimit& limit : problem.space.known())
    if (!(limit.excess({user.data(), static_cast<std::size_t>(user.size())}) <= 0))
      return fmt::format("'{}' is not satisfied", limit.text);
  return {};
}

Search start_solver(const ResolvedProblem& problem, bool evaluated_by_others) {
  const auto seed = static_cast<std::uint64_t>(problem.run.seed);
  StartSolver start = [&solver = solver_named(problem.run.name), options = problem.solver_options](
                          Spec spec, std::uint64_t key) { return solver.make(std::move(spec), options, key); };
  if (works_in_a_box(problem.run.name)) start = in_growing_box(std::move(start), problem.space);
  if (!problem.space.known().empty() && problem.spec.integer.empty() &&
      (measures_slopes(problem.run.name) || problem.run.name == "auto"))
    start = with_known_limits(std::move(start), problem.space);
  if (!problem.spec.integer.empty()) start = with_integer_variables(problem.run.name, std::move(start), problem.space);
  if (!(safe_probability(problem.run.name, problem.solver_options) > 0))
    start = with_relaxation(problem.run.name, std::move(start));
  if (problem.meaning)
    start = [inner = std::move(start), meaning = *problem.meaning, slopes = measures_slopes(problem.run.name),
             anywhere = !(safe_probability(problem.run.name, problem.solver_options) > 0)](Spec spec,
                                                                                           std::uint64_t key) {
      return with_chance_constraints(std::move(spec), meaning, inner, slopes, key, anywhere);
    };
  if (!problem.spec.known_points.empty() || !problem.spec.evaluated.empty())
    start = [inner = std::move(start), meaning = problem.meaning](Spec spec, std::uint64_t key) {
      return after_points(std::move(spec), meaning, inner, key);
    };
  if (problem.fence) return fenced(*problem.fence, problem.spec, start, seed);
  Spec spec = problem.spec;
  spec.described_points = !evaluated_by_others && problem.builtin && problem.parties.empty() && !problem.meaning &&
                          nobody_reads_points(problem.spec);
  return start(std::move(spec), seed);
}

}  // namespace zeroth
