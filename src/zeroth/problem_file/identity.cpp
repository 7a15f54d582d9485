// SPDX-License-Identifier: MIT
#include "zeroth/problem_file/identity.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/core/random.hpp"
#include "zeroth/core/text.hpp"

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
  const Json parsed = parse_json<Json>(identity);
  if (parsed.is_object()) flatten(parsed, "", out);
  out.erase("solver.budget");
  out.erase("solver.carried");
  return out;
}

// A run that continues another began with what that one had measured.
bool carries(const std::string& identity) {
  const Json parsed = parse_json<Json>(identity);
  if (!parsed.is_object() || !parsed.contains("solver") || !parsed["solver"].is_object()) return false;
  const std::string carried = parsed["solver"].value("carried", "0");
  return carried != "0";
}

std::string shortened(const std::string& text) {
  return text.size() <= readable_length ? text : text.substr(0, readable_length) + "...";
}

// Keys that change nothing about what is measured, only how patiently.
bool immaterial(const std::string& section, const std::string& key) {
  return section == "problem" && (key == "timeout" || key == "retries");
}

// Points and evaluations from before may be thousands: a hash stands for them.
std::string described(const std::string& key, const DocumentValue& value) {
  const auto* numbers = std::get_if<std::vector<double>>(&value);
  if (!numbers || (key != "points" && key != "evaluated")) return to_string(value);
  std::uint64_t hash = numbers->size();
  for (const double v : *numbers)
    hash = derive_key(hash, std::bit_cast<std::uint64_t>(std::isnan(v) ? std::nan("") : v));
  return fmt::format("{} numbers, hash {:016x}", numbers->size(), hash);
}

}  // namespace

std::string identity_of(const Document& document, const ResolvedProblem& problem) {
  Json all = Json::object();
  for (const Section& s : document.sections) {
    if (s.name == "solver") continue;
    std::string name = s.name;
    if (s.name == "linear") name += "." + std::to_string(all.size());
    if (s.name == "variable") name += "." + text_at(s, "name").value_or("");
    else if (all.contains(name)) name += "." + std::to_string(all.size());
    Json& target = all[name] = Json::object();
    for (const auto& [key, entry] : s.entries)
      if (!immaterial(s.name, key)) target[key] = described(key, entry.value);
  }
  all["problem"]["name"] = problem.name;
  // Order of variables is order of coordinates: it matters, and objects forget it.
  all["variable_order"] = problem.space.names();
  Json& solver = all["solver"] = Json::object();
  RunSettings run = problem.run;
  for (const Option& o : options_of(run))
    if (o.name() != "lag" || run.lag > 0) solver[o.name()] = o.value();  // runs of before there was a lag had none
  solver_named(problem.run.name).describe([&](const OptionList& options) {
    apply(problem.solver_options, options, problem.run.name);
    for (const Option& o : options)  // nor was there a word on safety
      if (o.name() != "safe" || problem.solver_options.contains("safe")) solver[o.name()] = o.value();
  });
  solver["budget"] = problem.run.budget;
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> identity_changes(const std::string& before, const std::string& after) {
  auto was = flat(before), is = flat(after);
  if (carries(before) || carries(after))
    for (auto* side : {&was, &is}) side->erase("problem.evaluated");
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
  const Json parsed = parse_json<Json>(identity);
  if (!parsed.is_object() || !parsed.contains("solver") || !parsed["solver"].is_object()) return 0;
  const Json& solver = parsed["solver"];
  return solver.contains("budget") && solver["budget"].is_number_integer() ? solver["budget"].get<std::int64_t>() : 0;
}

}  // namespace zeroth
