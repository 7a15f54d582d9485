// SPDX-License-Identifier: MIT
#include "zeroth/problem_file/read_parties.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

std::vector<std::string> function_names(const ResolvedProblem& problem) {
  std::vector<std::string> names{"objective"};
  names.insert(names.end(), problem.constraint_names.begin(), problem.constraint_names.end());
  names.insert(names.end(), problem.equality_names.begin(), problem.equality_names.end());
  return names;
}

}  // namespace

std::vector<Party> read_parties(const Document& document, const ResolvedProblem& problem, const Evaluator& base) {
  const auto names = function_names(problem);
  std::vector<std::string> owner(names.size());
  std::vector<Party> parties;
  for (const Section* s : document.all("party")) {
    refuse_unknown_keys(*s, {"name", "owns", "command"});
    Party party;
    party.name = text_at(*s, "name").value_or(fmt::format("party {}", parties.size() + 1));
    const auto owns = texts_at(*s, "owns");
    if (!owns || owns->empty())
      throw Error(s->where_of("owns"),
                  "[[party]] needs the functions that it owns, such as owns = [\"objective\", \"c1\"]");
    for (const auto& name : *owns) {
      const auto found = std::ranges::find(names, name);
      if (found == names.end()) {
        const auto near = nearest_name(name, names);
        throw Error(s->where_of("owns"), fmt::format("there is no function '{}'; {}", name,
                                                     near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                                                                  : fmt::format("did you mean '{}'?", near)));
      }
      const auto i = static_cast<std::size_t>(found - names.begin());
      if (!owner[i].empty())
        throw Error(s->where_of("owns"),
                    fmt::format("'{}' belongs to '{}' already; a function has one owner", name, owner[i]));
      owner[i] = party.name;
      if (i == 0 && !party.owns.empty())
        throw Error(s->where_of("owns"),
                    "name 'objective' first in 'owns', and its value first in the evaluator's answer");
      party.owns.push_back(static_cast<Index>(i));
    }
    party.evaluator = base;
    party.evaluator.command = texts_at(*s, "command").value_or(std::vector<std::string>{});
    if (party.evaluator.command.empty() || party.evaluator.command.front().empty())
      throw Error(s->where_of("command"), "'command' must be a list such as [\"./evaluate.py\"]");
    party.evaluator.constraints = static_cast<Index>(party.owns.size()) - 1;  // answers come in one list
    party.evaluator.equalities = 0;
    party.evaluator.maximize = base.maximize && party.owns.front() == 0;
    parties.push_back(std::move(party));
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (owner[i].empty())
      throw Error(document.all("party").front()->where,
                  fmt::format("nobody owns '{}'; name it in the 'owns' of a [[party]]", names[i]));
  return parties;
}

}  // namespace zeroth
