// SPDX-License-Identifier: MIT
#include "zeroth/engine/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "zeroth/core/text.hpp"

namespace zeroth {
namespace {

using Json = nlohmann::json;

// An evaluator's own words, short enough for a line of a log.
std::string excerpt(std::string_view text) {
  constexpr std::size_t most = 120;
  std::string out;
  for (const char c : text.substr(0, most)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return text.size() > most ? out + "..." : out;
}

Reply out_of_step(std::string reason) { return {Answer::failed_because(std::move(reason)), false}; }
Reply wrong(std::string reason) { return {Answer::failed_because(std::move(reason)), true}; }

// Reads `count` numbers of array `key` to `out`; returns what is wrong, or nothing. Entries without a flag in `wanted`
// (empty: none) become NaN, whatever stands there.
std::string read_array(const Json& reply, const char* key, Index count, double* out,
                       std::span<const std::uint8_t> wanted = {}) {
  const auto found = reply.find(key);
  const bool none = !wanted.empty() && std::ranges::find(wanted, 1) == wanted.end();
  if (found == reply.end() || (none && found->is_null())) {
    std::fill_n(out, count, std::nan(""));
    if (count == 0 || none) return {};
    return fmt::format("reply has no \"{}\" (an array of {} numbers)", key, count);
  }
  if (!found->is_array()) return fmt::format("\"{}\" is not an array of {} numbers", key, count);
  if (found->size() != static_cast<std::size_t>(count))
    return fmt::format("\"{}\" has {} numbers instead of {}", key, found->size(), count);
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Json& entry = (*found)[i];
    if (!wanted.empty() && wanted[i] == 0) {
      out[i] = std::nan("");
      continue;
    }
    if (!entry.is_number())
      return fmt::format("\"{}\"[{}] is {}, not a number{}", key, i,
                         excerpt(entry.dump(-1, ' ', true, Json::error_handler_t::replace)),
                         wanted.empty() ? "" : ", though it was wanted");
    out[i] = entry.get<double>();
    if (!std::isfinite(out[i])) return fmt::format("\"{}\"[{}] is not a finite number", key, i);
  }
  return {};
}

// Standard errors from who averages by themselves: numbers >= 0, or null where one is not known. Read into `out` as
// NaN unless given; returns what is wrong, or nothing.
std::string read_errors(const Json& reply, const char* key, Index count, double* out, bool& any) {
  const auto found = reply.find(key);
  if (found == reply.end() || found->is_null()) return {};
  const bool list = found->is_array();
  if (list ? found->size() != static_cast<std::size_t>(count) : count != 1)
    return fmt::format("\"{}\" is not an array of {} numbers", key, count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const Json& entry = list ? (*found)[i] : *found;
    if (entry.is_null()) continue;
    if (!entry.is_number() || !(entry.get<double>() >= 0) || std::isinf(entry.get<double>()))
      return fmt::format("\"{}\" holds {}, but a standard error is a finite number >= 0", key,
                         excerpt(entry.dump(-1, ' ', true, Json::error_handler_t::replace)));
    out[i] = entry.get<double>();
    any = true;
  }
  return {};
}

}  // namespace

std::vector<std::string> wanted_names(const Evaluator& evaluator, const Query& query) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < evaluator.partial.size(); ++i)
    if (query.wants(static_cast<Index>(i))) names.push_back(evaluator.partial[i]);
  return names;
}

std::string request_line(const Evaluator& evaluator, const Query& query, std::uint64_t id) {
  std::string line = fmt::format("{{\"id\":{},\"x\":", id);
  evaluator.write_x(query.x, line);
  // The upper bits: keys that are equal stay equal, and nothing else is lost.
  fmt::format_to(std::back_inserter(line), ",\"seed\":{}", query.noise >> (53 - evaluator.seed_bits));
  if (!evaluator.partial.empty())
    line += ",\"wanted\":" + Json(wanted_names(evaluator, query)).dump(-1, ' ', false, Json::error_handler_t::replace);
  return line + "}\n";
}

