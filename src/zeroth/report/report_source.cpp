// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

#include "zeroth/core/error.hpp"
#include "zeroth/core/text.hpp"
#include "zeroth/report/page_data.hpp"
#include "zeroth/run/stored/session.hpp"

namespace zeroth {

ReportSource::ReportSource(const std::string& path, std::vector<std::int64_t> chosen, Store::Access access)
    : store_(path, access), chosen_(std::move(chosen)) {
  for (const std::int64_t id : chosen_)
    if (!store_.run(id)) throw Error(path, fmt::format("there is no run {}; 'zeroth runs {}' lists them", id, path));
  refresh();
  if (runs_.empty()) throw Error(path, "there is no run in this store yet; 'zeroth solve FILE' begins one");
}

std::shared_ptr<const ResolvedProblem> ReportSource::problem_of(const RunRow& row) {
  const auto [found, fresh] = problems_.try_emplace(problem_key(row));
  const auto identity = parse_json<nlohmann::json>(row.identity);
  const bool builtin = identity.is_object() && identity.contains("problem") && identity["problem"].contains("builtin");
  // What a large benchmark problem knows of itself may take long to compute, and the page would not show it.
  constexpr std::int64_t most_described = 3'000'000;  // variables of all of them; a store may hold any documents
  if (fresh && described_ <= most_described && !(builtin && row.dimension > RunHistory::most_variables)) {
    // A page can do without bounds and truth, so a file that this version cannot read any more is no reason to stop.
    try {
      auto problem = std::make_shared<const ResolvedProblem>(resolve(source_of(row), false));
      described_ += problem->spec.dimension();
      if (problem->spec.dimension() == row.dimension) found->second = std::move(problem);
    } catch (const std::exception&) {
      found->second = nullptr;
    }
  }
  return found->second;
}

bool ReportSource::refresh() {
  std::vector<RunRow> rows = store_.runs();
  std::erase_if(rows, [](const RunRow& row) { return row.stage() == Stage::imported; });  // known before, but no run
  const std::size_t all = rows.size();
  if (!chosen_.empty())
    std::erase_if(rows, [&](const RunRow& row) { return std::ranges::find(chosen_, row.id) == chosen_.end(); });
  if (rows.size() > most_runs) rows.erase(rows.begin(), rows.end() - most_runs);
  bool anything = false;
  for (const RunRow& row : rows) {
    auto& run = runs_[row.id];
    if (!run) {
      run = std::make_shared<ReportedRun>(ReportedRun{RunHistory(row, problem_of(row)), {}});
      anything = true;
    }
    if (run->history.read(store_, row)) {
      run->path.extend(run->history);
      anything = true;
    }
  }
  while (chosen_.empty() && runs_.size() > most_runs) runs_.erase(runs_.begin());
  left_out_ = all - runs_.size();
  return anything;
}

}  // namespace zeroth
