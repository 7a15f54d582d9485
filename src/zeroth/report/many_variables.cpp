// SPDX-License-Identifier: MIT
#include "zeroth/report/many_variables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "zeroth/core/text.hpp"

namespace zeroth {
namespace {

using OrderedJson = nlohmann::ordered_json;
constexpr std::size_t bins = 24, listed = 20, distances = 100;

// The last point: the checked answer, or else the trace's. Any dimension, so it is read from the result.
std::vector<double> last_point(const RunHistory& h) {
  std::vector<double> x;
  const OrderedJson result = parse_json<OrderedJson>(h.row().result);
  if (result.is_object() && result.contains("x"))
    for (const auto& [name, value] : result["x"].items())
      if (value.is_number()) x.push_back(value.get<double>());
  if (x.empty() && !h.trace().empty()) x = h.trace().back().x;
  return x;
}

double rms_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, a.size())));
}

}  // namespace

std::string wide_summary(const RunHistory& h) {
  const std::vector<double> x = last_point(h);
  OrderedJson json{{"known", x.size()}};
  if (x.empty()) return json.dump();
  const auto bounded = [&](std::size_t i) { return i < h.variables().size() && !std::isnan(h.variables()[i].lower); };
  const auto [low, high] = std::ranges::minmax(x);
  // Positions in their declared ranges if all have one, else the values themselves.
  bool shares = true;
  for (std::size_t i = 0; i < x.size(); ++i) shares = shares && bounded(i);
  std::array<std::int64_t, bins> histogram{};
  std::int64_t at_lower = 0, at_upper = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double begin = shares ? h.variables()[i].lower : low, end = shares ? h.variables()[i].upper : high;
    double share = end > begin ? (x[i] - begin) / (end - begin) : 0;
    if (!std::isfinite(share)) share = 0;  // of numbers that no double can tell apart
    if (shares && share <= 1e-6) ++at_lower;
    if (shares && share >= 1 - 1e-6) ++at_upper;
    ++histogram[static_cast<std::size_t>(std::clamp(share * bins, 0.0, bins - 1.0))];
  }
  json["histogram"] = {
      {"shares", shares}, {"from", shares ? 0.0 : low}, {"to", shares ? 1.0 : high}, {"counts", histogram}};
  json["at_lower"] = at_lower;
  json["at_upper"] = at_upper;
  if (h.trace().empty() || h.trace().front().x.size() != x.size() || h.variables().size() != x.size())
    return json.dump();

  const std::vector<double>& start = h.trace().front().x;
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return std::abs(x[i] - start[i]); });
  order.resize(std::min(listed, order.size()));
  json["moved"] = OrderedJson::array();
  for (const std::size_t i : order)
    json["moved"].push_back({{"name", h.variables()[i].name}, {"start", start[i]}, {"now", x[i]}});
  const std::size_t count = std::min(distances, h.trace().size());
  for (std::size_t k = 0; k < count; ++k) {
    const StoredTrace& t = h.trace()[h.trace().size() - 1 - (count - 1 - k) * h.trace().size() / count];
    if (t.x.size() != x.size()) continue;
    json["distance"]["evaluations"].push_back(t.evaluations);
    json["distance"]["value"].push_back(rms_distance(t.x, x));
  }
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace zeroth
