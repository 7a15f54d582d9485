// SPDX-License-Identifier: MIT
#include "zeroth/problem_file/read_cost.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "zeroth/adapters/cheap_first.hpp"
#include "zeroth/core/error.hpp"

namespace zeroth {

std::vector<std::string> measured_names(const ResolvedProblem& problem) {
  std::vector<std::string> names{"objective"};
  names.insert(names.end(), problem.value_names().begin(), problem.value_names().end());
  names.insert(names.end(), problem.equality_names.begin(), problem.equality_names.end());
  return names;
}

void read_cost(const Document& document, ResolvedProblem& problem) {
  const Section& s = *document.find("problem");
  const bool partial = flag_at(s, "partial").value_or(false);
  const auto names = measured_names(problem);
  if (partial && !problem.parties.empty())
    throw Error(s.where_of("partial"), "parties are asked for what they own and nothing else; remove 'partial'");
  if (partial && problem.evaluator) problem.evaluator->partial = names;
  const Section* cost = document.find("cost");
  if (!cost) return;
  if (!partial && problem.parties.empty() && !problem.builtin)
    throw Error(cost->where,
                "[cost] says what single functions cost, but the evaluator is asked for all of them at once; add "
                "'partial = true' under [problem] if it honours \"wanted\", or remove [cost]");
  refuse_unknown_keys(*cost, names);
  constexpr double most = 1e12;
  problem.cost = Vector::Zero(static_cast<Index>(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto given = number_at(*cost, names[i]);
    if (!given)
      throw Error(cost->where, fmt::format("[cost] does not say what '{}' costs; give every function a number: {}",
                                           names[i], fmt::join(names, ", ")));
    if (!(*given >= 0) || *given > most)
      throw Error(cost->where_of(names[i]),
                  fmt::format("'{}' costs {}, but a cost is a number from 0 to {}", names[i], *given, most));
    problem.cost[static_cast<Index>(i)] = *given;
  }
  if (!(problem.cost.sum() > 0))
    throw Error(cost->where, "all costs are 0; give at least one function a cost above it");
  problem.spec.cost = cost_of_stated(problem.cost, problem.meaning);
  if (problem.builtin) problem.builtin->spec.cost = problem.spec.cost;
}

void require_affordable(const ResolvedProblem& problem, const std::string& where) {
  if (problem.cost.size() == 0) return;
  const double rest = static_cast<double>(problem.run.budget - problem.run.carried);
  if (rest < problem.cost.sum())
    throw Error(where, fmt::format("'budget' leaves {} units of [cost], but one evaluation of all functions costs {}; "
                                   "raise the budget",
                                   rest, problem.cost.sum()));
}

}  // namespace zeroth
