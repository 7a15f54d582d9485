// SPDX-License-Identifier: MIT
#include "zeroth/run/stored/import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>

#include "zeroth/core/error.hpp"
#include "zeroth/core/files.hpp"
#include "zeroth/core/random.hpp"
#include "zeroth/core/text.hpp"
#include "zeroth/run/stored/store_journal.hpp"

namespace zeroth {
namespace {

std::vector<std::string> variable_columns(const ResolvedProblem& problem) {
  std::vector<std::string> names = problem.space.names();
  for (auto i = static_cast<Index>(names.size()); i < problem.spec.dimension(); ++i)
    names.push_back(fmt::format("x{}", i));
  return names;
}

// JSON may give constraints as a list, too, and all values at once.
std::vector<std::string> other_names(const ResolvedProblem& problem, std::size_t function, const char* suffix) {
  const std::size_t m = problem.value_names().size();
  std::vector<std::string> names{fmt::format("values{}[{}]", suffix, function)};
  if (function > 0 && function <= m) names.push_back(fmt::format("constraints{}[{}]", suffix, function - 1));
  if (function > m) names.push_back(fmt::format("equalities{}[{}]", suffix, function - 1 - m));
  return names;
}

[[noreturn]] void missing(const Table& table, const TableRow& row, const std::string& name) {
  if (const auto text = row.texts.find(name); text != row.texts.end())
    throw Error(table.where(row), fmt::format("'{}' is '{}', not a number", name, text->second));
  const bool column = std::ranges::find(table.columns, name) != table.columns.end();
  throw Error(table.where(row),
              column ? fmt::format("'{}' is empty; give a number", name)
                     : fmt::format("there is no column '{}'; there are: {}", name, fmt::join(table.columns, ", ")));
}

// The number of a text.
double value_of(const Table& table, const TableRow& row, const ResolvedProblem& problem, Index i,
                const std::string& name) {
  const Variables& declared = problem.space.variables();
  const auto text = row.texts.find(name);
  const auto number = row.numbers.find(name);
  if (text == row.texts.end() && number == row.numbers.end()) {
    const auto k = static_cast<std::size_t>(i);
    if (k < declared.when.size() && !declared.when[k].empty()) return std::nan("");
    missing(table, row, name);
  }
  const std::string given = text != row.texts.end() ? text->second : fmt::format("{}", number->second);
  if (const auto value = problem.space.value_of(i, given)) return *value;
  // As `zeroth export` prints it: without what a terminal would act on, and never a formula.
  const auto& values = declared.values_of(i);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (const std::string shown = printable(values[k]); given == shown || given == "'" + shown)
      return static_cast<double>(k);
  throw Error(table.where(row),
              fmt::format("'{}' is '{}', but must be one of {}", name, given, fmt::join(declared.values_of(i), ", ")));
}

Vector point_of(const Table& table, const TableRow& row, const ResolvedProblem& problem,
                const std::vector<std::string>& names) {
  Vector x(static_cast<Index>(names.size()));
  const Variables& declared = problem.space.variables();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto k = static_cast<Index>(i);
    const auto found = row.numbers.find(names[i]);
    if (!declared.values_of(k).empty()) x[k] = value_of(table, row, problem, k, names[i]);
    else if (found != row.numbers.end()) x[k] = found->second;
    else if (i < declared.when.size() && !declared.when[i].empty()) x[k] = std::nan("");
    else missing(table, row, names[i]);
  }
  if (const std::string why = why_outside(problem, x); !why.empty())
    throw Error(table.where(row), fmt::format("the point may not be evaluated: {}", why));
  return x;
}

std::uint64_t hash_of_rows(const std::vector<double>& rows) {
  std::uint64_t hash = rows.size();
  for (const double v : rows) hash = derive_key(hash, std::bit_cast<std::uint64_t>(std::isnan(v) ? std::nan("") : v));
  return hash;
}

std::size_t functions_measured(const ResolvedProblem& problem) {
  return static_cast<std::size_t>(problem.meaning ? problem.meaning->measured() : problem.spec.functions());
}

// Where single functions are asked, one evaluation may come in parts: rows of one point and one seed whose values do
// not overlap are one.
class PartsOfRows {
 public:
  PartsOfRows(std::size_t dimension, std::size_t functions) : n_(dimension), m_(functions) {}

  // Whether the row is a further part of one that is there, which then has it.
  bool join(std::vector<double>& rows, std::uint64_t seed, std::span<const double> row) {
    if (seed == 0) return false;
    const auto known = places_.find({seed, {row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n_)}});
    if (known == places_.end() || row.back() != 1) return false;
    const std::span<double> there = std::span(rows).subspan(known->second, row.size());
    for (std::size_t i = n_; i < n_ + m_; ++i)
      if (!std::isnan(there[i]) && !std::isnan(row[i])) return false;
    for (std::size_t i = n_; i < n_ + 2 * m_; ++i)
      if (std::isnan(there[i])) there[i] = row[i];
    return true;
  }
  void add(std::vector<double>& rows, std::uint64_t seed, std::span<const double> row) {
    const bool whole = std::ranges::none_of(row.subspan(n_, m_), [](double v) { return std::isnan(v); });
    if (!whole) places_[{seed, {row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n_)}}] = rows.size();
    rows.insert(rows.end(), row.begin(), row.end());
  }

 private:
  std::size_t n_, m_;
  std::map<std::pair<std::uint64_t, std::vector<double>>, std::size_t> places_;
};

