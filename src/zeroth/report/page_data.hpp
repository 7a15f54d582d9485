// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "zeroth/report/compare.hpp"

namespace zeroth {

// The runs of a store for pages and figures, read again as often as wanted.
class ReportSource {
 public:
  // `chosen`: numbers of the runs to report; empty: the newest `most_runs`.
  static constexpr std::size_t most_runs = 200;
  explicit ReportSource(const std::string& path, std::vector<std::int64_t> chosen = {},
                        Store::Access access = Store::Access::existing);

  bool refresh();  // true if anything is new
  const ReportedRuns& runs() const { return runs_; }
  std::size_t left_out() const { return left_out_; }  // runs of the store that are not reported
  const std::string& path() const { return store_.path(); }

 private:
  std::shared_ptr<const ResolvedProblem> problem_of(const RunRow& row);

  Store store_;
  std::vector<std::int64_t> chosen_;
  ReportedRuns runs_;
  std::map<std::string, std::shared_ptr<const ResolvedProblem>> problems_;
  std::int64_t described_ = 0;
  std::size_t left_out_ = 0;
};

// Everything the page shows, as JSON. Numbers that are only drawn are rounded to six digits.
std::string page_data(const ReportSource& source, bool live);

// The command that repeats a run, quoted for a shell.
std::string command_of(const RunRow& row);

}  // namespace zeroth
