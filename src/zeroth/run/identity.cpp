// SPDX-License-Identifier: MIT
#include "zeroth/run/identity.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "zeroth/run/catalog.hpp"

namespace zeroth {
namespace {

using Json = nlohmann::json;
constexpr int readable_length = 100;

void flatten(const Json& node, const std::string& path, std::map<std::string, std::string>& out) {
  if (node.is_object()) {
    for (const auto& [key, value] : node.items()) flatten(value, path.empty() ? key : path + "." + key, out);
  } else {
    out[path] = node.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

std::map<std::string, std::string> flat(const std::string& identity) {
  std::map<std::string, std::string> out;
  const Json parsed = Json::parse(identity, nullptr, false);
  if (parsed.is_object()) flatten(parsed, "", out);
  out.erase("solver.budget");
  return out;
}

std::string shortened(const std::string& text) {
  return text.size() <= readable_length ? text : text.substr(0, readable_length) + "...";
}

// Keys that change nothing about what is measured, only how patiently.
bool immaterial(const std::string& section, const std::string& key) {
  return section == "problem" && (key == "timeout" || key == "retries");
}

}  // namespace

std::string identity_of(const Document& document, const ResolvedProblem& problem) {
  Json all = Json::object();
  for (const Section& s : document.sections) {
    if (s.name == "solver") continue;
    std::string name = s.name;
    if (s.name == "variable") name += "." + text_at(s, "name").value_or("");
    else if (all.contains(name)) name += "." + std::to_string(all.size());
    Json& target = all[name] = Json::object();
    for (const auto& [key, entry] : s.entries)
      if (!immaterial(s.name, key)) target[key] = to_string(entry.value);
  }
  all["problem"]["name"] = problem.name;
  // Order of variables is order of coordinates: it matters, and objects forget it.
  all["variable_order"] = problem.space.names();
  Json& solver = all["solver"] = Json::object();
  RunSettings run = problem.run;
  for (const Option& o : options_of(run)) solver[o.name()] = o.value();
  solver_named(problem.run.name).describe([&](const OptionList& options) {
    apply(problem.solver_options, options, problem.run.name);
    for (const Option& o : options) solver[o.name()] = o.value();
  });
  solver["budget"] = problem.run.budget;
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> identity_changes(const std::string& before, const std::string& after) {
  const auto was = flat(before), is = flat(after);
  std::vector<std::string> changes;
  for (const auto& [key, value] : was) {
    const auto found = is.find(key);
    if (found == is.end()) changes.push_back(fmt::format("{}: {} -> (not there)", key, shortened(value)));
    else if (found->second != value)
      changes.push_back(fmt::format("{}: {} -> {}", key, shortened(value), shortened(found->second)));
  }
  for (const auto& [key, value] : is)
    if (!was.contains(key)) changes.push_back(fmt::format("{}: (not there) -> {}", key, shortened(value)));
  return changes;
}

std::int64_t identity_budget(const std::string& identity) {
  const Json parsed = Json::parse(identity, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("solver") || !parsed["solver"].is_object()) return 0;
  const Json& solver = parsed["solver"];
  return solver.contains("budget") && solver["budget"].is_number_integer() ? solver["budget"].get<std::int64_t>() : 0;
}

}  // namespace zeroth