// The evaluations of an import, as rows of the problem's document.
std::vector<double> rows_of(Store& store, const RunRow& run, const ResolvedProblem& problem) {
  const auto n = static_cast<std::size_t>(problem.spec.dimension());
  const std::size_t m = functions_measured(problem);
  std::vector<double> rows, row;
  PartsOfRows parts(n, m);
  store.each_answer(run.id, [&](const StoredAnswer& a) {
    if (a.answer.failed()) return;
    if (a.x.size() != n || a.answer.values.size() != m)
      throw Error(store.path(),
                  fmt::format("import {} was made for another problem of the name '{}': it has {} variables and {} "
                              "values, not {} and {}; give the problem another name, or use another store",
                              run.id, run.name, a.x.size(), a.answer.values.size(), n, m));
    row.assign(a.x.begin(), a.x.end());
    row.insert(row.end(), a.answer.values.begin(), a.answer.values.end());
    for (std::size_t i = 0; i < m; ++i) row.push_back(a.answer.se.empty() ? std::nan("") : a.answer.se[i]);
    row.push_back(static_cast<double>(a.count));
    if (!parts.join(rows, a.noise, row)) parts.add(rows, a.noise, row);
  });
  return rows;
}

}  // namespace

std::vector<double> measured_rows(Store& store, const RunRow& run, const ResolvedProblem& problem) {
  return rows_of(store, run, problem);
}

std::vector<double> evaluated_rows(const ProblemSource& source) {
  Document document = parse_document(source.text, source.file);
  for (const auto& [option, assignment] : source.overrides) override_entry(document, assignment, option);
  const Section* problem = document.find("problem");
  const DocumentEntry* entry = problem ? problem->find("evaluated") : nullptr;
  const auto* rows = entry ? std::get_if<std::vector<double>>(&entry->value) : nullptr;
  return rows ? *rows : std::vector<double>{};
}

std::vector<std::string> function_columns(const ResolvedProblem& problem) {
  std::vector<std::string> names{"objective"};
  for (const auto& name : problem.value_names()) names.push_back(name);
  for (const auto& name : problem.equality_names) names.push_back(name);
  return names;
}

std::vector<double> points_of(const Table& table, const ResolvedProblem& problem) {
  const auto names = variable_columns(problem);
  std::vector<double> points;
  for (const TableRow& row : table.rows)
    for (const double v : point_of(table, row, problem, names)) points.push_back(v);
  if (points.empty()) throw Error(table.file, "holds no points; below the head line, give one point per line");
  return points;
}

Answer answer_in(const Table& table, const TableRow& row, const ResolvedProblem& problem,
                 std::span<const std::uint8_t> wanted) {
  const auto functions = function_columns(problem);
  std::vector<double> values, errors;
  const auto find = [&](const std::string& name, const std::vector<std::string>& others) -> const double* {
    if (const auto found = row.numbers.find(name); found != row.numbers.end()) return &found->second;
    for (const auto& other : others)
      if (const auto found = row.numbers.find(other); found != row.numbers.end()) return &found->second;
    return nullptr;
  };
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto others_of_value = other_names(problem, i, "");
    const double* value = find(functions[i], others_of_value);
    const bool not_asked = !wanted.empty() && wanted[i] == 0;
    const auto is_column = [&](const std::string& name) {
      return std::ranges::find(table.columns, name) != table.columns.end();
    };
    const bool may_be_empty = wanted.empty() && problem.partial() && !row.texts.contains(functions[i]) &&
                              (is_column(functions[i]) || std::ranges::any_of(others_of_value, is_column));
    if (not_asked || (!value && may_be_empty)) {
      values.push_back(std::nan(""));
      errors.push_back(std::nan(""));
      continue;
    }
    if (!value) missing(table, row, functions[i]);
    if (!std::isfinite(*value))
      throw Error(table.where(row), fmt::format("'{}' is {}, not a finite number", functions[i], *value));
    values.push_back(*value);
    auto others = other_names(problem, i, "_se");
    others.push_back(fmt::format("se[{}]", i));
    if (i == 0) others.push_back("se");
    const double* error = find(functions[i] + "_se", others);
    if (error && (!(*error >= 0) || std::isinf(*error)))
      throw Error(table.where(row), fmt::format("the standard error of '{}' is {}, but must be a finite number >= 0",
                                                functions[i], *error));
    errors.push_back(error ? *error : std::nan(""));
  }
  if (std::ranges::all_of(values, [](double v) { return std::isnan(v); }))
    throw Error(table.where(row), "holds no value of any function; give at least one");
  return {std::move(values), {}, std::move(errors)};
}

