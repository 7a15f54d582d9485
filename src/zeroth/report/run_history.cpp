// SPDX-License-Identifier: MIT
#include "zeroth/report/run_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "zeroth/core/text.hpp"
#include "zeroth/run/failure_groups.hpp"

namespace zeroth {
namespace {

using Json = nlohmann::json;

std::vector<std::string> list_in(const Json& names, const char* key) {
  std::vector<std::string> list;
  if (names.is_object() && names.contains(key) && names[key].is_array())
    for (const Json& entry : names[key]) list.push_back(entry.is_string() ? entry.get<std::string>() : "?");
  return list;
}

std::vector<VariableInfo> variables_of(const RunRow& row, const ResolvedProblem* problem) {
  const auto names = list_in(parse_json<Json>(row.names), "variables");
  // A store may state any number of variables; only a problem that has them is believed beyond what a store keeps.
  const bool believed = row.dimension <= Store::x_limit || (problem && problem->spec.dimension() == row.dimension);
  std::vector<VariableInfo> variables(believed ? static_cast<std::size_t>(row.dimension) : 0);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    variables[i].name = i < names.size() ? names[i] : fmt::format("x[{}]", i);
    if (!problem) continue;
    const Variables& declared = problem->space.variables();
    const auto k = static_cast<Index>(i);
    if (k >= declared.size()) continue;
    if (std::isfinite(declared.lower[k]) && std::isfinite(declared.upper[k])) {  // else there is no range to show
      variables[i].lower = declared.lower[k];
      variables[i].upper = declared.upper[k];
    }
    variables[i].log_scale = declared.log_scale[i];
    variables[i].type = declared.type[i];
    variables[i].values = declared.values_of(k);
  }
  return variables;
}

}  // namespace

RunHistory::RunHistory(const RunRow& row, std::shared_ptr<const ResolvedProblem> problem)
    : row_(row), problem_(std::move(problem)), variables_(variables_of(row, problem_.get())) {
  const Json names = parse_json<Json>(row.names);
  auto constraints = list_in(names, "constraints");
  const auto equalities = list_in(names, "equalities");
  if (const auto statements = list_in(names, "statements"); !statements.empty()) {
    // The store keeps the objective in the user's sign.
    const auto declared = names.find("objective");
    const std::string objective = declared != names.end() && declared->is_string() ? declared->get<std::string>() : "";
    meaning_ = read_meaning(statements, static_cast<Index>(equalities.size()), row.file, constraints,
                            {objective, false, row.file});
    constraints = statements;
  }
  constraints_ = constraints.size();
  functions_.push_back("objective");
  for (const auto& name : constraints) functions_.push_back(name);
  for (const auto& name : equalities) functions_.push_back(name);
  // A store may lack the names; the number of functions decides then.
  while (!meaning_ && static_cast<std::int64_t>(functions_.size()) < row.functions) {
    functions_.push_back(fmt::format("c{}", functions_.size()));
    if (equalities.empty()) ++constraints_;
  }
  if (row.dimension <= most_variables) kept_ = variables_.size();  // all of them
}

bool RunHistory::looked_infeasible(std::size_t number) const {
  for (std::size_t i = 1; i <= constraints_; ++i)
    if (value(number, i) > 0) return true;
  return false;
}

void RunHistory::take(const StoredAnswer& a) {
  const auto number = static_cast<std::size_t>(a.number);
  if (number >= size()) {
    // Numbers without an answer are those under way when a run was ended: few, beside the answers.
    const std::size_t width = functions_.size() + kept_, present = static_cast<std::size_t>(answered_ + failed_);
    constexpr std::size_t most_missing = 100'000'000;  // entries of the tables below
    if (number > most_missing || (number + 1) * width > most_missing + 20 * present * width)
      throw sqlite::Failure(
          fmt::format("run {} has an answer with number {} after {} others", row_.id, a.number, present));
    state_.resize(number + 1, State::missing);
    values_.resize((number + 1) * functions_.size(), std::nan(""));
    points_.resize((number + 1) * kept_, std::nan(""));
    workers_.resize(number + 1);
    durations_.resize(number + 1);
    if (meaning_) measured_.resize((number + 1) * functions_.size(), std::nan(""));
    hashes_.resize(number + 1);
  }
  if (state_[number] != State::missing) return;
  hashes_[number] = a.x_hash;
  std::copy_n(a.x.begin(), std::min(kept_, a.x.size()), points_.begin() + static_cast<std::ptrdiff_t>(number * kept_));
  seconds_ += a.how.seconds;
  workers_[number] = a.how.worker;
  durations_[number] = static_cast<float>(a.how.seconds);
  if (!a.answer.failed()) {
    state_[number] = State::answered;
    ++answered_;
    const bool stated = meaning_ && static_cast<Index>(a.answer.values.size()) == meaning_->measured();
    const std::vector<double> values = stated ? meaning_->of(a.answer.values) : a.answer.values;
    std::copy_n(values.begin(), std::min(functions_.size(), values.size()),
                values_.begin() + static_cast<std::ptrdiff_t>(number * functions_.size()));
    if (stated) keep_measured(number, a.answer.values, values);
    return;
  }
  state_[number] = State::failed;
  ++failed_;
  FailureEntry& entry = failures_[without_numbers(a.answer.failure)];
  if (entry.count > 0) entry.several = entry.several || entry.reason != a.answer.failure;
  if (entry.count++ == 0) {
    entry.reason = a.answer.failure;
    entry.first = a.number;
    entry.exit_code = a.how.exit_code;
    entry.signal = a.how.signal;
  }
  entry.first = std::min(entry.first, a.number);
  entry.last = std::max(entry.last, a.number);
  if (entry.error_output.empty()) entry.error_output = a.how.error_output;
}

void RunHistory::keep_measured(std::size_t number, const std::vector<double>& measured,
                               const std::vector<double>& meant) {
  double* row = measured_.data() + number * functions_.size();
  std::copy_n(meant.begin(), std::min(functions_.size(), meant.size()), row);  // objective and equalities
  for (std::size_t i = 1; i <= constraints_; ++i) row[i] = meaning_->statements[i - 1].in(measured, false);
}

bool RunHistory::read(Store& store, const RunRow& row) {
  const auto before = answered_ + failed_;
  const auto traced = trace_.size();
  const bool was_running = running_;
  const bool changed = row.status != row_.status || row.result != row_.result;
  row_ = row;
  running_ = store.claimed_by_another(row.id);
  // Answers arrive in any order: reading begins at the first number that was not there last time.
  store.each_answer(
      row.id, [&](const StoredAnswer& a) { take(a); }, static_cast<std::int64_t>(whole_));
  while (whole_ < size() && state_[whole_] != State::missing) ++whole_;
  store.each_trace(
      row.id,
      [&](const StoredTrace& t) {
        trace_.push_back(t);
        if (t.x.size() != variables_.size()) trace_.back().x.clear();  // of no use, and not of this run
      },
      trace_.empty() ? 0 : trace_.back().evaluations + 1);
  return changed || was_running != running_ || before != answered_ + failed_ || traced != trace_.size();
}

std::string problem_key(const RunRow& row) {
  Json identity = parse_json<Json>(row.identity);
  if (!identity.is_object()) return row.name + row.identity;
  identity.erase("solver");
  return identity.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string solver_key(const RunRow& row) {
  const Json identity = parse_json<Json>(row.identity);
  if (!identity.is_object() || !identity.contains("solver") || !identity["solver"].is_object()) return row.solver;
  Json solver = identity["solver"];
  solver.erase("seed");
  solver.erase("budget");
  return solver.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace zeroth
