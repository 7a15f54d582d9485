// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "zeroth/lab/parallel.hpp"
#include "zeroth/report/figure.hpp"

namespace zeroth {
namespace {

constexpr std::int64_t zero = 1000, tuning_instance = 500;  // trial t races on instance 1000 + t
constexpr const char* header_line = "cell;solver;trial;done;first;for_good;gap;violation;milliseconds;scores";

double quantile_of(std::vector<double> v, double q) {
  std::sort(v.begin(), v.end());
  return v[static_cast<std::size_t>(
      std::min<double>(static_cast<double>(v.size()) - 1, q * static_cast<double>(v.size())))];
}

BenchRow row_of(const std::string& cell, const std::string& solver, std::int64_t trial, const Race& r) {
  BenchRow row{cell, solver, trial, r.done, r.first, r.for_good, 0, 0, 1e3 * r.seconds_per_evaluation, {}, {}};
  if (r.gap.empty()) return row;
  row.gap = r.gap.back();
  row.violation = r.violation.back();
  for (double at = 20; at < 1.25 * r.done; at *= 1.25) {
    const auto k = std::upper_bound(r.evaluations.begin(), r.evaluations.end(), at) - r.evaluations.begin();
    if (k == 0) continue;
    const auto last = static_cast<std::size_t>(k - 1);
    row.at.push_back(at);
    row.score.push_back(std::max({r.gap[last], r.violation[last], 1e-6}));
  }
  return row;
}

// Races that were run before, and where new ones are written down. A last line without its end was being written when
// the bench was killed: it is not a row, and its race is run again.
class RaceLedger {
 public:
  explicit RaceLedger(std::filesystem::path file) : file_(std::move(file)) {
    std::ifstream in(file_);
    std::string line;
    if (!std::getline(in, line) || line != header_line) {
      std::ofstream(file_) << header_line << "\n";
      return;
    }
    bool torn = false;
    while (std::getline(in, line)) {
      torn = in.eof();
      if (const auto row = torn ? std::nullopt : parse(line)) rows_[key(row->cell, row->solver, row->trial)] = *row;
    }
    if (torn) std::ofstream(file_, std::ios::app) << "\n";
  }

  const BenchRow* find(const std::string& cell, const std::string& solver, std::int64_t trial) const {
    const auto found = rows_.find(key(cell, solver, trial));
    return found == rows_.end() ? nullptr : &found->second;
  }

  void add(const BenchRow& row) {
    std::string text = fmt::format("{};{};{};{};{};{};{:.6g};{:.6g};{:.4g};", row.cell, row.solver, row.trial, row.done,
                                   row.first, row.for_good, row.gap, row.violation, row.milliseconds);
    for (std::size_t k = 0; k < row.at.size(); ++k)
      text += fmt::format("{}{:.6g}:{:.4g}", k ? " " : "", row.at[k], row.score[k]);
    const std::scoped_lock lock(mutex_);
    rows_[key(row.cell, row.solver, row.trial)] = row;
    std::ofstream(file_, std::ios::app) << text << std::endl;
  }

 private:
  static std::string key(const std::string& cell, const std::string& solver, std::int64_t trial) {
    return fmt::format("{};{};{}", cell, solver, trial);
  }

  static std::optional<BenchRow> parse(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> fields;
    for (std::string field; std::getline(in, field, ';');) fields.push_back(field);
    if (fields.size() == 9) fields.emplace_back();
    if (fields.size() != 10) return {};
    try {
      const auto number = [&](std::size_t k) { return std::stod(fields[k]); };
      BenchRow row{
          fields[0], fields[1], std::stoll(fields[2]), number(3), number(4), number(5), number(6), number(7), number(8),
          {},        {}};
      std::istringstream scores(fields[9]);
      for (std::string point; scores >> point;) {
        const auto colon = point.find(':');
        row.at.push_back(std::stod(point.substr(0, colon)));
        row.score.push_back(std::stod(point.substr(colon + 1)));
      }
      return row;
    } catch (const std::exception&) {
      return {};
    }
  }

