// SPDX-License-Identifier: MIT
//
// A catalog of one solver and one problem, for builds that are about engines and the server (ZEROTH_FEW_SOLVERS).
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/problems/qcqp.hpp"
#include "zeroth/solvers/random_search.hpp"

namespace zeroth {

const std::vector<SolverEntry>& solvers() {
  static const std::vector<SolverEntry> entries{{"random", "", "",
                                                 [](const auto& lend) {
                                                   RandomSearchOptions defaults;
                                                   lend(options_of(defaults));
                                                 },
                                                 [](Spec spec, const Settings& settings, std::uint64_t seed) {
                                                   RandomSearchOptions options;
                                                   apply(settings, options_of(options), "solver 'random'");
                                                   return random_search(std::move(spec), options, seed);
                                                 }}};
  return entries;
}

const std::vector<ProblemEntry>& problems() {
  static const std::vector<ProblemEntry> entries{{"qcqp", "", "",
                                                  [](const auto& lend) {
                                                    QcqpOptions defaults;
                                                    lend(options_of(defaults));
                                                  },
                                                  [](const Settings& settings) {
                                                    QcqpOptions options;
                                                    apply(settings, options_of(options), "problem 'qcqp'");
                                                    return qcqp(options);
                                                  }}};
  return entries;
}

const std::vector<EngineEntry>& engines() {
  static const std::vector<EngineEntry> entries{{"serial", ""}, {"threads", ""}, {"processes", ""}};
  return entries;
}

const SolverEntry& solver_named(const std::string& name, const std::string& where) {
  if (name != "random") throw Error(where, "this build has the solver 'random' only");
  return solvers().front();
}

const ProblemEntry& problem_named(const std::string& name, const std::string& where) {
  if (name != "qcqp") throw Error(where, "this build has the problem 'qcqp' only");
  return problems().front();
}

bool learns_from_partial_answers(const std::string&) { return true; }
bool learns_from_earlier_evaluations(const std::string&) { return false; }

}  // namespace zeroth
