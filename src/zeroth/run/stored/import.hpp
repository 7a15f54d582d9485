// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "zeroth/problem_file/read_table.hpp"
#include "zeroth/run/stored/session.hpp"
#include "zeroth/store/store.hpp"

namespace zeroth {

// What people know before a run: points to evaluate first, and evaluations made elsewhere.

// Points of a table, columns by variable name (x0, x1, ... where variables have none), one after the other. Complaints
// name the line.
std::vector<double> points_of(const Table& table, const ResolvedProblem& problem);

// What is measured, as columns: objective, constraints, equalities.
std::vector<std::string> function_columns(const ResolvedProblem& problem);
// The values of one row by these names, as they stand there; standard errors are NaN where there is none.
// `wanted` (one flag per function; empty: all): the others are NaN. Where single functions can be asked, cells of a
// column may be empty, too.
Answer answer_in(const Table& table, const TableRow& row, const ResolvedProblem& problem,
                 std::span<const std::uint8_t> wanted = {});

struct ImportedEvaluations {
  std::vector<double> rows;          // as under `evaluated` in the problem's document
  std::vector<std::uint64_t> seeds;  // one each; 0: not known
  std::size_t failed = 0;            // rows of failed evaluations, which were left out
};
// Columns: the variables, objective, every constraint and equality by name; optional: seed, n, se (of the objective)
// and NAME_se. Columns with other names are left alone, so that what 'zeroth export' writes can be read.
ImportedEvaluations evaluations_of(const Table& table, const ResolvedProblem& problem);

// Keeps them in the store, as a run of status "imported". Refused if the same were imported before.
std::int64_t keep_evaluations(const std::string& store, const ProblemSource& source, const ResolvedProblem& problem,
                              const ImportedEvaluations& evaluations);

// The source with everything under `key` of [problem] (points or evaluated) set to these rows: part of the run's
// identity, and of what a resumed or replayed run is started from.
void add_rows(ProblemSource& source, const std::string& option, const std::string& key,
              const std::vector<double>& rows);

// What a stored run measured itself, and what a run began with, in the same form.
std::vector<double> measured_rows(Store& store, const RunRow& run, const ResolvedProblem& problem);
std::vector<double> evaluated_rows(const ProblemSource& source);

// What was imported into the store for the problem of this name joins the source; returns how many evaluations.
std::int64_t add_imported(ProblemSource& source, const std::string& store, const ResolvedProblem& problem);

}  // namespace zeroth