ImportedEvaluations evaluations_of(const Table& table, const ResolvedProblem& problem) {
  const auto names = variable_columns(problem);
  ImportedEvaluations out;
  PartsOfRows parts(names.size(), functions_measured(problem));
  std::vector<double> all;
  for (const TableRow& row : table.rows) {
    if (row.texts.contains("failure") || row.texts.contains("error")) {
      ++out.failed;
      continue;
    }
    const Vector x = point_of(table, row, problem, names);
    const Answer answer = answer_in(table, row, problem);
    const std::vector<double>&values = answer.values, &errors = answer.se;
    double count = 1;
    if (const auto found = row.numbers.find("n"); found != row.numbers.end()) count = found->second;
    if (!(count >= 1) || count != std::floor(count) || count > 1e15)
      throw Error(table.where(row),
                  fmt::format("'n' is {}, but must be a count of evaluations: an integer, at least 1", count));
    double seed = 0;
    if (const auto found = row.numbers.find("seed"); found != row.numbers.end()) seed = found->second;
    if (!(seed >= 0) || seed != std::floor(seed) || seed >= 0x1p53)
      throw Error(table.where(row), fmt::format("'seed' is {}, but must be an integer from 0 to 2^53 - 1", seed));
    all.assign(x.begin(), x.end());
    all.insert(all.end(), values.begin(), values.end());
    all.insert(all.end(), errors.begin(), errors.end());
    all.push_back(count);
    const auto key = static_cast<std::uint64_t>(seed);
    if (parts.join(out.rows, key, all)) continue;
    parts.add(out.rows, key, all);
    out.seeds.push_back(key);
  }
  if (out.seeds.empty()) throw Error(table.file, "holds no evaluations; below the head line, give one per line");
  return out;
}

std::int64_t keep_evaluations(const std::string& path, const ProblemSource& source, const ResolvedProblem& problem,
                              const ImportedEvaluations& evaluations) {
  Store store(path, Store::Access::create);
  for (const RunRow& row : store.runs())
    if (row.stage() == Stage::imported && row.name == problem.name &&
        hash_of_rows(rows_of(store, row, problem)) == hash_of_rows(evaluations.rows))
      throw Error(path,
                  fmt::format("the same evaluations were imported already, as run {}; nothing was changed", row.id));
  const auto n = static_cast<std::size_t>(problem.spec.dimension());
  const std::size_t m = functions_measured(problem), width = n + 2 * m + 1;
  if (problem.spec.dimension() > Store::x_limit)
    throw Error(source.file, fmt::format("evaluations can be imported for up to {} variables", Store::x_limit));
  RunRow row = row_for(source, problem);
  row.solver = "import";
  row.seed = 0;
  row.budget = 0;
  row.id = store.begin_run(row);
  StoreJournal journal(store, row, problem.space);
  for (std::size_t k = 0; k < evaluations.seeds.size(); ++k) {
    const std::span<const double> r = std::span(evaluations.rows).subspan(k * width, width);
    StoredAnswer a;
    a.number = static_cast<std::int64_t>(k);
    a.x.assign(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(n));
    a.x_hash = hash_of(a.x);
    a.noise = evaluations.seeds[k];
    a.answer.values.assign(r.begin() + static_cast<std::ptrdiff_t>(n), r.begin() + static_cast<std::ptrdiff_t>(n + m));
    const auto se = r.subspan(n + m, m);
    if (std::ranges::any_of(se, [](double v) { return !std::isnan(v); })) a.answer.se.assign(se.begin(), se.end());
    a.count = static_cast<std::int64_t>(r.back());
    a.how.attempts = 0;
    journal.keep(std::move(a));
  }
  journal.commit();
  store.end_run(row.id, to_string(Stage::imported),
                fmt::format(R"({{"status":"imported","evaluations":{},"hash":"{:016x}"}})", evaluations.seeds.size(),
                            hash_of_rows(evaluations.rows)));
  return row.id;
}

void add_rows(ProblemSource& source, const std::string& option, const std::string& key,
              const std::vector<double>& rows) {
  std::string text = fmt::format("problem.{}=[", key);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (k > 0) text += ',';
    // TOML has no bare infinities, and an integer must not become another type.
    if (std::isnan(rows[k])) text += "nan";
    else fmt::format_to(std::back_inserter(text), "{:.17e}", rows[k]);
  }
  source.overrides.emplace_back(option, text + "]");
}

std::int64_t add_imported(ProblemSource& source, const std::string& path, const ResolvedProblem& problem) {
  if (!may_exist(path)) return 0;
  Store store(path, Store::Access::existing);
  std::vector<double> rows;
  for (const RunRow& row : store.runs()) {
    if (row.stage() != Stage::imported || row.name != problem.name) continue;
    const std::vector<double> own = rows_of(store, row, problem);
    rows.insert(rows.end(), own.begin(), own.end());
  }
  if (rows.empty()) return 0;
  add_rows(source, fmt::format("what was imported into {}", path), "evaluated", rows);
  const auto width = static_cast<std::size_t>(problem.spec.dimension()) + 2 * functions_measured(problem) + 1;
  return static_cast<std::int64_t>(rows.size() / width);
}

}  // namespace zeroth
