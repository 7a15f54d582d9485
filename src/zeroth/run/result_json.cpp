// SPDX-License-Identifier: MIT
#include "zeroth/run/result_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "zeroth/problem_file/read_cost.hpp"
#include "zeroth/run/declared.hpp"

namespace zeroth {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson number(double value) { return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr); }

OrderedJson ends(const Interval& i) { return {number(i.low), number(i.high)}; }

OrderedJson point(const ResolvedProblem& problem, const Vector& x) {
  std::string text;
  problem.space.write_json(as_span(problem.space.to_user(x)), text);
  return OrderedJson::parse(text);
}

// The constraint in the units of its declaration, where that is more than a name.
OrderedJson declared_json(const ConstraintResult& c, const Statement& statement) {
  const Declared d = declared(c, &statement);
  return {{"what", d.what},
          {"estimate", number(d.estimate)},
          {"interval", ends(d.interval)},
          {"relation", d.relation},
          {"limit", d.limit}};
}

}  // namespace

std::string version() { return ZEROTH_VERSION; }

std::optional<TrueQuality> true_quality(const ResolvedProblem& problem, const Vector& x) {
  if (!problem.builtin || !problem.builtin->truth || !problem.builtin->truth->expected || x.size() == 0) return {};
  const Truth& truth = *problem.builtin->truth;
  std::vector<double> values(static_cast<std::size_t>(problem.spec.functions()));
  truth.expected(as_span(x), values);
  TrueQuality q{values[0], values[0] - truth.best_value, 0, truth.duality_gap};
  for (Index i = 1; i < problem.spec.functions(); ++i) {
    const double value = values[static_cast<std::size_t>(i)];
    q.violation = std::max(q.violation, i <= problem.spec.constraints ? value : std::abs(value));
  }
  return q;
}

std::string result_json(const Result& result, const ResolvedProblem& problem) {
  const double sign = problem.maximize ? -1 : 1;
  OrderedJson json;
  json["status"] = to_string(result.status);
  json["feasibility"] = to_string(result.feasibility);
  json["solver"] = result.solver;
  json["x"] = point(problem, result.x);
  const Interval& f = result.objective_interval;
  json["objective"] = {{"mean", number(sign * result.objective.mean)},
                       {"se", number(result.objective.se)},
                       {"interval", ends(problem.maximize ? Interval{-f.high, -f.low} : f)}};
  if (!problem.objective.empty()) json["objective"]["name"] = problem.objective;
  json["constraints"] = OrderedJson::array();
  for (std::size_t i = 0; i < result.constraints.size(); ++i) {
    const ConstraintResult& c = result.constraints[i];
    json["constraints"].push_back({{"name", c.name},
                                   {"mean", number(c.value.mean)},
                                   {"se", number(c.value.se)},
                                   {"interval", ends(c.interval)},
                                   {"probability_feasible", number(c.probability_feasible)},
                                   {"multiplier", number(c.multiplier.mean)},
                                   {"multiplier_se", number(c.multiplier.se)},
                                   {"multiplier_interval", ends(c.multiplier_interval)}});
    if (c.chance)
      json["constraints"].back()[c.chance->kind()] = {{"estimate", number(c.chance->estimate)},
                                                      {"lower", number(c.chance->lower)},
                                                      {"upper", number(c.chance->upper)}};
    if (problem.meaning) json["constraints"].back()["declared"] = declared_json(c, problem.meaning->statements[i]);
  }
  if (!result.equalities.empty()) json["equalities"] = OrderedJson::array();
  for (const EqualityResult& h : result.equalities)
    json["equalities"].push_back({{"name", h.name},
                                  {"mean", number(h.value.mean)},
                                  {"se", number(h.value.se)},
                                  {"magnitude", number(std::abs(h.value.mean))},
                                  {"interval", {number(h.low), number(h.high)}},
                                  {"tolerance", number(h.tolerance)},
                                  {"probability_feasible", number(h.probability_feasible)},
                                  {"multiplier", number(h.multiplier.mean)},
                                  {"multiplier_se", number(h.multiplier.se)},
                                  {"multiplier_interval", ends(h.multiplier_interval)}});
  if (result.feasibility == Feasibility::infeasible) json["relaxation"] = OrderedJson::array();
  for (const Relaxation& r : result.relaxation)
    json["relaxation"].push_back({{"name", r.name}, {"amount", number(r.amount)}, {"interval", ends(r.interval)}});
  if (result.feasibility == Feasibility::undecided)
    json["more_evaluations"] = result.more_evaluations ? OrderedJson(*result.more_evaluations) : OrderedJson(nullptr);
  if (result.doubt) json["doubt"] = {{"name", result.doubt->name}, {"probability", number(result.doubt->probability)}};
  if (result.safe)
    json["safe"] = {
        {"asked", result.safe->asked}, {"evaluations", result.safe->evaluations}, {"broken", result.safe->broken}};
  if (!result.stopped_by.empty()) json["stopped_by"] = result.stopped_by;
  json["kkt_residual"] = {{"estimate", number(result.kkt_residual.mean)}, {"se", number(result.kkt_residual.se)}};
  json["evaluations"] = result.evaluations;
  if (result.cost) {
    json["cost"] = number(*result.cost);
    json["asked"] = OrderedJson::object();  // how often each function was
    const auto names = measured_names(problem);
    for (std::size_t i = 0; i < names.size() && i < result.function_calls.size(); ++i)
      json["asked"][names[i]] = result.function_calls[i];
  }
  if (result.carried > 0) json["carried"] = result.carried;
  json["replicates"] = result.replicates;
  json["note"] = result.note;
  json["failed"] = result.failed;
  json["seconds"] = number(result.seconds);
  json["seed"] = result.seed;
  json["version"] = version();
  if (const auto truth = true_quality(problem, result.x))
    json["truth"] = {{"objective", number(truth->objective)},
                     {"gap", number(truth->gap)},
                     {"violation", number(truth->violation)},
                     {"duality_gap", number(truth->duality_gap)}};
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace zeroth