  std::filesystem::path file_;
  std::map<std::string, BenchRow> rows_;
  std::mutex mutex_;
};

// ">N" where half of the races or more had not arrived when they ended, after N evaluations.
std::string shown(const std::vector<BenchRow>& rows, double BenchRow::*figure, double quantile) {
  std::vector<double> values, ends;
  for (const BenchRow& r : rows) {
    values.push_back(r.*figure);
    if (std::isinf(r.*figure)) ends.push_back(r.done);
  }
  const double v = quantile_of(values, quantile);
  return std::isfinite(v) ? fmt::format("{:.0f}", v) : fmt::format(">{:.0f}", quantile_of(ends, 0.5));
}

double median(const std::vector<BenchRow>& rows, const std::function<double(const BenchRow&)>& figure) {
  std::vector<double> values;
  for (const BenchRow& r : rows) values.push_back(figure(r));
  return quantile_of(values, 0.5);
}

Series trajectory(const std::string& name, const std::vector<BenchRow>& rows) {
  Series series{name, {}, {}, {}, {}, false, false};
  for (double at = 20;; at *= 1.25) {
    std::vector<double> scores;
    for (const BenchRow& r : rows)
      for (std::size_t k = 0; k < r.at.size(); ++k)
        if (std::abs(r.at[k] - at) < 0.01 * at) scores.push_back(r.score[k]);
    if (2 * scores.size() < rows.size() && at > 1e4) break;
    if (at > 1e8) break;
    if (2 * scores.size() < rows.size()) continue;
    series.x.push_back(at);
    series.y.push_back(quantile_of(scores, 0.5));
  }
  return series;
}

}  // namespace

void run_bench(const std::string& suite, const std::vector<BenchCell>& cells,
               const std::function<std::vector<BenchEntry>(const BenchCell&)>& entries, const BenchOptions& options) {
  RaceLedger ledger(options.out / (suite + ".csv"));
  std::vector<Panel> panels;
  const std::int64_t first = options.first_instance - zero;
  for (const BenchCell& cell : cells) {
    if (!options.only.empty() && cell.label.find(options.only) == std::string::npos) continue;
    fmt::print("\n{}\n", cell.label);
    std::map<std::int64_t, Problem> problems;  // drawn when first needed: some optima take seconds to compute
    const auto draw_missing = [&](std::int64_t trials) {
      std::vector<std::int64_t> missing;
      for (std::int64_t t = first; t < first + trials; ++t)
        if (!problems.contains(t)) missing.push_back(t);
      for (const std::int64_t t : missing) problems[t];
      parallel_for(options.jobs, missing.size(),
                   [&](std::size_t k) { problems.at(missing[k]) = cell.problem(zero + missing[k]); });
    };
    if (cell.limit) {
      draw_missing(1);
      if (const double limit = cell.limit(zero + first, problems.at(first)); std::isfinite(limit))
        fmt::print("  statistical limit, instance {}: {:.0f}\n", zero + first, limit);
    }
    fmt::print("  {:<16} {:>6} {:>26} {:>10} {:>10} {:>9}\n", "solver", "trials", "first at 1 % (quartiles)",
               "for good", "final", "ms/eval");
    Panel panel{cell.label, "evaluations", "max(gap, violation) / |f*|", true, true, {}};
    for (const BenchEntry& entry : entries(cell)) {
      if (!options.solvers.empty() && std::ranges::find(options.solvers, entry.solver) == options.solvers.end())
        continue;
      std::vector<std::int64_t> missing;
      for (std::int64_t t = first; t < first + entry.trials; ++t)
        if (!ledger.find(cell.label, entry.solver, t)) missing.push_back(t);
      std::string chosen;
      if (!missing.empty()) {
        draw_missing(entry.trials);
        RaceLimits tuning = entry.limits;
        tuning.seconds /= 3;
        const Problem& example = problems.at(first);
        const bool grid = candidates_named(entry.solver, example.spec).size() > 1;
        const Competitor competitor =
            best_candidate(entry.solver, grid ? cell.problem(tuning_instance) : example, tuning, options.jobs);
        if (grid) chosen = competitor.name;
        parallel_for(options.jobs, missing.size(), [&](std::size_t k) {
          const std::int64_t t = missing[k];
          const Race r = race(problems.at(t), competitor, entry.limits, static_cast<std::uint64_t>(t));
          ledger.add(row_of(cell.label, entry.solver, t, r));
        });
      }
      std::vector<BenchRow> rows;
      for (std::int64_t t = first; t < first + entry.trials; ++t)
        if (const BenchRow* row = ledger.find(cell.label, entry.solver, t)) rows.push_back(*row);
      if (rows.empty()) continue;
      fmt::print("  {:<16} {:>6} {:>26} {:>10} {:>10.4f} {:>9.3f}{}\n", entry.solver, rows.size(),
                 fmt::format("{} [{}, {}]", shown(rows, &BenchRow::first, 0.5), shown(rows, &BenchRow::first, 0.25),
                             shown(rows, &BenchRow::first, 0.75)),
                 shown(rows, &BenchRow::for_good, 0.5),
                 median(rows, [](const BenchRow& r) { return std::max(r.gap, r.violation); }),
                 median(rows, [](const BenchRow& r) { return r.milliseconds; }),
                 chosen.empty() ? "" : "  (" + chosen + ")");
      std::fflush(stdout);
      if (Series series = trajectory(entry.solver, rows); !series.x.empty()) {
        series.dashed = panel.series.size() >= 8;  // colours repeat after eight
        panel.series.push_back(std::move(series));
      }
    }
    panels.push_back(std::move(panel));
  }
  if (!panels.empty()) draw(panels, options.out / suite);
}

}  // namespace zeroth