Reply parse_reply(std::string_view line, std::uint64_t id, const Evaluator& evaluator,
                  std::span<const std::uint8_t> wanted) {
  if (evaluator.partial.empty()) wanted = {};
  const Json reply = parse_json<Json>(line);
  if (reply.is_discarded()) {
    // What Python, R and C print for numbers that JSON does not have.
    for (const std::string_view name : {"NaN", "nan", "Infinity", "inf", "Inf"})
      if (line.find(name) != std::string_view::npos && line.find("\"id\"") != std::string_view::npos)
        return out_of_step("a value is NaN or infinite: " + excerpt(line));
    return out_of_step("reply is not JSON: " + (line.empty() ? std::string("an empty line") : excerpt(line)));
  }
  if (!reply.is_object()) return out_of_step("reply is not a JSON object: " + excerpt(line));
  const auto its_id = reply.find("id");
  if (its_id == reply.end()) return out_of_step("reply has no \"id\": " + excerpt(line));
  if (!its_id->is_number_integer() || *its_id != id)
    return out_of_step("reply answers another question: \"id\" is not the one that was asked: " + excerpt(line));

  if (const auto error = reply.find("error"); error != reply.end() && !error->is_null()) {
    const std::string words =
        error->is_string() ? error->get<std::string>() : error->dump(-1, ' ', true, Json::error_handler_t::replace);
    return wrong(words.empty() ? "error reply without words" : excerpt(words));
  }
  Answer answer;
  answer.values.resize(static_cast<std::size_t>(1 + evaluator.constraints + evaluator.equalities));
  if (reply.contains("values")) {  // all in one list: what a party answers (docs/how-to/parties.md)
    const auto count = static_cast<Index>(answer.values.size());
    if (std::string problem = read_array(reply, "values", count, answer.values.data()); !problem.empty())
      return wrong(std::move(problem));
    if (evaluator.maximize) answer.values[0] = -answer.values[0];
    return {std::move(answer), true};
  }
  const auto objective = reply.find("objective");
  if (!wanted.empty() && wanted[0] == 0) {
    answer.values[0] = std::nan("");
  } else {
    if (objective == reply.end()) return wrong("reply has no \"objective\": " + excerpt(line));
    if (!objective->is_number()) return wrong("\"objective\" is not a number: " + excerpt(line));
    answer.values[0] = objective->get<double>() * (evaluator.maximize ? -1 : 1);
    if (!std::isfinite(answer.values[0])) return wrong("\"objective\" is not a finite number");
  }
  const auto m = static_cast<std::size_t>(evaluator.constraints);
  const auto flags = [&](std::size_t from, Index count) {
    return wanted.empty() ? wanted : wanted.subspan(from, static_cast<std::size_t>(count));
  };
  double* next = answer.values.data() + 1;
  if (std::string problem =
          read_array(reply, "constraints", evaluator.constraints, next, flags(1, evaluator.constraints));
      !problem.empty())
    return wrong(std::move(problem));
  next += evaluator.constraints;
  if (std::string problem =
          read_array(reply, "equalities", evaluator.equalities, next, flags(1 + m, evaluator.equalities));
      !problem.empty())
    return wrong(std::move(problem));
  answer.se.assign(answer.values.size(), std::nan(""));
  bool any_stated = false;
  double* const se = answer.se.data();
  for (std::string problem :
       {read_errors(reply, "objective_se", 1, se, any_stated),
        read_errors(reply, "constraints_se", evaluator.constraints, se + 1, any_stated),
        read_errors(reply, "equalities_se", evaluator.equalities, se + 1 + evaluator.constraints, any_stated)})
    if (!problem.empty()) return wrong(std::move(problem));
  if (!any_stated) answer.se.clear();
  return {std::move(answer), true};
}

}  // namespace zeroth
