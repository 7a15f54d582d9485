// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "zeroth/store/store.hpp"

namespace zeroth::testing_support {

// Runs written straight into a store, row by row, so that tests know every number in it.
struct StoredRun {
  std::string name = "planted", solver = "made-up", status = "budget", result;
  std::int64_t seed = 1, budget = 100, dimension = 2;
  int constraints = 1, equalities = 0;
  bool maximize = false;
  // Values of the functions at evaluation `number`, or nothing for a failure; the point goes to `x`.
  std::function<std::vector<double>(std::int64_t number, std::vector<double>& x)> answer;
  std::function<StoredTrace(std::int64_t evaluations)> trace;  // if there is one, every tenth evaluation
};

inline std::string list_of(const std::string& prefix, int count) {
  std::string list;
  for (int i = 1; i <= count; ++i) list += (i > 1 ? ",\"" : "\"") + prefix + std::to_string(i) + "\"";
  return "[" + list + "]";
}

inline void insert_answer(Store& store, std::int64_t run, std::int64_t number, const std::vector<double>& x,
                          const std::vector<double>& values, const std::string& failure = "diverged") {
  sqlite::Statement insert(store.connection(),
                           "INSERT INTO answers(run, number, x, x_hash, noise, \"values\", failure, seconds, worker, "
                           "attempts) VALUES(?,?,?,?,?,?,?,0.5,0,1)");
  insert.bind(0, run).bind(1, number).bind(2, std::span<const double>(x));
  insert.bind(3, static_cast<std::int64_t>(hash_of(x))).bind(4, number);
  if (values.empty()) insert.bind(6, std::string_view(failure));
  else insert.bind(5, std::span<const double>(values));
  insert.execute();
}

inline std::int64_t write_run(Store& store, const StoredRun& plan, std::int64_t evaluations) {
  RunRow row;
  row.name = plan.name;
  row.identity = "{\"problem\":{\"name\":\"" + plan.name + "\"},\"solver\":{\"name\":\"" + plan.solver +
                 "\",\"seed\":" + std::to_string(plan.seed) + "}}";
  row.solver = plan.solver;
  row.seed = plan.seed;
  row.budget = plan.budget;
  row.dimension = plan.dimension;
  row.functions = 1 + plan.constraints + plan.equalities;
  row.maximize = plan.maximize;
  row.names = "{\"variables\":[],\"constraints\":" + list_of("c", plan.constraints) +
              ",\"equalities\":" + list_of("h", plan.equalities) + "}";
  row.overrides = "[]";
  row.version = "0";
  row.file = "p.toml";
  const auto id = store.begin_run(row);
  store.connection().run("BEGIN");
  for (std::int64_t k = 0; k < evaluations; ++k) {
    std::vector<double> x(static_cast<std::size_t>(plan.dimension));
    const auto values = plan.answer(k, x);
    insert_answer(store, id, k, x, values);
    if (plan.trace && k % 10 == 9) {
      const StoredTrace t = plan.trace(k + 1);
      sqlite::Statement insert(store.connection(),
                               "INSERT INTO trace(run, evaluations, x, multipliers, figures) VALUES(?,?,?,?,?)");
      insert.bind(0, id).bind(1, t.evaluations).bind(2, std::span<const double>(t.x));
      insert.bind(3, std::span<const double>(t.multipliers)).bind(4, std::string_view(t.figures));
      insert.execute();
    }
  }
  store.connection().run("COMMIT");
  if (!plan.result.empty()) store.end_run(id, plan.status, plan.result);
  return id;
}

}  // namespace zeroth::testing_support
