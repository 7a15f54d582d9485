// SPDX-License-Identifier: MIT
#include "zeroth/run/stored/continued.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/core/files.hpp"
#include "zeroth/run/result_json.hpp"
#include "zeroth/run/stored/import.hpp"

namespace zeroth {
namespace {

// Runs replay only under the solvers that made them: those of one minor version.
std::string minor_version(const std::string& version) { return version.substr(0, version.rfind('.')); }

// In whole units, rounded up. Which functions a failed evaluation was asked for is not kept: it counts as all of them.
std::int64_t cost_of_answers(Store& store, const RunRow& run, const ResolvedProblem& problem) {
  double sum = 0;
  store.each_answer(run.id, [&](const StoredAnswer& a) {
    for (Index i = 0; i < problem.cost.size(); ++i)
      if (a.answer.failed() || !std::isnan(a.answer.values[static_cast<std::size_t>(i)])) sum += problem.cost[i];
  });
  return static_cast<std::int64_t>(std::ceil(sum - 1e-9));
}

}  // namespace

std::string continue_earlier_run(ProblemSource& source, const std::string& path, const ResolvedProblem& problem) {
  if (!learns_from_earlier_evaluations(problem.run.name) || !may_exist(path)) return {};
  Store store(path, Store::Access::existing);
  std::optional<RunRow> earlier;
  const auto rows = store.runs();
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (row->name != problem.name || row->stage() == Stage::failed || row->stage() == Stage::imported) continue;
    if (!identity_changes(row->identity, problem.identity).empty()) continue;
    const bool replays = minor_version(row->version) == minor_version(version());
    if (row->budget == problem.run.budget && (replays || !row->unfinished())) {
      // The run itself. One that was begun from another's evaluations is resumed with them.
      if (row->continues > 0) source = source_of(*row);
      return {};
    }
    if (row->budget <= problem.run.budget && store.answers(row->id) > 0 && (!earlier || earlier->budget < row->budget))
      earlier = *row;
  }
  if (!earlier) return {};
  std::vector<double> known = measured_rows(store, *earlier, problem);
  const std::int64_t measured = store.answers(earlier->id);
  // What that run itself began with is known, too.
  const ResolvedProblem before = resolve(source_of(*earlier), false);
  const std::int64_t carried =
      (problem.cost.size() > 0 ? cost_of_answers(store, *earlier, problem) : measured) + before.run.carried;
  if (before.run.carried > 0 || !before.spec.evaluated.empty()) {
    const std::vector<double> inherited = evaluated_rows(source_of(*earlier));
    known.insert(known.end(), inherited.begin(), inherited.end());
  }
  const double one_more = problem.cost.size() > 0 ? problem.cost.sum() : 1;
  if (static_cast<double>(carried) + one_more > static_cast<double>(problem.run.budget)) return {};
  add_rows(source, fmt::format("the evaluations of run {} in {}", earlier->id, path), "evaluated", known);
  source.overrides.emplace_back(fmt::format("run {}", earlier->id), fmt::format("solver.carried={}", carried));
  source.continues = earlier->id;
  return fmt::format("the {} evaluations of run {} are known from the start and count {}toward the budget of {}{}",
                     problem.cost.size() > 0 ? measured : carried, earlier->id,
                     problem.cost.size() > 0 ? fmt::format("{} units of cost ", carried) : "", problem.run.budget,
                     minor_version(earlier->version) == minor_version(version())
                         ? ""
                         : fmt::format("; zeroth {} made them, whose solvers asked other questions", earlier->version));
}

}  // namespace zeroth
