// SPDX-License-Identifier: MIT
#include "zeroth/report/page_data.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <utility>

#include "zeroth/problem_file/read_cost.hpp"
#include "zeroth/report/decimate.hpp"
#include "zeroth/report/many_variables.hpp"
#include "zeroth/report/page_json.hpp"
#include "zeroth/report/page_model.hpp"
#include "zeroth/run/declared.hpp"
#include "zeroth/run/result_json.hpp"

namespace zeroth {
namespace page_parts {
namespace {

using State = RunHistory::State;

// Two megabytes hold about this many drawn numbers beside everything else.
constexpr std::size_t cells_in_all = 100'000;
constexpr std::size_t modelled_runs = 10;  // newest ones, and the one that the page opens on
constexpr std::size_t modelled_functions = 7;
constexpr std::size_t detailed_runs = 40;    // newest ones; of the others the page keeps answer and convergence
constexpr std::size_t shown_functions = 25;  // panels: the objective and so many constraints less one
constexpr std::size_t text_limit = 100'000, output_limit = 2'000;

std::string shortened(const std::string& text, std::size_t limit) {
  return text.size() <= limit ? text : text.substr(0, limit) + "\n...";
}

// The functions whose panels are shown: the objective, then those nearest to their limits, in their own order.
std::vector<std::size_t> shown(const ReportedRun& run) {
  const std::size_t count = run.history.functions().size();
  std::vector<std::size_t> list(count);
  for (std::size_t i = 0; i < count; ++i) list[i] = i;
  if (count <= shown_functions || run.path.points().empty()) {
    list.resize(std::min(count, shown_functions));
    return list;
  }
  const auto& last = run.path.points().back();
  const auto closeness = [&](std::size_t i) {  // in standard errors; unknown ones last
    const double z = last.values[i].mean / std::max(last.values[i].se, 1e-300);
    return std::isnan(z) ? -std::numeric_limits<double>::infinity() : i <= run.history.constraints() ? z : std::abs(z);
  };
  std::ranges::stable_sort(list.begin() + 1, list.end(), std::greater{}, closeness);
  list.resize(shown_functions);
  std::ranges::sort(list);
  return list;
}

OrderedJson path_json(const ReportedRun& run, const std::vector<std::size_t>& functions, std::size_t limit) {
  std::vector<const PathPoint*> points;
  const auto& all = run.path.points();
  const std::size_t count = std::min(limit, all.size());
  for (std::size_t i = 0; i < count; ++i)  // the last one, which may be the checked one, is always among them
    points.push_back(&all[all.size() - 1 - (count - 1 - i) * all.size() / count]);
  OrderedJson json;
  json["checked"] = run.finished();
  json["evaluations"] = column(points, [](auto* p) { return p->evaluations; });
  json["violation"] = column(points, [](auto* p) { return p->violation.mean; });
  json["violation_se"] = column(points, [](auto* p) { return p->violation.se; });
  json["moved"] = column(points, [](auto* p) { return p->checked ? std::nan("") : p->moved; });
  if (std::ranges::any_of(points, [](auto* p) { return std::isfinite(p->exact_objective); })) {
    json["exact_objective"] = column(points, [](auto* p) { return p->exact_objective; });
    json["exact_violation"] = column(points, [](auto* p) { return p->exact_violation; });
  }
  for (const std::size_t f : functions) {
    const Statement* s = run.history.statement(f);
    json["mean"].push_back(column(points, [&](auto* p) { return in_declared_units(p->values[f].mean, s); }));
    json["se"].push_back(column(points, [&](auto* p) { return p->values[f].se; }));
    // Of a chance constraint the noise is that of seeing it violated or not, which is no news.
    json["noise"].push_back(column(points, [&](auto* p) { return s && s->chance() ? std::nan("") : p->noise[f]; }));
  }
  return json;
}

OrderedJson trace_json(const RunHistory& h, const std::vector<std::size_t>& functions, std::size_t limit) {
  std::vector<const StoredTrace*> rows;
  const std::size_t count = std::min(limit, h.trace().size());
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back(&h.trace()[h.trace().size() - 1 - (count - 1 - i) * h.trace().size() / count]);
  std::map<std::string, std::vector<double>> figures;
  std::vector<std::string> leaders;
  OrderedJson leader = OrderedJson::array();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const OrderedJson row = parsed(rows[r]->figures);
    if (!row.is_object()) continue;
    for (const auto& [name, value] : row.items()) {
      if (name == "leader" && value.is_string()) {
        const auto found = std::ranges::find(leaders, value.get<std::string>());
        leader.push_back({{"evaluations", rows[r]->evaluations}, {"who", found - leaders.begin()}});
        if (found == leaders.end()) leaders.push_back(value.get<std::string>());
        continue;
      }
      auto& list = figures[name];
      list.resize(rows.size(), std::nan(""));
      if (value.is_number()) list[r] = value.get<double>();
    }
  }
  OrderedJson json;
  json["evaluations"] = column(rows, [](auto* t) { return t->evaluations; });
  json["multipliers"] = OrderedJson::array();
  if (std::ranges::any_of(rows, [](auto* t) { return !t->multipliers.empty(); }))
    for (const std::size_t f : functions)
      if (f > 0)
        json["multipliers"].push_back(column(
            rows, [&](auto* t) { return f - 1 < t->multipliers.size() ? t->multipliers[f - 1] : std::nan(""); }));
  json["figures"] = OrderedJson::object();
  for (const auto& [name, list] : figures) json["figures"][name] = column(list, [](double v) { return v; });
  if (!leaders.empty()) json["leaders"] = {{"names", leaders}, {"at", leader}};
  return json;
}

int state_code(const RunHistory& h, std::size_t k) {
  return h.state(k) == State::failed ? 2 : h.looked_infeasible(k) ? 1 : 0;
}

OrderedJson rows_json(const RunHistory& h, const std::vector<std::size_t>& rows,
                      const std::vector<std::size_t>& functions, bool points) {
  OrderedJson json;
  json["total"] = h.answered() + h.failed();
  json["number"] = column(rows, [](std::size_t k) { return k + 1; });
  std::string states;
  for (const std::size_t k : rows) states += static_cast<char>('0' + state_code(h, k));
  json["state"] = states;  // per row: 0 feasible, 1 infeasible, 2 failed
  for (const std::size_t f : functions)
    json["values"].push_back(column(rows, [&](std::size_t k) { return h.shown(k, f); }));
  if (points)
    for (std::size_t i = 0; i < h.variables().size(); ++i)
      json["x"].push_back(column(rows, [&](std::size_t k) { return h.point(k)[i]; }));
  return json;
}

OrderedJson intervals_json(const RunHistory& h, std::size_t count, const std::vector<std::size_t>& functions) {
  const auto list = intervals(h, count);
  OrderedJson json;
  json["number"] = column(list, [](auto& b) { return static_cast<double>(b.begin + b.end + 1) / 2; });
  json["answered"] = column(list, [](auto& b) { return b.answered; });
  json["infeasible"] = column(list, [](auto& b) { return b.infeasible; });
  json["failed"] = column(list, [](auto& b) { return b.failed; });
  for (const std::size_t f : functions) {
    const Statement* s = h.statement(f);
    const auto value = [&](std::size_t k, const Stretch& b) { return k == b.end ? std::nan("") : h.shown(k, f); };
    json["low"].push_back(column(list, [&](auto& b) { return value(b.lowest[f], b); }));
    json["high"].push_back(column(list, [&](auto& b) { return value(b.highest[f], b); }));
    json["mean"].push_back(column(list, [&](auto& b) { return in_declared_units(b.mean[f], s); }));
    json["se"].push_back(column(list, [&](auto& b) { return b.se[f]; }));
  }
  return json;
}

OrderedJson failures_json(const RunHistory& h) {
  std::vector<std::pair<std::string, FailureEntry>> list(h.failures().begin(), h.failures().end());
  std::ranges::stable_sort(list, std::greater{}, [](auto& entry) { return entry.second.count; });
  OrderedJson json = OrderedJson::array();
  for (const auto& [key, f] : list) {
    if (json.size() == 30) break;
    json.push_back({{"reason", shortened(f.reason, output_limit)},
                    {"several", f.several},
                    {"count", f.count},
                    {"first", f.first + 1},
                    {"last", f.last + 1},
                    {"exit_code", f.exit_code},
                    {"signal", f.signal},
                    {"error_output", shortened(f.error_output, output_limit)}});
  }
  return json;
}

// Fitted anew only if there is more to learn from.
OrderedJson model_json(ReportedRun& run, const std::vector<std::size_t>& functions, const OrderedJson& answer) {
  const std::int64_t evaluations = run.history.answered() + run.history.failed();
  if (run.model_of != evaluations) {
    std::vector<double> x;
    for (const auto& entry : answer["x"]) x.push_back(entry.is_number() ? entry.get<double>() : std::nan(""));
    std::vector<std::size_t> modelled(
        functions.begin(),
        functions.begin() + static_cast<std::ptrdiff_t>(std::min(functions.size(), modelled_functions)));
    run.model = page_model(run.history, modelled, x);
    run.model_of = evaluations;
  }
  return run.model.empty() ? OrderedJson(nullptr) : parsed(run.model);
}

OrderedJson run_json(ReportedRun& run, std::size_t cells, bool detailed, bool modelled) {
  const RunHistory& h = run.history;
  const RunRow& row = h.row();
  OrderedJson json{{"id", row.id},
                   {"name", row.name},
                   {"solver", row.solver},
                   {"seed", row.seed},
                   {"budget", row.budget},
                   {"maximize", row.maximize},
                   {"status", row.status},
                   {"running", h.running()},
                   {"started", row.started},
                   {"finished", row.finished},
                   {"version", row.version},
                   {"continues", row.continues},
                   {"command", row.file == "(python)" ? python_call(row) : command_of(row)},
                   {"python", row.file == "(python)"},
                   {"dimension", row.dimension},
                   {"evaluations", h.answered() + h.failed()},
                   {"failed", h.failed()},
                   {"seconds", drawn(h.seconds())},
                   {"detailed", detailed}};
  OrderedJson result = parsed(row.result);
  if (result.is_object()) result.erase("x");
  json["result"] = result;
  const auto functions = shown(run);
  json["functions"] = OrderedJson::array();
  for (const std::size_t f : functions) json["functions"].push_back(function_json(h, f));
  json["constraints"] = h.functions().size() - 1;
  json["answer"] = answer_json(run);
  json["path"] = path_json(run, detailed ? functions : std::vector<std::size_t>{0}, detailed ? 200 : 40);
  if (!detailed) return json;
  if (const ResolvedProblem* problem = h.problem()) {
    constexpr std::size_t most_limits = 50;
    json["limits"] = OrderedJson::array();
    std::string last;
    for (const LinearRow& limit : problem->space.rows())
      if (json["limits"].size() < most_limits && std::exchange(last, limit.text) != limit.text)
        json["limits"].push_back(limit.text);
    for (const KnownLimit& limit : problem->space.known())
      if (json["limits"].size() < most_limits && std::exchange(last, limit.text) != limit.text)
        json["limits"].push_back(limit.text);
    json["width"] = problem->run.width;
    json["lag"] = problem->run.lag;
    json["evaluated_before"] = problem->spec.evaluated.size();
    json["points_first"] = problem->spec.known_points.size();
    if (problem->cost.size() > 0) {
      const auto names = measured_names(*problem);
      for (std::size_t i = 0; i < std::min(names.size(), most_limits); ++i)
        json["costs"].push_back({{"name", names[i]}, {"cost", exact(problem->cost[static_cast<Index>(i)])}});
    }
  }
  json["document"] = shortened(row.document, text_limit);
  json["variables"] = OrderedJson::array();
  if (row.dimension <= Store::x_limit)
    for (const VariableInfo& v : h.variables())
      json["variables"].push_back({{"name", v.name},
                                   {"lower", exact(v.lower)},
                                   {"upper", exact(v.upper)},
                                   {"log", v.log_scale},
                                   {"whole", v.type != VariableType::real},
                                   {"values", v.values}});
  const std::size_t width = functions.size() + 2;
  json["trace"] = trace_json(h, functions, std::clamp<std::size_t>(cells / 6 / width, 30, 300));
  json["evaluated"] =
      rows_json(h, keep_extremes(h, std::clamp<std::size_t>(cells / 3 / width, 40, 4000)), functions, false);
  json["intervals"] = intervals_json(h, std::clamp<std::size_t>(cells / 12 / width, 20, 200), functions);
  if (h.has_points()) {
    const std::size_t all = width + h.variables().size();
    json["sample"] = rows_json(h, keep_even(h, std::clamp<std::size_t>(cells / 3 / all, 30, 1500)), functions, true);
  } else {
    json["wide"] = parsed(wide_summary(h));
  }
  json["failures"] = failures_json(h);
  json["workers"] = workers_json(h, 40);
  run.seen_running = run.seen_running || h.running();
  if (modelled && !run.seen_running) json["model"] = model_json(run, functions, json["answer"]);
  return json;
}

// The run that a reader wants first: one that goes on now; else, of the newest run's problem, the best answer that is
// confirmed feasible; else the newest.
std::int64_t opening_run(const ReportedRuns& runs) {
  const ReportedRun& newest = *runs.rbegin()->second;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run)
    if (run->second->history.running()) return run->first;
  const std::string problem = problem_key(newest.history.row());
  std::int64_t best = runs.rbegin()->first;
  double objective = std::nan("");
  for (const auto& [id, run] : runs) {
    const RunRow& row = run->history.row();
    if (!run->finished() || problem_key(row) != problem) continue;
    const OrderedJson result = parsed(row.result);
    if (!result.is_object() || result.value("feasibility", "") != "confirmed") continue;
    const double value = (row.maximize ? -1 : 1) * run->path.points().back().values[0].mean;
    if (std::isnan(value) || !(std::isnan(objective) || value < objective)) continue;
    best = id;
    objective = value;
  }
  return best;
}

OrderedJson band_json(const Band& band) {
  const auto same = [](double v) { return v; };
  return {{"evaluations", column(band.evaluations, same)},
          {"mean", column(band.mean, same)},
          {"se", column(band.se, same)},
          {"runs", band.runs}};
}

OrderedJson problem_json(const ProblemGroup& problem) {
  OrderedJson json{{"name", problem.name},
                   {"maximize", problem.maximize},
                   {"runs", problem.runs},
                   {"solvers", OrderedJson::array()}};
  for (const SolverGroup& g : problem.solvers) {
    OrderedJson targets = OrderedJson::array();
    for (const TargetReached& t : g.targets)
      targets.push_back({{"tolerance", t.tolerance},
                         {"target", exact(t.target)},
                         {"reached", t.reached},
                         {"median", exact(t.median)},
                         {"lowest", exact(t.lowest)},
                         {"highest", exact(t.highest)}});
    json["solvers"].push_back({{"label", g.label},
                               {"solver", g.solver},
                               {"budget", g.budget},
                               {"runs", g.runs},
                               {"finished", g.finished},
                               {"feasible", g.feasible},
                               {"mean", exact(g.answer.mean)},
                               {"low", exact(g.answer.mean - g.half_width)},
                               {"high", exact(g.answer.mean + g.half_width)},
                               {"p_value", exact(g.p_value)},
                               {"best", g.best},
                               {"targets", targets},
                               {"objective", band_json(g.objective)},
                               {"violation", band_json(g.violation)}});
  }
  return json;
}

}  // namespace
}  // namespace page_parts

std::string page_data(const ReportSource& source, bool live) {
  using namespace page_parts;
  OrderedJson json{{"store", std::filesystem::path(source.path()).filename().string()},
                   {"generated", fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)))},
                   {"zeroth", version()},
                   {"live", live},
                   {"left_out", source.left_out()},
                   {"runs", OrderedJson::array()},
                   {"problems", OrderedJson::array()}};
  std::size_t place = source.runs().size();
  const std::size_t cells = cells_in_all / std::min(place, detailed_runs);
  const std::int64_t opens = opening_run(source.runs());
  json["opens"] = opens;
  for (const auto& [id, run] : source.runs()) {
    json["runs"].push_back(
        run_json(*run, cells, place <= detailed_runs || id == opens, place <= modelled_runs || id == opens));
    --place;
  }
  for (const ProblemGroup& problem : compare(source.runs())) json["problems"].push_back(problem_json(problem));
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace zeroth
