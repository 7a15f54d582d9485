// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "zeroth/problem_file/problem_file.hpp"
#include "zeroth/store/store.hpp"

namespace zeroth {

struct VariableInfo {
  std::string name;
  double lower = std::nan(""), upper = std::nan("");  // NaN: not declared
  bool log_scale = false;
  VariableType type = VariableType::real;
  std::vector<std::string> values;  // texts, of which the variable is a number; empty: it is one itself
};

struct FailureEntry {
  std::int64_t count = 0, first = 0, last = 0;
  std::string reason;             // as it was said first; others of the entry differ from it in numbers only
  bool several = false;           // there are such others
  int exit_code = 0, signal = 0;  // of the first one
  std::string error_output;       // the first that there is
};

// What a store holds of one run, in memory, for pages and figures. Reading again takes only what is new, so that a live
// page can ask every second.
class RunHistory {
 public:
  static constexpr std::int64_t most_variables = 30;  // with more of them, evaluations are kept without their points

  enum class State : std::uint8_t { missing, failed, answered };

  RunHistory(const RunRow& row, std::shared_ptr<const ResolvedProblem> problem);

  // True if there was anything new. `row` is the run's row as it is now.
  bool read(Store& store, const RunRow& row);

  const RunRow& row() const { return row_; }
  bool running() const { return running_; }                          // a process works on it right now
  const ResolvedProblem* problem() const { return problem_.get(); }  // null if its file cannot be understood any more
  const std::vector<VariableInfo>& variables() const { return variables_; }
  const std::vector<std::string>& functions() const { return functions_; }  // the objective first
  std::size_t constraints() const { return constraints_; }                  // of the functions; then come equalities

  std::size_t size() const { return state_.size(); }  // one past the highest number seen
  State state(std::size_t number) const { return state_[number]; }
  double value(std::size_t number, std::size_t function) const {
    return values_[number * functions_.size() + function];
  }
  // As it was measured, in the units of what is declared: the noise itself of "mean(noise) <= 70" and of
  // "probability(noise <= 70) >= 0.9", not its distance to the limit or whether it was beyond.
  double shown(std::size_t number, std::size_t function) const {
    return measured_.empty() ? value(number, function) : measured_[number * functions_.size() + function];
  }
  // What is declared about a function; null: nothing beyond its name.
  const Statement* statement(std::size_t function) const {
    return meaning_ && function >= 1 && function <= constraints_ ? &meaning_->statements[function - 1] : nullptr;
  }
  int worker(std::size_t number) const { return workers_[number]; }
  double seconds_of(std::size_t number) const { return durations_[number]; }
  bool has_points() const { return kept_ > 0; }
  std::span<const double> point(std::size_t number) const { return {points_.data() + number * kept_, kept_}; }
  std::uint64_t point_hash(std::size_t number) const { return hashes_[number]; }
  // Whether this evaluation alone saw a constraint above its limit. Equalities are never met exactly: they do not
  // count.
  bool looked_infeasible(std::size_t number) const;

  std::int64_t answered() const { return answered_; }
  std::int64_t failed() const { return failed_; }
  double seconds() const { return seconds_; }  // of all evaluations together
  const std::vector<StoredTrace>& trace() const { return trace_; }
  const std::map<std::string, FailureEntry>& failures() const { return failures_; }

 private:
  void take(const StoredAnswer& answer);
  void keep_measured(std::size_t number, const std::vector<double>& measured, const std::vector<double>& meant);

  RunRow row_;
  std::shared_ptr<const ResolvedProblem> problem_;
  bool running_ = false;
  std::vector<VariableInfo> variables_;
  std::vector<std::string> functions_;
  std::optional<Meaning> meaning_;                      // evaluations are shown as what was declared about them
  std::size_t constraints_ = 0, kept_ = 0, whole_ = 0;  // the first `whole_` numbers are all there
  std::vector<State> state_;
  std::vector<double> values_, points_, measured_;  // `measured_` only where more than names is declared
  std::vector<int> workers_;
  std::vector<float> durations_;
  std::vector<std::uint64_t> hashes_;
  std::int64_t answered_ = 0, failed_ = 0;
  double seconds_ = 0;
  std::vector<StoredTrace> trace_;
  std::map<std::string, FailureEntry> failures_;
};

// All that decides what is measured, without the solver and its seed: runs with the same text can be compared.
std::string problem_key(const RunRow& row);
// The solver with its options, without seed and budget.
std::string solver_key(const RunRow& row);

}  // namespace zeroth
